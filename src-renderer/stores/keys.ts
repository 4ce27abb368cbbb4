import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { AccountKey } from '../../src-preload/contract/account.ts'
import type { Problem } from '../../src-preload/contract/problem.ts'
import type { Coverage, Figures } from '../../src-preload/contract/usage.ts'
import { containsWords } from '../shared/looseText.ts'
import type { Measure } from './usage.ts'

export interface KeyDay {
  day: string
  state: Coverage
  figures: Figures | null
}

/** The days of one key in one period. */
export interface KeyDays {
  keyId: string
  days: readonly KeyDay[]
}

export const keyRanges = ['30', '90', 'year'] as const
export type KeyRange = (typeof keyRanges)[number]

export interface KeysStore {
  /** The account of these keys. */
  accountId: string | null
  keys: readonly AccountKey[] | null
  problem: Problem | null
  daily: KeyDays | null
  dailyProblem: Problem | null
  range: KeyRange
  measure: Measure
  search: string
}

export const firstKeys: KeysStore = {
  accountId: null,
  keys: null,
  problem: null,
  daily: null,
  dailyProblem: null,
  range: '30',
  measure: 'spend',
  search: '',
}
export const keysStore = createStore<KeysStore>(() => firstKeys)
export const useKeys = <T>(select: (store: KeysStore) => T): T => useStore(keysStore, select)

/** Usable keys first. Within both groups, the order of the service. */
export function sortedKeys(keys: readonly AccountKey[]): AccountKey[] {
  const alive = (key: AccountKey): boolean => key.revokedAt === null && !key.gone
  return [...keys.filter(alive), ...keys.filter((key) => !alive(key))]
}

/** Keys whose name, prefix or id contains every search term, regardless of case. */
export function matchingKeys(keys: readonly AccountKey[], search: string): AccountKey[] {
  return keys.filter(({ name, prefix, id }) => containsWords(`${name ?? ''} ${prefix ?? ''} ${id}`, search))
}

/** The shown key: the key in the address, otherwise the first key. */
export const keyShown = (keys: readonly AccountKey[], id: string | null): AccountKey | null =>
  keys.find((key) => key.id === id) ?? keys[0] ?? null
