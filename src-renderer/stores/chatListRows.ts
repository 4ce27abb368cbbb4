import type { Conversation } from '../../src-preload/contract/chat.ts'
import type { Folder } from '../../src-preload/contract/library.ts'

export type Age = 'today' | 'yesterday' | 'week' | 'month' | 'older'

/** A line of the list. `key` is the conversation's or folder's id, or the heading's name; it stays while the line moves. */
export type ListRow =
  | { row: 'heading'; key: 'pinned' | Age }
  | { row: 'folder'; key: string; folder: Folder; count: number; open: boolean }
  | { row: 'chat'; key: string; conversation: Conversation; level: 1 | 2 }

export interface RowsOf {
  /** Newest first. */
  conversations: readonly Conversation[]
  /** By name. */
  folders: readonly Folder[]
  /** Ids of folders that are folded. */
  closed: ReadonlySet<string>
  archived: boolean
  now: Date
}

/**
 * The lines to draw: what is pinned, the folders with what lies in them, the rest by age in local days. Each conversation stands once:
 * a pinned one is not in its folder too. What is archived has a list of its own, by age alone. Cost: one pass, one object a line.
 */
export function listRows({ conversations, folders, closed, archived, now }: RowsOf): ListRow[] {
  const rows: ListRow[] = []
  const chat = (conversation: Conversation, level: 1 | 2): ListRow => ({
    row: 'chat',
    key: conversation.id,
    conversation,
    level,
  })
  const shown = conversations.filter((one) => one.archived === archived)
  if (archived) return byAge(rows, shown, now, chat)
  const pinned = shown.filter((one) => one.pinned)
  if (pinned.length > 0) rows.push({ row: 'heading', key: 'pinned' }, ...pinned.map((one) => chat(one, 1)))
  const inside = new Map<string, Conversation[]>(folders.map(({ id }) => [id, []]))
  const loose: Conversation[] = []
  for (const one of shown) {
    if (one.pinned) continue
    // A folder that is not known (yet) hides nothing.
    const its = one.folderId === null ? undefined : inside.get(one.folderId)
    if (its) its.push(one)
    else loose.push(one)
  }
  for (const folder of folders) {
    const its = inside.get(folder.id) ?? []
    const open = !closed.has(folder.id)
    rows.push({ row: 'folder', key: folder.id, folder, count: its.length, open })
    if (open) for (const one of its) rows.push(chat(one, 2))
  }
  return byAge(rows, loose, now, chat)
}

function byAge(
  rows: ListRow[],
  conversations: readonly Conversation[],
  now: Date,
  chat: (one: Conversation, level: 1) => ListRow,
): ListRow[] {
  const day = (back: number): number => new Date(now.getFullYear(), now.getMonth(), now.getDate() - back).getTime()
  const bounds = { today: day(0), yesterday: day(1), week: day(7), month: day(30) }
  let age: Age | null = null
  for (const one of conversations) {
    const its = ageOf(Date.parse(one.updatedAt), bounds)
    if (its !== age) rows.push({ row: 'heading', key: its })
    age = its
    rows.push(chat(one, 1))
  }
  return rows
}

function ageOf(then: number, bounds: Record<Exclude<Age, 'older'>, number>): Age {
  if (then >= bounds.today) return 'today'
  if (then >= bounds.yesterday) return 'yesterday'
  if (then >= bounds.week) return 'week'
  return then >= bounds.month ? 'month' : 'older'
}

/** The next line in a direction that can be gone to; headings can't. Null at the end. */
export function lineAfter(rows: readonly ListRow[], at: number, step: 1 | -1): number | null {
  for (let next = at + step; next >= 0 && next < rows.length; next += step) {
    if (rows[next]?.row !== 'heading') return next
  }
  return null
}

/** Conversations from one line to another, both included, whichever comes first. */
export function chatsBetween(rows: readonly ListRow[], from: string, to: string): string[] {
  const a = rows.findIndex(({ key }) => key === from)
  const b = rows.findIndex(({ key }) => key === to)
  if (a < 0 || b < 0) return []
  return rows.slice(Math.min(a, b), Math.max(a, b) + 1).flatMap((row) => (row.row === 'chat' ? [row.key] : []))
}
