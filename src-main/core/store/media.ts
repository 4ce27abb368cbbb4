import * as z from 'zod'
import type { Attachment } from '../../../src-preload/contract/chat.ts'
import { StudioError } from '../errors.ts'
import type { Database } from './database.ts'
import { number, numberOrNull, type Row, text, textOrNull } from './rows.ts'

const kind = z.enum(['image', 'audio'])

/** One file of the media folder, which is called by its `id`. */
export interface MediaItem {
  id: string
  kind: z.infer<typeof kind>
  mime: string
  bytes: number
  /** Pixels; null for what is no picture. */
  width: number | null
  height: number | null
  name: string | null
  sha256: string
  createdAt: string
}

/** What is known of the files of the media folder. A row stands only where its file does. */
export function mediaTable({ handle, transaction }: Database) {
  const insert = handle.prepare(
    `INSERT INTO media (id, kind, mime, bytes, width, height, name, sha256, created_at)
     VALUES (:id, :kind, :mime, :bytes, :width, :height, :name, :sha256, :createdAt)`,
  )
  const one = handle.prepare('SELECT * FROM media WHERE id = ?')
  const byHash = handle.prepare('SELECT * FROM media WHERE sha256 = ? ORDER BY rowid LIMIT 1')
  const ids = handle.prepare('SELECT id FROM media')
  const remove = handle.prepare('DELETE FROM media WHERE id = ?')
  const find = (id: string): MediaItem | null => {
    const row = one.get(id)
    return row ? readItem(row) : null
  }
  return {
    insert: (item: MediaItem): void => void transaction(() => insert.run({ ...item })),
    find,
    /** A picture as it goes with a message. @throws StudioError `no_such_item` */
    picture(id: string): Omit<Attachment, 'detail'> {
      const item = find(id)
      if (item?.kind !== 'image') throw new StudioError('no_such_item', 'That picture is not there any more.')
      return asPicture(item)
    },
    findByHash(sha256: string): MediaItem | null {
      const row = byHash.get(sha256)
      return row ? readItem(row) : null
    },
    ids: (): Set<string> => new Set(ids.all().map((row) => text(row, 'id'))),
    remove: (id: string): void => void transaction(() => remove.run(id)),
  }
}

export function asPicture({ id, mime, bytes, width, height, name }: MediaItem): Omit<Attachment, 'detail'> {
  return { mediaId: id, name, mime, width: width ?? 0, height: height ?? 0, bytes }
}

function readItem(row: Row): MediaItem {
  return {
    id: text(row, 'id'),
    kind: kind.parse(row.kind),
    mime: text(row, 'mime'),
    bytes: number(row, 'bytes'),
    width: numberOrNull(row, 'width'),
    height: numberOrNull(row, 'height'),
    name: textOrNull(row, 'name'),
    sha256: text(row, 'sha256'),
    createdAt: text(row, 'created_at'),
  }
}
