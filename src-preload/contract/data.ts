import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { id, instant, problemOrNull, procedure, whole } from './problem.ts'
import { download } from './transfers.ts'

/** Contents of a data folder as a person counts them. `other`: internal records such as indexes. */
export const dataKinds = [
  'conversations',
  'messages',
  'media',
  'speeches',
  'recordings',
  'transcripts',
  'images',
  'library', // folders, prompts, presets
  'tools', // apps, functions, MCP servers
  'connections',
  'settings',
  'requests', // rows of the request log
  'sums', // usage totals by day and caller
  'bodies', // stored request and response bodies
  'accounts', // figures of the service: days, keys, totals
  'other',
] as const
export const dataKind = z.enum(dataKinds)
export type DataKind = z.infer<typeof dataKind>

/** The databases of a folder, each `NAME.sqlite`. */
export const databaseName = z.enum(['studio', 'ledger', 'bodies', 'account'])
export type DatabaseName = z.infer<typeof databaseName>

/**
 * Start-up work on a database, before it can be used. `checking`: reading a large database whole. `mending`: repairing it. `updating`:
 * migrating it. `waiting`: another program has locked it, and the start continues when the lock ends.
 */
export const opening = z.object({
  stage: z.enum(['checking', 'mending', 'updating', 'waiting']),
  database: databaseName,
  /** Rows repaired so far; null when not counted. */
  rows: whole.nullable(),
})
export type Opening = z.infer<typeof opening>

/** Counts without zeros. */
export const counts = z.array(z.object({ thing: dataKind, count: whole }))
export type Counts = z.infer<typeof counts>

/** Content of the manifest of a backup. */
export const backupSummary = z.object({
  /** Version of the program that wrote it. */
  version: z.string(),
  madeAt: instant,
  counts,
  /** Size of the contents, bytes. */
  bytes: whole,
})
export type BackupSummary = z.infer<typeof backupSummary>

/** What the last look at the folder of automatic backups found. */
export const automaticBackups = z.object({
  /** Newest backup of this computer there. */
  latest: z.object({ at: instant, path: z.string() }).nullable(),
  /** Number of backups of this computer there. */
  count: whole,
  /** Why the last automatic backup failed. The next attempt follows within the hour. */
  problem: problemOrNull,
})
export type AutomaticBackups = z.infer<typeof automaticBackups>

/** A database that was damaged at start, and its repair. */
export const damage = z.object({
  /** Folder name under `damaged/` and database: `2026-11-21T14-05-33Z/studio`. */
  id: z.string(),
  at: instant,
  database: databaseName,
  /** Absolute path of the folder with the unchanged damaged files. */
  keptAt: z.string(),
  /** The reason, from SQLite or from this program. */
  why: z.string(),
  recovered: counts,
  /** Known losses. `count` null: an unknown number. */
  lost: z.array(z.object({ thing: dataKind, count: whole.nullable() })),
  /** Repaired items that got a new parent, such as a message without its conversation. */
  mended: counts,
  /** Number of files of `media/` that no row refers to any more. They are in the folder with the damaged database. */
  mediaSetAside: whole,
  acknowledged: z.boolean(),
})
export type Damage = z.infer<typeof damage>

/** Data set aside in the folder. Nothing reads it, and only the person deletes it. */
export const setAside = z.object({
  /** Name in the data folder: `damaged/2026-11-21T14-05-33Z`, `replaced/…`. */
  name: z.string(),
  kind: z.enum(['damaged', 'replaced']),
  at: instant,
  path: z.string(),
  bytes: whole,
})
export type SetAside = z.infer<typeof setAside>

export const dataWork = z.object({
  /**
   * Step of a backup or restore. `databases`: copying them. `files`: listing media. `packing`: writing the file.
   * `checking`: reading a backup whole. `staging`: writing the checked files to disk.
   */
  stage: z.enum(['databases', 'files', 'packing', 'checking', 'staging']),
  /** Bytes; `total` is an estimate before `packing`. */
  done: z.number(),
  total: z.number(),
})
export type DataWork = z.infer<typeof dataWork>

export const dataState = z.object({
  /** Work in progress; each at most once. */
  backup: dataWork.nullable(),
  restore: dataWork.nullable(),
  /** A checked backup that replaces the data at the next start. */
  pendingRestore: z.object({ summary: backupSummary, stagedAt: instant }).nullable(),
  /** The backup that the last start restored, until `acknowledge`. The replaced data is in `keptAt`. */
  restored: z
    .object({
      id: z.string(),
      at: instant,
      summary: backupSummary,
      keptAt: z.string().nullable(),
      acknowledged: z.boolean(),
    })
    .nullable(),
  /** Newest first. Shown on every page until acknowledged. */
  damage: z.array(damage),
  /** Newest first. */
  setAside: z.array(setAside),
  /** Absent or null: there are no automatic backups, or their folder was not looked at yet. */
  automatic: automaticBackups.nullable().optional(),
  /** A pending restore that failed at this start; the data is unchanged. */
  problem: problemOrNull,
})
export type DataState = z.infer<typeof dataState>

/** Backup, restore, and damaged files. */
export const dataProcedures = {
  /** The whole state, again after each change, at most 5 times per second. */
  watch: procedure.output(eventIterator(dataState)),
  /**
   * Writes the folder to one tar file, consistent while the program runs, without API keys. `watch` reports the
   * progress.
   * @throws `busy`, `cancelled`, `store_damaged` (a file is damaged, or the disk is full)
   */
  backup: procedure.output(download),
  cancelBackup: procedure.output(z.object({ cancelled: z.boolean() })),
  /**
   * Reads an uploaded backup whole (manifest, checksums, databases) and returns its contents beside the current ones.
   * The upload stays for `restore`.
   * @throws `bad_input` (not a backup, truncated, changed), `store_newer` (from a newer version), `busy`, `cancelled`
   */
  checkBackup: procedure
    .input(z.object({ uploadId: id }))
    .output(z.object({ backup: backupSummary, now: z.object({ counts, bytes: whole }) })),
  /**
   * Checks the backup again and schedules it: the next start replaces all data and moves the current data aside. Drops
   * another pending backup.
   * @throws as `checkBackup`
   */
  restore: procedure.input(z.object({ uploadId: id })).output(backupSummary),
  cancelRestore: procedure.output(z.object({ cancelled: z.boolean() })),
  /** Drops the pending backup. The data does not change. */
  discardRestore: procedure.output(z.object({ dropped: z.boolean() })),
  /** Restarts the program for a pending restore. `restarting` is false when the person must restart it. */
  restart: procedure.output(z.object({ restarting: z.boolean() })),
  /**
   * Deletes all data of the folder and all of its keys in the keychain, and restarts. If the process is killed, the next start completes
   * the deletion.
   * @throws `keychain_locked` (nothing is deleted, because the keys would remain)
   */
  deleteEverything: procedure.output(z.object({ restarting: z.boolean() })),
  /** Marks as read: `id` of a damage, or of `restored`. @throws `no_such_item` */
  acknowledge: procedure.input(z.object({ id: z.string().max(200) })).output(z.object({})),
  /** Deletes data that was set aside, permanently. @throws `no_such_item` */
  deleteSetAside: procedure.input(z.object({ name: z.string().max(200) })).output(z.object({})),
}
