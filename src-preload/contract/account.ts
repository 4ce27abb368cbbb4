import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { id, instant, problemOrNull, procedure, whole } from './problem.ts'
import { endpoint, sc, who } from './requests.ts'
import { coverage, day, figures, signedSc } from './usage.ts'

// Limits of the service and API keys of the account.

/** A counter of the rate-limit status. Each number may be missing. */
const bucket = z.object({
  limit: z.number().nullable(),
  used: z.number().nullable(),
  remaining: z.number().nullable(),
})
export type LimitBucket = z.infer<typeof bucket>

/** Reply of `GET /v1/rate-limit`: the general minute bucket, and requests and tokens of free models per hour and day. */
export const limitStatus = z.object({
  asOf: instant,
  minute: bucket,
  freeRequestsHour: bucket,
  freeRequestsDay: bucket,
  freeTokensHour: bucket,
  freeTokensDay: bucket,
  /** Only for the minute bucket. The specification does not define it for the other buckets. */
  resetSeconds: z.number().nullable(),
  banned: z.boolean(),
  bannedUntil: z.string().nullable(),
})
export type LimitStatus = z.infer<typeof limitStatus>

/** Limits of an API key; null when unset or unknown. */
const keyLimits = z.object({
  rpm: z.number().nullable(),
  tpm: z.number().nullable(),
  concurrent: z.number().nullable(),
})

export const limits = z.object({
  /** The last known status, also from an earlier run, or null. */
  status: limitStatus.nullable(),
  /** Limits of the key in use. */
  key: keyLimits,
  /** Running requests that occupy a slot of the key, longest first, and the number waiting for a slot. */
  slots: z.object({
    used: z.array(z.object({ row: whole.nullable(), who, endpoint, model: z.string().nullable(), since: instant })),
    waiting: whole,
  }),
  /** Whether the service has this endpoint; null before the first query. */
  offers: z.boolean().nullable(),
  problem: problemOrNull,
  /** Time of the next query while a page watches, or null. */
  nextAsk: instant.nullable(),
})
export type Limits = z.infer<typeof limits>

/** A request that the service answered with 429. */
export const limited = z.object({
  row: whole,
  at: instant,
  who,
  endpoint,
  model: z.string().nullable(),
  times: whole,
  /** Waiting time because of 429 only, ms; null in rows of earlier versions, which did not separate it. */
  waitedMs: z.number().nullable(),
  /** The final outcome. */
  ended: z.enum(['done', 'refused', 'cancelled', 'failed', 'running']),
})
export type Limited = z.infer<typeof limited>

export const limitsProcedures = {
  /** Queries the service while a page watches, at most every 15 seconds. Each query counts as a request. */
  watch: procedure.output(eventIterator(limits)),
  /** Newest first. */
  history: procedure.input(z.object({ limit: z.number().int().min(1).max(500) })).output(z.array(limited)),
}

/** An API key of the account as last reported. `totals` is null when never reported. */
export const accountKey = z.object({
  id: z.string(),
  prefix: z.string().nullable(),
  name: z.string().nullable(),
  ...keyLimits.shape,
  balanceEnabled: z.boolean().nullable(),
  balance: signedSc.nullable(),
  balanceLimit: sc.nullable(),
  /** Texts as the service reported them. */
  createdAt: z.string().nullable(),
  lastUsedAt: z.string().nullable(),
  revokedAt: z.string().nullable(),
  /** The key that this program uses. */
  calling: z.boolean(),
  totals: figures.nullable(),
  asOf: instant,
  /** The service listed the key before and no longer does. */
  gone: z.boolean(),
})
export type AccountKey = z.infer<typeof accountKey>

export const keysProcedures = {
  /** The keys of an account, the key in use first, then by last use; again after each change. */
  watch: procedure.input(z.object({ accountId: id })).output(eventIterator(z.array(accountKey))),
  /** Returns the days of one key. A fetched day without a row is zero; a day that was never fetched is a gap. */
  daily: procedure
    .input(z.object({ accountId: id, keyId: z.string(), from: day, to: day }))
    .output(z.array(z.object({ day, state: coverage, figures: figures.nullable() }))),
  /** Fetches records, totals and days of all keys of the account in use. @throws the problem of the service */
  refresh: procedure.output(z.object({ keys: whole })),
}
