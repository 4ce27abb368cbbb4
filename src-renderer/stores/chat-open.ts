import type { Conversation, ConversationEvent, Message } from '../../src-preload/contract/chat.ts'

/** The conversation on the stage. `messages` is the active path, oldest first; `ids` keeps its identity while only texts grow. */
export interface OpenConversation {
  id: string
  /** `loading`: no snapshot yet. `gap`: a delta did not fit, watch anew. `gone`: it was removed. */
  state: 'loading' | 'live' | 'gap' | 'gone'
  conversation: Conversation | null
  ids: readonly string[]
  messages: readonly Message[]
}

export function opening(id: string): OpenConversation {
  return { id, state: 'loading', conversation: null, ids: [], messages: [] }
}

/**
 * The state after some events, in order. Cost: one copy of the message array for a whole batch, whatever its size, and
 * the appended text. Events after a gap are ignored until a snapshot arrives, because they may rest on what was missed.
 */
export function foldEvents(before: OpenConversation, events: readonly ConversationEvent[]): OpenConversation {
  const draft = { ...before }
  let owned = false
  const own = (): Message[] => {
    const messages = owned ? (draft.messages as Message[]) : [...draft.messages]
    owned = true
    draft.messages = messages
    return messages
  }
  const replaceAll = (messages: readonly Message[]): void => {
    draft.messages = messages
    draft.ids = keepIfEqual(draft.ids, messages)
    owned = false
  }
  const replace = (message: Message): void => {
    const at = lastIndexOf(draft.messages, message.id)
    const messages = own()
    if (at >= 0) messages[at] = message
    else {
      messages.push(message)
      draft.ids = [...draft.ids, message.id]
    }
  }
  const append = (event: Extract<ConversationEvent, { type: 'delta' }>): void => {
    const at = lastIndexOf(draft.messages, event.messageId)
    const message = draft.messages[at]
    // A reply that is not on the active path (a sibling stopped earlier may still end) is not ours to draw.
    if (!message) return
    const had = message[event.field]
    if (had.length !== event.at) draft.state = 'gap'
    else own()[at] = { ...message, [event.field]: had + event.append }
  }
  for (const event of events) {
    if (event.type === 'snapshot') {
      draft.state = 'live'
      draft.conversation = event.conversation
      replaceAll(event.messages)
    } else if (draft.state !== 'live') continue
    else if (event.type === 'removed') draft.state = 'gone'
    else if (event.type === 'conversation') draft.conversation = event.conversation
    else if (event.type === 'path') replaceAll(event.messages)
    else if (event.type === 'message') replace(event.message)
    else append(event)
  }
  return draft
}

/** From the end, where the growing reply is. */
function lastIndexOf(messages: readonly Message[], id: string): number {
  return messages.findLastIndex((message) => message.id === id)
}

function keepIfEqual(ids: readonly string[], messages: readonly Message[]): readonly string[] {
  const same = ids.length === messages.length && ids.every((id, at) => messages[at]?.id === id)
  return same ? ids : messages.map((message) => message.id)
}

/** A reply is still being made. */
export function isRunning(message: Message): boolean {
  return message.status === 'pending' || message.status === 'streaming'
}

/** The reply being made now in this path, if any. */
export function runningReply(open: OpenConversation | null): Message | null {
  return open?.messages.findLast(isRunning) ?? null
}
