import { eventIterator } from '@orpc/contract'
import * as z from 'zod'
import { id, instant, problem, procedure } from './problem.ts'
import { colour, sc } from './requests.ts'
import { download } from './transfers.ts'

// The books: what the service said that it cost, kept for ever, beside what this machine's log of requests knows.

/** A service date as a day of the calendar, `2026-11-21`, never shifted by anybody's time zone. */
export const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/)

/** An amount that may be below nothing: a balance, a difference. */
export const signedSc = z.string().regex(/^-?\d{1,15}(?:\.\d{1,18})?$/)

/** What was said, and when that was. */
const said = <T extends z.ZodType>(value: T) => z.object({ value, asOf: instant })

/**
 * One account at one base address, as far as it can be told apart; books of two are never added up. `offers`: whether the service has the
 * read-outs of an account at all (`unknown` until it was asked); without them there is the log of this machine alone.
 */
export const account = z.object({
  id,
  name: z.string(),
  baseUrl: z.string(),
  /** As the service names it; null where it never said. */
  userId: z.string().nullable(),
  /** The one that is connected now. */
  active: z.boolean(),
  offers: z.enum(['yes', 'no', 'unknown']),
  balance: said(signedSc).nullable(),
  /** Of the account's whole life. */
  spent: said(sc).nullable(),
  /** When the daily rows were fetched last; null if never. */
  asOf: instant.nullable(),
  /** The first day of which anything is known, from the service or from here. */
  firstDay: day.nullable(),
  fetching: z.boolean(),
  /** Why the last fetch failed; null once one succeeded. */
  problem: problem.nullable(),
})
export type Account = z.infer<typeof account>

/** Sums. `cost` is null where nobody knows any of it; `unpriced` requests are in no cost; `estimated` ones are, by an estimate. */
export const figures = z.object({
  requests: z.number().int(),
  tokensIn: z.number().int(),
  tokensOut: z.number().int(),
  /** A part of `tokensIn`; null where it is not told (the service's rows of a key). */
  tokensCached: z.number().int().nullable(),
  cost: sc.nullable(),
  estimated: z.number().int(),
  unpriced: z.number().int(),
})
export type Figures = z.infer<typeof figures>

/**
 * How well the service's side of a stretch is known. `whole`: fetched after it had ended. `running`: it has not ended. `partial`: fetched only
 * before it had ended, and the window has passed. `gap`: never fetched. A gap is never nothing.
 */
export const coverage = z.enum(['whole', 'running', 'partial', 'gap'])
export type Coverage = z.infer<typeof coverage>

export const grain = z.enum(['day', 'week', 'month'])
/** `model` exists on both sides, `app` and `feature` only in the local log, `key` only at the service. */
export const stackBy = z.enum(['model', 'app', 'feature', 'key'])
export const source = z.enum(['service', 'here'])
export type Source = z.infer<typeof source>

export const viewQuery = z.object({
  accountId: id,
  /** Both included. */
  from: day,
  to: day,
  grain,
  by: stackBy,
  /** @throws `bad_input` where that side does not know `by`. */
  source,
  /** Only what has this in its name. */
  search: z.string().max(200).default(''),
})
export type ViewQuery = z.infer<typeof viewQuery>

/** What is stacked. `id`: the model's id, the tool's or key's id, or the room; `rest` holds what has no place of its own. */
export const series = z.object({
  id: z.string(),
  name: z.string(),
  colour: colour.nullable(),
  total: figures,
  /** One for each bucket; null where it has none. */
  requests: z.array(z.number().int().nullable()),
  tokensIn: z.array(z.number().int().nullable()),
  tokensOut: z.array(z.number().int().nullable()),
  tokensCached: z.array(z.number().int().nullable()),
  cost: z.array(sc.nullable()),
})
export type Series = z.infer<typeof series>

export const view = z.object({
  query: viewQuery,
  /** Weeks begin on Monday. The first and the last may be cut by `from` and `to`. */
  buckets: z.array(z.object({ from: day, to: day, state: coverage })),
  /** The dearest first, `rest` last. */
  series: z.array(series),
  total: figures,
  /** The same number of days just before; null where nothing is known of them. */
  before: z.object({ from: day, to: day, total: figures, state: coverage }).nullable(),
  asOf: instant.nullable(),
})
export type UsageView = z.infer<typeof view>

/** A column of figures as one text (`column.ts`). */
const column = z.string()

/**
 * A view on its way to the page. Ten years of days of a dozen models are 200,000 cells: told one by one they would hold the core, the wire and
 * the page for a second, as a few texts for some milliseconds.
 */
export const packedView = view.extend({
  /** Days between commas; `to` is nothing where a bucket is one day. `state`: a letter for each bucket. */
  buckets: z.object({ from: z.string(), to: z.string(), state: z.string().regex(/^[wrpg]*$/) }),
  series: z.array(
    series.extend({ requests: column, tokensIn: column, tokensOut: column, tokensCached: column, cost: column }),
  ),
})
export type PackedView = z.infer<typeof packedView>

/**
 * Why the two sides of one model and day differ. `same`. `elsewhere`: the service has more, from other machines or programs. `not_yet`: this
 * machine has more, and the service may still report it. `here_more`: this machine has more although the day is closed: its costs are
 * estimates, or the service dropped something. `unpriced`: nothing here has a price. `gap`: the service's side is not known.
 */
export const drift = z.enum(['same', 'elsewhere', 'not_yet', 'here_more', 'unpriced', 'gap'])
export type Drift = z.infer<typeof drift>

/** One model in a stretch of days; `elsewhere` is service minus here, null where a side is unknown. */
export const comparison = z.object({
  model: z.string(),
  /** Null: over all days asked for. */
  day: day.nullable(),
  service: figures.nullable(),
  here: figures.nullable(),
  elsewhere: signedSc.nullable(),
  drift,
})
export type Comparison = z.infer<typeof comparison>

/** The service said something else of a closed day than before. */
export const correction = z.object({
  day,
  model: z.string(),
  keyId: z.string().nullable(),
  before: figures,
  beforeAsOf: instant,
  after: figures,
  afterAsOf: instant,
})

/** A row of the service whose date nobody can read, or that lies in no window: it is kept as it was told, and is in no sum. */
export const undatedRow = z.object({
  /** As the service wrote it; empty where it wrote none. */
  date: z.string(),
  model: z.string(),
  keyId: z.string().nullable(),
  figures,
  asOf: instant,
})

export const summary = z.object({
  account,
  /** Spend of the service's rows over the last seven whole days, a day; null where they are not known. */
  pace: sc.nullable(),
  /** Whole days that the balance lasts at that pace; null where either is unknown, or nothing is spent. */
  daysLeft: z.number().int().nullable(),
  today: z.object({ service: sc.nullable(), here: sc.nullable() }),
  corrections: z.number().int(),
  /** Rows without a day, see `undated`. */
  undated: z.number().int(),
  /** Days since `firstDay` of which the service's side is a gap. */
  gaps: z.number().int(),
})
export type Summary = z.infer<typeof summary>

const range = z.object({ accountId: id, from: day, to: day })

export const usageProcedures = {
  /** Every book, the active one first, and again when one changes. */
  watch: procedure.output(eventIterator(z.array(account))),
  /** Fetches the active book now. Within ten seconds of the last fetch it answers that one. @throws as the service fails */
  refresh: procedure.output(account),
  rename: procedure.input(z.object({ id, name: z.string().trim().min(1).max(100) })).output(account),
  summary: procedure.input(z.object({ accountId: id })).output(summary),
  view: procedure.input(viewQuery).output(packedView),
  /** By model over the stretch, or of each day (`daily`). */
  compare: procedure.input(range.extend({ daily: z.boolean().default(false) })).output(z.array(comparison)),
  corrections: procedure.input(range).output(z.array(correction)),
  /** The newest told first, at most 1,000. */
  undated: procedure.input(z.object({ accountId: id })).output(z.array(undatedRow)),
  /** Conversations of this machine by what they cost. */
  topConversations: procedure
    .input(z.object({ from: day, to: day, limit: z.number().int().min(1).max(100) }))
    .output(z.array(z.object({ conversationId: id, title: z.string().nullable(), total: figures }))),
  /** The view as a table: a row for each bucket and series. */
  export: procedure.input(viewQuery.extend({ format: z.enum(['csv', 'json', 'parquet']) })).output(download),
}
