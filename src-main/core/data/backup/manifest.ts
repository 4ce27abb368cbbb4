import * as z from 'zod'
import { counts, databaseName } from '../../../../src-preload/contract/data.ts'

/** First of all entries: enough to refuse a newer one at once. */
export const aboutName = 'about.json'
/** Last of all: a backup without it is none. */
export const manifestName = 'manifest.json'

export const about = z.object({
  format: z.literal('inference-studio-backup'),
  /** Of the tar's entries and of these two documents. */
  formatVersion: z.number().int(),
  version: z.string().max(100),
  madeAt: z.string().max(40),
  /** `user_version` of each database that is in it. */
  schemas: z.partialRecord(databaseName, z.number().int()),
})
export type About = z.infer<typeof about>

export const manifest = about.extend({
  entries: z.array(
    z.object({ name: z.string().max(100), bytes: z.number().int(), sha256: z.string().regex(/^[\da-f]{64}$/) }),
  ),
  counts,
  /** Media that a row names and whose file was not there any more. */
  missing: z.array(z.string().max(100)),
})
export type BackupManifest = z.infer<typeof manifest>

/** What this program writes, and the newest that it reads. */
export const formatVersion = 1

const uuid = '[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}'
/** Every name that a backup may hold: databases, whole media files, media files that grow. */
export const entryName = new RegExp(
  `^(?:(?:studio|ledger|bodies|account)\\.sqlite|media/${uuid}|making/${uuid}(?:\\.[a-z\\d-]{1,40})?)$`,
)
export const mediaName = new RegExp(`^${uuid}$`)
export const makingName = new RegExp(`^(${uuid})(?:\\.[a-z\\d-]{1,40})?$`)

/** `madeAt` is a UTC instant. */
export const backupName = (madeAt: string): string =>
  `inference-studio-${madeAt.slice(0, 16).replaceAll(':', '-').replace('T', '-')}.tar`
