import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { LimitBucket, Limited, Limits } from '../../src-preload/contract/account.ts'
import type { Problem } from '../../src-preload/contract/problem.ts'

export interface LimitsStore {
  /** Null until the core told. */
  limits: Limits | null
  history: readonly Limited[] | null
  problem: Problem | null
}

export const firstLimits: LimitsStore = { limits: null, history: null, problem: null }
export const limitsStore = createStore<LimitsStore>(() => firstLimits)
export const useLimits = <T>(select: (store: LimitsStore) => T): T => useStore(limitsStore, select)

export const bucketNames = ['minute', 'freeRequestsHour', 'freeRequestsDay', 'freeTokensHour', 'freeTokensDay'] as const
export type BucketName = (typeof bucketNames)[number]

/** A bucket with what can be worked out from the two numbers that came; null where nothing of it is told. */
export interface BucketView {
  used: number | null
  limit: number | null
  remaining: number | null
  /** 0 to 1; null where it can't be worked out. */
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

/** Seconds until the minute bucket is full again, counted on from when it was told; null where it was not, or the time has passed. */
export function secondsLeft(resetSeconds: number | null, asOf: string, now: number): number | null {
  if (resetSeconds === null) return null
  const left = Math.ceil((Date.parse(asOf) + resetSeconds * 1_000 - now) / 1_000)
  return Number.isFinite(left) && left > 0 ? left : null
}
