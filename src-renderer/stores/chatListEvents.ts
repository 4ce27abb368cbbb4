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

/** Newest first. Ids decide between equal times, so that the order does not depend on the order of arrival. */
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
