import { randomUUID } from 'node:crypto'
import type { Connection } from '../../../../src-preload/contract/app.ts'
import type { MakingState } from '../../../../src-preload/contract/createdItems.ts'
import type { WaitingItem, WaitingState, WaitingWhat, WaitingWish } from '../../../../src-preload/contract/outbox.ts'
import { asStudioError, StudioError } from '../../errors.ts'
import type { Feed } from '../../shared/events.ts'
import { StateFeed } from '../../shared/stateFeed.ts'
import { guarded } from '../../shared/unexpected.ts'
import { mayPass } from '../../store/database.ts'
import type { StoredWaiting, WaitingPlace } from '../../store/outbox.ts'
import type { Store } from '../../store/store.ts'

type WishOf<W extends WaitingWhat> = Extract<WaitingWish, { what: W }>

/** A feature that can send requests of the outbox. */
export interface OutboxSender<W extends WaitingWhat> {
  /**
   * Starts the request under the id `requestId`. If a request was started under that id before, returns that one. Calls
   * `alongside` in the transaction that starts the request, before anything is sent. If `alongside` or this function
   * throws, nothing was started. @throws StudioError
   */
  make(wish: WishOf<W> & { requestId: string }, alongside: () => void): Promise<{ id: string }>
  /** Whether a request was started under this id, even if its result was deleted. */
  has(id: string): boolean
  /** Resolves with the final state when the request has ended. */
  over(id: string): Promise<MakingState>
  /**
   * Removes a failed request from the feature and returns it.
   * @throws StudioError `no_such_item`, `bad_input` if part of it may have been sent
   */
  takeBack(id: string): WishOf<W>
}

export type OutboxSenders = { [W in WaitingWhat]: OutboxSender<W> }

export interface OutboxOptions {
  store: Pick<Store, 'waiting' | 'transaction' | 'recordings'>
  makers: OutboxSenders
  connection(): Connection
  /** Whether the service accepts a connection. Sends no request. Never throws. */
  reach(): Promise<boolean>
  log(level: 'error', line: string): void
}

const maxLabelLength = 200
const publishEveryMs = 100
/** Retry interval after the database rejected a write, ms. */
const retryMs = 2000

/**
 * Requests that a person wants to send when the service is reachable again. They are stored, then started one after
 * another. A request leaves the queue in the transaction that starts it, so that after a crash it is in exactly one
 * place: the queue or the feature.
 */
export class Outbox {
  readonly #parts: OutboxOptions
  readonly #feed: StateFeed<WaitingState>
  #making: WaitingState['making'] = null
  #ended: WaitingState['ended'] = null
  /** Counts of the requests sent since the queue was last empty. */
  #tally = emptyTally()
  #sending: Promise<void> | null = null
  #closed = false
  #again: NodeJS.Timeout | null = null

  constructor(parts: OutboxOptions) {
    this.#parts = parts
    this.#feed = new StateFeed<WaitingState>({
      everyMs: publishEveryMs,
      read: () => this.read(),
      observe: () => () => undefined,
    })
  }

  watch(signal?: AbortSignal): Feed<WaitingState> {
    return this.#feed.watch(signal)
  }

  read(): WaitingState {
    const items = this.#parts.store.waiting.list().map((one) => this.#show(one))
    return { items, making: this.#making, ended: this.#ended }
  }

  /**
   * Adds a request under the id `requestId`. A repeated id returns the same item and adds nothing, also after it was
   * sent.
   * @throws StudioError `bad_input`, `not_connected`
   */
  add({ requestId: id = randomUUID(), wish }: { requestId?: string; wish: WaitingWish }): WaitingItem {
    const before = this.#parts.store.waiting.find(id)
    if (before) return this.#show(before)
    const place = this.#place()
    check(wish)
    const createdAt = new Date().toISOString()
    if (this.#parts.makers[wish.what].has(id)) {
      return this.#show({ id, createdAt, wish, state: 'waiting', problem: null, ...place })
    }
    return this.#insert(wish, place, id)
  }

  /** @throws StudioError `no_such_item`, `not_connected`, `bad_input` where anything of it may have been sent */
  again({ what, id }: { what: WaitingWhat; id: string }): WaitingItem {
    const place = this.#place()
    return this.#parts.store.transaction(() => this.#insert(this.#parts.makers[what].takeBack(id), place))
  }

  /** @throws StudioError `no_such_item` */
  get({ id }: { id: string }): { item: WaitingItem; wish: WaitingWish } {
    const one = this.#one(id)
    return { item: this.#show(one), wish: one.wish }
  }

  /** @throws StudioError `no_such_item` */
  hold({ id, held }: { id: string; held: boolean }): WaitingItem {
    this.#one(id)
    this.#parts.store.waiting.setState(id, held ? 'held' : 'waiting', null)
    return this.#changed(id)
  }

  /** @throws StudioError `no_such_item`, `bad_input`, `not_connected` */
  change({ id, wish }: { id: string; wish: WaitingWish }): WaitingItem {
    const before = this.#one(id)
    if (before.wish.what !== wish.what)
      throw new StudioError('bad_input', 'The type of a waiting request cannot change.')
    check(wish)
    this.#parts.store.waiting.change(id, wish, this.#place())
    return this.#changed(id)
  }

  /** @throws StudioError `no_such_item` */
  cancel({ id }: { id: string }): void {
    if (!this.#parts.store.waiting.remove(id)) throw gone()
    this.#feed.changed()
  }

  /** Call when the connection or its state has changed. */
  connectionChanged(): void {
    this.#feed.changed()
    this.#go()
  }

  /** Starts no further request. Resolves when the current one has ended, which its feature stops. */
  async close(): Promise<void> {
    this.#closed = true
    if (this.#again) clearTimeout(this.#again)
    await this.#sending
  }

  #insert(wish: WaitingWish, place: WaitingPlace, id: string = randomUUID()): WaitingItem {
    this.#parts.store.waiting.insert({ id, createdAt: new Date().toISOString(), wish, ...place })
    return this.#changed(id)
  }

  #changed(id: string): WaitingItem {
    const item = this.#show(this.#one(id))
    this.#feed.changed()
    // Deferred, because the caller may be within a transaction.
    setImmediate(() => this.#go())
    return item
  }

  /** The database rejected the write, so no request was started. */
  #goLater(): void {
    this.#again ??= setTimeout(() => {
      this.#again = null
      this.#go()
    }, retryMs).unref()
  }

  readonly #go = guarded('Waiting requests could not be sent', () => this.#goNow())

  #goNow(): void {
    if (this.#sending || this.#closed || !this.#next()) return
    this.#sending = this.#send()
      .catch((thrown: unknown) =>
        this.#parts.log('error', `Waiting requests could not be sent: ${asStudioError(thrown).message}`),
      )
      .finally(() => {
        this.#sending = null
        this.#making = null
        this.#feed.changed()
      })
  }

  async #send(): Promise<void> {
    for (let next = this.#next(); next; next = this.#next()) {
      // An unstable network is often unreachable again at once. Requests then stay in the queue.
      if (!(await this.#parts.reach()) || !this.#next()) return
      const made = await this.#begin(next)
      if (made === 'wait') return
      if (made === 'changed') continue
      if (made === 'failed') this.#tally.failed += 1
      else {
        this.#tally.last = this.#making = made
        this.#feed.changed()
        const state = await this.#parts.makers[made.what].over(made.id)
        this.#tally[state === 'done' ? 'done' : 'failed'] += 1
      }
    }
    const { last, ...counts } = this.#tally
    if (!last || this.#closed || this.#parts.connection().state !== 'connected') return
    this.#ended = { at: new Date().toISOString(), ...counts, last }
    this.#tally = emptyTally()
  }

  async #begin({
    id,
    wish,
  }: StoredWaiting): Promise<{ what: WaitingWhat; id: string } | 'failed' | 'changed' | 'wait'> {
    const { waiting } = this.#parts.store
    const alongside = (): void => {
      const now = waiting.find(id)
      const { profile } = this.#parts.connection()
      // The item was cancelled, held or changed, or another account is connected.
      const same = now?.state === 'waiting' && JSON.stringify(now.wish) === JSON.stringify(wish)
      if (!same || profile?.id !== now.connectionId || profile.baseUrl !== now.baseUrl) throw new Changed()
      waiting.remove(id)
    }
    try {
      const made = await this.#make(id, wish, alongside)
      return { what: wish.what, id: made.id }
    } catch (thrown) {
      if (thrown instanceof Changed) return 'changed'
      const failure = asStudioError(thrown)
      if (failure.kind === 'not_connected') return 'wait'
      if (mayPass(thrown)) {
        this.#goLater()
        return 'wait'
      }
      if (failure.kind === 'bug') this.#parts.log('error', failure.message)
      waiting.setState(id, 'failed', failure.toProblem())
      return 'failed'
    }
  }

  #make(requestId: string, wish: WaitingWish, alongside: () => void): Promise<{ id: string }> {
    const { makers } = this.#parts
    if (wish.what === 'images') return makers.images.make({ ...wish, requestId }, alongside)
    if (wish.what === 'speech') return makers.speech.make({ ...wish, requestId }, alongside)
    return makers.transcript.make({ ...wish, requestId }, alongside)
  }

  /** The first item for the current connection, or null. */
  #next(): StoredWaiting | null {
    const { state, profile } = this.#parts.connection()
    if (this.#closed || state !== 'connected' || !profile) return null
    return this.#parts.store.waiting.next(placeOf(profile))
  }

  #place(): WaitingPlace {
    const { profile } = this.#parts.connection()
    if (profile) return placeOf(profile)
    throw new StudioError('not_connected', 'Nothing is connected yet. Try the sandbox, or connect with an API key.')
  }

  #one(id: string): StoredWaiting {
    const found = this.#parts.store.waiting.find(id)
    if (!found) throw gone()
    return found
  }

  #show({ wish, connectionId, connectionName, baseUrl, ...item }: StoredWaiting): WaitingItem {
    const { profile } = this.#parts.connection()
    return {
      ...item,
      what: wish.what,
      ...this.#summary(wish),
      recordingId: wish.what === 'transcript' ? wish.recordingId : null,
      connection: connectionName,
      here: profile?.id === connectionId && profile.baseUrl === baseUrl,
    }
  }

  #summary(wish: WaitingWish): Pick<WaitingItem, 'label' | 'amount'> {
    if (wish.what === 'images') return { label: cut(wish.prompt), amount: wish.n }
    if (wish.what === 'speech') return { label: cut(wish.text), amount: Buffer.byteLength(wish.text) }
    return { label: this.#parts.store.recordings.find(wish.recordingId)?.name ?? '', amount: null }
  }
}

/** The item has changed since its turn came. */
class Changed extends StudioError {
  constructor() {
    super('busy', 'The request has changed in the meantime.')
  }
}

function check(wish: WaitingWish): void {
  if (wish.what === 'images' && wish.prompt.trim() === '') throw new StudioError('bad_input', 'Describe the image.')
  if (wish.what === 'speech' && wish.text.trim() === '') {
    throw new StudioError('bad_input', 'This text has nothing to speak.')
  }
}

const emptyTally = (): { done: number; failed: number; last: WaitingState['making'] } => ({
  done: 0,
  failed: 0,
  last: null,
})

const cut = (text: string): string => text.slice(0, maxLabelLength).toWellFormed()

const placeOf = ({ id, name, baseUrl }: { id: string; name: string; baseUrl: string }): WaitingPlace => ({
  connectionId: id,
  connectionName: name,
  baseUrl,
})

const gone = (): StudioError =>
  new StudioError('no_such_item', 'This request no longer waits. It was sent or cancelled.')
