import type { AccountKey } from '../../../../src-preload/contract/account.ts'
import type { AlertSettings, Alerts } from '../../../../src-preload/contract/alerts.ts'
import type { Connection } from '../../../../src-preload/contract/app.ts'
import type { App } from '../../../../src-preload/contract/apps.ts'
import type { Account } from '../../../../src-preload/contract/usage.ts'
import type { Words } from '../../../../src-renderer/i18n/host.ts'
import type { Host, Notice } from '../../host.ts'
import type { BudgetSpend, BudgetWindow, CacheRow } from '../../ports/requests.ts'
import { dayMs } from '../../shared/days.ts'
import type { Feed, Listeners } from '../../shared/events.ts'
import type { Nano } from '../../shared/money.ts'
import { StateFeed } from '../../shared/stateFeed.ts'
import { guarded, inBackground } from '../../shared/unexpected.ts'
import type { AlertTable } from '../../store/alerts.ts'
import type { PendingWrites } from '../../store/pendingWrites.ts'
import type { RateLimitStatusReply } from '../../upstream/types.ts'
import { AlertLog } from './alertLog.ts'
import {
  type AccountName,
  type BudgetChecks,
  type DaySpend,
  measureBalance,
  measureBan,
  measureBlocked,
  measureBudgets,
  measureBusy,
  measureCache,
  measureKey,
  measureRefusal,
  measureSpend,
  measureTokens,
  type RefusedWith,
  refusalWatch,
  windows,
} from './conditions.ts'
import { Debounced } from './debounce.ts'
import type { Measurement } from './measurement.ts'
import { placeOf } from './messages.ts'
import { Notifier } from './notifier.ts'

/** Delay of the account check after a change, ms. One fetch changes the account several times. */
const accountMs = 250
/** Delay of the spend check, ms. Local spend changes with every request. */
const spendMs = 2000
const budgetMs = 1000
/** Longest timer, ms, because timers do not count the time that a computer sleeps. */
const maxTimerMs = 600_000
const weekMs = 7 * dayMs
/** Maximum number of measurements that wait for the database. Above it, the oldest are dropped. */
const maxReadings = 500

const refusedWith: readonly RefusedWith[] = [401, 402, 403]

/** Sources of the figures. Alerts cause no requests: they only use what others have fetched or counted. */
export interface AlertsOptions {
  table: AlertTable
  /** Retries writes that the database refuses for now. */
  pending: Pick<PendingWrites, 'write'>
  usage: {
    changes: Listeners
    /** The account of the connection with its current activity. */
    current(): Account | null
    today(accountId: string): DaySpend
    callingKey(accountId: string): AccountKey | null
  }
  connection(): Connection
  /** Each rate-limit status reply over the current connection. */
  statuses: Listeners<[RateLimitStatusReply]>
  apps: { list(): App[]; observe(listener: () => void): () => void }
  /** A request ended. Its caller is `tool:ID` of an app or `studio:FEATURE`. */
  settled: Listeners<[string]>
  /** A request was refused before it was relayed. `appId`: null without a valid app key. `code`: such as `budget_day`. */
  blocked: Listeners<[appId: string | null, code: string]>
  /** A turn of a session of an app ended. */
  cacheRows: Listeners<[CacheRow]>
  spent(appId: string): BudgetSpend
  /** Requests and spend of an app in the last 60 minutes. */
  lastHour(appId: string): { requests: number; spent: Nano }
  /** The usual request of an app; null while unknown. */
  usual(appId: string): { cost: Nano; tokens: number } | null
  notify: Host['notify']
  words: Words
  now?: () => number
}

/** A client of the service, as a source of reply statuses. */
export interface AlertReplies {
  /** The status of every reply. `inference`: whether the request asked a model for work. */
  onReply(listener: (status: number, inference: boolean) => void): () => void
}

/** Watches the limits that a person has set, and reports each crossing once. */
export class AlertsFeature {
  readonly #parts: AlertsOptions
  readonly #now: () => number
  readonly #log: AlertLog
  readonly #feed: StateFeed<Alerts>
  readonly #notifier: Notifier
  readonly #account: Debounced
  readonly #spend: Debounced
  readonly #budgets: Debounced
  readonly #ends: (() => void)[]
  /** Apps with new spend since their budgets were last checked; null: all may have changed. */
  #dirty: Set<string> | null = null
  /** Refusals for a budget with too little left, by app and window: the budget and the spend at that time. */
  readonly #short = new Map<string, { budget: string; spent: Nano }>()
  /** Sessions that lost the cache in their last turn. */
  readonly #uncached = new Set<string>()
  /** Measurements that are not stored yet. */
  #readings: readonly Measurement[] = []
  #settings: AlertSettings
  #unlisten: (() => void) | null = null
  /** When the current connection was opened, ms since 1970. Older figures come from another connection. */
  #openedAt = Number.POSITIVE_INFINITY
  #following: AlertReplies | null = null
  /** Active refusals; null: read them from the database. Nearly always empty, so that a successful reply costs one lookup. */
  #refused: Set<RefusedWith> | null = null
  #accountId: string | null = null
  #timer: NodeJS.Timeout | null = null
  #closed = false

  constructor(parts: AlertsOptions) {
    this.#parts = parts
    this.#now = parts.now ?? Date.now
    this.#log = new AlertLog(parts.table, this.#now)
    this.#settings = parts.table.settings()
    this.#feed = new StateFeed<Alerts>({ everyMs: 250, read: () => this.read(), observe: () => () => undefined })
    this.#notifier = new Notifier(() => (this.#settings.notify ? parts.notify : null), parts.words)
    this.#account = new Debounced(accountMs, () => this.#measureAccount())
    this.#spend = new Debounced(spendMs, () => this.#take(this.#spendReadings()))
    this.#budgets = new Debounced(budgetMs, () => this.#measureBudgets())
    this.#ends = [
      parts.usage.changes.add(() => this.#account.soon()),
      parts.statuses.add(this.#statusReported),
      parts.apps.observe(() => this.#allBudgets()),
      parts.settled.add(this.#settled),
      parts.blocked.add(this.#blocked),
      parts.cacheRows.add(this.#turnEnded),
    ]
    this.#allBudgets()
    this.#lapse()
  }

  watch(signal?: AbortSignal): Feed<Alerts> {
    return this.#feed.watch(signal)
  }

  read(): Alerts {
    const since = new Date(this.#now() - weekMs).toISOString()
    return {
      settings: this.#settings,
      notifies: this.#parts.notify !== null,
      alerts: this.#parts.table
        .shown(since)
        .map(({ id, at, endedAt, facts }) => ({ id, at, endedAt, facts, place: placeOf(facts) })),
    }
  }

  /** Saves settings, checks changed limits at once and ends alerts that are no longer watched. */
  update(changes: { [K in keyof AlertSettings]?: AlertSettings[K] | undefined }): AlertSettings {
    const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
    const settings = { ...this.#settings, ...given }
    this.#parts.table.saveSettings(settings)
    this.#settings = settings
    const { balanceBelow, spendAbove, budgets, key, ban, cache } = this.#settings
    const amounts = { balance: balanceBelow !== null, spend: spendAbove !== null }
    const on = { ...amounts, budget: budgets, app: budgets, key, ban, cache }
    this.#log.drop((watch) => {
      const kind = kindOf(watch)
      return kind !== undefined && !on[kind]
    })
    this.#refused = null
    this.#measureAccount()
    this.#allBudgets()
    this.#feed.changed()
    return this.#settings
  }

  dismiss({ id }: { id?: string | undefined }): { dismissed: number } {
    const now = new Date(this.#now()).toISOString()
    const { table } = this.#parts
    const dismissed = id === undefined ? table.dismissAll(now) : table.dismiss(id, now)
    this.#feed.changed()
    return { dismissed }
  }

  /** Shows a notification that is no alert, if notifications are switched on. The host logs a failure. */
  show(notice: Notice): void {
    const { notify } = this.#parts
    if (notify !== null && this.#settings.notify) inBackground('A notification could not be shown', notify(notice))
  }

  /** Works even if notifications are switched off: a person wants to see whether they appear. */
  async testNotification(): Promise<{ shown: boolean; reason: string | null }> {
    const { notify, words } = this.#parts
    if (notify === null) return { shown: false, reason: null }
    const place = { page: 'settings', id: 'alerts' } as const
    const reason = await notify({ title: 'Inference Studio', body: words.t('core:alert.try'), place })
    return { shown: reason === null, reason }
  }

  /** Switches to another connection, or to none. Figures of the previous connection no longer count. */
  follow(answers: AlertReplies | null): void {
    this.#unlisten?.()
    this.#unlisten = null
    this.#openedAt = Number.POSITIVE_INFINITY
    this.#refused = null
    this.#following = answers
    if (!answers) return
    this.#openedAt = this.#now()
    this.#unlisten = answers.onReply(this.#replied)
    // A connection that opens as connected has a new key, which the service has just accepted.
    if (this.#parts.connection().state === 'connected') this.#keyAccepted(refusedWith)
  }

  /** Ends the refusals of a deleted connection. */
  forgotten(profile: string): void {
    this.#endRefusals(profile, refusedWith)
  }

  /** Call when the state of the connection changes. A refused model list is a refusal of the key. */
  connectionChanged(of: AlertReplies | null): void {
    if (this.#closed || of === null || of !== this.#following) return
    const { state, problem } = this.#parts.connection()
    if (state === 'failed' && problem?.status === 401) this.#keyRefused(401)
    if (state === 'connected') this.#keyAccepted([401])
    this.#account.soon()
  }

  close(): void {
    this.#closed = true
    this.#unlisten?.()
    for (const end of this.#ends) end()
    for (const debounced of [this.#account, this.#spend, this.#budgets]) debounced.close()
    this.#notifier.close()
    if (this.#timer) clearTimeout(this.#timer)
  }

  readonly #replied = (status: number, inference: boolean): void => {
    if (inference && (status === 401 || status === 402 || status === 403))
      setImmediate(guarded('A refused key could not be checked', () => this.#keyRefused(status)))
    else if (status < 300 && this.#refused?.size !== 0) {
      // A read-out shows that the service accepts the key, but needs neither credits nor the permission for a model.
      const over = inference ? refusedWith : ([401] as const)
      setImmediate(guarded('A key could not be checked', () => this.#keyAccepted(over)))
    }
  }

  readonly #settled = (who: string): void => {
    if (this.#settings.spendAbove !== null) this.#spend.soon()
    if (!this.#settings.budgets || !who.startsWith('tool:')) return
    this.#dirty?.add(who.slice('tool:'.length))
    this.#budgets.soon()
  }

  readonly #blocked = (appId: string | null, code: string): void => {
    const app = this.#settings.budgets ? this.#parts.apps.list().find(({ id }) => id === appId) : undefined
    const window = windows.find((one) => code === `budget_${one}`)
    const reading = app && !window ? measureBlocked(app, this.#now()) : null
    if (app && window) this.#refusedForBudget(app, window)
    if (reading) this.#take([reading])
  }

  /** Sessions whose cache works and always did are not measured, because every turn of every agent comes here. */
  readonly #turnEnded = (row: CacheRow): void => {
    const watch = `${row.who} ${row.session}`
    if (!this.#settings.cache || (row.inRow === 0 && !this.#uncached.delete(watch))) return
    if (row.inRow > 0) this.#uncached.add(watch)
    const app = this.#parts.apps.list().find(({ id }) => row.who === `tool:${id}`)
    if (app) this.#take([measureCache(app, row, this.#now())])
  }

  #refusedForBudget(app: App, window: BudgetWindow): void {
    const budget = { day: app.budgetDay, month: app.budgetMonth, total: app.budgetTotal }[window]
    if (budget === null) return
    this.#short.set(`${app.id} ${window}`, { budget, spent: this.#parts.spent(app.id)[window] })
    this.#dirty?.add(app.id)
    this.#budgets.soon()
  }

  readonly #statusReported = (asked: RateLimitStatusReply): void => {
    const account = this.#parts.usage.current()
    if (!('status' in asked) || !account || !this.#settings.ban) return
    const { banned = false, banned_until: until = null } = asked.status
    this.#take([measureBan(nameOf(account), { banned: banned ?? false, until }, asked.at.getTime())])
  }

  #keyRefused(status: RefusedWith): void {
    const account = this.#parts.usage.current()
    const { profile } = this.#parts.connection()
    if (this.#closed || !account || !profile || !this.#settings.key) return
    this.#refused = null
    const key = this.#parts.usage.callingKey(account.id)
    this.#take([measureRefusal({ profile: profile.id, account: nameOf(account), status, key }, this.#now())])
  }

  #keyAccepted(statuses: readonly RefusedWith[]): void {
    const { profile } = this.#parts.connection()
    if (this.#closed || !profile) return
    this.#refused ??= this.#readRefused(profile.id)
    const over = statuses.filter((status) => this.#refused?.has(status))
    if (over.length === 0) return
    this.#refused = null
    this.#endRefusals(profile.id, over)
  }

  #endRefusals(profile: string, statuses: readonly RefusedWith[]): void {
    const watches = new Set(statuses.map((status) => refusalWatch(profile, status)))
    this.#parts.pending.write(`refusals ${profile}`, 'The end of an alert', () => {
      // Also drops refusals that are not stored yet.
      this.#readings = this.#readings.filter(({ watch }) => !watches.has(watch))
      if (this.#log.drop((watch) => watches.has(watch))) this.#feed.changed()
    })
  }

  /** The account of the connection while the service answers; null while offline, because its figures may be outdated. */
  #reachable(): Account | null {
    const { state } = this.#parts.connection()
    const account = this.#parts.usage.current()
    return state === 'none' || state === 'failed' || !account || account.problem ? null : account
  }

  /** Whether a figure was reported over the current connection. */
  #isFresh = (asOf: string): boolean => Date.parse(asOf) >= this.#openedAt

  #measureAccount(): void {
    const account = this.#reachable()
    if (!account) return
    // The connection's account may have become known just now.
    if (account.id !== this.#accountId) this.#refused = null
    this.#accountId = account.id
    const { balanceBelow, key } = this.#settings
    const readings: Measurement[] = []
    if (balanceBelow !== null && account.balance && this.#isFresh(account.balance.asOf))
      readings.push(measureBalance(nameOf(account), account.balance, balanceBelow))
    const calling = key ? this.#parts.usage.callingKey(account.id) : null
    if (calling && this.#isFresh(calling.asOf)) readings.push(...measureKey(nameOf(account), calling))
    this.#take([...readings, ...this.#spendReadings()])
  }

  #spendReadings(): Measurement[] {
    const { spendAbove } = this.#settings
    const account = spendAbove === null ? null : this.#reachable()
    if (!account || spendAbove === null) return []
    const today = this.#parts.usage.today(account.id)
    const isFresh = account.asOf !== null && this.#isFresh(account.asOf)
    const spent = { ...today, service: isFresh ? today.service : null }
    const reading = measureSpend(nameOf(account), spent, spendAbove, this.#now())
    return reading ? [reading] : []
  }

  #allBudgets(): void {
    this.#dirty = null
    this.#budgets.soon()
  }

  /** Uses only local figures, which are always current. */
  #measureBudgets(): void {
    if (!this.#settings.budgets) return
    const dirty = this.#dirty
    // If this fails, all budgets are checked again.
    this.#dirty = null
    const now = this.#now()
    const apps = this.#parts.apps.list().filter((app) => mayAsk(app, now))
    const looked = dirty ? apps.filter(({ id }) => dirty.has(id)) : apps
    const readings = looked.flatMap((app) => this.#appReadings(app, now))
    if (!dirty) {
      const blocked = this.#parts.apps.list().flatMap((app) => (app.revokedAt ? null : measureBlocked(app, now)) ?? [])
      const watched = new Set([...readings, ...blocked].map(({ watch }) => watch))
      const isOver = (watch: string): boolean => /^(budget|app|app-tokens|busy):/.test(watch) && !watched.has(watch)
      if (this.#log.drop(isOver)) this.#feed.changed()
    }
    this.#dirty = new Set()
    this.#take(readings)
  }

  #appReadings(app: App, now: number): Measurement[] {
    const { budgetDay, budgetMonth, budgetTotal, tokensPerMinute } = app
    const busy =
      app.busyRequests === null && app.busySpend === null ? null : measureBusy(app, this.#parts.lastHour(app.id), now)
    if (budgetDay === null && budgetMonth === null && budgetTotal === null && tokensPerMinute === null)
      return busy ? [busy] : []
    const usual = this.#parts.usual(app.id)
    const checks: BudgetChecks = {
      at: this.#settings.budgetAt,
      usual: usual?.cost ?? null,
      refused: (window, budget, spent) => {
        const short = this.#short.get(`${app.id} ${window}`)
        // A lower spend is a new day or month, or was reset.
        return short !== undefined && short.budget === budget && spent >= short.spent
      },
    }
    const tokens = measureTokens(app, usual?.tokens ?? null, now)
    return [
      ...measureBudgets(app, this.#parts.spent(app.id), checks, now),
      ...(tokens ? [tokens] : []),
      ...(busy ? [busy] : []),
    ]
  }

  #take(readings: readonly Measurement[]): void {
    if (this.#closed || readings.length === 0) return
    this.#readings = [...this.#readings, ...readings].slice(-maxReadings)
    this.#parts.pending.write('alerts', 'An alert', () => {
      const { reported, changed } = this.#log.take(this.#readings)
      this.#readings = []
      if (!changed) return
      this.#notifier.notify(reported.map(({ facts }) => facts))
      this.#plan()
      this.#feed.changed()
    })
  }

  #lapse(): void {
    this.#parts.pending.write('lapsed alerts', 'The end of an alert', () => {
      if (this.#log.lapse()) this.#feed.changed()
      this.#plan()
    })
  }

  /** Sets one timer for the next alert that ends by itself. */
  #plan(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    const next = this.#parts.table.nextEnd()
    if (next === null) return
    const wait = Math.max(0, Date.parse(next) - this.#now())
    this.#timer = setTimeout(
      guarded('The end of an alert could not be read', () => this.#lapse()),
      Math.min(wait, maxTimerMs),
    )
    this.#timer.unref()
  }

  #readRefused(profile: string): Set<RefusedWith> {
    const isActive = (status: RefusedWith) => this.#parts.table.holding(refusalWatch(profile, status)) !== null
    return new Set(refusedWith.filter(isActive))
  }
}

const nameOf = ({ id, name }: Account): AccountName => ({ id, name })

/** Whether the app key still works. A revoked or expired key spends nothing. */
const mayAsk = ({ revokedAt, expiresAt }: App, now: number): boolean =>
  revokedAt === null && (expiresAt === null || Date.parse(expiresAt) > now)

const kinds = ['balance', 'spend', 'budget', 'app', 'key', 'ban', 'cache'] as const

/** The kind of a watch such as `key-balance:ACCOUNT:KEY`. */
const kindOf = (watch: string): (typeof kinds)[number] | undefined => kinds.find((kind) => watch.startsWith(kind))
