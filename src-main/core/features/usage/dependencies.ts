import type { Colour } from '../../../../src-preload/contract/requests.ts'
import type { ProfileLocation } from '../../ports/requests.ts'
import type { Listeners } from '../../shared/events.ts'
import type { Nano } from '../../shared/money.ts'
import type { AccountReaders, AccountStore } from '../../store/account/open.ts'
import type { DaySums } from '../../store/requestLog/spend.ts'
import type { AccountUsage } from '../../upstream/reply/schemas.ts'

/** Usage of one model by one caller in one day (UTC), from the local request log. */
export interface MeasuredDay extends DaySums {
  /** `tool:ID` of an app or `studio:FEATURE`. */
  who: string
  model: string | null
}

/** Local usage: the request log of this computer, separated by account. */
export interface LocalUsage {
  /** Both days are included. */
  usedByDay(accountId: string, from: number, to: number): MeasuredDay[]
  /** Null if the log has no request of this account. */
  firstDayOf(accountId: string): number | null
}

/** Spend of this computer since a report of the service: the cost that is known, and how many requests have no known cost. */
export interface SpendSince {
  cost: Nano
  unpriced: number
}

/** The part of the request log that `currentSpend` uses. */
export interface RecentSpend extends LocalUsage {
  /** Spend of the requests that ended after `at`, ms since 1970. Reads every request since then. */
  spentSince(accountId: string, at: number): SpendSince
}

/** Dependencies of reading, which works without a network and without a running core. */
export interface ReadParts {
  accountStore: AccountReaders
  local: LocalUsage
  apps(): readonly { id: string; name: string; colour: Colour }[]
  /** ms since 1970. */
  now(): number
}

export interface UsageFeatureOptions {
  accountStore: AccountStore
  local: RecentSpend & {
    /** Notified for each request that ended with a cost, or without a known one. */
    settled: Listeners<[who: string]>
    /** Assigns the requests of the current connection to this account. */
    belongsTo(accountId: string): void
    /** Gives the requests of an earlier account to another one. */
    merge(from: string, into: string): void
  }
  apps: ReadParts['apps']
  /** Receives each usage reply, to learn prices from it. */
  learn(usage: AccountUsage, place: ProfileLocation): void
  /** Number of all requests of this program so far. */
  requests(): number
  log(level: 'info' | 'warn' | 'error', line: string): void
  now?: () => number
}
