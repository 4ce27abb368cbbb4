import type { NewResponse, StoredItem, StoredResponses, StoredText } from '../../../ports/storedResponses.ts'
import { isFields } from '../../../upstream/meter/values.ts'
import { responseOfText, storedItem } from '../../dialects/stored/earlierResponses.ts'
import type { JsonObject } from '../../dialects/types.ts'

/** Bounds of what connections remember, bytes of JSON. */
export interface TurnMemoryBounds {
  /** Largest conversation of one connection. */
  each: number
  /** All connections together. */
  total: number
}

interface Remembered {
  id: string
  /** The stored responses before those of this connection, oldest first. */
  stored: StoredText[]
  /** Input and output of the responses of this connection, oldest first. As text, so that another thread can parse them. */
  items: StoredItem[]
  bytes: number
}

/** The memories of all connections. The one that was used longest ago is forgotten when there is no space for another. */
export class TurnMemories {
  readonly #bounds: TurnMemoryBounds
  /** Least recently used first. */
  readonly #used = new Map<TurnMemory, number>()
  #bytes = 0

  constructor(bounds: TurnMemoryBounds) {
    this.#bounds = bounds
  }

  /** The memory of a new connection. */
  open(): TurnMemory {
    return new TurnMemory(this)
  }

  /** Bytes that are in use. */
  get bytes(): number {
    return this.#bytes
  }

  /** Makes space. Returns false for a conversation that is too large. */
  reserve(memory: TurnMemory, bytes: number): boolean {
    this.release(memory)
    if (bytes > this.#bounds.each) return false
    for (const [oldest] of this.#used) {
      if (this.#bytes + bytes <= this.#bounds.total) break
      oldest.forget()
    }
    this.#used.set(memory, bytes)
    this.#bytes += bytes
    return true
  }

  release(memory: TurnMemory): void {
    this.#bytes -= this.#used.get(memory) ?? 0
    this.#used.delete(memory)
  }
}

/**
 * The last response of one connection that was not stored: the app asked for that (`store: false`), or it could not be stored. It exists in
 * memory only, and only for this connection.
 */
export class TurnMemory {
  readonly #all: TurnMemories
  #last: Remembered | null = null
  #isClosed = false

  constructor(all: TurnMemories) {
    this.#all = all
  }

  /** Call when a turn failed: the app must not continue from a response that it has failed to continue. */
  forget(): void {
    this.#last = null
    this.#all.release(this)
  }

  close(): void {
    this.#isClosed = true
    this.forget()
  }

  /** Whether this response is the remembered one. A response after it can't be stored, so its reply says `store: false`. */
  remembers(id: string): boolean {
    return this.#last?.id === id
  }

  /** The stored responses of the app, and the remembered one. */
  over(stored: StoredResponses): StoredResponses {
    const own = (id: string): Remembered | null => (this.#last?.id === id ? this.#last : null)
    return {
      get: (appId, id) => stored.get(appId, id),
      delete: (appId, id) => stored.delete(appId, id),
      item: (appId, id) => this.#item(id) ?? stored.item(appId, id),
      sizeOfConversation: (appId, id) => own(id)?.bytes ?? stored.sizeOfConversation(appId, id),
      conversation(appId, id) {
        const found = own(id)
        if (!found) return stored.conversation(appId, id)
        return textsOf(found).map((text) => ({ id, previous: null, ...responseOfText(text) }))
      },
      texts(appId, id) {
        const found = own(id)
        return found ? textsOf(found) : stored.texts(appId, id)
      },
      save: async (response, clean) => {
        const isWanted = response.reply.store !== false
        if (isWanted && (await stored.save(response, clean))) return true
        this.#remember(response, stored)
        return !isWanted
      },
    }
  }

  #item(id: string): JsonObject | null {
    const text = this.#last?.items.find((item) => item.id === id)?.text
    return text === undefined ? null : (JSON.parse(text) as JsonObject)
  }

  #remember(response: NewResponse, stored: StoredResponses): void {
    if (this.#isClosed) return
    const { id, input, reply } = response
    const before = this.#before(response, stored)
    const items = [...input, ...(Array.isArray(reply.output) ? reply.output.filter(isFields).map(storedItem) : [])]
    const bytes = items.reduce((sum, { text }) => sum + Buffer.byteLength(text), before.bytes)
    const isRemembered = this.#all.reserve(this, bytes)
    this.#last = isRemembered ? { id, stored: before.stored, items: [...before.items, ...items], bytes } : null
  }

  /** The conversation that a response continues. */
  #before({ appId, previous }: NewResponse, stored: StoredResponses): Omit<Remembered, 'id'> {
    if (previous === null) return { stored: [], items: [], bytes: 0 }
    if (this.#last?.id === previous) return this.#last
    const bytes = stored.sizeOfConversation(appId, previous) ?? 0
    return { stored: stored.texts(appId, previous) ?? [], items: [], bytes }
  }
}

/** The whole conversation. */
const textsOf = ({ stored, items }: Remembered): StoredText[] => [
  ...stored,
  { input: `[${items.map(({ text }) => text).join(',')}]`, reply: '{}' },
]
