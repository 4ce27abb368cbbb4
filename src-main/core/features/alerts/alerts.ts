import type { AccountKey } from '../../../../src-preload/contract/account.ts'
import type { AlertSettings, Alerts } from '../../../../src-preload/contract/alerts.ts'
import type { Connection } from '../../../../src-preload/contract/app.ts'
import type { App } from '../../../../src-preload/contract/apps.ts'
import type { Account } from '../../../../src-preload/contract/usage.ts'
import type { Host } from '../../host.ts'
import { dayMs } from '../../shared/days.ts'
import type { Feed, Listeners } from '../../shared/events.ts'
import { StateFeed } from '../../shared/stateFeed.ts'
import { guarded } from '../../shared/unexpected.ts'
import type { AlertTable } from '../../store/alerts.ts'
import type { PendingWrites } from '../../store/pendingWrites.ts'
import type { RateLimitStatusReply } from '../../upstream/types.ts'
import { AlertLog } from './alertLog.ts'
import {
  type AccountName,
  type AppSpend,
  type DaySpend,
  judgeBalance,
  judgeBan,
  judgeBudgets,
  judgeKey,
  judgeRefusal,
  judgeSpend,
  type RefusedWith,
} from './conditions.ts'
import { Debounced } from './debounce.ts'
import type { Measurement } from './measurement.ts'
import { placeOf } from './messages.ts'
import { Notifier } from './notifier.ts'

/** Figures come in bursts: one fetch changes the books several times. */
const accountMs = 250
/** Spend of this machine grows with each request. */
const spendMs = 2000
const budgetMs = 1000
/** Timers don't count the time that a machine sleeps. */
const longestWaitMs = 600_000
const weekMs = 7 * dayMs
/** Figures that wait for the database at most; the newest say what holds. */
const mostReadings = 500

const refusedWith: readonly RefusedWith[] = [401, 402, 403]

/** Where figures come from. Nothing is asked for an alert's sake: what others have fetched or counted is looked at. */
export interface AlertsOptions {
  table: AlertTable
  /** Takes alerts that the database refuses for now. */
  pending: Pick<PendingWrites, 'write'>
  usage: {
    changes: Listeners
    /** The book of the connection with what is under way for it. */
    current(): Account | null
    today(accountId: string): DaySpend
    callingKey(accountId: string): AccountKey | null
  }
  connection(): Connection
  /** Each status call over the connection that stands. */
  statuses: Listeners<[RateLimitStatusReply]>
  tools: { list(): App[]; observe(listener: () => void): () => void }
  /** A request ended, by whom (`tool:ID` or `studio:ROOM`). */
  settled: Listeners<[string]>
  spent(toolId: string): AppSpend
  notify: Host['notify']
  now?: () => number
}

/** A client of the service, as far as its answers show how the key fares. */
export interface AlertReplies {
  /** The status of every answer, and whether it was asked to do work. */
  onReply(listener: (status: number, inference: boolean) => void): () => void
}

/** Watches the lines that a person drew, and tells each crossing once. */
export class AlertsFeature {
  readonly #parts: AlertsOptions
  readonly #now: () => number
  readonly #log: AlertLog
  readonly #feed: StateFeed<Alerts>
  readonly #notifier: Notifier
  readonly #accountStore: Debounced
  readonly #spend: Debounced
  readonly #budgets: Debounced
  readonly #ends: (() => void)[]
  /** Tools that used something since their budgets were looked at; null: all may have changed. */
  #dirty: Set<string> | null = null
  /** What figures said, until it is written what they mean. */
  #readings: readonly Measurement[] = []
  #settings: AlertSettings
  #unlisten: (() => void) | null = null
  /** When the connection that stands was opened, ms since 1970: what is older was told over another one. */
  #openedAt = Number.POSITIVE_INFINITY
  #following: AlertReplies | null = null
  /** Refusals that hold, null where that is to be looked up; nearly always none, so that a good answer costs one look. */
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
    this.#notifier = new Notifier(() => (this.#settings.notify ? parts.notify : null))
    this.#accountStore = new Debounced(accountMs, () => this.#judgeAccount())
    this.#spend = new Debounced(spendMs, () => this.#take(this.#spendReadings()))
    this.#budgets = new Debounced(budgetMs, () => this.#judgeBudgets())
    this.#ends = [
      parts.usage.changes.add(() => this.#accountStore.soon()),
      parts.statuses.add(this.#saidStatus),
      parts.tools.observe(() => this.#allBudgets()),
      parts.settled.add(this.#settled),
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

  /** Lines that are drawn anew are looked at anew; what is watched no longer holds no longer. */
  update(changes: { [K in keyof AlertSettings]?: AlertSettings[K] | undefined }): AlertSettings {
    const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
    const settings = { ...this.#settings, ...given }
    this.#parts.table.saveSettings(settings)
    this.#settings = settings
    const { balanceBelow, spendAbove, budgets, key, ban } = this.#settings
    const on = { balance: balanceBelow !== null, spend: spendAbove !== null, budget: budgets, key, ban }
    this.#log.drop((watch) => {
      const kind = kindOf(watch)
      return kind !== undefined && !on[kind]
    })
    this.#refused = null
    this.#judgeAccount()
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

  /** Also where notifications are switched off: a person wants to see whether they come. */
  tryNotification(): { shown: boolean } {
    const { notify } = this.#parts
    const place = { page: 'settings', id: 'alerts' } as const
    notify?.({ title: 'Inference Studio', body: 'This is how an alert looks.', place })
    return { shown: notify !== null }
  }

  /** Another connection, or none: figures of a former one say nothing any more. */
  follow(answers: AlertReplies | null): void {
    this.#unlisten?.()
    this.#unlisten = null
    this.#openedAt = Number.POSITIVE_INFINITY
    this.#refused = null
    this.#following = answers
    if (!answers) return
    this.#openedAt = this.#now()
    this.#unlisten = answers.onReply(this.#replied)
  }

  /** The connection `of` was looked at; a list of models that is refused is a refusal of the key. */
  connectionChanged(of: AlertReplies | null): void {
    if (this.#closed || of === null || of !== this.#following) return
    const { state, problem } = this.#parts.connection()
    if (state === 'failed' && problem?.status === 401) this.#met(401)
    if (state === 'connected') this.#cleared([401])
    this.#accountStore.soon()
  }

  close(): void {
    this.#closed = true
    this.#unlisten?.()
    for (const end of this.#ends) end()
    for (const later of [this.#accountStore, this.#spend, this.#budgets]) later.close()
    this.#notifier.close()
    if (this.#timer) clearTimeout(this.#timer)
  }

  // ---- what is heard ---------------------------------------------------------------------------------------------------

  readonly #replied = (status: number, inference: boolean): void => {
    if (!inference) return
    if (status === 401 || status === 402 || status === 403)
      setImmediate(guarded('A refused key could not be looked at', () => this.#met(status)))
    else if (status < 300 && this.#refused?.size !== 0)
      setImmediate(guarded('A key could not be looked at', () => this.#cleared(refusedWith)))
  }

  readonly #settled = (who: string): void => {
    if (this.#settings.spendAbove !== null) this.#spend.soon()
    if (!this.#settings.budgets || !who.startsWith('tool:')) return
    this.#dirty?.add(who.slice('tool:'.length))
    this.#budgets.soon()
  }

  readonly #saidStatus = (asked: RateLimitStatusReply): void => {
    const account = this.#parts.usage.current()
    if (!('status' in asked) || !account || !this.#settings.ban) return
    const { banned = false, banned_until: until = null } = asked.status
    this.#take([judgeBan(nameOf(account), { banned: banned ?? false, until }, asked.at.getTime())])
  }

  #met(status: RefusedWith): void {
    const account = this.#parts.usage.current()
    if (this.#closed || !account || !this.#settings.key) return
    this.#refused = null
    const key = this.#parts.usage.callingKey(account.id)
    this.#take([judgeRefusal(nameOf(account), status, true, key, this.#now())])
  }

  #cleared(statuses: readonly RefusedWith[]): void {
    const account = this.#parts.usage.current()
    if (this.#closed || !account) return
    this.#refused ??= this.#readRefused(account)
    const over = statuses.filter((status) => this.#refused?.has(status))
    if (over.length === 0) return
    this.#refused = null
    this.#take(over.map((status) => judgeRefusal(nameOf(account), status, false, null, this.#now())))
  }

  // ---- what is judged --------------------------------------------------------------------------------------------------

  /** The book of the connection while the service answers: offline, nothing is known of it. */
  #reachable(): Account | null {
    const { state } = this.#parts.connection()
    const account = this.#parts.usage.current()
    return state === 'none' || state === 'failed' || !account || account.problem ? null : account
  }

  /** Told over the connection that stands. */
  #isFresh = (asOf: string): boolean => Date.parse(asOf) >= this.#openedAt

  #judgeAccount(): void {
    const account = this.#reachable()
    if (!account) return
    // Whose account it is may have been told just now.
    if (account.id !== this.#accountId) this.#refused = null
    this.#accountId = account.id
    const { balanceBelow, key } = this.#settings
    const readings: Measurement[] = []
    if (balanceBelow !== null && account.balance && this.#isFresh(account.balance.asOf))
      readings.push(judgeBalance(nameOf(account), account.balance, balanceBelow))
    const calling = key ? this.#parts.usage.callingKey(account.id) : null
    if (calling && this.#isFresh(calling.asOf)) readings.push(...judgeKey(nameOf(account), calling))
    this.#take([...readings, ...this.#spendReadings()])
  }

  #spendReadings(): Measurement[] {
    const { spendAbove } = this.#settings
    const account = spendAbove === null ? null : this.#reachable()
    if (!account || spendAbove === null) return []
    const today = this.#parts.usage.today(account.id)
    const isFresh = account.asOf !== null && this.#isFresh(account.asOf)
    const spent = { ...today, service: isFresh ? today.service : null }
    const reading = judgeSpend(nameOf(account), spent, spendAbove, this.#now())
    return reading ? [reading] : []
  }

  #allBudgets(): void {
    this.#dirty = null
    this.#budgets.soon()
  }

  /** Of what this machine counts itself: it is never out of date. */
  #judgeBudgets(): void {
    if (!this.#settings.budgets) return
    const dirty = this.#dirty
    // Where this fails, all are looked at again.
    this.#dirty = null
    const now = this.#now()
    const tools = this.#parts.tools.list().filter((tool) => mayAsk(tool, now))
    const looked = dirty ? tools.filter(({ id }) => dirty.has(id)) : tools
    const at = this.#settings.budgetAt
    const readings = looked.flatMap((tool) => judgeBudgets(tool, this.#parts.spent(tool.id), at, now))
    if (!dirty) {
      const watched = new Set(readings.map(({ watch }) => watch))
      if (this.#log.drop((watch) => kindOf(watch) === 'budget' && !watched.has(watch))) this.#feed.changed()
    }
    this.#dirty = new Set()
    this.#take(readings)
  }

  // ---- what is told ----------------------------------------------------------------------------------------------------

  #take(readings: readonly Measurement[]): void {
    if (this.#closed || readings.length === 0) return
    this.#readings = [...this.#readings, ...readings].slice(-mostReadings)
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

  /** One timer to the next alert that is over by itself. */
  #plan(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    const next = this.#parts.table.nextEnd()
    if (next === null) return
    const wait = Math.max(0, Date.parse(next) - this.#now())
    this.#timer = setTimeout(
      guarded('The end of an alert could not be read', () => this.#lapse()),
      Math.min(wait, longestWaitMs),
    )
    this.#timer.unref()
  }

  #readRefused(account: Account): Set<RefusedWith> {
    const watchOf = (status: RefusedWith) => judgeRefusal(nameOf(account), status, false, null, 0).watch
    return new Set(refusedWith.filter((status) => this.#parts.table.holding(watchOf(status)) !== null))
  }
}

const nameOf = ({ id, name }: Account): AccountName => ({ id, name })

/** A key that can't be used any more spends nothing. */
const mayAsk = ({ revokedAt, expiresAt }: App, now: number): boolean =>
  revokedAt === null && (expiresAt === null || Date.parse(expiresAt) > now)

const kinds = ['balance', 'spend', 'budget', 'key', 'ban'] as const

/** Of a watch such as `key-balance:BOOK:KEY`. */
const kindOf = (watch: string): (typeof kinds)[number] | undefined => kinds.find((kind) => watch.startsWith(kind))
