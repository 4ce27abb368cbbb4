import { type ChatSetup, type Conversation, chatSetup, emptySetup } from '../../../src-preload/contract/chat.ts'
import { StudioError } from '../errors.ts'
import type { Database } from './database.ts'
import { json, number, type Row, readOrNull, text, textOrNull } from './rows.ts'
import { prepareAll } from './statements.ts'

/** A conversation as stored. Only the chat feature knows whether a reply is running. */
export interface StoredConversation extends Omit<Conversation, 'running'> {
  /** The newest message of the active path. */
  leafId: string | null
  removed: boolean
}

export interface NewConversation {
  id: string
  title: string | null
  model: string | null
  now: string
  setup?: ChatSetup
  folderId?: string | null
}

/** The conversation and the message above that deleted messages belong to. */
export interface DeletedPart {
  of: string
  parentId: string | null
}

// `status` is tested twice: in the form that the partial index requires, and for the wanted values. A tool call that is not settled is at
// the end of its path, because continuing the conversation settles it. So the walk is as long as one round of calls, and only happens when
// the conversation has such a call.
const conversation = `SELECT c.*, (
    SELECT EXISTS (SELECT 1 FROM messages m WHERE m.conversation_id = c.id AND m.role = 'tool'
      AND m.status IN ('pending', 'streaming') AND m.status = 'pending' AND m.id IN (
      WITH RECURSIVE tail (id, parent_id) AS (
        SELECT id, parent_id FROM messages WHERE id = c.leaf_id AND role = 'tool'
        UNION ALL SELECT up.id, up.parent_id FROM messages up JOIN tail ON up.id = tail.parent_id WHERE up.role = 'tool')
      SELECT id FROM tail))) AS waiting
  FROM conversations c`

export function conversationTable({ handle, transaction }: Database) {
  const sql = prepareAll(handle, {
    insert: `INSERT INTO conversations (id, title, model, created_at, updated_at, setup, folder_id)
     VALUES (:id, :title, :model, :now, :now, :setup, :folderId)`,
    one: `${conversation} WHERE c.id = ?`,
    all: `${conversation} WHERE c.removed_at IS NULL ORDER BY c.updated_at DESC, c.id`,
    // Walks from the new end of the path up to the former one, or to the root when that is on another branch. Nothing changes above the
    // former end.
    grown: `WITH RECURSIVE path (id, parent_id) AS (
       SELECT id, parent_id FROM messages WHERE id = :leafId AND id IS NOT :former
       UNION ALL SELECT up.id, up.parent_id FROM messages up JOIN path ON up.id = path.parent_id WHERE up.id IS NOT :former)
     SELECT id, parent_id FROM path`,
    chooseBranch: 'UPDATE messages SET next_id = :childId WHERE id = :id AND next_id IS NOT :childId',
    leaf: 'UPDATE conversations SET leaf_id = :leafId, path_length = :length WHERE id = :id',
    use: 'UPDATE conversations SET model = coalesce(:model, model), updated_at = :now WHERE id = :id',
    touch: 'UPDATE conversations SET updated_at = :now WHERE id = :id',
    title: 'UPDATE conversations SET title = :title, named = :named WHERE id = :id',
    named: 'SELECT named FROM conversations WHERE id = ?',
    draft: 'UPDATE conversations SET draft = :draft WHERE id = :id',
    draftSent: "UPDATE conversations SET draft = '' WHERE id = :id AND draft = :text",
    removed: 'UPDATE conversations SET removed_at = :removedAt WHERE id = :id',
    partOf: 'SELECT part_of, part_parent FROM conversations WHERE id = ?',
    setPart: 'UPDATE conversations SET part_of = :of, part_parent = :parentId WHERE id = :id',
    forget: 'DELETE FROM conversations WHERE id = ?',
    setup: 'UPDATE conversations SET setup = :setup WHERE id = :id',
    setupOf: 'SELECT setup FROM conversations WHERE id = ?',
    folder: 'UPDATE conversations SET folder_id = :folderId WHERE id = :id',
    isFolder: 'SELECT 1 FROM folders WHERE id = ?',
    pinned: 'UPDATE conversations SET pinned = :pinned WHERE id = :id',
    archived: 'UPDATE conversations SET archived_at = :archivedAt WHERE id = :id',
  })

  const find = (id: string): StoredConversation | null => readOrNull(sql.one.get(id), read)
  const knownFolder = (folderId: string | null): string | null => {
    if (folderId === null || sql.isFolder.get(folderId)) return folderId
    throw new StudioError('no_such_item', 'That folder no longer exists.')
  }

  return {
    /** Inserts a conversation. @throws StudioError `no_such_item` for the folder */
    insert({ setup = emptySetup, folderId = null, ...rest }: NewConversation): void {
      sql.insert.run({ ...rest, setup: JSON.stringify(setup), folderId: knownFolder(folderId) })
    },
    find,
    /** A conversation that is not removed. @throws StudioError `no_such_item` */
    get(id: string): StoredConversation {
      const found = find(id)
      if (!found || found.removed) throw new StudioError('no_such_item', 'That conversation no longer exists.')
      return found
    },
    /** Conversations that are not removed, newest first. */
    list: (): StoredConversation[] => sql.all.all().map(read),
    /**
     * Makes the path that ends in `leafId` the active one (null: the conversation has no message), and remembers the choice at each fork. The cost grows with the number of
     * messages that were not on the former path.
     */
    setLeaf(id: string, leafId: string | null): void {
      transaction(() => {
        const before = find(id)
        const former = before?.leafId ?? null
        const rows = sql.grown.all({ leafId, former })
        for (const row of rows) {
          const parentId = textOrNull(row, 'parent_id')
          if (parentId !== null) sql.chooseBranch.run({ id: parentId, childId: text(row, 'id') })
        }
        const top = rows.at(-1)
        const extends_ = leafId !== null && former !== null && (!top || top.parent_id === former)
        sql.leaf.run({ id, leafId, length: rows.length + (extends_ ? (before?.messages ?? 0) : 0) })
      })
    },
    /** Records a request for a reply. `model` becomes the default for the next one. */
    use: (id: string, model: string | null, now: string): void => void sql.use.run({ id, model, now }),
    touch: (id: string, now: string): void => void sql.touch.run({ id, now }),
    /** Sets a title that was derived from messages or generated. */
    setTitle: (id: string, value: string | null): void => void sql.title.run({ id, title: value, named: 0 }),
    /** Sets the title that a person wrote; null removes it. */
    setName: (id: string, value: string | null): void =>
      void sql.title.run({ id, title: value, named: value === null ? 0 : 1 }),
    /** Whether a person wrote the title. */
    isNamed: (id: string): boolean => sql.named.get(id)?.named === 1,
    setDraft: (id: string, value: string): void => void sql.draft.run({ id, draft: value }),
    /** Empties the draft if it is the text of the message that is sent now. Another draft stays. */
    draftSent: (id: string, text: string): void => void sql.draftSent.run({ id, text }),
    setRemoved: (id: string, removedAt: string | null): void => void sql.removed.run({ id, removedAt }),
    /** The origin of the messages of a removed conversation, if only these messages were deleted. */
    part(id: string): DeletedPart | null {
      const row = sql.partOf.get(id)
      const of = row && textOrNull(row, 'part_of')
      return of ? { of, parentId: textOrNull(row, 'part_parent') } : null
    },
    setPart: (id: string, part: DeletedPart | null): void =>
      void sql.setPart.run({ id, of: part?.of ?? null, parentId: part?.parentId ?? null }),
    /** Deletes the row of a conversation whose messages have moved away. */
    forget: (id: string): void => void sql.forget.run(id),
    setup(id: string): ChatSetup {
      const row = sql.setupOf.get(id)
      return !row || row.setup === '' ? emptySetup : json(row, 'setup', chatSetup)
    },
    setSetup: (id: string, value: ChatSetup): void => void sql.setup.run({ id, setup: JSON.stringify(value) }),
    /** Moves a conversation to a folder. @throws StudioError `no_such_item` for the folder */
    setFolder: (id: string, folderId: string | null): void =>
      void sql.folder.run({ id, folderId: knownFolder(folderId) }),
    setPinned: (id: string, value: boolean): void => void sql.pinned.run({ id, pinned: value ? 1 : 0 }),
    setArchived: (id: string, archivedAt: string | null): void => void sql.archived.run({ id, archivedAt }),
  }
}

function read(row: Row): StoredConversation {
  return {
    ...readConversationColumns(row),
    messages: number(row, 'path_length'),
    waiting: row.waiting === 1,
    archived: row.archived_at !== null,
  }
}

/** The columns of a conversation that a list and an archive both need. */
export function readConversationColumns(row: Row) {
  return {
    id: text(row, 'id'),
    title: textOrNull(row, 'title'),
    model: textOrNull(row, 'model'),
    createdAt: text(row, 'created_at'),
    updatedAt: text(row, 'updated_at'),
    draft: text(row, 'draft'),
    folderId: textOrNull(row, 'folder_id'),
    pinned: row.pinned === 1,
    leafId: textOrNull(row, 'leaf_id'),
    removed: row.removed_at !== null,
  }
}
