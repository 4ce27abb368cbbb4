import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { PageView } from '../../src-preload/contract/columns.ts'
import type { Problem } from '../../src-preload/contract/problem.ts'
import type { Account, Comparison, CurrentSpend, Source, Summary, ViewQuery } from '../../src-preload/contract/usage.ts'
import { dayOfInstant, daysBetween, isDay, shiftDay } from './usageDays.ts'

export const sections = ['overview', 'sessions', 'elsewhere', 'limits', 'corrections'] as const
export type Section = (typeof sections)[number]
export const ranges = ['month', 'lastMonth', '7', '30', '90', 'year', 'all', 'own'] as const
export type UsageRange = (typeof ranges)[number]
export const grains = ['auto', 'day', 'week', 'month'] as const
export const stacks = ['model', 'app', 'feature', 'key'] as const
export type StackBy = (typeof stacks)[number]
export const measures = ['spend', 'tokens', 'tokensIn', 'tokensCached', 'tokensOut', 'requests'] as const
export type Measure = (typeof measures)[number]

/** The choices of the Usage page: range, interval, grouping. Stored across reloads. */
export interface UsageChoice {
  range: UsageRange
  /** First day of a custom range, both ends included. */
  from: string
  to: string
  grain: (typeof grains)[number]
  by: StackBy
  source: Source
  measure: Measure
  /** Whether the previous period is drawn too. */
  before: boolean
  table: boolean
}

export const firstChoice: UsageChoice = {
  range: '30',
  from: '',
  to: '',
  grain: 'auto',
  by: 'model',
  source: 'service',
  measure: 'spend',
  before: false,
  table: false,
}

export interface TopConversationRow {
  conversationId: string
  title: string | null
  total: PageView['total']
}

/** All results of one query. One object, so that all parts of the overview show the same period. */
export interface UsageAnswer {
  view: PageView
  /** Figures of the previous period. Null when not requested. */
  before: PageView | null
  comparisons: readonly Comparison[]
  top: readonly TopConversationRow[]
}

export interface UsageStore {
  /** The active account first. Null until the first event. */
  accounts: readonly Account[] | null
  usageProblem: Problem | null
  /** Null: the first account. */
  accountId: string | null
  summaries: Readonly<Record<string, Summary>>
  /** Spend of the active account. Null until the first event. */
  spend: CurrentSpend | null
  choice: UsageChoice
  search: string
  state: 'loading' | 'ready' | 'failed'
  problem: Problem | null
  answer: UsageAnswer | null
}

export const firstUsage: UsageStore = {
  accounts: null,
  usageProblem: null,
  accountId: null,
  summaries: {},
  spend: null,
  choice: firstChoice,
  search: '',
  state: 'loading',
  problem: null,
  answer: null,
}

export const usageStore = createStore<UsageStore>(() => firstUsage)
export const useUsage = <T>(select: (store: UsageStore) => T): T => useStore(usageStore, select)

/** The account that the page shows: the selected one while it exists, otherwise the active one. */
export function selectedAccount({ accounts, accountId }: Pick<UsageStore, 'accounts' | 'accountId'>): Account | null {
  return accounts?.find(({ id }) => id === accountId) ?? accounts?.[0] ?? null
}

/** The account of the active connection, for the status bar. */
export const activeAccount = ({ accounts }: UsageStore): Account | null =>
  accounts?.find(({ active }) => active) ?? null

/** The sources that have data for a grouping. */
export const sourcesOf = (by: StackBy, account: Account | null): readonly Source[] => {
  const service = account?.offers === 'no' || by === 'app' || by === 'feature' ? [] : (['service'] as const)
  return by === 'key' ? service : [...service, 'here']
}

/** The groupings that the account's sources support. Only the service has figures per API key. */
export const stacksOf = (account: Account | null): readonly StackBy[] =>
  stacks.filter((by) => sourcesOf(by, account).length > 0)

/** Changes the choice. Selects the other source when the current source does not support the new grouping. */
export function withChoice(store: UsageStore, change: Partial<UsageChoice>): UsageStore {
  return { ...store, choice: { ...store.choice, ...change } }
}

/** Replaces parts of the choice that this account does not support. */
export function fitChoice(choice: UsageChoice, account: Account | null): UsageChoice {
  const by = stacksOf(account).includes(choice.by) ? choice.by : 'model'
  const sources = sourcesOf(by, account)
  return { ...choice, by, source: sources.includes(choice.source) ? choice.source : (sources[0] ?? 'here') }
}

const firstOfMonth = (day: string): string => `${day.slice(0, 8)}01`

/** First and last day of a custom range. No service has figures outside of them, and half-typed years are outside of them. */
export const usageDays = { first: '2000-01-01', last: '2099-12-31' }
export const isUsageDay = (day: string): boolean => isDay(day) && day >= usageDays.first && day <= usageDays.last

/** The first and last day of the range, both included. An invalid or reversed custom range is corrected. */
export function daysOf(choice: UsageChoice, account: Account | null, now: number): { from: string; to: string } {
  const today = dayOfInstant(now)
  const { range } = choice
  if (range === '7' || range === '30' || range === '90') return { from: shiftDay(today, 1 - Number(range)), to: today }
  if (range === 'year') return { from: shiftDay(today, -364), to: today }
  if (range === 'month') return { from: firstOfMonth(today), to: today }
  if (range === 'lastMonth') {
    const to = shiftDay(firstOfMonth(today), -1)
    return { from: firstOfMonth(to), to }
  }
  if (range === 'all') {
    const first = account?.firstDay ?? today
    return { from: first < today ? first : today, to: today }
  }
  const from = isUsageDay(choice.from) ? choice.from : shiftDay(today, -29)
  const to = isUsageDay(choice.to) ? choice.to : today
  return from <= to ? { from, to } : { from: to, to: from }
}

/** The chosen interval, otherwise one with distinguishable bars: days up to a quarter, weeks up to two years, then months. */
export function grainOf({ grain }: UsageChoice, from: string, to: string): ViewQuery['grain'] {
  if (grain !== 'auto') return grain
  const days = daysBetween(from, to)
  return days <= 92 ? 'day' : days <= 731 ? 'week' : 'month'
}

export function queryOf(store: UsageStore, now: number): ViewQuery | null {
  const account = selectedAccount(store)
  if (!account) return null
  const choice = fitChoice(store.choice, account)
  const { from, to } = daysOf(choice, account, now)
  const { by, source } = choice
  return { accountId: account.id, from, to, grain: grainOf(choice, from, to), by, source, search: store.search.trim() }
}

/** The period of the same length just before. */
export function queryBefore(query: ViewQuery): ViewQuery {
  const days = daysBetween(query.from, query.to)
  return { ...query, from: shiftDay(query.from, -days), to: shiftDay(query.to, -days) }
}

export const withAccounts = (store: UsageStore, accounts: readonly Account[]): UsageStore => ({
  ...store,
  accounts,
  usageProblem: null,
})

export const withSummary = (store: UsageStore, summary: Summary): UsageStore => ({
  ...store,
  summaries: { ...store.summaries, [summary.account.id]: summary },
})
