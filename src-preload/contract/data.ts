import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { id, instant, problem, procedure } from './problem.ts'
import { download } from './transfers.ts'

/** The things of a data folder, as a person counts them. `other` is what the program notes for itself (indexes, facts). */
export const keptThings = [
  'conversations',
  'messages',
  'media',
  'speeches',
  'recordings',
  'transcripts',
  'images',
  'library', // folders, prompts, presets
  'tools', // keys of tools, functions, servers of tools
  'connections',
  'settings',
  'requests', // rows of the log
  'sums', // what was used by day and caller
  'bodies', // kept texts of requests
  'accounts', // what the service said: days, keys, figures
  'other',
] as const
export const keptThing = z.enum(keptThings)
export type KeptThing = z.infer<typeof keptThing>

/** The databases of a folder, each `NAME.sqlite`. */
export const databaseName = z.enum(['studio', 'ledger', 'bodies', 'account'])
export type DatabaseName = z.infer<typeof databaseName>

/** What a start does with a large database before anything of it can be used: read it whole, recover what can be read, bring it to this version. */
export const opening = z.object({
  stage: z.enum(['checking', 'mending', 'updating']),
  database: databaseName,
  /** Recovered so far; null where nothing is counted. */
  rows: z.number().int().nullable(),
})
export type Opening = z.infer<typeof opening>

/** How many of each; what there is none of is left out. */
export const counts = z.array(z.object({ thing: keptThing, count: z.number().int() }))
export type Counts = z.infer<typeof counts>

/** What a backup says of itself. */
export const backupSummary = z.object({
  /** Version of the program that wrote it. */
  version: z.string(),
  madeAt: instant,
  counts,
  /** Bytes of everything in it. */
  bytes: z.number().int(),
})
export type BackupSummary = z.infer<typeof backupSummary>

/** A database that was damaged when the program started, and what became of it. */
export const damage = z.object({
  /** Its folder's name under `damaged/`, and the database: `2026-11-21T14-05-33Z/studio`. */
  id: z.string(),
  at: instant,
  database: databaseName,
  /** Absolute path of the folder that holds what was set aside, untouched. */
  keptAt: z.string(),
  /** What was found, in SQLite's words or ours. */
  why: z.string(),
  recovered: counts,
  /** What is known to be missing. `count` null: some, and nobody can tell how many. */
  lost: z.array(z.object({ thing: keptThing, count: z.number().int().nullable() })),
  /** Things whose surroundings were lost, and that were given new ones: a message without its conversation. */
  mended: counts,
  /** Files of `media/` that nothing names any more; they lie beside the database that was set aside. */
  mediaSetAside: z.number().int(),
  acknowledged: z.boolean(),
})
export type Damage = z.infer<typeof damage>

/** Data that lies in the folder beside what is used: nothing reads it, and nothing takes it away but the person. */
export const setAside = z.object({
  /** Name under the data folder: `damaged/2026-11-21T14-05-33Z`, `replaced/…`. */
  name: z.string(),
  kind: z.enum(['damaged', 'replaced']),
  at: instant,
  path: z.string(),
  bytes: z.number().int(),
})
export type SetAside = z.infer<typeof setAside>

export const dataWork = z.object({
  /**
   * `databases`: copying them. `files`: naming the media. `packing`: writing the file. `checking`: reading a backup whole. `staging`: the checked
   * files are made safe on the disk.
   */
  stage: z.enum(['databases', 'files', 'packing', 'checking', 'staging']),
  /** Bytes; `total` is an estimate until `packing`. */
  done: z.number(),
  total: z.number(),
})
export type DataWork = z.infer<typeof dataWork>

export const dataState = z.object({
  /** Under way now; each at most once. */
  backup: dataWork.nullable(),
  restore: dataWork.nullable(),
  /** A backup that was checked and takes the place of everything at the next start. */
  waiting: z.object({ summary: backupSummary, stagedAt: instant }).nullable(),
  /** What the last start put in the place of everything, until `acknowledge`d; the former contents lie in `keptAt`. */
  restored: z
    .object({
      id: z.string(),
      at: instant,
      summary: backupSummary,
      keptAt: z.string().nullable(),
      acknowledged: z.boolean(),
    })
    .nullable(),
  /** Newest first. Show those that are not acknowledged on every room. */
  damage: z.array(damage),
  /** Newest first. */
  aside: z.array(setAside),
  /** A restore that was waiting and could not be put in place at this start; everything is as it was. */
  problem: problem.nullable(),
})
export type DataState = z.infer<typeof dataState>

/** Backup, restore, and what became of damaged files. */
export const dataProcedures = {
  /** The whole state first, then again after each change, at most 5 times a second. */
  watch: procedure.output(eventIterator(dataState)),
  /**
   * Everything of the folder as one tar file, consistent while the program runs; no key is in it. Progress is told by `watch`.
   * @throws `busy`, `cancelled`, `store_damaged` (a file is damaged, or the disk is full)
   */
  backup: procedure.output(download),
  cancelBackup: procedure.output(z.object({ cancelled: z.boolean() })),
  /**
   * Reads an uploaded backup whole (manifest, sums, databases) and tells what is in it, beside what is here now. The upload stays for `restore`.
   * @throws `bad_input` (no backup, cut, changed), `store_newer` (written by a newer version), `busy`, `cancelled`
   */
  check: procedure
    .input(z.object({ uploadId: id }))
    .output(z.object({ backup: backupSummary, now: z.object({ counts, bytes: z.number().int() }) })),
  /**
   * Checks it whole again and lays it ready: it takes the place of everything at the next start, and what was here until then is kept aside, with the date.
   * A backup that was waiting is thrown away. @throws as `check`
   */
  restore: procedure.input(z.object({ uploadId: id })).output(backupSummary),
  cancelRestore: procedure.output(z.object({ cancelled: z.boolean() })),
  /** The waiting backup is thrown away; nothing was changed. */
  dropRestore: procedure.output(z.object({ dropped: z.boolean() })),
  /** The person has read it: `id` of a damage, or of `restored`. @throws `no_such_item` */
  acknowledge: procedure.input(z.object({ id: z.string().max(200) })).output(z.object({})),
  /** Takes away for good what was set aside. @throws `no_such_item` */
  eraseAside: procedure.input(z.object({ name: z.string().max(200) })).output(z.object({})),
}
