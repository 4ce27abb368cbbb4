import { StudioError } from '../../../src-main/core/errors.ts'
import { type ChatFeature, openChat } from '../../../src-main/core/features/chat/chat.ts'
import type { ChatUpstream } from '../../../src-main/core/features/chat/replyRuns.ts'
import type { ChatNeighbours, NewToolRow } from '../../../src-main/core/ports/toolCalls.ts'
import type { Store } from '../../../src-main/core/store/store.ts'
import type { CallOptions, ChatRequest, ChatStreamEvent } from '../../../src-main/core/upstream/types.ts'
import type { ConversationEvent, Message, QueuedMessage, ToolRun } from '../../../src-preload/contract/chat.ts'

/** One request that the service received. The test sends the reply. */
export class Asked {
  readonly request: ChatRequest
  readonly options: CallOptions
  readonly row: number
  over = false
  aborted = false
  readonly #queue: (ChatStreamEvent | 'end' | StudioError)[] = []
  #wake: () => void = () => undefined

  constructor(request: ChatRequest, options: CallOptions, row: number) {
    this.request = request
    this.options = options
    this.row = row
    const abort = (): void => {
      this.aborted = true
      this.say(new StudioError('cancelled', 'Cancelled.'))
    }
    // A reply may be stopped before its request begins.
    if (options.signal?.aborted) abort()
    else options.signal?.addEventListener('abort', abort)
  }

  say(event: ChatStreamEvent | 'end' | StudioError): void {
    this.#queue.push(event)
    this.#wake()
  }

  async *events(): AsyncGenerator<ChatStreamEvent, void, undefined> {
    this.options.onRow?.(this.row)
    try {
      for (;;) {
        const next = this.#queue.shift()
        if (next === 'end') return
        if (next instanceof StudioError) throw next
        if (next) yield next
        else await new Promise<void>((resolve) => (this.#wake = resolve))
      }
    } finally {
      this.over = true
      this.options.onClosed?.()
    }
  }
}

/** A service whose replies the test sends, request by request. */
export class Service implements ChatUpstream {
  readonly asked: Asked[] = []
  /** Why no request can be sent. */
  refusal: StudioError | null = null

  streamChatCompletion(request: ChatRequest, options: CallOptions): AsyncIterable<ChatStreamEvent> {
    const asked = new Asked(request, options, this.asked.length + 1)
    this.asked.push(asked)
    return asked.events()
  }

  get open(): Asked[] {
    return this.asked.filter((one) => !one.over && !one.aborted)
  }

  get last(): Asked {
    const last = this.asked.at(-1)
    if (!last) throw new Error('Nothing was asked.')
    return last
  }
}

export function featureOver(store: Store, neighbours?: Partial<ChatNeighbours>) {
  const service = new Service()
  const lines: string[] = []
  const feature: ChatFeature = openChat({
    store,
    upstream: async () => {
      if (service.refusal) throw service.refusal
      return service
    },
    log: (line) => lines.push(line),
    ...(neighbours && { neighbours: { ...plainNeighbours, ...neighbours } }),
  })
  return { feature, service, lines }
}

/** Every name is a tool whose calls wait for the person's approval. */
export const plainNeighbours: ChatNeighbours = {
  toolsFor: () => ({}),
  toolsOf: () => ({}),
  callsOf: (reply) => reply.toolCalls.map((call, at) => waiting(call.id ?? `made-up-${at}`, call.name, call.arguments)),
  called: () => undefined,
  stopCalls: () => 0,
  jsonFaults: async () => [],
  imageUrl: async (mediaId) => `data:image/png;base64,${mediaId}`,
  attachDocuments: () => [],
  documentText: () => '',
  attachPassages: () => [],
  projectContext: async () => ({ documents: [], passages: [] }),
  costOf: () => ({ cost: null, costIs: 'unknown' }),
  contextOf: () => null,
  leastCost: () => null,
  ended: () => undefined,
}

function waiting(callId: string, name: string, args: string): NewToolRow {
  const open = { allowed: null, isError: false, notes: [], startedAt: null, finishedAt: null }
  const run: ToolRun = { callId, name, arguments: args, state: 'awaiting', tool: null, ...open }
  return { run, text: '' }
}

/** Waits until no more events occur without an action of the test. */
export async function settled(): Promise<void> {
  for (let turns = 0; turns < 4; turns += 1) await new Promise<void>((resolve) => setImmediate(resolve))
}

type Snapshot = Extract<ConversationEvent, { type: 'snapshot' }>

/** A page's copy of a conversation, built from its events. */
export class Page {
  messages: Message[] = []
  beside: Message[] = []
  left = 0
  conversation: Snapshot['conversation'] | null = null
  setup: Snapshot['setup'] | null = null
  queue: QueuedMessage[] = []
  removed = false

  apply(event: ConversationEvent): void {
    switch (event.type) {
      case 'snapshot':
        this.messages = event.messages
        this.beside = event.beside
        this.left = event.earlier
        this.conversation = event.conversation
        this.setup = event.setup
        this.queue = event.queue ?? []
        return
      case 'earlier':
        if (event.left !== this.left - event.messages.length) throw new Error('A batch of earlier messages is missing.')
        this.messages = [...event.messages, ...this.messages]
        this.left = event.left
        return
      case 'message':
        this.#change(event.message.id, () => event.message)
        return
      case 'delta':
        this.#change(event.messageId, (message) => {
          const field = message[event.field]
          if (field.length !== event.at) throw new Error(`${event.field} has ${field.length} units, not ${event.at}.`)
          return { ...message, [event.field]: field + event.append }
        })
        return
      case 'path':
        this.messages = [...this.messages.slice(0, Math.max(0, event.unchanged - this.left)), ...event.messages]
        this.left = Math.min(this.left, event.unchanged)
        this.beside = event.beside
        return
      case 'conversation':
        this.conversation = event.conversation
        return
      case 'setup':
        this.setup = event.setup
        return
      case 'queue':
        this.queue = event.queue
        return
      case 'removed':
        this.removed = true
    }
  }

  #change(id: string, to: (message: Message) => Message): void {
    const change = (message: Message): Message => (message.id === id ? to(message) : message)
    if (![...this.messages, ...this.beside].some((message) => message.id === id)) throw new Error('It is not known.')
    this.messages = this.messages.map(change)
    this.beside = this.beside.map(change)
  }
}
