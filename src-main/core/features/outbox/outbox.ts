import { randomUUID } from 'node:crypto'
import type { Connection } from '../../../../src-preload/contract/app.ts'
import type { MakingState } from '../../../../src-preload/contract/createdItems.ts'
import type { OutboxItem, OutboxKind, OutboxRequest, OutboxState } from '../../../../src-preload/contract/outbox.ts'
import { asStudioError, StudioError } from '../../errors.ts'
import type { Feed } from '../../shared/events.ts'
import { StateFeed } from '../../shared/stateFeed.ts'
import { guarded } from '../../shared/unexpected.ts'
import { mayPass } from '../../store/databaseErrors.ts'
import type { OutboxDestination, StoredOutboxItem } from '../../store/outbox.ts'
import type { Store } from '../../store/store.ts'

type RequestOf<W extends OutboxKind> = Extract<OutboxRequest, { what: W }>

/** A feature that can send requests of the outbox. */
export interface OutboxSender<W extends OutboxKind> {
  /**
   * Starts the request under the id `requestId`. If a request was started under that id before, returns that request. Calls `alongside`
   * in the transaction that starts the request, before anything is sent. If `alongside` or this function throws, nothing was started.
   * @throws StudioError
   */
  make(request: RequestOf<W> & { requestId: string }, alongside: () => void): Promise<{ id: string }>
  /** Whether a request was started under this id, even if its result was deleted. */
  has(id: string): boolean
  /** Resolves with the final state when the request has ended. */
  over(id: string): Promise<MakingState>
  /**
   * Removes a failed request from the feature and returns it.
   * @throws StudioError `no_such_item`, `bad_input` if part of it may have been sent
   */
  takeBack(id: string): RequestOf<W>
}

export type OutboxSenders = { [W in OutboxKind]: OutboxSender<W> }

export interface OutboxOptions {
  store: Pick<Store, 'outbox' | 'transaction' | 'recordings'>
  senders: OutboxSenders
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
 * Requests that a person wants to send when the service is reachable again. They are stored, then started one after another. A request
 * leaves the queue in the transaction that starts it. After a crash, it is therefore in exactly one place: the queue or the feature.
 */
export class Outbox {
  readonly #parts: OutboxOptions
  readonly #feed: StateFeed<OutboxState>
  #making: OutboxState['starting'] = null
  #ended: OutboxState['ended'] = null
  /** Counts of the requests sent since the queue was last empty. */
  #tally = emptyTally()
  #sending: Promise<void> | null = null
  /** The connection or the queue changed while requests were being sent. */
  #changedMeanwhile = false
  #closed = false
  #retryTimer: NodeJS.Timeout | null = null

  constructor(parts: OutboxOptions) {
    this.#parts = parts
    this.#feed = new StateFeed<OutboxState>({
      everyMs: publishEveryMs,
      read: () => this.read(),
      observe: () => () => undefined,
    })
  }

  watch(signal?: AbortSignal): Feed<OutboxState> {
    return this.#feed.watch(signal)
  }

  read(): OutboxState {
    const items = this.#parts.store.outbox.list().map((one) => this.#show(one))
    return { items, starting: this.#making, ended: this.#ended }
  }

  /**
   * Adds a request under the id `requestId`. A repeated id returns the same item and adds nothing, also after it was
   * sent.
   * @throws StudioError `bad_input`, `not_connected`
   */
  add({ requestId: id = randomUUID(), request }: { requestId?: string; request: OutboxRequest }): OutboxItem {
    const before = this.#parts.store.outbox.find(id)
    if (before) return this.#show(before)
    const place = this.#place()
    check(request)
    const createdAt = new Date().toISOString()
    if (this.#parts.senders[request.what].has(id)) {
      return this.#show({ id, createdAt, request, state: 'waiting', problem: null, ...place })
    }
    return this.#insert(request, place, id)
  }

  /**
   * Moves a failed request from its feature to the queue.
   * @throws StudioError `no_such_item`, `not_connected`, `bad_input` if part of it may have been sent
   */
  requeue({ what, id }: { what: OutboxKind; id: string }): OutboxItem {
    const place = this.#place()
    return this.#parts.store.transaction(() => this.#insert(this.#parts.senders[what].takeBack(id), place))
  }

  /** @throws StudioError `no_such_item` */
  get({ id }: { id: string }): { item: OutboxItem; request: OutboxRequest } {
    const one = this.#one(id)
    return { item: this.#show(one), request: one.request }
  }

  /** @throws StudioError `no_such_item` */
  hold({ id, held }: { id: string; held: boolean }): OutboxItem {
    this.#one(id)
    this.#parts.store.outbox.setState(id, held ? 'held' : 'waiting', null)
    return this.#changed(id)
  }

  /** @throws StudioError `no_such_item`, `bad_input`, `not_connected` */
  update({ id, request }: { id: string; request: OutboxRequest }): OutboxItem {
    const before = this.#one(id)
    if (before.request.what !== request.what)
      throw new StudioError('bad_input', 'The type of a waiting request cannot change.')
    check(request)
    this.#parts.store.outbox.update(id, request, this.#place())
    return this.#changed(id)
  }

  /** @throws StudioError `no_such_item` */
  cancel({ id }: { id: string }): void {
    if (!this.#parts.store.outbox.remove(id)) throw gone()
    this.#feed.changed()
  }

  /** Call when the connection or its state has changed. */
  connectionChanged(): void {
    this.#feed.changed()
    this.#sendAll()
  }

  /** Starts no further request. Resolves when the current request has ended. The feature of the request stops it. */
  async close(): Promise<void> {
    this.#closed = true
    if (this.#retryTimer) clearTimeout(this.#retryTimer)
    await this.#sending
  }

  #insert(request: OutboxRequest, place: OutboxDestination, id: string = randomUUID()): OutboxItem {
    this.#parts.store.outbox.insert({ id, createdAt: new Date().toISOString(), request, ...place })
    return this.#changed(id)
  }

  #changed(id: string): OutboxItem {
    const item = this.#show(this.#one(id))
    this.#feed.changed()
    // Deferred, because the caller may be within a transaction.
    setImmediate(() => this.#sendAll())
    return item
  }

  /** The database rejected the write, so no request was started. */
  #sendLater(): void {
    this.#retryTimer ??= setTimeout(() => {
      this.#retryTimer = null
      this.#sendAll()
    }, retryMs).unref()
  }

  readonly #sendAll = guarded('Waiting requests could not be sent', () => this.#sendNow())

  #sendNow(): void {
    if (this.#sending) this.#changedMeanwhile = true
    if (this.#sending || this.#closed || !(this.#next() || this.#isEndUnreported())) return
    this.#changedMeanwhile = false
    this.#sending = this.#send()
      .catch((thrown: unknown) =>
        this.#parts.log('error', `Waiting requests could not be sent: ${asStudioError(thrown).message}`),
      )
      .finally(() => {
        this.#sending = null
        this.#making = null
        this.#feed.changed()
        // The loop had ended before it could notice.
        if (this.#changedMeanwhile) this.#sendAll()
      })
  }

  async #send(): Promise<void> {
    for (let next = this.#next(); next; next = this.#next()) {
      // An unstable network is often unreachable again at once. Its requests then stay in the queue.
      if (!(await this.#parts.reach()) || !this.#next()) return
      const made = await this.#begin(next)
      if (made === 'wait') return
      if (made === 'changed') continue
      if (made === 'failed') this.#tally.failed += 1
      else {
        this.#tally.last = this.#making = made
        this.#feed.changed()
        const state = await this.#parts.senders[made.what].over(made.id)
        this.#tally[state === 'done' ? 'done' : 'failed'] += 1
      }
    }
    const { last, ...counts } = this.#tally
    if (!last || !this.#isEndUnreported()) return
    this.#ended = { at: new Date().toISOString(), ...counts, last }
    this.#tally = emptyTally()
  }

  /** Whether requests were sent whose end can be reported now. While the connection is being tested, it can't be reported. */
  #isEndUnreported(): boolean {
    return this.#tally.last !== null && !this.#closed && this.#parts.connection().state === 'connected'
  }

  async #begin({
    id,
    request,
  }: StoredOutboxItem): Promise<{ what: OutboxKind; id: string } | 'failed' | 'changed' | 'wait'> {
    const { outbox } = this.#parts.store
    const alongside = (): void => {
      const now = outbox.find(id)
      const { profile } = this.#parts.connection()
      // The item was cancelled, held or changed, or another account is connected.
      const same = now?.state === 'waiting' && JSON.stringify(now.request) === JSON.stringify(request)
      if (!same || profile?.id !== now.connectionId || profile.baseUrl !== now.baseUrl) throw new Changed()
      outbox.remove(id)
    }
    try {
      const made = await this.#make(id, request, alongside)
      return { what: request.what, id: made.id }
    } catch (thrown) {
      if (thrown instanceof Changed) return 'changed'
      const failure = asStudioError(thrown)
      if (failure.kind === 'not_connected') return 'wait'
      if (mayPass(thrown)) {
        this.#sendLater()
        return 'wait'
      }
      if (failure.kind === 'bug') this.#parts.log('error', failure.message)
      outbox.setState(id, 'failed', failure.toProblem())
      return 'failed'
    }
  }

  #make(requestId: string, request: OutboxRequest, alongside: () => void): Promise<{ id: string }> {
    const { senders } = this.#parts
    if (request.what === 'images') return senders.images.make({ ...request, requestId }, alongside)
    if (request.what === 'speech') return senders.speech.make({ ...request, requestId }, alongside)
    return senders.transcript.make({ ...request, requestId }, alongside)
  }

  /** The first item for the current connection, or null. */
  #next(): StoredOutboxItem | null {
    const { state, profile } = this.#parts.connection()
    if (this.#closed || state !== 'connected' || !profile) return null
    return this.#parts.store.outbox.next(placeOf(profile))
  }

  #place(): OutboxDestination {
    const { profile } = this.#parts.connection()
    if (profile) return placeOf(profile)
    throw new StudioError('not_connected', 'Nothing is connected yet. Try the sandbox, or connect with an API key.')
  }

  #one(id: string): StoredOutboxItem {
    const found = this.#parts.store.outbox.find(id)
    if (!found) throw gone()
    return found
  }

  #show({ request, connectionId, connectionName, baseUrl, ...item }: StoredOutboxItem): OutboxItem {
    const { profile } = this.#parts.connection()
    return {
      ...item,
      what: request.what,
      ...this.#summary(request),
      recordingId: request.what === 'transcript' ? request.recordingId : null,
      connection: connectionName,
      here: profile?.id === connectionId && profile.baseUrl === baseUrl,
    }
  }

  #summary(request: OutboxRequest): Pick<OutboxItem, 'label' | 'amount'> {
    if (request.what === 'images') return { label: cut(request.prompt), amount: request.n }
    if (request.what === 'speech') return { label: cut(request.text), amount: Buffer.byteLength(request.text) }
    return { label: this.#parts.store.recordings.find(request.recordingId)?.name ?? '', amount: null }
  }
}

/** The item changed before its request could start. */
class Changed extends StudioError {
  constructor() {
    super('busy', 'The request has changed in the meantime.')
  }
}

function check(request: OutboxRequest): void {
  if (request.what === 'images' && request.prompt.trim() === '')
    throw new StudioError('bad_input', 'Describe the image.')
  if (request.what === 'speech' && request.text.trim() === '') {
    throw new StudioError('bad_input', 'This text has nothing to speak.')
  }
}

const emptyTally = (): { done: number; failed: number; last: OutboxState['starting'] } => ({
  done: 0,
  failed: 0,
  last: null,
})

const cut = (text: string): string => text.slice(0, maxLabelLength).toWellFormed()

const placeOf = ({ id, name, baseUrl }: { id: string; name: string; baseUrl: string }): OutboxDestination => ({
  connectionId: id,
  connectionName: name,
  baseUrl,
})

const gone = (): StudioError =>
  new StudioError('no_such_item', 'This request no longer waits. It was sent or cancelled.')
