import { setTimeout as sleep } from 'node:timers/promises'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import { asStudioError, StudioError } from '../../errors.ts'
import { dayMs } from '../../shared/days.ts'
import type { StoredAccount } from '../../store/account/accounts.ts'
import type { AccountReply } from '../../store/account/saveReply.ts'
import { asStoreError } from '../../store/databaseErrors.ts'
import type { AccountUsage, KeyRecord } from '../../upstream/reply/schemas.ts'
import { type AccountLocation, accountOfUser } from './accountIdentity.ts'
import { type AccountAnswer, type AccountEndpoints, accountRequests } from './accountRequests.ts'
import type { UsageFeatureOptions } from './dependencies.ts'
import {
  keyIdOf,
  reportedByCurrentKey,
  reportedByKeyDays,
  reportedByKeys,
  reportedByTotals,
  reportedByUsage,
} from './parseReplies.ts'
import { type FetchHistory, keysAreDue, usageIsDue } from './schedule.ts'

/** Pause between two keys in a background round, ms. These calls count as requests, and a burst would delay other requests. */
const keyPauseMs = 3000
/** How long after connecting the keys are first fetched, ms. */
const settledMs = 30_000
/** Interval between fetches of a revoked key, ms. Its usage no longer changes, and is complete a day later. */
const revokedEveryMs = dayMs

interface Attempt {
  at: number | null
  /** Requests of all callers at that time, without this connection's own. */
  requests: number
  missingAt: number | null
}

type Found<T> = Exclude<AccountAnswer<T>, { missing: true }>

/** One connection to a service and the account data fetched over it. Nothing is written after `close`. */
export class FetchQueue {
  account: StoredAccount
  problem: Problem | null = null
  /** Time of the last successful fetch over this connection, ms since 1970. Another connection may have fetched for another account. */
  fetchedAt: number | null = null
  readonly #parts: UsageFeatureOptions
  readonly #place: AccountLocation
  readonly #now: () => number
  readonly #changed: () => void
  readonly #ask: ReturnType<typeof accountRequests>
  readonly #closing = new AbortController()
  readonly #openedAt: number
  readonly #usage: Attempt
  readonly #keys: Attempt
  #own = 0
  #fetching: Promise<void> | null = null
  #round: Promise<void> | null = null
  #hurry: AbortController | null = null
  #undatedLogged = false
  /** The calling key, fetched once: it stays the same for the life of a connection. */
  #key: AccountAnswer<KeyRecord> | null = null

  constructor(
    parts: UsageFeatureOptions,
    from: AccountEndpoints,
    place: AccountLocation,
    account: StoredAccount,
    changed: () => void,
  ) {
    this.#parts = parts
    this.#place = place
    this.account = account
    this.#now = parts.now ?? Date.now
    this.#changed = changed
    const { signal } = this.#closing
    const onRow = (): void => {
      this.#own += 1
    }
    this.#ask = accountRequests(from, this.#now, { signal, onRow })
    this.#openedAt = this.#now()
    this.#usage = { at: null, requests: parts.requests(), missingAt: null }
    this.#keys = { ...this.#usage }
  }

  get fetching(): boolean {
    return this.#fetching !== null || this.#round !== null
  }

  /** Time of the last attempt to fetch the account's days over this connection, ms since 1970. */
  get attemptedAt(): number | null {
    return this.#usage.at
  }

  get usageIsDue(): boolean {
    const { offers, askedAt } = this.account
    return usageIsDue(this.#now(), {
      ...this.#historyOf(this.#usage, 'usage'),
      missingAt: offers === 'no' ? askedAt : null,
    })
  }

  get keysAreDue(): boolean {
    return keysAreDue(this.#now(), this.#historyOf(this.#keys, 'keys'))
  }

  get settled(): boolean {
    const age = this.#now() - this.#openedAt
    return age >= settledMs || age < 0
  }

  /** Fetches the account's days and balance. Concurrent calls share one fetch. Never rejects: a failure is in `problem`. */
  fetchUsage(): Promise<void> {
    this.#fetching ??= this.#fetchUsage().finally(() => {
      this.#fetching = null
      this.#changed()
    })
    this.#changed()
    return this.#fetching
  }

  /**
   * Fetches records, totals and days of every key, the calling key first. Concurrent calls share one round. `background`: with pauses,
   * until a caller waits for the result.
   * @throws StudioError for errors of the service
   */
  fetchKeys({ background }: { background: boolean }): Promise<void> {
    if (!background) this.#hurry?.abort()
    if (this.#round) return this.#round
    const hurry = new AbortController()
    if (background) this.#hurry = hurry
    else hurry.abort()
    this.#round = this.#fetchKeys(hurry.signal, background).finally(() => {
      this.#round = null
      this.#changed()
    })
    this.#changed()
    return this.#round
  }

  /** Stops running fetches and waits for them. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#hurry?.abort()
    await Promise.allSettled([this.#fetching, this.#round])
  }

  async #fetchUsage(): Promise<void> {
    this.#starts(this.#usage)
    const [usage, key] = await Promise.allSettled([this.#ask.usage(), this.#key ?? this.#ask.currentKey()])
    if (this.#closing.signal.aborted) return
    if (key.status === 'fulfilled') this.#key = key.value
    try {
      const found = foundIn(usage)
      const userId = this.#record?.value.user_id ?? userOf(found?.value)
      // Without a user id these days could be written to the account that used this profile before.
      if (userId === null && key.status === 'rejected') throw key.reason
      this.#parts.accountStore.transaction(() => this.#storeUsage(found, userId))
      this.#parts.local.belongsTo(this.account.id)
      this.problem = null
      this.fetchedAt = this.#usage.at
      if (found) this.#parts.learn(found.value, this.#place)
    } catch (thrown) {
      this.#failed(thrown)
    }
  }

  #storeUsage(usage: Found<AccountUsage> | null, userId: string | null): void {
    const { accountStore } = this.#parts
    if (userId !== null) this.account = accountOfUser(accountStore, this.#place, this.account, userId, this.#now())
    const { no } = this.account
    accountStore.accounts.offers(no, usage ? 'yes' : 'no', this.#now())
    if (this.#callingKey !== null) accountStore.accounts.calling(no, this.#callingKey)
    if (usage) {
      const reported = reportedByUsage(usage, usage.value)
      accountStore.saveReply(no, reported, this.#now())
      this.#logUndated(reported.undated?.length ?? 0)
    }
    this.account = accountStore.accounts.get(this.account.id) ?? this.account
  }

  /** Logs undated rows once per connection, because every reply repeats them. */
  #logUndated(rows: number): void {
    if (rows === 0 || this.#undatedLogged) return
    this.#undatedLogged = true
    this.#parts.log(
      'warn',
      `${rows} rows of the service’s usage have no readable date. They are stored but not included in any sum.`,
    )
  }

  get #record(): Found<KeyRecord> | null {
    return this.#key && !this.#key.missing ? this.#key : null
  }

  get #callingKey(): string | null {
    return this.#record && keyIdOf(this.#record.value)
  }

  #failed(thrown: unknown): void {
    const failure = asStudioError(asStoreError(thrown))
    this.problem = failure.toProblem()
    if (failure.kind === 'bug' || failure.kind.startsWith('store_')) {
      this.#parts.log('error', `The account’s usage could not be stored: ${failure.message}`)
    }
  }

  async #fetchKeys(hurry: AbortSignal, background: boolean): Promise<void> {
    // Fetching the account's days also determines the account of the keys.
    if (this.#usage.at === null || this.#fetching) await this.fetchUsage()
    if (this.problem) throw new StudioError(this.problem.kind, this.problem.message, this.problem)
    this.#starts(this.#keys)
    const list = await this.#ask.keys()
    if (this.#closing.signal.aborted) return
    if (!list.missing) this.#store(reportedByKeys(list, list.value))
    else if (this.#record) this.#store(reportedByCurrentKey(this.#record, this.#record.value))
    const ids = this.#keysToAsk(list.missing ? null : (list.value.api_keys ?? []), background)
    if (list.missing && ids.length === 0) this.#keys.missingAt = this.#now()
    for (const [at, id] of ids.entries()) {
      if (at > 0) await this.#pause(hurry)
      if (this.#closing.signal.aborted) return
      const has = await this.#fetchKey(id)
      if (has || id !== this.#callingKey) continue
      this.#keys.missingAt = this.#now()
      return
    }
  }

  /** Ids of the keys to fetch, the calling key first. Includes a revoked key only once a day, unless a caller waits. */
  #keysToAsk(records: readonly KeyRecord[] | null, background: boolean): string[] {
    const { fetches } = this.#parts.accountStore
    const calling = this.#callingKey
    if (records === null) return calling === null ? [] : [calling]
    const wanted = records.flatMap((record) => {
      const id = keyIdOf(record)
      if (id === null) return []
      const last = fetches.lastAt(this.account.no, `days:${id}`)
      const over = typeof record.revoked_at === 'string' && last !== null && this.#now() - last < revokedEveryMs
      return over && background ? [] : [id]
    })
    return [...wanted.filter((id) => id === calling), ...wanted.filter((id) => id !== calling)]
  }

  /** Fetches totals and days of a key. Returns false if the service has no usage for this key. */
  async #fetchKey(id: string): Promise<boolean> {
    const calling = id === this.#callingKey
    const totals = await this.#ask.totals(id, calling)
    if (!totals.missing) this.#store(reportedByTotals(totals, id, totals.value))
    const days = await this.#ask.keyDays(id, calling)
    if (!days.missing) this.#store(reportedByKeyDays(days, id, days.value))
    return !totals.missing || !days.missing
  }

  #store(reported: AccountReply): void {
    if (this.#closing.signal.aborted) return
    const { accountStore } = this.#parts
    accountStore.transaction(() => accountStore.saveReply(this.account.no, reported, this.#now()))
    this.#changed()
  }

  /** Waits between two keys. Ends early when a caller waits or the connection closes. */
  async #pause(hurry: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([hurry, this.#closing.signal])
    await sleep(keyPauseMs, undefined, { signal, ref: false }).catch(() => undefined)
  }

  #starts(attempt: Attempt): void {
    attempt.at = this.#now()
    attempt.requests = this.#parts.requests() - this.#own
  }

  #historyOf({ at, requests, missingAt }: Attempt, what: string): FetchHistory {
    const fetchedAt = this.#parts.accountStore.fetches.lastAt(this.account.no, what)
    return { attemptedAt: at, fetchedAt, missingAt, used: this.#parts.requests() - this.#own > requests }
  }
}

function foundIn<T>(settled: PromiseSettledResult<AccountAnswer<T>>): Found<T> | null {
  if (settled.status === 'rejected') throw settled.reason
  return settled.value.missing ? null : settled.value
}

const userOf = (usage: AccountUsage | undefined): string | null =>
  usage?.usage?.find(({ user_id: id }) => typeof id === 'string')?.user_id ?? null
