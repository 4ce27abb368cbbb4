import type * as z from 'zod'
import type {
  Endpoint,
  RequestDetail,
  RequestFilter,
  RequestRow,
  RequestsEvent,
  requestCounts,
} from '../../../src-preload/contract/requests.ts'
import { asStudioError } from '../errors.ts'
import type {
  GateRefusal,
  ProfileLocation,
  Requester,
  RequestLog,
  RequestLogOf,
  RequestNotice,
  RequestTrace,
} from '../ports/requests.ts'
import { closeAll } from '../shared/closeAll.ts'
import { dayMs } from '../shared/days.ts'
import { type Feed, feed, Listeners } from '../shared/events.ts'
import type { Nano } from '../shared/money.ts'
import { SwapRemoveList } from '../shared/swapRemoveList.ts'
import { asStoreError, coreBusyMs } from '../store/database.ts'
import { Callers } from '../store/requestLog/callers.ts'
import { codeOf, outcomes } from '../store/requestLog/codes.ts'
import { openRequestLogTables, type RequestLogTables, requestLogFile } from '../store/requestLog/open.ts'
import type { AccountUsage } from '../upstream/schemas.ts'
import { AccountLinks } from './accountLinks.ts'
import { type AppName, AppNames } from './appNames.ts'
import { BodyRetention } from './bodyRetention.ts'
import { type CallerDay, CallerDays } from './dailyUsage.ts'
import { readyFilter } from './filters.ts'
import { LiveRows, type RowSourceForLive } from './liveRows.ts'
import { LiveUpdates } from './liveUpdates.ts'
import { type PriceList, Prices, type Use } from './prices.ts'
import { RecentHeaders } from './recentHeaders.ts'
import { recover, spendOf } from './recover.ts'
import { RefusalLog } from './refusals.ts'
import { RequestIds } from './requestIds.ts'
import { Trace, type TraceOwner } from './requestTrace.ts'
import { giveBackAtStart, LogRetention } from './retention.ts'
import type { LimitedRow } from './rows.ts'
import { Spend, type SpendTotals } from './spend.ts'
import { TextSearch } from './textSearch.ts'
import { TypicalTokens } from './typicalTokens.ts'
import { Watcher } from './watch.ts'
import { Writer } from './writer.ts'

export type { CallerDay as UsedDay } from './dailyUsage.ts'
export type { Use } from './prices.ts'
export type { SpendTotals as Spent } from './spend.ts'

const hourMs = 3_600_000

export interface RequestLogOptions {
  dataDir: string
  /** Names and colours of the tool keys as they are now. */
  tools(): readonly AppName[]
  /** How long logged bodies are kept; asked at each sweep. */
  bodyDays(): number
  log(level: 'info' | 'warn' | 'error', line: string): void
  /** Reads every page first: after a start that did not end cleanly. */
  checkWhole?: boolean
  /** Milliseconds since 1970. */
  now?: () => number
}

/** How long the end of the program waits for a database that another process holds, ms. */
const endsWithinMs = 5000

/** The books: every request of the program, who made it and what it cost. @throws as openDatabase does */
export class SqliteRequestLog implements RequestLog {
  /** Each request once it has ended and its row stands, within about 100 ms. Refusals at the gate are not among them. */
  readonly ended = new Listeners<[RequestRow]>()
  /** A request was counted in somebody's spend: `tool:ID` or `studio:ROOM`. */
  readonly settled = new Listeners<[who: string]>()
  /** Something that is shown changed, at most ten times a second. */
  readonly changes = new Listeners()
  /** Erases old rows for good; the sums by day stay. */
  readonly rowEraser: LogRetention
  readonly bodyEraser: BodyRetention

  readonly #store: RequestLogTables
  readonly #callers = new Callers()
  readonly #names: AppNames
  readonly #prices: Prices
  readonly #spend: Spend
  readonly #links: AccountLinks
  readonly #used: CallerDays
  readonly #refusals: RefusalLog
  readonly #typical = new TypicalTokens()
  readonly #query: TextSearch
  readonly #writer: Writer
  readonly #numbers: RequestIds
  readonly #reading: LiveRows
  readonly #options: RequestLogOptions
  readonly #now: () => number
  readonly #live = new SwapRemoveList<Trace>()
  readonly #headers = new RecentHeaders()
  readonly #hub = new LiveUpdates<RowSourceForLive>(this.changes)
  #closing = false
  #refusedToday = { day: 0, times: 0 }

  constructor(options: RequestLogOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
    this.#names = new AppNames(options.tools)
    this.#store = openRequestLogTables(options.dataDir, { checkWhole: options.checkWhole ?? false, busyMs: coreBusyMs })
    const store = this.#store
    this.#numbers = new RequestIds(store.facts, this.#now)
    this.#prices = new Prices(store.prices, this.#now)
    this.#spend = new Spend(this.#now)
    this.#used = new CallerDays(store.used, this.#callers)
    this.#links = new AccountLinks({ store, moved: () => this.#used.moved() })
    this.#query = new TextSearch(store, () => this.#numbers.clockWentBack)
    this.#refusals = new RefusalLog(this.#callers, () => this.#numbers.nextId())
    this.#writer = new Writer({
      store,
      callers: this.#callers,
      spend: this.#spend,
      links: this.#links,
      used: this.#used,
      refusals: this.#refusals,
      numbers: this.#numbers,
      live: () => this.#live.size,
      lowestLive: () => this.#lowestLive(),
      closed: (traces) => this.#closed(traces),
      log: options.log,
    })
    this.#reading = new LiveRows({
      ...{ store, query: this.#query, callers: this.#callers, names: this.#names },
      ...{ live: this.#live, headers: this.#headers, flush: () => this.#writer.flush() },
      ended: () => this.#writer.ended,
      accountOf: (row) => this.#links.knownAccountOf(row),
    })
    giveBackAtStart(store, options.log)
    this.#load()
    this.bodyEraser = new BodyRetention({
      store,
      bodyDays: options.bodyDays,
      now: this.#now,
      erased: () => this.#hub.erased(),
      log: options.log,
    })
    this.rowEraser = new LogRetention({
      store,
      file: requestLogFile(options.dataDir),
      flush: () => this.#writer.flush(),
      countBefore: (at) => this.#query.countBefore(at),
      lastBefore: (at) => this.#query.lastBefore(at),
      eraseBodies: (before, steps) => this.bodyEraser.erase({ before }, steps),
      erased: () => {
        this.#query.forgetCounts()
        this.#hub.erased()
      },
      log: options.log,
    })
  }

  // ---- what is written -------------------------------------------------------------------------------------------------

  /** Over what is connected now. */
  open(notice: RequestNotice): RequestTrace {
    return this.#open(notice)
  }

  /** The books of one profile's requests, also of those that a former connection still sends. */
  requestLogOf: RequestLogOf = (place) => ({
    open: (notice) => this.#open(notice, place),
    refused: (refusal) => this.refused(refusal),
  })

  #open(notice: RequestNotice, place?: ProfileLocation): RequestTrace {
    const at = this.#numbers.at()
    const id = this.#numbers.nextId()
    this.#links.opens(id, place)
    const trace = new Trace(this.#home(), this.#writer.batch(), id, at, whoOf(notice.asker), notice)
    this.#live.add(trace)
    this.#spend.tick(trace.who, at)
    this.#writer.opens(trace)
    this.#hub.touch(trace)
    return trace
  }

  refused(refused: GateRefusal): void {
    const at = this.#numbers.at()
    this.#countRefused(at)
    const refusal = this.#refusals.add(refused, at)
    this.#writer.soon()
    this.#hub.touch(refusal)
  }

  // ---- what is asked of it ---------------------------------------------------------------------------------------------

  /** The newest `newest` rows of a filter, then changes. */
  watch(filter: RequestFilter, newest: number, signal?: AbortSignal): Feed<RequestsEvent> {
    const watcher = new Watcher<RowSourceForLive>({
      show: (source) => this.#reading.show(source),
      newest: () => this.page(filter, Number.MAX_SAFE_INTEGER, newest),
      ready: () => readyFilter(filter, this.#callers, this.#names),
      join: (one) => this.#hub.join(one),
    })
    return feed(watcher, signal)
  }

  /** Newest first, with ids below `before`. Fewer than `limit` means that there are no more. */
  page(filter: RequestFilter, before: number, limit: number): Promise<RequestRow[]> {
    return this.#reading.page(filter, before, limit)
  }

  async counts(filter: RequestFilter): Promise<z.infer<typeof requestCounts>> {
    const kept = await this.#reading.count(filter, this.#lowestLive())
    const refusedToday = this.#refusedToday.day === dayOf(this.#now()) ? this.#refusedToday.times : 0
    return { kept, refusedToday, bodyBytes: this.#store.bodies.bytes() }
  }

  /** @throws StudioError `no_such_item` */
  get(id: number): RequestDetail {
    return this.#reading.get(id)
  }

  /** A row as it is by now; null where there is none. */
  row(id: number): RequestRow | null {
    return this.#reading.row(id)
  }

  /** Requests that the service answered with 429, at the end or before they were asked again; the newest first. With a book, none of another. */
  limited(limit: number, account: string | null): LimitedRow[] {
    return this.#reading.limited(limit, account)
  }

  /** A person ends a request that is waiting or under way. False when it had ended. */
  stop(id: number): boolean {
    return this.#reading.under(id)?.stop() ?? false
  }

  /** Erases logged bodies of one request, of one tool, or all; the rows stay. When it resolves, they are gone from the disk. */
  async eraseBodies({ id, tool }: { id?: number | undefined; tool?: string | undefined }): Promise<number> {
    this.#writer.flush()
    if (id !== undefined) return this.bodyEraser.erase({ id })
    return this.bodyEraser.erase(tool === undefined ? 'all' : { who: `tool:${tool}` })
  }

  // ---- money -----------------------------------------------------------------------------------------------------------

  /** The estimate of a request's cost. Null where nothing is known of the model's price. */
  price(endpoint: Endpoint, model: string | null, use: Use): Nano | null {
    return this.#prices.price(endpoint, model, use)
  }

  /** The same at the dearest known price of such requests, for a reservation where the model's own is not known. */
  dearest(endpoint: Endpoint, use: Use): Nano | null {
    return this.#prices.dearest(endpoint, use)
  }

  /** Output tokens that a request to this model used in the mean. */
  typicalOut(model: string | null): number {
    return this.#typical.of(model)
  }

  /** From memory: what ended is in it at once. */
  spent(toolId: string): SpendTotals {
    return this.#spend.of(`tool:${toolId}`)
  }

  /** Spend in all starts at nothing again; the log, the day and the month stay. */
  resetSpend(toolId: string): void {
    this.#spend.reset(`tool:${toolId}`)
    this.#writer.flush()
    this.changes.notify()
  }

  /** Which service is connected over which profile, told before anything is asked of it: each has prices of its own. Whose account it is, `belongsTo` tells. */
  connectedTo(baseUrl: string, profile = ''): void {
    const place = { profile, baseUrl }
    this.#trying('Prices could not be read', () => this.#prices.use(place))
    this.#links.connected(place, this.#numbers.lastId + 1)
  }

  /** What is connected now is the account of this book. Rows at its base address whose account was not known yet go to it too. */
  belongsTo(accountId: string): void {
    this.#links.belongs(accountId, this.#numbers.lastId + 1)
  }

  /** Sums of what ended, by day and caller; both days (since 1970, UTC) belong to it. In order of days. */
  usedByDay(accountId: string, fromDay: number, toDay: number): CallerDay[] {
    this.#writer.flush()
    return this.#links.of(accountId).flatMap((account) => this.#used.between(account, fromDay, toDay))
  }

  /** Another number than before where days that are over have changed: what was read of them on another thread no longer holds. */
  get settledDays(): number {
    return this.#used.settled
  }

  /** What has ended is in the database when this returns. */
  flush(): void {
    this.#writer.flush()
  }

  /** The first day (since 1970, UTC) of which there is anything. */
  firstDayOf(accountId: string): number | null {
    this.#writer.flush()
    const days = this.#links.of(accountId).flatMap((account) => this.#store.used.firstDay(account) ?? [])
    return days.length === 0 ? null : Math.min(...days)
  }

  /** Learns prices from the service's own daily rows. */
  learn(usage: AccountUsage, baseUrl: string, profile = ''): void {
    if (this.#closing) return
    // They hold until the program ends; the service tells them again.
    this.#trying('Prices could not be kept', () =>
      this.#store.transaction(() => this.#prices.learn(usage, { profile, baseUrl })),
    )
  }

  /** Worth no failure of a connection. */
  #trying(what: string, work: () => void): void {
    try {
      work()
    } catch (thrown) {
      this.#options.log('error', `${what}: ${asStudioError(asStoreError(thrown)).message}`)
    }
  }

  /** What was learned of a model's price. */
  learned(model: string): { how: string; days: number; asOf: number } | null {
    return this.#prices.get(model)
  }

  // ---- life ------------------------------------------------------------------------------------------------------------

  /** Grows with every request that is written down. */
  get size(): number {
    return this.#numbers.lastId
  }

  /** Requests under way, of everybody. */
  live(): number {
    return this.#live.size
  }

  /** Requests of a tool that are under way, and those of them that wait in the queue. */
  liveOf(toolId: string): { active: number; waiting: number } {
    const count = { active: 0, waiting: 0 }
    const who = `tool:${toolId}`
    for (const trace of this.#live) {
      if (trace.who !== who) continue
      count.active += 1
      if (trace.live === 'waiting') count.waiting += 1
    }
    return count
  }

  /** After everybody who writes has ended. */
  async close(): Promise<void> {
    this.#hub.close()
    this.#closing = true
    await closeAll([
      () => this.rowEraser.close(),
      () => this.bodyEraser.close(),
      () => this.#writer.close(endsWithinMs),
      // The floor saves the next start some work. Nothing depends on it.
      () =>
        this.#trying('The end of the log could not be noted', () => this.#store.facts.set('floor', this.#lowestLive())),
      () => this.#store.close(),
    ])
  }
  // ---- within ----------------------------------------------------------------------------------------------------------

  #priced: { list: PriceList; home: TraceOwner } | null = null

  /** A request that goes out now is priced as what is connected now, also if it ends when something else is. */
  #home(): TraceOwner {
    const { list } = this.#prices
    if (this.#priced?.list === list) return this.#priced.home
    const home: TraceOwner = {
      callers: this.#callers,
      price: (endpoint, model, use) => this.#prices.price(endpoint, model, use, list),
      clock: () => this.#options.now?.() ?? performance.now(),
      changed: (trace) => this.#hub.touch(trace),
      ended: (trace) => this.#ended(trace),
    }
    this.#priced = { list, home }
    return home
  }

  #ended(trace: Trace): void {
    const { end } = trace
    if (!end) return
    this.#live.delete(trace)
    if (end.outcome === refusedCode) {
      this.#spend.tick(trace.who, trace.at, -1)
      this.#countRefused(trace.at)
    } else {
      this.#spend.settle(trace.who, spendOf(end))
      this.#typical.saw(trace.model, end.tokensOut)
      if (this.settled.size > 0) this.settled.notify(trace.who)
    }
    if (trace.headersKept) this.#headers.keep(trace.id, trace.headersKept, trace.at)
    this.#writer.ends(trace)
    this.#hub.touch(trace)
  }

  #closed(traces: Trace[]): void {
    if (this.ended.size === 0) return
    for (const trace of traces) this.ended.notify(this.#reading.show(trace))
  }

  #lowestLive(): number {
    // Insertion order is id order.
    let lowest = this.#numbers.lastId + 1
    for (const { id } of this.#live) lowest = Math.min(lowest, id)
    return lowest
  }

  #countRefused(at: number): void {
    const day = dayOf(at)
    if (this.#refusedToday.day !== day) this.#refusedToday = { day, times: 0 }
    this.#refusedToday.times += 1
  }

  #load(): void {
    const { requests, callers, spend } = this.#store
    for (const caller of callers.after(0)) this.#callers.add(caller)
    this.#numbers.load(requests.last() ?? null)
    this.#spend.load(spend)
    recover(this.#store, this.#callers, this.#spend, this.#links, this.#options.log)
    const now = this.#now()
    const low = (at: number): number => (this.#numbers.clockWentBack ? 1 : this.#query.firstAt(at))
    const midnight = dayOf(now) * dayMs
    this.#refusedToday = { day: dayOf(now), times: requests.refusedSince(low(midnight), midnight) }
    for (const { caller, minute, n } of requests.perMinute(low(now - hourMs), now - hourMs)) {
      this.#spend.tick(this.#callers.get(caller)?.who ?? '', minute * 60_000, n)
    }
    for (const { caller, model, mean, n } of requests.meanOutputs(this.#numbers.lastId - 5000)) {
      this.#typical.load(model ?? this.#callers.get(caller)?.model ?? null, mean, n)
    }
  }
}

const dayOf = (ms: number): number => Math.floor(ms / dayMs)
const refusedCode = codeOf(outcomes, 'refused')

function whoOf(asker: Requester): string {
  return asker.kind === 'app' ? `tool:${asker.id}` : `studio:${asker.feature}`
}
