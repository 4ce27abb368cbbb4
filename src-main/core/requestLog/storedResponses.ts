import { setImmediate as nextTurn } from 'node:timers/promises'
import { asStudioError } from '../errors.ts'
import {
  type ItemOwner,
  maxReadInTurn,
  maxStoredResponse,
  type NewResponse,
  type StoredResponse,
  type StoredResponses,
  type StoredText,
} from '../ports/storedResponses.ts'
import { asStoreError, mayPass } from '../store/databaseErrors.ts'
import type { RequestLogTables } from '../store/requestLog/open.ts'
import type { ResponseRow } from '../store/requestLog/responses.ts'
import { withoutLocalKeys } from './redact.ts'

interface Parts {
  store: Pick<RequestLogTables, 'responses'>
  now(): number
  /** Deletes one response, and resolves to how many were deleted when no copy is left on the disk. */
  erase(selection: { response: string; who: string }): Promise<number>
  log(level: 'error', line: string): void
}

/** Largest sum of the stored responses of one app, bytes. Its oldest are deleted first. */
const maxOfApp = 256 * 1024 * 1024
/** Largest sum of responses that wait in memory while the disk takes nothing, bytes. */
const maxWaiting = 64 * 1024 * 1024
/** How long a reply waits for its response to be stored, and the pause between two attempts, ms. */
const waitMs = 1500
const againMs = 100
/** Longest conversation. Real ones have fewer than a thousand responses, and finding this many takes about 50 ms. */
const maxLinks = 4000
/** An input that is longer is masked in a turn of the event loop of its own, UTF-16 units. */
const maxMaskedInTurn = 1024 * 1024

type Item = Record<string, unknown>

/** The stored responses of all apps, in the file of the logged bodies. Responses of one turn of the event loop are one commit. */
export class SqliteStoredResponses implements StoredResponses {
  readonly #parts: Parts
  /** Responses that are not written yet, by id. */
  readonly #waiting = new Map<string, { row: ResponseRow; written: PromiseWithResolvers<boolean> }>()
  #waitingBytes = 0
  /** The responses that are not written yet, by the caller and the ids of their items. */
  readonly #waitingItems = new Map<string, string>()
  #turn: NodeJS.Immediate | null = null
  #retry: NodeJS.Timeout | null = null
  #hasComplained = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async save(response: NewResponse, clean: (text: string) => string): Promise<boolean> {
    const masked = (json: string): string => withoutLocalKeys(clean(json))
    const { id, appId, previous, request, input, reply } = response
    const given = `[${input.map(({ text }) => text).join(',')}]`
    if (given.length > maxStoredResponse) return false
    const maskedInput = masked(given)
    // Masking 8 MB takes up to 100 ms, so the reply has a turn of its own.
    if (given.length > maxMaskedInTurn) await nextTurn()
    const row: ResponseRow = {
      id,
      previous,
      request,
      who: whoOf(appId),
      at: this.#parts.now(),
      input: maskedInput,
      reply: masked(JSON.stringify(reply)),
      items: [...input, ...outputOf(reply)].flatMap((item) => (typeof item.id === 'string' ? item.id : [])),
    }
    if (sizeOf(row) > maxStoredResponse || this.#waitingBytes + sizeOf(row) > maxWaiting) return false
    const written = Promise.withResolvers<boolean>()
    this.#waiting.set(id, { row, written })
    this.#waitingBytes += sizeOf(row)
    for (const item of row.items) this.#waitingItems.set(itemKey(row.who, item), id)
    if (this.#retry === null) this.#turn ??= setImmediate(this.#write)
    const timer = setTimeout(() => written.resolve(false), waitMs)
    const isWritten = await written.promise
    clearTimeout(timer)
    return isWritten
  }

  get(appId: string, id: string): StoredResponse | null {
    return this.#row(whoOf(appId), id)
  }

  sizeOfConversation(appId: string, id: string): number | null {
    const who = whoOf(appId)
    let size = 0
    let next: string | null = id
    for (let links = 0; next !== null; links++) {
      const link = this.#link(who, next)
      if (link === null || links >= maxLinks) return null
      size += link.size
      next = link.previous
    }
    return size
  }

  async texts(appId: string, id: string): Promise<StoredText[] | null> {
    const who = whoOf(appId)
    let read = 0
    const found: StoredText[] = []
    for (let next: string | null = id; next !== null; ) {
      const row = this.#row(who, next)
      if (row === null || found.length >= maxLinks) return null
      found.push({ input: row.input, reply: row.reply })
      next = row.previous
      read += row.input.length + row.reply.length
      if (read > maxReadInTurn) {
        await nextTurn()
        read = 0
      }
    }
    return found.reverse()
  }

  ownerOf(appId: string, itemId: string): ItemOwner | null {
    const who = whoOf(appId)
    const id = this.#waitingItems.get(itemKey(who, itemId)) ?? this.#parts.store.responses.responseOf(who, itemId)
    const link = id === null ? null : this.#link(who, id)
    return id === null || link === null ? null : { id, bytes: link.size }
  }

  async delete(appId: string, id: string): Promise<boolean> {
    const who = whoOf(appId)
    const waiting = this.#waiting.get(id)
    if (waiting?.row.who === who) {
      this.#forget(id, false)
      return true
    }
    return (await this.#parts.erase({ response: id, who })) > 0
  }

  /** Writes everything that waits. Never throws. */
  flush(): void {
    this.#write()
  }

  /** Call after `flush`, when nothing will be stored any more. */
  close(): void {
    if (this.#turn) clearImmediate(this.#turn)
    if (this.#retry) clearTimeout(this.#retry)
  }

  readonly #write = (): void => {
    this.#turn = null
    this.#retry = null
    const rows = [...this.#waiting.values()].map(({ row }) => row)
    if (rows.length === 0) return
    try {
      this.#parts.store.responses.save(rows, maxOfApp)
      for (const { id } of rows) this.#forget(id, true)
      this.#hasComplained = false
    } catch (thrown) {
      if (!this.#hasComplained) {
        const { message } = asStudioError(asStoreError(thrown))
        this.#parts.log('error', `Responses could not be stored and will be retried: ${message}`)
      }
      this.#hasComplained = true
      if (mayPass(thrown)) this.#retry ??= setTimeout(this.#write, againMs).unref()
      else for (const { id } of rows) this.#forget(id, false)
    }
  }

  #forget(id: string, isWritten: boolean): void {
    const waiting = this.#waiting.get(id)
    if (!waiting) return
    this.#waiting.delete(id)
    this.#waitingBytes -= sizeOf(waiting.row)
    for (const item of waiting.row.items) {
      const key = itemKey(waiting.row.who, item)
      if (this.#waitingItems.get(key) === id) this.#waitingItems.delete(key)
    }
    waiting.written.resolve(isWritten)
  }

  #row(who: string, id: string): Pick<ResponseRow, 'previous' | 'input' | 'reply'> | null {
    const waiting = this.#waiting.get(id)?.row
    return waiting?.who === who ? waiting : this.#parts.store.responses.get(who, id)
  }

  #link(who: string, id: string): { previous: string | null; size: number } | null {
    const waiting = this.#waiting.get(id)?.row
    if (waiting?.who === who) return { previous: waiting.previous, size: sizeOf(waiting) }
    return this.#parts.store.responses.link(who, id)
  }
}

/** The caller of an app, as in the log. */
const whoOf = (appId: string): string => `tool:${appId}`
const itemKey = (who: string, itemId: string): string => `${who} ${itemId}`

/** UTF-16 units, which is close enough to bytes for a bound. */
const sizeOf = ({ input, reply }: ResponseRow): number => input.length + reply.length

const isItem = (value: unknown): value is Item => typeof value === 'object' && value !== null && !Array.isArray(value)

const itemsIn = (value: unknown): Item[] => (Array.isArray(value) ? value.filter(isItem) : [])

const outputOf = (reply: Item): Item[] => itemsIn(reply.output)
