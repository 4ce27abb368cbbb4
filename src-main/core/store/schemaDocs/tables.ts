/** What a file's tables hold, in the order in which they are told. A column whose name says everything has no words. */
export type DescribedTables = Record<string, { about: string; columns: Record<string, string> }>
