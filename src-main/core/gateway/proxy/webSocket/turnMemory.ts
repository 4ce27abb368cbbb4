import type { NewResponse, StoredResponse, StoredResponses } from '../../../ports/storedResponses.ts'
import { itemsOf } from '../../dialects/stored/earlierResponses.ts'
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
  /** Input and output of this response and of all before it. */
  items: JsonObject[]
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

/** The last response of one connection that was not stored (`store: false`). It exists in memory only, and only for this connection. */
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
    const conversation = (appId: string, id: string): StoredResponse[] | null => {
      const found = own(id)
      return found ? [{ id, previous: null, input: found.items, reply: {} }] : stored.conversation(appId, id)
    }
    return {
      get: (appId, id) => stored.get(appId, id),
      delete: (appId, id) => stored.delete(appId, id),
      item: (appId, id) => this.#last?.items.find((item) => item.id === id) ?? stored.item(appId, id),
      sizeOfConversation: (appId, id) => own(id)?.bytes ?? stored.sizeOfConversation(appId, id),
      conversation,
      texts: (appId, id) => (own(id) ? null : stored.texts(appId, id)),
      save: async (response, clean) => {
        const { appId, previous, reply } = response
        if (reply.store !== false) return stored.save(response, clean)
        this.#remember(response, previous === null ? [] : (conversation(appId, previous) ?? []))
        return true
      },
    }
  }

  #remember(response: NewResponse, before: readonly StoredResponse[]): void {
    if (this.#isClosed) return
    const items = [...before, response].flatMap(itemsOf)
    const bytes = Buffer.byteLength(JSON.stringify(items))
    this.#last = this.#all.reserve(this, bytes) ? { id: response.id, items, bytes } : null
  }
}
