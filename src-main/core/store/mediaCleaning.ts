import type * as z from 'zod'
import { cleanUp, type MediaUse } from '../../../src-preload/contract/media.ts'
import type { Database } from './database.ts'
import { number, type Row, text, textOrNull } from './rows.ts'

/** Kinds of items that a clean-up can delete. */
export const madeKind = cleanUp.shape.kinds.element
export type MadeKind = z.infer<typeof madeKind>

/** One item that a cleanup may delete. */
export interface Made {
  kind: MadeKind
  id: string
  createdAt: string
  favourite: boolean
  removedAt: string | null
  /** The files that it refers to, with their sizes in bytes. */
  media: { id: string; bytes: number }[]
}

/** The result of a cleanup: deleted items by feature, and deleted files without references. */
export interface Taken {
  made: Pick<Made, 'kind' | 'id'>[]
  media: string[]
  bytes: number
}

const bytesOf = (column: string): string => `(SELECT bytes FROM media WHERE id = ${column})`
/** Items in progress are excluded. */
const lists: Record<MadeKind, string> = {
  speech: `SELECT id, created_at, favourite, removed_at, media_id, ${bytesOf('media_id')} AS media_bytes, NULL AS thumb_id, 0 AS thumb_bytes
             FROM speeches WHERE state <> 'making'`,
  recordings: `SELECT id, created_at, 0 AS favourite, removed_at, media_id, ${bytesOf('media_id')} AS media_bytes, NULL AS thumb_id, 0 AS thumb_bytes
                 FROM recordings AS r WHERE state <> 'recording'
                  AND NOT EXISTS (SELECT 1 FROM transcripts AS t WHERE t.recording_id = r.id AND t.state = 'making')`,
  images: `SELECT i.id, i.created_at, favourite, removed_at, media_id, ${bytesOf('media_id')} AS media_bytes, thumb_id, ${bytesOf('thumb_id')} AS thumb_bytes
             FROM images AS i JOIN drawings AS d ON d.id = i.drawing_id WHERE d.state <> 'making'`,
}
const tables: Record<MadeKind, string> = { speech: 'speeches', recordings: 'recordings', images: 'images' }
const kinds: readonly MadeKind[] = ['speech', 'recordings', 'images']

/** Each file is counted once, for the first of these features that refers to it. */
const owned: Record<MediaUse['kind'], string> = {
  speech: `SELECT id, max(live) AS live FROM (
      SELECT media_id AS id, removed_at IS NULL AS live FROM speeches WHERE media_id IS NOT NULL
      UNION ALL SELECT media_id, 1 FROM voice_samples) GROUP BY 1`,
  recordings:
    'SELECT media_id AS id, max(removed_at IS NULL) AS live FROM recordings WHERE media_id IS NOT NULL GROUP BY 1',
  images: `SELECT id, max(live) AS live FROM (
      SELECT media_id AS id, removed_at IS NULL AS live FROM images
      UNION ALL SELECT thumb_id, removed_at IS NULL FROM images WHERE thumb_id IS NOT NULL) GROUP BY 1`,
  chat: `SELECT id, max(live) AS live FROM (
      SELECT a.value ->> '$.mediaId' AS id, c.removed_at IS NULL AS live
        FROM messages AS m JOIN conversations AS c ON c.id = m.conversation_id, json_each(m.attachments) AS a WHERE m.attachments <> '[]'
      UNION ALL SELECT d.value ->> '$.mediaId', c.removed_at IS NULL
        FROM messages AS m JOIN conversations AS c ON c.id = m.conversation_id, json_each(m.documents) AS d WHERE m.documents <> '[]'
      UNION ALL SELECT media_id, 1 FROM folder_files
      UNION ALL SELECT id, 1 FROM media WHERE drafted = 1) GROUP BY 1`,
}
const order = ['speech', 'recordings', 'images', 'chat'] as const

class DryRun extends Error {}

/** Disk usage of the media features, and permanent deletion. A part of the media table in its own file. */
export function cleaning(
  { handle, transaction }: Database,
  unnamed: (all: readonly string[]) => { id: string; bytes: number }[],
) {
  const list = Object.fromEntries(kinds.map((kind) => [kind, handle.prepare(lists[kind])]))
  const drop = Object.fromEntries(
    kinds.map((kind) => [
      kind,
      handle.prepare(`DELETE FROM ${tables[kind]} WHERE id IN (SELECT value FROM json_each(?))`),
    ]),
  )
  const counts = Object.fromEntries(
    kinds.map((kind) => [
      kind,
      handle.prepare(`SELECT count(*) AS items, count(removed_at) AS removed FROM ${tables[kind]}`),
    ]),
  )
  const drawingsOf = handle.prepare(
    'SELECT DISTINCT drawing_id AS id FROM images WHERE id IN (SELECT value FROM json_each(?))',
  )
  const empty = handle.prepare(
    `DELETE FROM drawings WHERE id IN (SELECT value FROM json_each(?)) AND NOT EXISTS (SELECT 1 FROM images WHERE drawing_id = drawings.id)`,
  )
  const dismissed = handle.prepare(
    `DELETE FROM drawings WHERE dismissed = 1 AND created_at < ? AND NOT EXISTS (SELECT 1 FROM images WHERE drawing_id = drawings.id)`,
  )
  const sizes = order.map((kind, index) => ({
    kind,
    sizes: handle.prepare(
      `SELECT count(*) AS items, coalesce(sum(bytes), 0) AS bytes, coalesce(sum(NOT live), 0) AS removed,
              coalesce(sum(CASE WHEN live THEN 0 ELSE bytes END), 0) AS removed_bytes
         FROM media JOIN (${owned[kind]}) USING (id)
        WHERE true ${order
          .slice(0, index)
          .map((before) => `AND id NOT IN (SELECT id FROM (${owned[before]}))`)
          .join(' ')}`,
    ),
  }))

  function take(made: readonly Pick<Made, 'kind' | 'id' | 'media'>[]): Taken {
    const files = [...new Set(made.flatMap(({ media }) => media.map(({ id }) => id)))]
    for (const kind of kinds) {
      const ids = JSON.stringify(made.filter((one) => one.kind === kind).map(({ id }) => id))
      const drawings = kind === 'images' ? drawingsOf.all(ids).map((row) => text(row, 'id')) : []
      drop[kind]?.run(ids)
      if (drawings.length > 0) empty.run(JSON.stringify(drawings))
    }
    const going = unnamed(files)
    return {
      made: made.map(({ kind, id }) => ({ kind, id })),
      media: going.map(({ id }) => id),
      bytes: going.reduce((sum, { bytes }) => sum + bytes, 0),
    }
  }

  return {
    /** All items of these kinds that are not in progress, oldest first. */
    made: (of: readonly MadeKind[]): Made[] =>
      of
        .flatMap((kind) => (list[kind]?.all() ?? []).map((row) => readMade(kind, row)))
        .sort((a, b) => (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : a.id < b.id ? -1 : 1)),
    /** Deletes rows permanently. The caller deletes their files. */
    takeMade: (made: readonly Pick<Made, 'kind' | 'id' | 'media'>[]): Taken => transaction(() => take(made)),
    /** What `takeMade` would return. Performs it and rolls it back, so nothing changes. */
    wouldTakeMade(made: readonly Pick<Made, 'kind' | 'id' | 'media'>[]): Taken {
      const result: { taken: Taken | null } = { taken: null }
      try {
        transaction(() => {
          result.taken = take(made)
          throw new DryRun()
        })
      } catch (thrown) {
        if (!(thrown instanceof DryRun)) throw thrown
      }
      return result.taken ?? { made: [], media: [], bytes: 0 }
    },
    /** Deletes drawings without images that were dismissed before `instant`. */
    forgetDismissed: (instant: string): void => transaction(() => void dismissed.run(instant)),
    /** Disk usage of each feature. `items` is the number of its items (for the chat: its images and documents). */
    uses: (): MediaUse[] =>
      sizes.map(({ kind, sizes: size }) => {
        const row = size.get() ?? {}
        const things = kind === 'chat' ? null : (counts[kind]?.get() ?? null)
        return {
          kind,
          items: number(things ?? row, 'items'),
          bytes: number(row, 'bytes'),
          removedItems: number(things ?? row, 'removed'),
          removedBytes: number(row, 'removed_bytes'),
        }
      }),
  }
}

function readMade(kind: MadeKind, row: Row): Made {
  const media = ['media', 'thumb'].flatMap((file) => {
    const id = textOrNull(row, `${file}_id`)
    return id === null ? [] : [{ id, bytes: number(row, `${file}_bytes`) }]
  })
  return {
    kind,
    id: text(row, 'id'),
    createdAt: text(row, 'created_at'),
    favourite: row.favourite === 1,
    removedAt: textOrNull(row, 'removed_at'),
    media,
  }
}
