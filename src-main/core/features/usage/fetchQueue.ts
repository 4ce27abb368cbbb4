import { setTimeout as sleep } from 'node:timers/promises'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import { asStudioError, StudioError } from '../../errors.ts'
import { dayMs } from '../../shared/days.ts'
import type { StoredAccount } from '../../store/account/accounts.ts'
import type { AccountReply } from '../../store/account/saveReply.ts'
import { asStoreError } from '../../store/database.ts'
import type { AccountUsage, KeyRecord } from '../../upstream/schemas.ts'
import { type AccountLocation, accountOfUser } from './accountIdentity.ts'
import { type AccountAnswer, type AccountEndpoints, asking } from './accountRequests.ts'
import type { UsageFeatureOptions } from './dependencies.ts'
import {
  keyIdOf,
  reportedByCurrentKey,
  reportedByKeyDays,
  reportedByKeys,
  reportedByTotals,
  reportedByUsage,
} from './parseReplies.ts'
import { type Asking, keysAreDue, usageIsDue } from './schedule.ts'

/** Between two keys, while nobody waits: their read-outs are counted requests, and a burst would hold up others. */
const gentleMs = 3000
/** Keys come when a connection has settled. */
const settledMs = 30_000
/** What a revoked key used changes no more; a day later the last of it is booked. */
const revokedEveryMs = dayMs

interface Tried {
  at: number | null
  /** Requests of everybody at that time, our own of this connection left out. */
  requests: number
  lacksAt: number | null
}

type Found<T> = Exclude<AccountAnswer<T>, { lacks: true }>

/** One connection to a service and what is fetched over it. Nothing is written once it is closed. */
export class FetchQueue {
  account: StoredAccount
  problem: Problem | null = null
  /** When they were asked for well last, over this connection: what is kept from another may be another account's. */
  keptAt: number | null = null
  readonly #parts: UsageFeatureOptions
  readonly #place: AccountLocation
  readonly #now: () => number
  readonly #changed: () => void
  readonly #ask: ReturnType<typeof asking>
  readonly #closing = new AbortController()
  readonly #openedAt: number
  readonly #usage: Tried
  readonly #keys: Tried
  #own = 0
  #fetching: Promise<void> | null = null
  #round: Promise<void> | null = null
  #hurry: AbortController | null = null
  #saidUndated = false
  /** Whose key it is, asked once: it stays the same over a connection. */
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
    this.#ask = asking(from, this.#now, { signal, onRow })
    this.#openedAt = this.#now()
    this.#usage = { at: null, requests: parts.requests(), lacksAt: null }
    this.#keys = { ...this.#usage }
  }

  get fetching(): boolean {
    return this.#fetching !== null || this.#round !== null
  }

  /** When the account's days were asked for last over this connection. */
  get triedAt(): number | null {
    return this.#usage.at
  }

  get usageIsDue(): boolean {
    const { offers, askedAt } = this.account
    return usageIsDue(this.#now(), {
      ...this.#askingOf(this.#usage, 'usage'),
      lacksAt: offers === 'no' ? askedAt : null,
    })
  }

  get keysAreDue(): boolean {
    return keysAreDue(this.#now(), this.#askingOf(this.#keys, 'keys'))
  }

  get settled(): boolean {
    const age = this.#now() - this.#openedAt
    return age >= settledMs || age < 0
  }

  /** Fetches the account's days and balance; one at a time. Never rejects: how it went is `problem`. */
  fetchUsage(): Promise<void> {
    this.#fetching ??= this.#fetchUsage().finally(() => {
      this.#fetching = null
      this.#changed()
    })
    this.#changed()
    return this.#fetching
  }

  /**
   * Fetches records, totals and days of every key, the calling one first; one round at a time. `gently`: with pauses, until somebody waits.
   * @throws as the service fails
   */
  fetchKeys({ gently }: { gently: boolean }): Promise<void> {
    if (!gently) this.#hurry?.abort()
    if (this.#round) return this.#round
    const hurry = new AbortController()
    if (gently) this.#hurry = hurry
    else hurry.abort()
    this.#round = this.#fetchKeys(hurry.signal, gently).finally(() => {
      this.#round = null
      this.#changed()
    })
    this.#changed()
    return this.#round
  }

  /** What is under way is left. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#hurry?.abort()
    await Promise.allSettled([this.#fetching, this.#round])
  }

  // ---- the account's days ----------------------------------------------------------------------------------------------

  async #fetchUsage(): Promise<void> {
    this.#tries(this.#usage)
    const [usage, key] = await Promise.allSettled([this.#ask.usage(), this.#key ?? this.#ask.currentKey()])
    if (this.#closing.signal.aborted) return
    if (key.status === 'fulfilled') this.#key = key.value
    try {
      const found = foundIn(usage)
      const userId = this.#record?.value.user_id ?? userOf(found?.value)
      // Days must not go to the book of another account that was used here before.
      if (userId === null && key.status === 'rejected') throw key.reason
      this.#parts.accountStore.transaction(() => this.#keepUsage(found, userId))
      this.#parts.here.belongsTo(this.account.id)
      this.problem = null
      this.keptAt = this.#usage.at
      if (found) this.#parts.learn(found.value, this.#place)
    } catch (thrown) {
      this.#fails(thrown)
    }
  }

  #keepUsage(usage: Found<AccountUsage> | null, userId: string | null): void {
    const { accountStore } = this.#parts
    if (userId !== null) this.account = accountOfUser(accountStore, this.#place, this.account, userId, this.#now())
    const { no } = this.account
    accountStore.accounts.offers(no, usage ? 'yes' : 'no', this.#now())
    if (this.#callingKey !== null) accountStore.accounts.calling(no, this.#callingKey)
    if (usage) {
      const reported = reportedByUsage(usage, usage.value)
      accountStore.keep(no, reported, this.#now())
      this.#saysUndated(reported.undated?.length ?? 0)
    }
    this.account = accountStore.accounts.get(this.account.id) ?? this.account
  }

  /** Once over a connection: they come again with each answer. */
  #saysUndated(rows: number): void {
    if (rows === 0 || this.#saidUndated) return
    this.#saidUndated = true
    this.#parts.log(
      'warn',
      `${rows} rows of the service’s usage have no date that can be read. They are kept, and in no sum.`,
    )
  }

  get #record(): Found<KeyRecord> | null {
    return this.#key && !this.#key.lacks ? this.#key : null
  }

  get #callingKey(): string | null {
    return this.#record && keyIdOf(this.#record.value)
  }

  #fails(thrown: unknown): void {
    const failure = asStudioError(asStoreError(thrown))
    this.problem = failure.toProblem()
    if (failure.kind === 'bug' || failure.kind.startsWith('store_')) {
      this.#parts.log('error', `The books could not be kept: ${failure.message}`)
    }
  }

  // ---- the keys --------------------------------------------------------------------------------------------------------

  async #fetchKeys(hurry: AbortSignal, gently: boolean): Promise<void> {
    // Whose keys they are is found out with the account's days.
    if (this.#usage.at === null || this.#fetching) await this.fetchUsage()
    if (this.problem) throw new StudioError(this.problem.kind, this.problem.message, this.problem)
    this.#tries(this.#keys)
    const list = await this.#ask.keys()
    if (this.#closing.signal.aborted) return
    if (!list.lacks) this.#keep(reportedByKeys(list, list.value))
    else if (this.#record) this.#keep(reportedByCurrentKey(this.#record, this.#record.value))
    const ids = this.#keysToAsk(list.lacks ? null : (list.value.api_keys ?? []), gently)
    if (list.lacks && ids.length === 0) this.#keys.lacksAt = this.#now()
    for (const [at, id] of ids.entries()) {
      if (at > 0) await this.#pause(hurry)
      if (this.#closing.signal.aborted) return
      const has = await this.#fetchKey(id)
      if (has || id !== this.#callingKey) continue
      this.#keys.lacksAt = this.#now()
      return
    }
  }

  /** The calling key first; a revoked one once a day, unless somebody waits. */
  #keysToAsk(records: readonly KeyRecord[] | null, gently: boolean): string[] {
    const { fetches } = this.#parts.accountStore
    const calling = this.#callingKey
    if (records === null) return calling === null ? [] : [calling]
    const wanted = records.flatMap((record) => {
      const id = keyIdOf(record)
      if (id === null) return []
      const last = fetches.lastAt(this.account.no, `days:${id}`)
      const over = typeof record.revoked_at === 'string' && last !== null && this.#now() - last < revokedEveryMs
      return over && gently ? [] : [id]
    })
    return [...wanted.filter((id) => id === calling), ...wanted.filter((id) => id !== calling)]
  }

  /** False where the service does not tell of it. */
  async #fetchKey(id: string): Promise<boolean> {
    const calling = id === this.#callingKey
    const totals = await this.#ask.totals(id, calling)
    if (!totals.lacks) this.#keep(reportedByTotals(totals, id, totals.value))
    const days = await this.#ask.keyDays(id, calling)
    if (!days.lacks) this.#keep(reportedByKeyDays(days, id, days.value))
    return !totals.lacks || !days.lacks
  }

  #keep(reported: AccountReply): void {
    if (this.#closing.signal.aborted) return
    const { accountStore } = this.#parts
    accountStore.transaction(() => accountStore.keep(this.account.no, reported, this.#now()))
    this.#changed()
  }

  /** Until the pause is over, somebody waits, or the connection is closed. */
  async #pause(hurry: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([hurry, this.#closing.signal])
    await sleep(gentleMs, undefined, { signal, ref: false }).catch(() => undefined)
  }

  // ---- when ------------------------------------------------------------------------------------------------------------

  #tries(tried: Tried): void {
    tried.at = this.#now()
    tried.requests = this.#parts.requests() - this.#own
  }

  #askingOf({ at, requests, lacksAt }: Tried, what: string): Asking {
    const keptAt = this.#parts.accountStore.fetches.lastAt(this.account.no, what)
    return { triedAt: at, keptAt, lacksAt, used: this.#parts.requests() - this.#own > requests }
  }
}

function foundIn<T>(settled: PromiseSettledResult<AccountAnswer<T>>): Found<T> | null {
  if (settled.status === 'rejected') throw settled.reason
  return settled.value.lacks ? null : settled.value
}

const userOf = (usage: AccountUsage | undefined): string | null =>
  usage?.usage?.find(({ user_id: id }) => typeof id === 'string')?.user_id ?? null
