import type { Colour } from '../../../../src-preload/contract/requests.ts'
import type { ProfileLocation } from '../../ports/requests.ts'
import type { Nano } from '../../shared/money.ts'
import type { AccountReaders, AccountStore } from '../../store/account/open.ts'
import type { AccountUsage } from '../../upstream/schemas.ts'

/** What one caller used of one model in one day (UTC), from this machine's log. */
export interface MeasuredDay {
  /** Since 1970. */
  day: number
  /** `tool:ID` or `studio:ROOM`. */
  who: string
  model: string | null
  requests: number
  tokensIn: number
  tokensOut: number
  tokensCached: number
  /** Of those whose cost is known. */
  cost: Nano
  estimated: number
  unpriced: number
}

/** This machine's side: its log of requests, told apart by book. */
export interface LocalUsage {
  /** Both days included. */
  usedByDay(accountId: string, from: number, to: number): MeasuredDay[]
  /** Null where it has nothing of that book. */
  firstDayOf(accountId: string): number | null
}

/** What the read side needs: it works without a network and without a running core. */
export interface ReadParts {
  accountStore: AccountReaders
  here: LocalUsage
  tools(): readonly { id: string; name: string; colour: Colour }[]
  /** ms since 1970 */
  now(): number
}

export interface UsageFeatureOptions {
  accountStore: AccountStore
  here: LocalUsage & {
    /** What is asked for over the connection that stands now is of this book. */
    belongsTo(accountId: string): void
  }
  tools: ReadParts['tools']
  /** Each usage reply, for whoever learns prices from it. */
  learn(usage: AccountUsage, place: ProfileLocation): void
  /** How many requests there have been, of everybody. */
  requests(): number
  log(level: 'info' | 'warn' | 'error', line: string): void
  now?: () => number
}
