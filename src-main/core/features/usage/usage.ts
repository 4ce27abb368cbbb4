import { type AccountKey, type LimitStatus, limitStatus } from '../../../../src-preload/contract/account.ts'
import type { Account, CurrentSpend, Summary } from '../../../../src-preload/contract/usage.ts'
import { StudioError } from '../../errors.ts'
import type { ProfileLocation } from '../../ports/requests.ts'
import { type DayNumber, dayOfMs } from '../../shared/days.ts'
import { type Feed, Listeners } from '../../shared/events.ts'
import { StateFeed } from '../../shared/stateFeed.ts'
import { inBackground } from '../../shared/unexpected.ts'
import type { StoredAccount } from '../../store/account/accounts.ts'
import { type AccountLocation, accountAt, knownAt } from './accountIdentity.ts'
import { idle, showAccount } from './accountList.ts'
import type { AccountEndpoints } from './accountRequests.ts'
import { createCurrentSpend } from './currentSpend.ts'
import type { ReadParts, UsageFeatureOptions } from './dependencies.ts'
import { FetchQueue } from './fetchQueue.ts'
import { openUsageReader, type UsageReader } from './reader.ts'
import { type SpendToday, summaryOf, todayOf } from './summary.ts'

/** How often the schedule is checked. A timer for the next due time would be delayed while the computer sleeps. */
const checkEveryMs = 60_000
/** `refresh` returns the last reply if it is younger than this, ms. */
const reuseMs = 10_000
/** Delays before fetching a missing price. The service records a request only after it has ended. */
const wantedAfterMs = 10_000
const wantedEveryMs = 60_000

/** Shortest time between two states of the current spend, ms. */
const spendEveryMs = 250

/** The usage that the service reports for accounts, stored permanently, beside the local request log. */
export type UsageFeature = ReturnType<typeof createUsage>

export function createUsage(parts: UsageFeatureOptions) {
  const { accountStore } = parts
  const now = parts.now ?? Date.now
  const read: ReadParts = { accountStore, local: parts.local, apps: parts.apps, now }
  const reading: UsageReader = openUsageReader(read)
  const changes = new Listeners()
  let connection: FetchQueue | null = null
  /** The account of an unreachable connection. */
  let unreachable: StoredAccount | null = null
  let checkTimer: NodeJS.Timeout | null = null
  let priceTimer: NodeJS.Timeout | null = null
  let closed: Promise<unknown> = Promise.resolve()

  const active = (): StoredAccount | null => connection?.account ?? unreachable
  const show = (stored: StoredAccount): Account => {
    if (stored.id !== active()?.id) return showAccount(read, stored, idle)
    return showAccount(read, stored, {
      active: true,
      fetching: connection?.fetching ?? false,
      problem: connection?.problem ?? null,
    })
  }
  const list = (): Account[] =>
    accountStore.accounts
      .all()
      .map(show)
      .sort((a, b) => Number(b.active) - Number(a.active))
  const feed = new StateFeed<Account[]>({ everyMs: 250, read: list, observe: (changed) => changes.add(changed) })

  const spendNow = createCurrentSpend({ ...read, local: parts.local })
  const spendFeed = new StateFeed<CurrentSpend>({
    everyMs: spendEveryMs,
    read: () => spendNow(active()),
    observe: (changed) => {
      let soon: NodeJS.Immediate | null = null
      // Deferred, because the request is in the log only after all listeners have been called.
      const settled = (): void => {
        soon ??= setImmediate(() => {
          soon = null
          changed()
        })
      }
      const newDay = setInterval(changed, checkEveryMs)
      newDay.unref()
      const stops = [changes.add(changed), parts.local.settled.add(settled)]
      return () => {
        clearInterval(newDay)
        if (soon) clearImmediate(soon)
        for (const stop of stops) stop()
      }
    },
  })

  function connected(): FetchQueue {
    if (connection) return connection
    throw new StudioError('not_connected', 'There is no connection. Stored usage can still be read.')
  }

  /** Fetches whatever is due. Resolves when the account's days are fetched. Never rejects. */
  async function fetchDue(): Promise<void> {
    const current = connection
    if (!current) return
    if (current.usageIsDue) await current.fetchUsage()
    if (current !== connection || !current.settled || current.problem || !current.keysAreDue) return
    // Ignores errors, because no caller waits. The view of the keys fetches by itself and shows its own errors.
    current.fetchKeys({ background: true }).catch(() => undefined)
  }

  function disconnect(): void {
    if (checkTimer) clearInterval(checkTimer)
    if (priceTimer) clearTimeout(priceTimer)
    checkTimer = null
    priceTimer = null
    const former = connection
    connection = null
    if (former) closed = Promise.all([closed, former.close()])
  }

  function open(from: AccountEndpoints, place: AccountLocation): void {
    connection = new FetchQueue(parts, from, place, accountAt(accountStore, place, now()), () => changes.notify())
    const fetchDueInBackground = (): void => inBackground('The account’s usage could not be fetched', fetchDue())
    checkTimer = setInterval(fetchDueInBackground, checkEveryMs)
    checkTimer.unref()
    fetchDueInBackground()
  }

  return {
    reading,
    changes,
    /** The active account first, then most recently used. */
    list,
    watch: (signal?: AbortSignal): Feed<Account[]> => feed.watch(signal),
    watchSpend: (signal?: AbortSignal): Feed<CurrentSpend> => spendFeed.watch(signal),
    /** The account of the connection, even if the connection is unreachable; null without an account. */
    active,
    /** The active account as shown to the user. */
    current(): Account | null {
      const stored = active()
      return stored && show(stored)
    },
    fetchDue,

    /** Switches to another connection, or to none. With `place` but without `from`, the account is shown but nothing is fetched. */
    follow(from: AccountEndpoints | null, place: AccountLocation | null): void {
      disconnect()
      unreachable = place && accountStore.transaction(() => knownAt(accountStore.accounts, place))
      if (from && place) open(from, place)
      changes.notify()
    },

    /** The account that a profile last used; null if unknown. */
    accountOf: (place: ProfileLocation): string | null => accountStore.accounts.at(place)?.id ?? null,

    /** Releases the accounts of a deleted profile. Their usage stays, but the account of a sandbox is deleted with it. */
    forgotten: (profile: string): void =>
      accountStore.pending.write(`forgotten ${profile}`, 'The deleted connection', () =>
        accountStore.transaction(() => {
          accountStore.accounts.dropSandbox(profile)
          accountStore.accounts.release(profile)
        }),
      ),

    /** Releases the accounts of all profiles except these, the sandbox, and the connection from the environment. */
    forgottenBut(profiles: readonly string[]): void {
      const stays = new Set([...profiles, 'environment', 'sandbox', ''])
      accountStore.pending.write('forgotten', 'The deleted connections', () =>
        accountStore.transaction(() => {
          for (const profile of accountStore.accounts.profiles())
            if (!stays.has(profile)) accountStore.accounts.release(profile)
        }),
      )
    },

    /** Call when the service answers again: retries a failed fetch. */
    reachable(): void {
      if (connection?.problem) inBackground('The account’s usage could not be fetched', connection.fetchUsage())
    },

    /** Call when a request with an unknown price was sent: fetches usage soon, to learn the price. */
    wanted(): void {
      const current = connection
      if (priceTimer || !current || current.account.offers === 'no') return
      const since = now() - (current.attemptedAt ?? 0)
      priceTimer = setTimeout(
        () => {
          priceTimer = null
          if (connection === current) inBackground('A price could not be fetched', current.fetchUsage())
        },
        Math.max(wantedAfterMs, Math.min(wantedEveryMs, wantedEveryMs - since)),
      )
      priceTimer.unref()
    },

    /**
     * Fetches the active account now, or returns the last reply if it is younger than ten seconds.
     * @throws StudioError `not_connected`, and errors of the service
     */
    async refresh(): Promise<Account> {
      const current = connected()
      const { fetchedAt } = current
      const age = fetchedAt === null ? reuseMs : now() - fetchedAt
      if (age < 0 || age >= reuseMs) await current.fetchUsage()
      const { problem } = current
      if (problem) throw new StudioError(problem.kind, problem.message, problem)
      return show(current.account)
    },

    /**
     * Fetches records, totals and days of all keys of the active account.
     * @throws StudioError `not_connected`, and errors of the service
     */
    async refreshKeys(): Promise<{ keys: number }> {
      const current = connected()
      await current.fetchKeys({ background: false })
      return { keys: reading.keys({ accountId: current.account.id }).length }
    },

    /**
     * Adds what is stored about an earlier account to another one, and deletes the earlier one. Runs again without harm after a failure.
     * @throws StudioError `no_such_item`; `bad_input` if both are the same, or the earlier one is connected
     */
    merge({ from, into }: { from: string; into: string }): Account {
      const earlier = reading.accountOf(from)
      const stored = reading.accountOf(into)
      if (from === into || from === active()?.id)
        throw new StudioError('bad_input', 'An account that is in use cannot be merged into another one.')
      parts.local.merge(from, into)
      accountStore.transaction(() => accountStore.merge(earlier.no, stored.no))
      changes.notify()
      return show(reading.accountOf(into))
    },

    /** @throws StudioError `no_such_item` */
    rename({ id, name }: { id: string; name: string }): Account {
      accountStore.accounts.rename(reading.accountOf(id).no, name)
      const stored = reading.accountOf(id)
      if (connection?.account.id === id) connection.account = stored
      changes.notify()
      return show(stored)
    },

    /** @throws StudioError `no_such_item` */
    summary({ accountId }: { accountId: string }): Summary {
      const stored = reading.accountOf(accountId)
      return summaryOf(read, stored, show(stored))
    },

    /** Spend of an account today (UTC), remote and local. @throws StudioError `no_such_item` */
    today(accountId: string): { day: DayNumber } & SpendToday {
      return { day: dayOfMs(now()), ...todayOf(read, reading.accountOf(accountId)) }
    },

    /**
     * Emits the keys of an account now and after each change. Watching the active account's keys fetches them, at most once an hour.
     * @throws StudioError `no_such_item`
     */
    watchKeys({ accountId }: { accountId: string }, signal?: AbortSignal): Feed<AccountKey[]> {
      reading.accountOf(accountId)
      if (connection?.account.id === accountId && connection.keysAreDue)
        connection.fetchKeys({ background: false }).catch(() => undefined)
      const keys = new StateFeed<AccountKey[]>({
        everyMs: 250,
        read: () => reading.keys({ accountId }),
        observe: (changed) => changes.add(changed),
      })
      return keys.watch(signal)
    },

    /** The last known rate-limit status of the active account. */
    limits: {
      account: (): string | null => active()?.id ?? null,
      read(): LimitStatus | null {
        const account = active()
        const kept = account && accountStore.limits.get(account.no)
        return kept ? (limitStatus.safeParse(JSON.parse(kept.value)).data ?? null) : null
      },
      save(status: LimitStatus): void {
        const account = active()
        if (!account) return
        accountStore.pending.write(`limits ${account.no}`, 'The account’s rate limits', () =>
          accountStore.limits.put(account.no, Date.parse(status.asOf), JSON.stringify(status), now()),
        )
      },
    },

    /** Stops running fetches and waits for them. Nothing is written afterwards. */
    async close(): Promise<void> {
      disconnect()
      await closed
    },
  }
}
