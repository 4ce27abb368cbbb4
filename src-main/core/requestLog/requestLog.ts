import type * as z from 'zod'
import type {
  RequestDetail,
  RequestFilter,
  RequestRow,
  RequestsEvent,
  requestCounts,
} from '../../../src-preload/contract/requests.ts'
import { asStudioError, StudioError } from '../errors.ts'
import type {
  ArrivalTimes,
  GateRefusal,
  HashedSection,
  ProfileLocation,
  RequestLog,
  RequestLogOf,
  RequestNotice,
  RequestTrace,
  SpendTotals,
} from '../ports/requests.ts'
import { closeAll } from '../shared/closeAll.ts'
import { dayMs } from '../shared/days.ts'
import { type Feed, feed, Listeners } from '../shared/events.ts'
import type { Nano } from '../shared/money.ts'
import { coreBusyMs } from '../store/database.ts'
import { asStoreError } from '../store/databaseErrors.ts'
import { Callers } from '../store/requestLog/callers.ts'
import { isUnsent } from '../store/requestLog/codes.ts'
import type { RowRange } from '../store/requestLog/links.ts'
import { openRequestLogTables, type RequestLogTables, requestLogFile } from '../store/requestLog/open.ts'
import type { DeletionDeadlines } from '../store/retentionClock.ts'
import type { AccountUsage } from '../upstream/reply/schemas.ts'
import { AccountLinks } from './accountLinks.ts'
import { AccountUsageLog } from './accountUsage.ts'
import { type AppName, AppNames, whoOf } from './appNames.ts'
import { BodyRetention } from './bodyRetention.ts'
import { CallerDays } from './dailyUsage.ts'
import { readyFilter } from './filters.ts'
import { LiveRows, type RowSourceForLive } from './liveRows.ts'
import { LiveUpdates } from './liveUpdates.ts'
import { type KnownPrices, type PriceList, Prices } from './prices.ts'
import { RecentHeaders } from './recentHeaders.ts'
import { loadRecent, recover, spendOf } from './recover.ts'
import { tidy } from './redact.ts'
import { RefusalLog } from './refusals.ts'
import { RequestIds } from './requestIds.ts'
import { Trace, type TraceOwner } from './requestTrace.ts'
import { giveBackAtStart, LogRetention } from './retention.ts'
import type { LimitedRow } from './rows.ts'
import { SecretMask } from './secrets.ts'
import { Sessions } from './sessions/sessions.ts'
import { StoredSessions } from './sessions/stored.ts'
import { Spend } from './spend.ts'
import { SqliteStoredResponses } from './storedResponses.ts'
import { TextSearch } from './textSearch.ts'
import { TypicalTokens } from './typicalTokens.ts'
import { type UsualRequest, usualRequestOf } from './usualRequest.ts'
import { Watcher } from './watch.ts'
import { Writer } from './writer.ts'

/** What the request log needs from its surroundings. */
export interface RequestLogOptions {
  dataDir: string
  /** Current names and colours of the apps. */
  apps(): readonly AppName[]
  /** Retention of logged bodies, days. Read at each sweep. */
  bodyDays(): number
  /** Beginnings of the person's own keys, as in the settings. */
  secretBeginnings?(): readonly string[]
  /** When logged bodies and stored responses may be deleted because of their age. */
  deadlines: DeletionDeadlines
  log(level: 'info' | 'warn' | 'error', line: string): void
  /** Whether to check every page of the database first. Set when the previous run did not end cleanly. */
  checkWhole?: boolean
  /** ms since 1970. */
  now?: () => number
}

/** At exit, how long to wait for a database that another process has locked, ms. */
const endsWithinMs = 5000

/**
 * The request log: every request of the program, who sent it and what it cost.
 * @throws the errors of openDatabase
 */
export class SqliteRequestLog implements RequestLog {
  /** Emits each request after it has ended and its row exists, within about 100 ms. Omits refusals of the guard. */
  readonly ended = new Listeners<[RequestRow]>()
  /** Emits the caller whose spend grew: `tool:ID` or `studio:FEATURE`. */
  readonly settled = new Listeners<[who: string]>()
  /** Emits each request that was refused before it was relayed: its app, null for callers without a valid app key, and the code. */
  readonly blocked = new Listeners<[appId: string | null, code: string]>()
  /** Emits when a visible row changed, at most ten times a second. */
  readonly changes = new Listeners()
  /** How many requests an ended process left open. They are closed, with an unknown outcome. */
  recovered = 0
  /** Deletes old rows permanently. The sums by day stay. */
  readonly rowRetention: LogRetention
  readonly bodyRetention: BodyRetention
  /** Responses that apps asked to store. */
  readonly storedResponses: SqliteStoredResponses

  /** Compares the prompts of the requests of each conversation. */
  readonly sessions: Sessions
  /** The sessions of the log, for people. */
  readonly storedSessions: StoredSessions

  /** What the requests of each account used. */
  readonly usage: AccountUsageLog
  /** The prices of the connected service, learned from its own daily rows. */
  readonly prices: KnownPrices

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
  readonly #live = new Set<Trace>()
  readonly #headers = new RecentHeaders(() => this.secrets)
  readonly #hub = new LiveUpdates<RowSourceForLive>(this.changes)
  #secrets: { beginnings: string; mask: SecretMask } | null = null
  #closing = false

  constructor(options: RequestLogOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
    this.#names = new AppNames(options.apps)
    this.#store = openRequestLogTables(options.dataDir, { checkWhole: options.checkWhole ?? false, busyMs: coreBusyMs })
    const store = this.#store
    this.#numbers = new RequestIds(store.facts, this.#now)
    this.#prices = new Prices(store.prices, this.#now)
    this.prices = this.#prices
    this.#spend = new Spend(this.#now)
    this.#used = new CallerDays(store.used, this.#callers)
    this.#links = new AccountLinks({ store, moved: () => this.#used.moved() })
    this.#query = new TextSearch(store, () => this.#numbers.clockWentBack)
    this.sessions = new Sessions(store.sessions)
    this.#refusals = new RefusalLog(this.#callers, () => this.#numbers.nextId())
    this.#writer = new Writer({
      store,
      callers: this.#callers,
      spend: this.#spend,
      links: this.#links,
      used: this.#used,
      refusals: this.#refusals,
      sessions: this.sessions,
      numbers: this.#numbers,
      live: () => this.#live.size,
      lowestLive: () => this.#lowestLive(),
      closed: (traces) => this.#closed(traces),
      log: options.log,
    })
    this.usage = new AccountUsageLog({
      store,
      callers: this.#callers,
      links: this.#links,
      days: this.#used,
      query: this.#query,
      numbers: this.#numbers,
      flush: () => this.#writer.flush(),
    })
    this.#reading = new LiveRows({
      store,
      query: this.#query,
      callers: this.#callers,
      names: this.#names,
      live: this.#live,
      headers: this.#headers,
      flush: () => this.#writer.flush(),
      ended: () => this.#writer.ended,
      accountOf: (row) => this.#links.knownAccountOf(row),
    })
    this.storedSessions = new StoredSessions({
      store,
      callers: this.#callers,
      names: this.#names,
      flush: () => this.#writer.flush(),
    })
    giveBackAtStart(store, options.log)
    this.#load()
    this.bodyRetention = new BodyRetention({
      store,
      bodyDays: options.bodyDays,
      deadlines: options.deadlines,
      erased: () => this.#hub.erased(),
      log: options.log,
    })
    this.storedResponses = new SqliteStoredResponses({
      store,
      now: this.#now,
      erase: (selection) => this.bodyRetention.erase(selection),
      log: options.log,
    })
    this.rowRetention = new LogRetention({
      store,
      file: requestLogFile(options.dataDir),
      flush: () => this.#writer.flush(),
      countBefore: (at) => this.#query.countBefore(at),
      lastBefore: (at) => this.#query.lastBefore(at),
      deleteBodies: (before, steps) => this.bodyRetention.erase({ before }, steps),
      erased: () => {
        this.#query.forgetCounts()
        this.sessions.forget()
        this.#hub.erased()
      },
      log: options.log,
    })
  }

  // ---- writing ---------------------------------------------------------------------------------------------------------

  /** Opens a row for a request over the current connection. */
  open(notice: RequestNotice): RequestTrace {
    return this.#open(notice)
  }

  /** The request log of one profile, also for late requests of a former connection. */
  requestLogOf: RequestLogOf = (place) => ({
    open: (notice) => this.#open(notice, place),
    refused: (refusal) => this.refused(refusal),
  })

  #open(notice: RequestNotice, place?: ProfileLocation): RequestTrace {
    const at = this.#numbers.at()
    const id = this.#numbers.nextId()
    this.#links.opens(id, place)
    const trace = new Trace(this.#owner(), this.#writer.batch(), id, at, whoOf(notice.requester), notice)
    this.#live.add(trace)
    this.#spend.tick(trace.who, at)
    this.#writer.opens(trace)
    this.#hub.touch(trace)
    return trace
  }

  refused(refused: GateRefusal): void {
    const at = this.#numbers.at()
    const refusal = this.#refusals.add(refused, at)
    this.#writer.soon()
    this.#hub.touch(refusal)
    this.blocked.notify(refused.appId, refused.code)
  }

  // ---- reading ---------------------------------------------------------------------------------------------------------

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
    const settled = Math.min(this.#lowestLive(), this.#refusals.lowestMovable(this.#now()))
    const stored = await this.#reading.count(filter, settled)
    const refusedToday = await this.#reading.count(
      { outcome: 'refused', since: new Date(dayOf(this.#now()) * dayMs).toISOString() },
      settled,
      'requests',
    )
    return { stored, refusedToday, bodyBytes: this.#store.bodies.bytes() + this.#store.responses.bytes() }
  }

  /** @throws StudioError `no_such_item` */
  get(id: number): RequestDetail {
    return this.#reading.get(id)
  }

  /** Removes secrets from what is stored or exported, by the rules and the current settings. */
  get secrets(): SecretMask {
    const beginnings = this.#options.secretBeginnings?.() ?? []
    const joined = beginnings.join(' ')
    if (this.#secrets?.beginnings !== joined) this.#secrets = { beginnings: joined, mask: new SecretMask(beginnings) }
    return this.#secrets.mask
  }

  /** When the parts of the reply of a request arrived, or null when that is not stored. */
  replyTimes(id: number): ArrivalTimes | null {
    return this.#store.bodies.get(id)?.replyTimes ?? null
  }

  /** What a request cost, read without its bodies. @throws StudioError `no_such_item` */
  readonly costOf = (id: number): Pick<RequestRow, 'cost' | 'costIs'> => {
    const row = this.row(id)
    if (!row) throw new StudioError('no_such_item', 'This request is not in the log.')
    return { cost: row.cost, costIs: row.costIs }
  }

  /** A row in its current state, or null when there is none. */
  row(id: number): RequestRow | null {
    return this.#reading.row(id)
  }

  /**
   * Requests that the service answered with 429, at the end or before a retry; newest first. With `account`, only requests of that account.
   */
  limited(limit: number, account: string | null): LimitedRow[] {
    return this.#reading.limited(limit, account)
  }

  /** The account id that a row belongs to, or null when it is unknown so far. */
  accountOf(row: number): string | null {
    return this.#links.knownAccountOf(row)
  }

  /** The rows that belong to an account. */
  rowRangesOf(accountId: string): RowRange[] {
    return this.#links.rowRangesOf(accountId)
  }

  /** Stops a request that is waiting or in progress, for a person. Returns false when it had ended. */
  stop(id: number): boolean {
    return this.#reading.under(id)?.stop() ?? false
  }

  /** Deletes logged bodies and stored responses of one request, of one app, or all. The rows stay. When it resolves, the bodies are no longer on the disk. */
  async deleteBodies(of: 'all' | { id: number } | { app: string }): Promise<number> {
    this.#writer.flush()
    this.storedResponses.flush()
    return this.bodyRetention.erase(typeof of === 'object' && 'app' in of ? { who: `tool:${of.app}` } : of)
  }

  // ---- money -----------------------------------------------------------------------------------------------------------

  /** Average output tokens of requests to this model. */
  typicalOut(model: string | null): number {
    return this.#typical.of(model)
  }

  /** Read from memory, which includes every ended request. */
  spent(appId: string): SpendTotals {
    return this.#spend.of(`tool:${appId}`)
  }

  /** Requests and spend of an app in the last 60 minutes. The spend is that of requests that ended since the program started. */
  lastHour(appId: string): { requests: number; spent: Nano } {
    return this.#spend.lastHour(`tool:${appId}`)
  }

  /** Callers of apps that are known to have sent a request. */
  readonly #senders = new Set<number>()

  /** Whether the app has sent a request with this model, as far as the log goes back, or one is on its way. */
  hasUsed(appId: string, model: string): boolean {
    const [who, name] = [`tool:${appId}`, tidy(model, 300)]
    for (const trace of this.#live) if (trace.who === who && trace.model === name) return true
    const caller = this.#callers.known(who, name)
    if (!caller) return false
    if (this.#senders.has(caller.id)) return true
    this.#writer.flush()
    const hasSent = this.#store.requests.hasSent(caller.id)
    if (hasSent) this.#senders.add(caller.id)
    return hasSent
  }

  /** The usual request of an app: medians over its newest successful requests. Null after too few of them. */
  usualRequest(appId: string): UsualRequest | null {
    this.#writer.flush()
    return usualRequestOf(`tool:${appId}`, this.#callers.all(), this.#store.requests)
  }

  /** Resets the total spend; the log, the day and the month stay. */
  resetSpend(appId: string): void {
    this.#spend.reset(`tool:${appId}`)
    this.#writer.flush()
    this.changes.notify()
  }

  /**
   * Reports the connected service and profile. Call before its first request, because each service has its own prices. `belongsTo` reports
   * the account.
   */
  connectedTo(baseUrl: string, profile = ''): void {
    const place = { profile, baseUrl }
    this.#trying('Prices could not be read', () => this.#prices.use(place))
    this.#links.connected(place, this.#numbers.lastId + 1)
  }

  /** Reports the account id of the current connection. Earlier rows at its base address with an unknown account move to it. */
  belongsTo(accountId: string): void {
    this.#links.belongs(accountId, this.#numbers.lastId + 1)
  }

  /** Gives the requests of the chosen accounts to another account. `baseUrl`: their address from now on. */
  merge(...to: Parameters<AccountLinks['merge']>): void {
    this.#writer.flush()
    this.#links.merge(...to)
    this.changes.notify()
  }

  /** Writes all ended requests before it returns. */
  flush(): void {
    this.#writer.flush()
  }

  /** Learns prices from the service's own daily rows. */
  learn(usage: AccountUsage, baseUrl: string, profile = ''): void {
    if (this.#closing) return
    // The prices apply until the program ends. The service reports them again after the next start.
    this.#trying('Prices could not be stored', () =>
      this.#store.transaction(() =>
        this.#prices.learn(usage, { profile, baseUrl }, (model) => this.usage.spokenDays(model)),
      ),
    )
  }

  /** Logs a failure that a connection must survive. */
  #trying(what: string, work: () => void): void {
    try {
      work()
    } catch (thrown) {
      this.#options.log('error', `${what}: ${asStudioError(asStoreError(thrown)).message}`)
    }
  }

  // ---- lifetime --------------------------------------------------------------------------------------------------------

  /** A number that grows with every logged request. */
  get size(): number {
    return this.#numbers.lastId
  }

  /** Number of requests in progress. */
  live(): number {
    return this.#live.size
  }

  /** Number of an app's requests in progress, and how many of them wait in the queue. */
  liveOf(appId: string): { active: number; waiting: number } {
    const count = { active: 0, waiting: 0 }
    const who = `tool:${appId}`
    for (const trace of this.#live) {
      if (trace.who !== who) continue
      count.active += 1
      if (trace.live === 'waiting') count.waiting += 1
    }
    return count
  }

  /** Call after all users of the log have stopped. */
  async close(): Promise<void> {
    this.#hub.close()
    this.#closing = true
    await closeAll([
      () => this.storedResponses.flush(),
      this.storedResponses,
      this.rowRetention,
      this.bodyRetention,
      // A sender that was stopped may report its end only after the log has closed. Its row would look like one of a killed program.
      () => {
        for (const trace of this.#live) trace.cut()
      },
      () => this.#writer.close(endsWithinMs),
      // The floor saves the next start some work. Nothing depends on it.
      () =>
        this.#trying('The end of the log could not be noted', () => this.#store.facts.set('floor', this.#lowestLive())),
      this.#store,
    ])
  }
  // ---- internal --------------------------------------------------------------------------------------------------------

  #priced: { list: PriceList; owner: TraceOwner } | null = null

  /** A request is priced with the prices of its start, even if another service is connected when it ends. */
  #owner(): TraceOwner {
    const { list } = this.#prices
    if (this.#priced?.list === list) return this.#priced.owner
    const owner: TraceOwner = {
      callers: this.#callers,
      secrets: () => this.secrets,
      price: (endpoint, model, use) => this.#prices.price(endpoint, model, use, list),
      clock: () => this.#options.now?.() ?? performance.now(),
      changed: (trace) => this.#hub.touch(trace),
      ended: (trace) => this.#ended(trace),
      prompted: (trace, conversation, sections) => this.#prompted(trace, conversation, sections),
    }
    this.#priced = { list, owner }
    return owner
  }

  #ended(trace: Trace): void {
    const { end } = trace
    if (!end) return
    this.#live.delete(trace)
    if (isUnsent(end)) {
      this.#spend.tick(trace.who, trace.at, -1)
    } else {
      this.#spend.settle(trace.who, spendOf(end))
      this.#typical.saw(trace.model, end.tokensOut)
      if (this.settled.size > 0) this.settled.notify(trace.who)
    }
    this.#turnEnded(trace)
    if (trace.headersKept) this.#headers.record(trace.id, trace.headersKept, trace.at)
    this.#writer.ends(trace)
    this.#hub.touch(trace)
  }

  #prompted(trace: Trace, conversation: string | null, sections: readonly HashedSection[] | null): void {
    const { id: request, who, model } = trace
    trace.turn = this.sessions.begin({ request, who, model, conversation, sections })
    this.#turnEnded(trace)
  }

  #turnEnded({ turn, end, chatPrice }: Trace): void {
    if (!turn || !end || isUnsent(end)) return
    this.sessions.ended(turn, end, chatPrice)
    this.#writer.soon()
  }

  #closed(traces: Trace[]): void {
    if (this.ended.size === 0) return
    for (const trace of traces) this.ended.notify(this.#reading.show(trace))
  }

  #lowestLive(): number {
    // Insertion order is id order.
    for (const { id } of this.#live) return id
    return this.#numbers.lastId + 1
  }

  #load(): void {
    const { requests, callers, spend } = this.#store
    for (const caller of callers.after(0)) this.#callers.add(caller)
    this.#numbers.load(requests.last() ?? null)
    this.#spend.load(spend)
    this.recovered = recover(this.#store, this.#callers, this.#spend, this.#links)
    const first = (at: number): number => (this.#numbers.clockWentBack ? 1 : this.#query.firstAt(at))
    loadRecent(this.#store, this.#callers, this.#spend, this.#typical, {
      now: this.#now(),
      first,
      last: this.#numbers.lastId,
    })
  }
}

const dayOf = (ms: number): number => Math.floor(ms / dayMs)
