import {
  type ChatSetup,
  type Conversation,
  type ConversationEvent,
  isPartOfReply,
  type Message,
  type QueuedMessage,
} from '../../src-preload/contract/chat.ts'

/** The open chat. `messages` is the active path, oldest first. `ids` keeps its array identity while only texts grow. */
export interface OpenConversation {
  id: string
  /** `loading`: no snapshot yet. `gap`: an event was missed, so a new watch is needed. `gone`: the chat was deleted. */
  state: 'loading' | 'live' | 'gap' | 'gone'
  conversation: Conversation | null
  setup: ChatSetup | null
  ids: readonly string[]
  messages: readonly Message[]
  /**
   * `messages` as of the last change other than a growing text. Sums use this list, so that streaming does not recompute them per frame.
   */
  settled: readonly Message[]
  /** How many messages at the start of the path are not loaded yet. */
  missing: number
  /** The replies of the last turn that appear side by side, in their order, including the one on the path. Empty for a single reply. */
  beside: readonly Message[]
  /** Ids of `beside`. Keeps its array identity like `ids`. */
  besideIds: readonly string[]
  /** Messages that wait for the end of a reply, in the order in which they will be sent. */
  queue: readonly QueuedMessage[]
}

export function opening(id: string): OpenConversation {
  return {
    id,
    state: 'loading',
    conversation: null,
    setup: null,
    ids: [],
    messages: [],
    settled: [],
    missing: 0,
    beside: [],
    besideIds: [],
    queue: [],
  }
}

type Of<T extends ConversationEvent['type']> = Extract<ConversationEvent, { type: T }>

/**
 * Applies events in order. Cost: one copy of the message array per batch, and the appended text. Events after a gap are ignored until a
 * snapshot arrives, because they may depend on missed events.
 */
export function foldEvents(before: OpenConversation, events: readonly ConversationEvent[]): OpenConversation {
  const folding = new Folding(before)
  for (const event of events) folding.take(event)
  return folding.result()
}

/** Applies one batch of events. Lists are copied at their first change and mutated from then on. */
class Folding {
  readonly #open: OpenConversation
  #messages: Message[] | null = null
  #beside: Message[] | null = null
  #changed = false

  constructor(before: OpenConversation) {
    this.#open = { ...before }
  }

  result(): OpenConversation {
    if (this.#changed) this.#open.settled = this.#open.messages
    return this.#open
  }

  take(event: ConversationEvent): void {
    const open = this.#open
    if (event.type === 'snapshot') {
      open.state = 'live'
      open.conversation = event.conversation
      open.setup = event.setup
      open.missing = event.earlier
      open.queue = event.queue ?? []
      this.#setPath(event.messages)
      this.#setBeside(event.beside)
    } else if (open.state !== 'live') return
    else if (event.type === 'removed') open.state = 'gone'
    else if (event.type === 'conversation') open.conversation = event.conversation
    else if (event.type === 'setup') open.setup = event.setup
    else if (event.type === 'queue') open.queue = event.queue
    else if (event.type === 'earlier') this.#prepend(event)
    else if (event.type === 'path') this.#branch(event)
    else if (event.type === 'message') this.#replace(event.message)
    else this.#append(event)
  }

  #prepend({ messages, left }: Of<'earlier'>): void {
    const open = this.#open
    if (left + messages.length !== open.missing) open.state = 'gap'
    else {
      open.missing = left
      this.#setPath([...messages, ...open.messages])
    }
  }

  #branch({ unchanged, messages, beside }: Of<'path'>): void {
    const open = this.#open
    if (unchanged > open.missing + open.messages.length) {
      open.state = 'gap'
      return
    }
    this.#setPath([...open.messages.slice(0, Math.max(0, unchanged - open.missing)), ...messages])
    // When the branch is above all loaded messages, only the common part of both paths is still missing.
    open.missing = Math.min(open.missing, unchanged)
    this.#setBeside(beside)
  }

  #replace(message: Message): void {
    const open = this.#open
    const at = lastIndexOf(open.messages, message.id)
    this.#changed = true
    if (at >= 0) this.#ownPath()[at] = message
    else if (message.parentId === (open.messages.at(-1)?.id ?? null)) {
      this.#ownPath().push(message)
      open.ids = [...open.ids, message.id]
    }
    const place = lastIndexOf(open.beside, message.id)
    if (place >= 0) this.#ownBeside()[place] = message
  }

  /** Ignores deltas of replies that are not loaded, for example of a stopped sibling that ends late. */
  #append({ messageId, field, at, append }: Of<'delta'>): void {
    const open = this.#open
    const place = lastIndexOf(open.messages, messageId)
    const besidePlace = lastIndexOf(open.beside, messageId)
    const message = open.messages[place] ?? open.beside[besidePlace]
    if (!message) return
    if (message[field].length !== at) {
      open.state = 'gap'
      return
    }
    const grown = { ...message, [field]: message[field] + append }
    if (place >= 0) this.#ownPath()[place] = grown
    if (besidePlace >= 0) this.#ownBeside()[besidePlace] = grown
  }

  #setPath(messages: readonly Message[]): void {
    this.#messages = null
    this.#changed = true
    this.#open.messages = messages
    this.#open.ids = reuseIfEqual(this.#open.ids, messages)
  }

  #setBeside(beside: readonly Message[]): void {
    this.#beside = null
    this.#open.beside = beside
    this.#open.besideIds = reuseIfEqual(this.#open.besideIds, beside)
  }

  #ownPath(): Message[] {
    this.#messages ??= [...this.#open.messages]
    this.#open.messages = this.#messages
    return this.#messages
  }

  #ownBeside(): Message[] {
    this.#beside ??= [...this.#open.beside]
    this.#open.beside = this.#beside
    return this.#beside
  }
}

/** Searches from the end, where the growing reply is. */
function lastIndexOf(messages: readonly Message[], id: string): number {
  return messages.findLastIndex((message) => message.id === id)
}

function reuseIfEqual(ids: readonly string[], messages: readonly Message[]): readonly string[] {
  const same = ids.length === messages.length && ids.every((id, at) => messages[at]?.id === id)
  return same ? ids : messages.map((message) => message.id)
}

/** Finds a message on the path or among the replies beside it. */
export function messageIn(open: OpenConversation | null, id: string): Message | undefined {
  const is = (message: Message): boolean => message.id === id
  return open?.messages.findLast(is) ?? open?.beside.find(is)
}

/** Whether the chat has a message with this id, sent or queued. */
export const hasMessage = (open: OpenConversation | null, id: string): boolean =>
  messageIn(open, id) !== undefined || (open?.queue.some((queued) => queued.id === id) ?? false)

/** The messages on the stage, in order: the path, with the side-by-side replies in place of its last message. */
export function shownMessages({ messages, beside, besideIds }: OpenConversation): readonly Message[] {
  if (beside.length < 2) return messages
  return messages.flatMap((message) => (besideIds.includes(message.id) ? beside : [message]))
}

/** Whether the reply is still being generated. */
export function isRunning(message: Message): boolean {
  return message.status === 'pending' || message.status === 'streaming'
}

const isRunningReply = (message: Message): boolean => message.role === 'assistant' && isRunning(message)

/** The running reply of this path, if any. Nothing can be sent below a running reply. */
export function runningReply(open: OpenConversation | null): Message | null {
  return open?.messages.findLast(isRunningReply) ?? null
}

/** All running replies: on the path and beside it. */
export function runningReplies(open: OpenConversation | null): Message[] {
  if (!open) return []
  const onPath = open.messages.filter(isRunningReply)
  return [...onPath, ...open.beside.filter((one) => isRunningReply(one) && !open.ids.includes(one.id))]
}

/** The messages of the path as the window shows them: a person's message is a card, and a whole reply is one. */
export interface Cards {
  /** The first message of each card. */
  heads: readonly string[]
  /** By the id of any message of the path: all messages of its card, in order. */
  of: ReadonlyMap<string, readonly string[]>
}

const noCards: Cards = { heads: [], of: new Map() }
/** A chat keeps its `ids` while only texts grow, so its cards are found once for each change of the path. */
const knownCards = new WeakMap<readonly string[], { besideIds: readonly string[]; cards: Cards }>()

/** The cards of the path. Replies side by side are never joined to others, because the person has not chosen one yet. */
export function cardsOf(open: OpenConversation | null): Cards {
  if (open === null) return noCards
  const known = knownCards.get(open.ids)
  if (known?.besideIds === open.besideIds) return known.cards
  const of = new Map<string, string[]>()
  const heads: string[] = []
  let before: Message | null = null
  for (const message of open.messages) {
    const isBeside = open.besideIds.length > 1 && open.besideIds.includes(message.id)
    const card = before !== null && !isBeside && isPartOfReply(message, before) ? of.get(before.id) : undefined
    if (card) card.push(message.id)
    else heads.push(message.id)
    of.set(message.id, card ?? [message.id])
    before = message
  }
  const cards = { heads, of }
  knownCards.set(open.ids, { besideIds: open.besideIds, cards })
  return cards
}

/** The first message of the card that shows a message. The message itself when the path does not contain it. */
export const headOf = (open: OpenConversation | null, id: string): string => cardsOf(open).of.get(id)?.[0] ?? id

/** All messages of the card that shows a message, as of `messages`, a list of the path. */
export function partsOf(open: OpenConversation | null, id: string, messages = open?.messages ?? []): Message[] {
  const ids = cardsOf(open).of.get(id) ?? [id]
  // The messages of a card follow one another.
  const from = messages.findLastIndex((message) => message.id === ids[0])
  if (from >= 0) return messages.slice(from, from + ids.length)
  const beside = open?.beside.find((message) => message.id === id)
  return beside ? [beside] : []
}
