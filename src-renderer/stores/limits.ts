import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { LimitBucket, Limited, Limits } from '../../src-preload/contract/account.ts'
import type { Problem } from '../../src-preload/contract/problem.ts'

export interface LimitsStore {
  /** Null until the first event. */
  limits: Limits | null
  history: readonly Limited[] | null
  problem: Problem | null
}

export const firstLimits: LimitsStore = { limits: null, history: null, problem: null }
export const limitsStore = createStore<LimitsStore>(() => firstLimits)
export const useLimits = <T>(select: (store: LimitsStore) => T): T => useStore(limitsStore, select)

export const bucketNames = ['minute', 'freeRequestsHour', 'freeRequestsDay', 'freeTokensHour', 'freeTokensDay'] as const
export type BucketName = (typeof bucketNames)[number]

/** A bucket with the values derived from the two reported numbers. Null without reported numbers. */
export interface BucketView {
  used: number | null
  limit: number | null
  remaining: number | null
  /** 0 to 1. Null when unknown. */
  share: number | null
  level: 'good' | 'warn' | 'bad'
}

export function viewBucketOf({ limit, used, remaining }: LimitBucket): BucketView | null {
  if (limit === null && used === null && remaining === null) return null
  const whole = limit ?? (used !== null && remaining !== null ? used + remaining : null)
  const gone = used ?? (whole !== null && remaining !== null ? Math.max(0, whole - remaining) : null)
  const left = remaining ?? (whole !== null && gone !== null ? Math.max(0, whole - gone) : null)
  const share = whole === null || gone === null ? null : whole > 0 ? Math.min(1, gone / whole) : 1
  const level = share === null || share < 0.8 ? 'good' : share < 0.95 ? 'warn' : 'bad'
  return { used: gone, limit: whole, remaining: left, share, level }
}
