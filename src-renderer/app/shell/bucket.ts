import type { MinuteBucket } from '../../../src-preload/contract/app.ts'
import type { Level } from '../../shared/ui/Meter.tsx'

/** The used part of a limit from which the status bar shows it. */
const nearShare = 0.8

export interface NearLimit {
  used: number
  limit: number
  /** Null when the service does not report it. */
  resetsInSeconds: number | null
  level: Level
}

/**
 * The general limit of requests per minute, from 80 % of it on. Null below, when the service does not report its use, and when the reported
 * minute has ended.
 * @param now ms since 1970
 */
export function nearLimit({ limit, remaining, resetSeconds, asOf }: MinuteBucket, now: number): NearLimit | null {
  if (limit === null || remaining === null || limit <= 0) return null
  const used = Math.max(0, limit - remaining)
  const left = Math.ceil((resetSeconds ?? 60) - (now - Date.parse(asOf)) / 1000)
  const share = used / limit
  if (share < nearShare || left <= 0) return null
  return { used, limit, resetsInSeconds: resetSeconds === null ? null : left, level: share >= 0.95 ? 'bad' : 'warn' }
}
