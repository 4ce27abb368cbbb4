import type { Conversation } from '../../../src-preload/contract/chat.ts'
import { StudioError } from '../errors.ts'
import type { Database } from './database.ts'
import { number, type Row, text, textOrNull } from './rows.ts'

/** A conversation as stored; whether a reply is being made is known to the runs alone. */
export interface StoredConversation extends Omit<Conversation, 'running'> {
  /** The newest message of the active path. */
  leafId: string | null
  removed: boolean
}

export function conversationTable({ handle }: Database) {
  const insert = handle.prepare(
    'INSERT INTO conversations (id, title, model, created_at, updated_at) VALUES (:id, :title, :model, :now, :now)',
  )
  const one = handle.prepare('SELECT * FROM conversations WHERE id = ?')
  const all = handle.prepare('SELECT * FROM conversations WHERE removed_at IS NULL ORDER BY updated_at DESC, id')
  const leaf = handle.prepare(
    `UPDATE conversations SET leaf_id = :leafId, model = :model, updated_at = :now, path_length = (
       WITH RECURSIVE path (parent_id) AS (
         SELECT parent_id FROM messages WHERE id = :leafId
         UNION ALL SELECT up.parent_id FROM messages up JOIN path ON up.id = path.parent_id)
       SELECT count(*) FROM path)
     WHERE id = :id`,
  )
  const touch = handle.prepare('UPDATE conversations SET updated_at = :now WHERE id = :id')
  const title = handle.prepare('UPDATE conversations SET title = :title WHERE id = :id')
  const draft = handle.prepare('UPDATE conversations SET draft = :draft WHERE id = :id')
  const removed = handle.prepare('UPDATE conversations SET removed_at = :removedAt WHERE id = :id')

  return {
    insert(conversation: { id: string; title: string | null; model: string; now: string }): void {
      insert.run(conversation)
    },
    find(id: string): StoredConversation | null {
      const row = one.get(id)
      return row ? read(row) : null
    },
    /** One that is in sight. @throws StudioError `no_such_item` */
    get(id: string): StoredConversation {
      const found = this.find(id)
      if (!found || found.removed) throw new StudioError('no_such_item', 'That conversation does not exist any more.')
      return found
    },
    /** Those in sight, newest first. */
    list: (): StoredConversation[] => all.all().map(read),
    /** Makes the path that ends in `leafId` the active one. */
    setLeaf(id: string, leafId: string, model: string | null, now: string): void {
      leaf.run({ id, leafId, model, now })
    },
    touch: (id: string, now: string): void => void touch.run({ id, now }),
    setTitle: (id: string, value: string | null): void => void title.run({ id, title: value }),
    setDraft: (id: string, value: string): void => void draft.run({ id, draft: value }),
    setRemoved: (id: string, removedAt: string | null): void => void removed.run({ id, removedAt }),
  }
}

function read(row: Row): StoredConversation {
  return {
    id: text(row, 'id'),
    title: textOrNull(row, 'title'),
    model: textOrNull(row, 'model'),
    createdAt: text(row, 'created_at'),
    updatedAt: text(row, 'updated_at'),
    messages: number(row, 'path_length'),
    draft: text(row, 'draft'),
    leafId: textOrNull(row, 'leaf_id'),
    removed: row.removed_at !== null,
  }
}
