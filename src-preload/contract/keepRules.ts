import * as z from 'zod'

/** How many backups of a folder stay: the newest ones, and the newest one of each of the latest days, weeks, months and years with one. */
export const keepRules = z.partialRecord(
  z.enum(['last', 'daily', 'weekly', 'monthly', 'yearly']),
  z.number().int().min(0).max(1000),
)
export type KeepRules = z.infer<typeof keepRules>
