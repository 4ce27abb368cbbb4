import * as z from 'zod'
import { id } from '../../../../../src-preload/contract/problem.ts'
import { dayMs } from '../../../shared/days.ts'
import { type MarkedField, markedFields, type SyncMark } from '../../../store/syncMarks.ts'
import { sha256 } from '../format.ts'

/** Entry of an archive that makes it the file of one computer in a shared folder. */
export const syncEntry = 'sync.json'
export const syncFormat = 'inference-studio.sync'
/** Newest version of the format that this program reads, and the one that it writes. */
export const syncVersion = 1

/** The greatest time of a mark, ms since 1970: the year 9999. */
const maxTime = 253_402_300_799_000
const at = z.number().int().min(0).max(maxTime)
const mark = z.object({ at, value: z.string().max(100).nullable() })
const itemMarks = z.record(id, mark)

/** What the file of a computer says about a conversation beyond the archive. `messages`: marks of deleted and restored messages. */
const markedConversation = z.object({
  /** Whether a person wrote the title. */
  named: z.boolean(),
  fields: z.partialRecord(z.enum(markedFields), mark),
  messages: itemMarks,
})
export type MarkedConversation = z.infer<typeof markedConversation>

/** Content of `sync.json`. */
export const syncFile = z.object({
  format: z.literal(syncFormat),
  version: z.literal(syncVersion),
  /** Random id of the data folder that wrote the file. Says nothing about the computer. */
  installation: id,
  /** The conversations of the archive, by id. */
  conversations: z.record(id, markedConversation),
  /** Deleted conversations and the time of their deletion, ms since 1970. */
  removed: z.record(id, at),
  folders: itemMarks,
  prompts: itemMarks,
  presets: itemMarks,
  /** Pinned files: by folder, then by the SHA-256 of the file. Absent in files of earlier versions. */
  files: z.record(id, z.record(sha256, mark)).default({}),
})
export type SyncFile = z.infer<typeof syncFile>

/**
 * Whether the change `theirs` replaces `ours`. The newer change wins. At equal times the greater value wins, so that every computer
 * decides the same.
 */
export function wins(theirs: { at: number; value: unknown }, ours: { at: number; value: unknown }): boolean {
  if (theirs.at !== ours.at) return theirs.at > ours.at
  return orderOf(theirs.value) > orderOf(ours.value)
}

/** How far the clocks of two computers may differ, ms. A later time is no time of a change. */
const mostAheadMs = dayMs
/** The greatest time of a change that this computer believes, ms since 1970. */
export const latestAt = (now: number): number => Math.min(now + mostAheadMs, maxTime)

/**
 * Converts an instant to the time of a mark. Returns 0 for any other text, because an archive may have any text as the time of an item, and for
 * times after `latest`.
 */
export function timeOf(instant: string, latest: number): number {
  const at = Date.parse(instant)
  return Number.isSafeInteger(at) && at >= 0 && at <= latest ? at : 0
}

/** A mark as it is written: within the range of the format. Versions that believed any time have stored later ones. */
export const writable = <T extends SyncMark>(mark: T): T => ({ ...mark, at: Math.max(0, Math.min(mark.at, maxTime)) })

/**
 * Leaves out changes that are later than `latest`. Merging one would make its field unchangeable until then, and the next change would be later
 * than the format allows. Calls `refused` for each.
 */
export function believable(sync: SyncFile, latest: number, refused: () => void): SyncFile {
  const past = <T extends SyncMark | number>(marks: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(
      Object.entries(marks).filter(([, mark]) => {
        const isPast = (typeof mark === 'number' ? mark : mark.at) <= latest
        if (!isPast) refused()
        return isPast
      }),
    )
  const each = <T, R>(all: Readonly<Record<string, T>>, work: (one: T) => R): Record<string, R> =>
    Object.fromEntries(Object.entries(all).map(([id, one]) => [id, work(one)]))
  return {
    ...sync,
    conversations: each(sync.conversations, ({ named, fields, messages }) => ({
      named,
      fields: past(fields),
      messages: past(messages),
    })),
    removed: past(sync.removed),
    folders: past(sync.folders),
    prompts: past(sync.prompts),
    presets: past(sync.presets),
    files: each(sync.files, past),
  }
}

/** null is the least value. */
const orderOf = (value: unknown): string => (value === null ? '' : (JSON.stringify(value) ?? ''))

/** The mark of a field. A field that was never changed has the time of its creation. */
export const markOr = (
  marks: ReadonlyMap<string, SyncMark>,
  field: MarkedField,
  { createdAt, latest }: { createdAt: string; latest: number },
  value: string | null = null,
): SyncMark => marks.get(field) ?? { at: timeOf(createdAt, latest), value }
