import type { MinuteBucket } from '../../../src-preload/contract/app.ts'
import type { Level } from '../../shared/ui/Meter.tsx'

/** The general requests-per-minute limit at `now`. Unknown values are null. */
export interface BucketSummary {
  used: number | null
  limit: number | null
  remaining: number | null
  /** Null after the reported reset time: the values then belong to an earlier minute. */
  resetsInSeconds: number | null
  level: Level
}

/** `now` is in ms since 1970. */
export function viewBucket(bucket: MinuteBucket, now: number): BucketSummary {
  const { limit, remaining, resetSeconds } = bucket
  const used = limit !== null && remaining !== null ? Math.max(0, limit - remaining) : null
  const left = resetSeconds === null ? null : Math.ceil(resetSeconds - (now - Date.parse(bucket.asOf)) / 1000)
  const share = used !== null && limit ? used / limit : 0
  return {
    used,
    limit,
    remaining,
    resetsInSeconds: left !== null && left > 0 ? left : null,
    level: bucket.banned || share >= 0.95 ? 'bad' : share >= 0.75 ? 'warn' : 'good',
  }
}
