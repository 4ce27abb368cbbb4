import { type AccountKey, type LimitStatus, limitStatus } from '../../../../src-preload/contract/account.ts'
import type { Account, Summary } from '../../../../src-preload/contract/usage.ts'
import { StudioError } from '../../errors.ts'
import type { ProfileLocation } from '../../ports/requests.ts'
import { type DayNumber, dayOfMs } from '../../shared/days.ts'
import { type Feed, Listeners } from '../../shared/events.ts'
import { StateFeed } from '../../shared/stateFeed.ts'
import { inBackground } from '../../shared/unexpected.ts'
import type { StoredAccount } from '../../store/account/accounts.ts'
import { type AccountLocation, accountAt, knownAt } from './accountIdentity.ts'
import { atRest, showAccount } from './accountList.ts'
import type { AccountEndpoints } from './accountRequests.ts'
import type { ReadParts, UsageFeatureOptions } from './dependencies.ts'
import { FetchQueue } from './fetchQueue.ts'
import { openUsageReader, type UsageReader } from './reader.ts'
import { summaryOf, todayOf } from './summary.ts'

/** How often it is looked whether something is due. A timer for the next time would sleep with the machine. */
const lookEveryMs = 60_000
/** On demand, an answer younger than this is answered again. */
const freshMs = 10_000
/** A missing price: the service books a request when it has ended, and the next one may already be priced. */
const wantedAfterMs = 10_000
const wantedEveryMs = 60_000

/** What the service said of accounts, kept for ever, beside this machine's log. */
export type UsageFeature = ReturnType<typeof createUsage>

export function createUsage(parts: UsageFeatureOptions) {
  const { accountStore } = parts
  const now = parts.now ?? Date.now
  const read: ReadParts = { accountStore, here: parts.here, tools: parts.tools, now }
  const reading: UsageReader = openUsageReader(read)
  const changes = new Listeners()
  let line: FetchQueue | null = null
  /** Where nothing can be reached: the book that is meant. */
  let meant: StoredAccount | null = null
  let sandboxUrl: string | null = null
  let looking: NodeJS.Timeout | null = null
  let wanted: NodeJS.Timeout | null = null
  let closed: Promise<unknown> = Promise.resolve()

  const active = (): StoredAccount | null => line?.account ?? meant
  const show = (stored: StoredAccount): Account => {
    if (stored.id !== active()?.id) return showAccount(read, stored, atRest)
    return showAccount(read, stored, {
      active: true,
      fetching: line?.fetching ?? false,
      problem: line?.problem ?? null,
    })
  }
  const list = (): Account[] =>
    accountStore.accounts
      .all()
      .map(show)
      .sort((a, b) => Number(b.active) - Number(a.active))
  const feed = new StateFeed<Account[]>({ everyMs: 250, read: list, observe: (changed) => changes.add(changed) })

  function connected(): FetchQueue {
    if (line) return line
    throw new StudioError('not_connected', 'Nothing is connected, so nobody can be asked. What is kept can be read.')
  }

  /** Asks for what is due. Resolves when the account's days are settled; never rejects. */
  async function look(): Promise<void> {
    const current = line
    if (!current) return
    if (current.usageIsDue) await current.fetchUsage()
    if (current !== line || !current.settled || current.problem || !current.keysAreDue) return
    // In nobody's name: the room of the keys asks for itself and says how that went.
    current.fetchKeys({ gently: true }).catch(() => undefined)
  }

  function hangUp(): void {
    if (looking) clearInterval(looking)
    if (wanted) clearTimeout(wanted)
    looking = null
    wanted = null
    const former = line
    line = null
    if (former) closed = Promise.all([closed, former.close()])
  }

  function open(from: AccountEndpoints, place: AccountLocation): void {
    const fresh = place.kind === 'sandbox' && sandboxUrl !== place.baseUrl
    if (fresh) sandboxUrl = place.baseUrl
    line = new FetchQueue(parts, from, place, accountAt(accountStore, place, fresh, now()), () => changes.notify())
    const lookAside = (): void => inBackground('What the account used could not be asked for', look())
    looking = setInterval(lookAside, lookEveryMs)
    looking.unref()
    lookAside()
  }

  return {
    reading,
    changes,
    /** The active one first, then those used last. */
    list,
    watch: (signal?: AbortSignal): Feed<Account[]> => feed.watch(signal),
    /** The book of the connection, or of one that cannot be reached; null where there is none. */
    active,
    /** The same as it is shown. */
    current(): Account | null {
      const stored = active()
      return stored && show(stored)
    },
    look,

    /** Another connection, or none. Without `from`, that place is meant but cannot be reached. */
    follow(from: AccountEndpoints | null, place: AccountLocation | null): void {
      hangUp()
      meant = place && accountStore.transaction(() => knownAt(accountStore.accounts, place))
      if (from && place) open(from, place)
      changes.notify()
    },

    /** The book that a profile led to last; null where none is known. */
    accountOf: (place: ProfileLocation): string | null => accountStore.accounts.at(place)?.id ?? null,

    /** A profile is forgotten; its books stay. */
    forgotten: (profile: string): void =>
      accountStore.pending.write(`forgotten ${profile}`, 'That a connection was forgotten', () =>
        accountStore.transaction(() => accountStore.accounts.release(profile)),
      ),

    /** The same for every stored profile but these. */
    forgottenBut(profiles: readonly string[]): void {
      const stays = new Set([...profiles, 'environment', 'sandbox', ''])
      accountStore.pending.write('forgotten', 'Which connections were forgotten', () =>
        accountStore.transaction(() => {
          for (const profile of accountStore.accounts.profiles())
            if (!stays.has(profile)) accountStore.accounts.release(profile)
        }),
      )
    },

    /** The service answers again: what failed is tried anew. */
    reachable(): void {
      if (line?.problem) inBackground('What the account used could not be asked for', line.fetchUsage())
    },

    /** A request went out whose price nobody knows. */
    wanted(): void {
      const current = line
      if (wanted || !current || current.account.offers === 'no') return
      const since = now() - (current.triedAt ?? 0)
      wanted = setTimeout(
        () => {
          wanted = null
          if (line === current) inBackground('A price could not be asked for', current.fetchUsage())
        },
        Math.max(wantedAfterMs, Math.min(wantedEveryMs, wantedEveryMs - since)),
      )
      wanted.unref()
    },

    /** Fetches the active book now, or answers the last fetch if that is younger than ten seconds. @throws as the service fails */
    async refresh(): Promise<Account> {
      const current = connected()
      const { keptAt } = current
      const age = keptAt === null ? freshMs : now() - keptAt
      if (age < 0 || age >= freshMs) await current.fetchUsage()
      const { problem } = current
      if (problem) throw new StudioError(problem.kind, problem.message, problem)
      return show(current.account)
    },

    /** Records, totals and days of all keys of the active book. @throws as the service fails */
    async refreshKeys(): Promise<{ keys: number }> {
      const current = connected()
      await current.fetchKeys({ gently: false })
      return { keys: reading.keys({ accountId: current.account.id }).length }
    },

    /** @throws StudioError `no_such_item` */
    rename({ id, name }: { id: string; name: string }): Account {
      accountStore.accounts.rename(reading.accountOf(id).no, name)
      const stored = reading.accountOf(id)
      if (line?.account.id === id) line.account = stored
      changes.notify()
      return show(stored)
    },

    /** @throws StudioError `no_such_item` */
    summary({ accountId }: { accountId: string }): Summary {
      const stored = reading.accountOf(accountId)
      return summaryOf(read, stored, show(stored))
    },

    /** What a book spent today (UTC), by both sides. @throws StudioError `no_such_item` */
    today(accountId: string): { day: DayNumber } & Summary['today'] {
      return { day: dayOfMs(now()), ...todayOf(read, reading.accountOf(accountId)) }
    },

    /** The keys of a book, and again when they change. Who looks at those of the connection has them asked for, at most once an hour. */
    watchKeys({ accountId }: { accountId: string }, signal?: AbortSignal): Feed<AccountKey[]> {
      reading.accountOf(accountId)
      if (line?.account.id === accountId && line.keysAreDue) line.fetchKeys({ gently: false }).catch(() => undefined)
      const keys = new StateFeed<AccountKey[]>({
        everyMs: 250,
        read: () => reading.keys({ accountId }),
        observe: (changed) => changes.add(changed),
      })
      return keys.watch(signal)
    },

    /** The rate-limit status of the active book as last told; for who asks for it. */
    limits: {
      account: (): string | null => active()?.id ?? null,
      read(): LimitStatus | null {
        const account = active()
        const kept = account && accountStore.limits.get(account.no)
        return kept ? (limitStatus.safeParse(JSON.parse(kept.value)).data ?? null) : null
      },
      keep(status: LimitStatus): void {
        const account = active()
        if (!account) return
        accountStore.pending.write(`limits ${account.no}`, 'The account’s rate limits', () =>
          accountStore.limits.put(account.no, Date.parse(status.asOf), JSON.stringify(status), now()),
        )
      },
    },

    /** What is under way is left; nothing is written after this. */
    async close(): Promise<void> {
      hangUp()
      await closed
    },
  }
}
