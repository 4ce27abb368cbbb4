import type { Conversation, ConversationListEvent } from '../../src-preload/contract/chat.ts'

export interface ConversationList {
  state: 'loading' | 'live'
  /** Newest first, by `updatedAt`. */
  conversations: readonly Conversation[]
}

export const emptyList: ConversationList = { state: 'loading', conversations: [] }

export function foldListEvents(before: ConversationList, events: readonly ConversationListEvent[]): ConversationList {
  let { state, conversations } = before
  for (const event of events) {
    if (event.type === 'snapshot') {
      state = 'live'
      conversations = newestFirst(event.conversations)
    } else if (event.type === 'removed') {
      conversations = conversations.filter((one) => one.id !== event.id)
    } else {
      const others = conversations.filter((one) => one.id !== event.conversation.id)
      conversations = insert(others, event.conversation)
    }
  }
  return { state, conversations }
}

/** Descending instants; the id decides between equals, so that every order of arrival gives one order on the screen. */
function compare(a: Conversation, b: Conversation): number {
  if (a.updatedAt !== b.updatedAt) return a.updatedAt < b.updatedAt ? 1 : -1
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0
}

function newestFirst(conversations: readonly Conversation[]): Conversation[] {
  return [...conversations].sort(compare)
}

function insert(sorted: readonly Conversation[], one: Conversation): Conversation[] {
  const at = sorted.findIndex((other) => compare(one, other) < 0)
  return at < 0 ? [...sorted, one] : sorted.toSpliced(at, 0, one)
}

export type Age = 'today' | 'yesterday' | 'week' | 'month' | 'older'
export type ListRow = { row: 'heading'; age: Age } | { row: 'conversation'; conversation: Conversation }

/** Rows to draw: the conversations whose title holds every word of `search`, under headings by age in local days. */
export function listRows(conversations: readonly Conversation[], search: string, now: Date): ListRow[] {
  const words = search.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  const rows: ListRow[] = []
  let age: Age | null = null
  for (const conversation of conversations) {
    const title = (conversation.title ?? '').toLocaleLowerCase()
    if (!words.every((word) => title.includes(word))) continue
    const its = ageOf(conversation.updatedAt, now)
    if (its !== age) rows.push({ row: 'heading', age: its })
    age = its
    rows.push({ row: 'conversation', conversation })
  }
  return rows
}

function ageOf(instant: string, now: Date): Age {
  const day = (back: number): number => new Date(now.getFullYear(), now.getMonth(), now.getDate() - back).getTime()
  const then = Date.parse(instant)
  if (then >= day(0)) return 'today'
  if (then >= day(1)) return 'yesterday'
  if (then >= day(7)) return 'week'
  return then >= day(30) ? 'month' : 'older'
}
