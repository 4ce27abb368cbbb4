/** Descriptions of a file's tables, in the order of README.txt. A column whose name is self-explanatory has none. */
export type DescribedTables = Record<string, { about: string; columns: Record<string, string> }>
