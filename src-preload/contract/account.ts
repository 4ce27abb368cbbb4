import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { id, instant, problem, procedure } from './problem.ts'
import { endpoint, sc, who } from './requests.ts'
import { coverage, day, figures, signedSc } from './usage.ts'

// What the service says of its limits and of the account's keys.

/** A counter of the rate-limit status; each number may be absent. */
const bucket = z.object({
  limit: z.number().nullable(),
  used: z.number().nullable(),
  remaining: z.number().nullable(),
})
export type LimitBucket = z.infer<typeof bucket>

/** `GET /v1/rate-limit`: the general minute bucket, and requests and tokens of free models by hour and day. */
export const limitStatus = z.object({
  asOf: instant,
  minute: bucket,
  freeRequestsHour: bucket,
  freeRequestsDay: bucket,
  freeTokensHour: bucket,
  freeTokensDay: bucket,
  /** Of the minute bucket alone: the specification says nothing of the others. */
  resetSeconds: z.number().nullable(),
  banned: z.boolean(),
  bannedUntil: z.string().nullable(),
})
export type LimitStatus = z.infer<typeof limitStatus>

export const limits = z.object({
  /** The last that is known, also from an earlier run; null if there never was one. */
  status: limitStatus.nullable(),
  /** Of the calling key; null where they are unset or unknown. */
  key: z.object({ rpm: z.number().nullable(), tpm: z.number().nullable(), concurrent: z.number().nullable() }),
  /** Requests that hold a slot of the key now, the longest first, and how many wait for one. */
  slots: z.object({
    used: z.array(
      z.object({ row: z.number().int().nullable(), who, endpoint, model: z.string().nullable(), since: instant }),
    ),
    waiting: z.number().int(),
  }),
  /** Null while the service was not asked yet. */
  offers: z.boolean().nullable(),
  problem: problem.nullable(),
  /** When it is asked next, while somebody looks; null: not. */
  nextAsk: instant.nullable(),
})
export type Limits = z.infer<typeof limits>

/** A request that the service answered with 429, and what it waited before it went on. */
export const limited = z.object({
  row: z.number().int(),
  at: instant,
  who,
  endpoint,
  model: z.string().nullable(),
  times: z.number().int(),
  /** For its 429s alone; null where an earlier version did not tell that apart from waits for something else. */
  waitedMs: z.number().nullable(),
  /** Whether it got through in the end. */
  ended: z.enum(['done', 'refused', 'cancelled', 'failed', 'running']),
})
export type Limited = z.infer<typeof limited>

export const limitsProcedures = {
  /** Asks the service as long as somebody watches, at most every 15 seconds; each asking is a counted request. */
  watch: procedure.output(eventIterator(limits)),
  /** The newest first. */
  history: procedure.input(z.object({ limit: z.number().int().min(1).max(500) })).output(z.array(limited)),
}

/** A key of the account as last told. `figures` are its totals; null where they were never told. */
export const accountKey = z.object({
  id: z.string(),
  prefix: z.string().nullable(),
  name: z.string().nullable(),
  rpm: z.number().nullable(),
  tpm: z.number().nullable(),
  concurrent: z.number().nullable(),
  balanceEnabled: z.boolean().nullable(),
  balance: signedSc.nullable(),
  balanceLimit: sc.nullable(),
  /** As the service wrote them. */
  createdAt: z.string().nullable(),
  lastUsedAt: z.string().nullable(),
  revokedAt: z.string().nullable(),
  /** The key that this program calls with. */
  calling: z.boolean(),
  totals: figures.nullable(),
  asOf: instant,
  /** The service listed it once and does no more. */
  gone: z.boolean(),
})
export type AccountKey = z.infer<typeof accountKey>

export const keysProcedures = {
  /** The keys of a book, the calling one first, then by last use; and again when they change. */
  watch: procedure.input(z.object({ accountId: id })).output(eventIterator(z.array(accountKey))),
  /** Days of one key; a day without a row that was fetched is nothing, one that was not is a gap. */
  daily: procedure
    .input(z.object({ accountId: id, keyId: z.string(), from: day, to: day }))
    .output(z.array(z.object({ day, state: coverage, figures: figures.nullable() }))),
  /** Fetches records, totals and days of all keys of the active book now. @throws as the service fails */
  refresh: procedure.output(z.object({ keys: z.number().int() })),
}
