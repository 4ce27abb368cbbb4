import type { ItemOwner, NewResponse, StoredItem, StoredResponses, StoredText } from '../../../ports/storedResponses.ts'
import { isFields } from '../../../upstream/json/values.ts'
import { storedItem } from '../../dialects/stored/earlierResponses.ts'

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
  /** Ids of the items, once a request has referred to one. */
  ids: ReadonlySet<string> | null
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
    const ownText = ({ items }: Remembered): StoredText => ({
      input: `[${items.map(({ text }) => text).join(',')}]`,
      reply: '{}',
    })
    return {
      get(appId, id) {
        const found = own(id)
        return found ? { previous: null, ...ownText(found) } : stored.get(appId, id)
      },
      delete: (appId, id) => stored.delete(appId, id),
      ownerOf: (appId, itemId) => this.#ownerOf(itemId) ?? stored.ownerOf(appId, itemId),
      sizeOfConversation: (appId, id) => own(id)?.bytes ?? stored.sizeOfConversation(appId, id),
      async texts(appId, id) {
        const found = own(id)
        return found ? [...found.stored, ownText(found)] : stored.texts(appId, id)
      },
      save: async (response, clean) => {
        const isWanted = response.reply.store !== false
        if (isWanted && (await stored.save(response, clean))) return true
        await this.#remember(response, stored)
        return !isWanted
      },
    }
  }

  #ownerOf(itemId: string): ItemOwner | null {
    const last = this.#last
    if (last === null) return null
    last.ids ??= new Set(last.items.flatMap(({ id }) => id ?? []))
    return last.ids.has(itemId) ? { id: last.id, bytes: last.bytes } : null
  }

  async #remember(response: NewResponse, stored: StoredResponses): Promise<void> {
    const { id, input, reply } = response
    const before = await this.#before(response, stored)
    if (this.#isClosed) return
    const items = [...input, ...(Array.isArray(reply.output) ? reply.output.filter(isFields).map(storedItem) : [])]
    const bytes = items.reduce((sum, { text }) => sum + Buffer.byteLength(text), before.bytes)
    const isRemembered = this.#all.reserve(this, bytes)
    this.#last = isRemembered
      ? { id, stored: before.stored, items: [...before.items, ...items], ids: null, bytes }
      : null
  }

  /** The conversation that a response continues. */
  async #before({ appId, previous }: NewResponse, stored: StoredResponses): Promise<Omit<Remembered, 'id' | 'ids'>> {
    if (previous === null) return { stored: [], items: [], bytes: 0 }
    if (this.#last?.id === previous) return this.#last
    const bytes = stored.sizeOfConversation(appId, previous) ?? 0
    return { stored: (await stored.texts(appId, previous)) ?? [], items: [], bytes }
  }
}
