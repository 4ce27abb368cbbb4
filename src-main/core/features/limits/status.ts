import { type LimitBucket, type LimitStatus, limitStatus } from '../../../../src-preload/contract/account.ts'
import { asStudioError } from '../../errors.ts'
import { parseJson } from '../../store/rows.ts'
import type { RateLimitStatus } from '../../upstream/reply/schemas.ts'

/** The service's counters, one by one. The seconds until reset belong only to the minute bucket (specification, GET /v1/rate-limit). */
export function statusOf(status: RateLimitStatus, at: Date): LimitStatus {
  return {
    asOf: at.toISOString(),
    minute: bucketOf(status.limit_rpm, status.used_rpm, status.remaining_rpm),
    freeRequestsHour: bucketOf(status.limit_rph, status.used_rph, status.remaining_rph),
    freeRequestsDay: bucketOf(status.limit_rpd, status.used_rpd, status.remaining_rpd),
    freeTokensHour: bucketOf(status.limit_tph, status.used_tph, status.remaining_tph),
    freeTokensDay: bucketOf(status.limit_tpd, status.used_tpd, status.remaining_tpd),
    resetSeconds: status.reset_seconds ?? null,
    banned: status.banned ?? false,
    bannedUntil: status.banned_until ?? null,
  }
}

type Given = number | null | undefined

const bucketOf = (limit: Given, used: Given, remaining: Given): LimitBucket => ({
  limit: limit ?? null,
  used: used ?? null,
  remaining: remaining ?? null,
})

/** Whether a failure means that the service lacks this endpoint, as other OpenAI-style servers do. */
export function isNotOffered(thrown: unknown): boolean {
  const { kind, facts } = asStudioError(thrown)
  return kind === 'not_found' || kind === 'not_implemented' || kind === 'malformed_reply' || facts.status === 405
}

/** Parses a stored status; null for anything else. */
export function readStatus(kept: string | null): LimitStatus | null {
  return kept === null ? null : (limitStatus.safeParse(parseJson(kept)).data ?? null)
}
