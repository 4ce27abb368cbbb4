import * as z from 'zod'
import { counts, databaseName } from '../../../../src-preload/contract/data.ts'

/** The first entry: enough to refuse a newer backup at once. */
export const aboutName = 'about.json'
/** The last entry: a backup without it is incomplete. */
export const manifestName = 'manifest.json'

export const about = z.object({
  format: z.literal('inference-studio-backup'),
  /** Format of the tar's entries and of these two documents. */
  formatVersion: z.number().int(),
  version: z.string().max(100),
  madeAt: z.string().max(40),
  /** `user_version` of each database in the backup. */
  schemas: z.partialRecord(databaseName, z.number().int()),
})
export type About = z.infer<typeof about>

export const manifest = about.extend({
  entries: z.array(
    z.object({ name: z.string().max(100), bytes: z.number().int(), sha256: z.string().regex(/^[\da-f]{64}$/) }),
  ),
  counts,
  /** Ids of media files that a row names but that did not exist any more. */
  missing: z.array(z.string().max(100)),
})
export type BackupManifest = z.infer<typeof manifest>

/** Version of the backup format that this program writes, and the newest one that it reads. */
export const formatVersion = 1

const uuid = '[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}'
/** All entry names that a backup may contain: databases, complete media files, and media files that are still growing. */
export const entryName = new RegExp(
  `^(?:(?:studio|ledger|bodies|account)\\.sqlite|media/${uuid}|making/${uuid}(?:\\.[a-z\\d-]{1,40})?)$`,
)
/** Names in the folder `media/`. */
export const mediaName = new RegExp(`^${uuid}$`)
/** Names in the folder `making/`. The group is the id of the item. */
export const makingName = new RegExp(`^(${uuid})(?:\\.[a-z\\d-]{1,40})?$`)

/** The time in the name of a backup, in UTC. */
const timeInName = (madeAt: string, length: number): string =>
  madeAt.slice(0, length).replaceAll(':', '-').replace('T', '-')

/** Name of a backup file. `madeAt` is a UTC instant. */
export const backupName = (madeAt: string): string => `inference-studio-${timeInName(madeAt, 16)}.tar`

/** A computer's name as a part of file names. */
const computerName = (host: string): string =>
  host
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, '-')
    .slice(0, 40)
    .replaceAll(/^-|-$/g, '') || 'computer'

/**
 * Name of a backup in a folder of several, compressed. Begins with the computer, so that those of several computers can share a folder: each
 * deletes its own only.
 */
export const keptBackupName = (madeAt: string, host: string): string =>
  `inference-studio-${computerName(host)}-${timeInName(madeAt, 19)}.tar.zst`

/** The time in a name that `keptBackupName` gives on this computer, ms since 1970. Null for every other name. */
export function timeOfKept(name: string, host: string): number | null {
  const time = /-(\d{4}-\d\d-\d\d)-(\d\d)-(\d\d)-(\d\d)\.tar\.zst$/.exec(name)
  if (!time) return null
  const at = Date.parse(`${time[1]}T${time[2]}:${time[3]}:${time[4]}Z`)
  return Number.isNaN(at) || name !== keptBackupName(new Date(at).toISOString(), host) ? null : at
}
