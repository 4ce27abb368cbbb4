import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { id, instant, problemOrNull, procedure, whole } from './problem.ts'
import { colour } from './requests.ts'
import { download } from './transfers.ts'

// Usage: figures reported by the service, stored permanently, beside those of the local request log.

/** A calendar day of the service, `2026-11-21`. Never shifted by time zones. */
export const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/)

/** An amount that can be negative: a balance or a difference. */
export const signedSc = z.string().regex(/^-?\d{1,15}(?:\.\d{1,18})?$/)

/** A reported value and when it was reported. */
const said = <T extends z.ZodType>(value: T) => z.object({ value, asOf: instant })

/**
 * An account of the service, as far as accounts can be distinguished. Figures of two accounts are never added. `offers`:
 * whether the service has account endpoints (`unknown` before the first query). Without them only the local request log
 * is available.
 */
/** Stands for the base URL of the sandbox, whose port is another one at each start: the sandbox is one account. */
export const sandboxAddress = 'sandbox'

export const account = z.object({
  id,
  name: z.string(),
  /** `sandboxAddress` for the sandbox. */
  baseUrl: z.string(),
  /** User id of the service; null when never reported. */
  userId: z.string().nullable(),
  /** The account of the connection in use. */
  active: z.boolean(),
  offers: z.enum(['yes', 'no', 'unknown']),
  balance: said(signedSc).nullable(),
  /** Lifetime spend, SC. */
  spent: said(signedSc).nullable(),
  /** When the daily rows were last fetched; null if never. */
  asOf: instant.nullable(),
  /** The first day with data from either source. */
  firstDay: day.nullable(),
  fetching: z.boolean(),
  /** Why the last fetch failed; null after a success. */
  problem: problemOrNull,
})
export type Account = z.infer<typeof account>

/** A count that is negative in a correction. */
const signedWhole = z.int()

/**
 * Totals. Each figure is the sum of the rows that have it, and null when none has it: unknown, not zero. `cost` includes `estimated`
 * requests. Corrections of the service are negative.
 */
export const figures = z.object({
  requests: signedWhole.nullable(),
  tokensIn: signedWhole.nullable(),
  tokensOut: signedWhole.nullable(),
  /** Included in `tokensIn`. The rows of a key do not have it. */
  tokensCached: signedWhole.nullable(),
  cost: signedSc.nullable(),
  estimated: whole,
  /** Requests whose cost is unknown, as far as their number is known. */
  unpriced: signedWhole,
  /** The number of rows of the service that lack each figure; for `cost` of the local log, of requests. Above 0, the figure is a part. */
  missing: z.object({
    requests: whole,
    tokensIn: whole,
    tokensOut: whole,
    tokensCached: whole,
    cost: whole,
  }),
})
export type Figures = z.infer<typeof figures>

/**
 * Completeness of the figures of the service for an interval. `whole`: fetched after its end. `running`: not ended.
 * `partial`: fetched only before its end, and no longer available. `gap`: never fetched, which is not zero.
 */
export const coverage = z.enum(['whole', 'running', 'partial', 'gap'])
export type Coverage = z.infer<typeof coverage>

export const grain = z.enum(['day', 'week', 'month'])
/** Groupings. Both sources have `model`, only the local log has `app` and `feature`, and only the service has `key`. */
export const stackBy = z.enum(['model', 'app', 'feature', 'key'])
export const source = z.enum(['service', 'here'])
export type Source = z.infer<typeof source>

export const viewQuery = z.object({
  accountId: id,
  /** Both days included. */
  from: day,
  to: day,
  grain,
  by: stackBy,
  /** @throws `bad_input` when the source lacks this grouping */
  source,
  /** Only series with this text in the name. */
  search: z.string().max(200).default(''),
})
export type ViewQuery = z.infer<typeof viewQuery>

/** A stacked series. `id`: id of the model, app or key, or the feature. `rest`: all smaller series, merged. */
export const series = z.object({
  id: z.string(),
  name: z.string(),
  colour: colour.nullable(),
  total: figures,
  /** One value per bucket; null without data. */
  requests: z.array(signedWhole.nullable()),
  tokensIn: z.array(signedWhole.nullable()),
  tokensOut: z.array(signedWhole.nullable()),
  tokensCached: z.array(signedWhole.nullable()),
  cost: z.array(signedSc.nullable()),
  /** Rows of the service that lack a figure, or local requests without a known cost: above 0, figures of the bucket are parts. */
  incomplete: z.array(whole.nullable()),
})
export type Series = z.infer<typeof series>

export const view = z.object({
  query: viewQuery,
  /** Weeks start on Monday. `from` and `to` may shorten the first and last bucket. */
  buckets: z.array(z.object({ from: day, to: day, state: coverage })),
  /** By cost, highest first; `rest` last. */
  series: z.array(series),
  total: figures,
  /** The preceding range of the same length; null without data. */
  before: z.object({ from: day, to: day, total: figures, state: coverage }).nullable(),
  asOf: instant.nullable(),
})
export type UsageView = z.infer<typeof view>

/** A column of figures as text (`column.ts`). */
const column = z.string()

/**
 * A view as sent to the page. Ten years of days of a dozen models are 200,000 cells. Encoding each cell would block core,
 * transport and page for a second. Encoding a few texts takes some milliseconds.
 */
export const packedView = view.extend({
  /** Days between commas; `to` is empty when a bucket is one day. `state`: one letter per bucket. */
  buckets: z.object({ from: z.string(), to: z.string(), state: z.string().regex(/^[wrpg]*$/) }),
  series: z.array(
    series.extend({
      requests: column,
      tokensIn: column,
      tokensOut: column,
      tokensCached: column,
      cost: column,
      incomplete: column,
    }),
  ),
})
export type PackedView = z.infer<typeof packedView>

/**
 * Why the sources differ for a model and day. `same`: no difference. `elsewhere`: the service has more, from other
 * computers or programs. `not_yet`: the request log has more, and the service may still report it. `here_more`: the
 * request log has more for a closed day, because its costs are estimates or the service dropped something. `unpriced`:
 * no local price. `gap`: the service has no figures. `incomplete`: the service left figures out, so the sources cannot be compared.
 */
export const drift = z.enum(['same', 'elsewhere', 'not_yet', 'here_more', 'unpriced', 'gap', 'incomplete'])
export type Drift = z.infer<typeof drift>

/** One model over some days. `elsewhere` is service minus request log; null when either is unknown. */
export const comparison = z.object({
  model: z.string(),
  /** Null: all days of the range. */
  day: day.nullable(),
  service: figures.nullable(),
  here: figures.nullable(),
  elsewhere: signedSc.nullable(),
  drift,
})
export type Comparison = z.infer<typeof comparison>

/** The service changed the figures of a closed day. */
export const correction = z.object({
  day,
  model: z.string(),
  keyId: z.string().nullable(),
  before: figures,
  beforeAsOf: instant,
  after: figures,
  afterAsOf: instant,
})

/** A row of the service whose date names no day of its report. It is stored and excluded from all totals. */
export const undatedRow = z.object({
  /** Text of the service; empty when missing. */
  date: z.string(),
  /** `future`: after tomorrow at the time of the report. `past`: over 400 days before it. */
  why: z.enum(['none', 'unreadable', 'future', 'past']),
  model: z.string(),
  keyId: z.string().nullable(),
  figures,
  asOf: instant,
})

export const summary = z.object({
  account,
  /** Average spend per day over the last seven whole days, from the service; null when unknown. */
  pace: signedSc.nullable(),
  /** Whole days until the balance is used up at `pace`; null when unknown or without spend. */
  daysLeft: whole.nullable(),
  corrections: whole,
  /** Number of rows without a day, see `undated`. */
  undated: whole,
  /** Days since `firstDay` without figures of the service. */
  gaps: whole,
})
export type Summary = z.infer<typeof summary>

/** A current amount. `estimated`: includes requests of this computer that the report at `asOf` did not contain. `asOf` null: no report. */
const amountNow = z.object({ amount: signedSc, estimated: z.boolean(), asOf: instant.nullable() })

/** Spend of today (UTC) and balance of the account in use; null when unknown. */
export const currentSpend = z.object({ today: amountNow.nullable(), balance: amountNow.nullable() })
export type CurrentSpend = z.infer<typeof currentSpend>

const range = z.object({ accountId: id, from: day, to: day })

/** The file formats of tables: usage and the request log. */
const tableFormat = z.enum(['csv', 'json', 'parquet'])
export type TableFormat = z.infer<typeof tableFormat>

export const usageProcedures = {
  /** All accounts, the one in use first, again after each change. */
  watch: procedure.output(eventIterator(z.array(account))),
  /**
   * Fetches the account in use now. Within ten seconds of the last fetch, returns its result.
   * @throws the problem of the service
   */
  refresh: procedure.output(account),
  /** Today's spend and the balance, again after each request that ends and each report of the service. */
  watchSpend: procedure.output(eventIterator(currentSpend)),
  /**
   * Adds the usage of an earlier account to another one: days that only the earlier one reported, and all requests of its log. The earlier
   * account is deleted. @throws `no_such_item`, `bad_input` if the earlier account is in use or both are the same
   */
  merge: procedure.input(z.object({ from: id, into: id })).output(account),
  rename: procedure.input(z.object({ id, name: z.string().trim().min(1).max(100) })).output(account),
  summary: procedure.input(z.object({ accountId: id })).output(summary),
  view: procedure.input(viewQuery).output(packedView),
  /** By model over the range, or per day (`daily`). */
  compare: procedure.input(range.extend({ daily: z.boolean().default(false) })).output(z.array(comparison)),
  corrections: procedure.input(range).output(z.array(correction)),
  /** Most recently reported first, at most 1,000. */
  undated: procedure.input(z.object({ accountId: id })).output(z.array(undatedRow)),
  /** Conversations of this computer by their cost for one account. */
  topConversations: procedure
    .input(z.object({ accountId: id, from: day, to: day, limit: z.number().int().min(1).max(100) }))
    .output(z.array(z.object({ conversationId: id, title: z.string().nullable(), total: figures }))),
  /** The view as a table with a row per bucket and series. */
  export: procedure.input(viewQuery.extend({ format: tableFormat })).output(download),
}
