import type { Conversation } from '../../src-preload/contract/chat.ts'
import type { Folder } from '../../src-preload/contract/library.ts'

export type Age = 'today' | 'yesterday' | 'week' | 'month' | 'older'

/** A row of the list. `key` is the id of the chat or folder, or the name of the heading. It does not change when the row moves. */
export type ListRow =
  | { row: 'heading'; key: 'pinned' | Age }
  | { row: 'folder'; key: string; folder: Folder; count: number; open: boolean }
  | { row: 'chat'; key: string; conversation: Conversation; level: 1 | 2 }

export interface RowsOf {
  /** Newest first. */
  conversations: readonly Conversation[]
  /** By name. */
  folders: readonly Folder[]
  /** Ids of collapsed folders. */
  closed: ReadonlySet<string>
  archived: boolean
  now: Date
}

/**
 * The rows to draw: pinned chats, folders with their chats, then other chats by age in local days. Each chat appears once: a pinned chat
 * is omitted from its folder. The archive is a separate list, grouped by age only. Cost: one pass, one object per row.
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
  const inside = new Map<string, Conversation[]>(folders.map(({ id }) => [id, []]))
  const loose: Conversation[] = []
  for (const one of shown) {
    if (one.pinned) continue
    // A chat of an unknown folder is listed outside of folders, so that it stays visible.
    const its = one.folderId === null ? undefined : inside.get(one.folderId)
    if (its) its.push(one)
    else loose.push(one)
  }
  const pinned = shown.filter((one) => one.pinned)
  if (pinned.length > 0) rows.push({ row: 'heading', key: 'pinned' }, ...pinned.map((one) => chat(one, 1)))
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

/** The next focusable row in a direction. Headings are not focusable. Null at the end. */
export function lineAfter(rows: readonly ListRow[], at: number, step: 1 | -1): number | null {
  for (let next = at + step; next >= 0 && next < rows.length; next += step) {
    if (rows[next]?.row !== 'heading') return next
  }
  return null
}

/** The chats from one row to another, both included, in either direction. */
export function chatsBetween(rows: readonly ListRow[], from: string, to: string): string[] {
  const a = rows.findIndex(({ key }) => key === from)
  const b = rows.findIndex(({ key }) => key === to)
  if (a < 0 || b < 0) return []
  return rows.slice(Math.min(a, b), Math.max(a, b) + 1).flatMap((row) => (row.row === 'chat' ? [row.key] : []))
}
