import type { Database } from '../database.ts'
import type { ReadHandle } from '../readOnly.ts'
import { number, numberOrNull, type Row, text, textOrNull } from '../rows.ts'
import { codeOf, endpoints, outcomes, sentCondition } from './codes.ts'

/** A row of the log as stored: numbers for words (codes.ts), times in microseconds, money in billionths of an SC. */
export interface StoredRequest {
  id: number
  at: number
  caller: number
  endpoint: number
  stream: number
  outcome: number | null
  state: number | null
  status: number | null
  attempts: number
  queuedUs: number
  backoffUs: number
  /** The part of `backoffUs` after a 429; null in a row of an earlier version. */
  backoff429Us: number | null
  connectUs: number | null
  firstByteUs: number | null
  durationUs: number | null
  bytesUp: number
  bytesDown: number
  tokensIn: number | null
  tokensOut: number | null
  tokensCached: number | null
  tokensAre: number
  cost: bigint | null
  costIs: number
  requestId: string | null
  hasBodies: number
  times: number
  cancelledBy: number | null
  /** Status codes, separated by commas. */
  retriedAfter: string | null
  /** Null: POST. */
  method: string | null
  /** Null: the endpoint's own path. */
  path: string | null
  /** Only when `callers` does not have the model. */
  model: string | null
  /** Description of a caller without a key. */
  origin: string | null
  problemKind: string | null
  problemMessage: string | null
  /** Null: the service's own API. */
  dialect: number | null
  /** Null: the model that was sent. */
  askedModel: string | null
  /** Null: the model that was sent. */
  answeredModel: string | null
  finishReason: string | null
  /** JSON list; null: empty. */
  ignored: string | null
  /** JSON list; null: empty. */
  adapted: string | null
  /** Null: nobody was asked. */
  answer: number | null
}

export type OpenedRequest = Pick<StoredRequest, 'id' | 'at' | 'caller' | 'endpoint' | 'stream' | 'method' | 'path'>

/** Money is read as text, because 64 bits are more than a JavaScript number represents exactly. */
export const requestColumns = `r.id, r.at, r.caller, r.endpoint, r.outcome, r.request_id, r.problem_message, r.problem_kind, r.path,
  r.model, r.stream, r.state, r.status, r.attempts, r.queued_us, r.backoff_us, r.connect_us, r.first_byte_us, r.duration_us,
  r.bytes_up, r.bytes_down, r.tokens_in, r.tokens_out, r.tokens_cached, r.tokens_are, CAST(r.cost AS TEXT) AS cost_text, r.cost_is,
  r.has_bodies, r.times, r.cancelled_by, r.retried_after, r.method, r.origin, r.backoff_429_us,
  r.dialect, r.asked_model, r.answered_model, r.finish_reason, r.ignored, r.adapted, r.answer`

export type RequestTable = ReturnType<typeof requestTable>

/** Bounds the time that reading takes. A day that is not read in full is not used. */
const mostSpoken = 5000
/** Bounds the time that reading takes, because requests without a cost are skipped. */
const mostPriced = 200

/** The read statements of `requestTable`. */
export function requestReader(handle: ReadHandle) {
  const one = handle.prepare(`SELECT ${requestColumns} FROM requests AS r WHERE r.id = ?`)
  const lastOne = handle.prepare('SELECT id, at FROM requests ORDER BY id DESC LIMIT 1')
  const atOrAfter = handle.prepare('SELECT id, at FROM requests WHERE id >= ? ORDER BY id LIMIT 1')
  const left = handle.prepare(
    `SELECT ${requestColumns} FROM requests AS r NOT INDEXED WHERE r.id >= ? AND r.outcome IS NULL ORDER BY r.id`,
  )
  const minutes = handle.prepare(
    `SELECT caller, at / 60000 AS minute, count(*) AS n FROM requests NOT INDEXED
      WHERE id >= ? AND at >= ? AND ${sentCondition} GROUP BY 1, 2`,
  )
  const outputs = handle.prepare(
    `SELECT caller, model, avg(tokens_out) AS mean, count(*) AS n FROM requests NOT INDEXED
      WHERE id > ? AND tokens_out > 0 GROUP BY 1, 2`,
  )
  const since = handle.prepare(
    `SELECT id, caller, CAST(cost AS TEXT) AS cost_text FROM requests NOT INDEXED
      WHERE id >= ? AND outcome IS NOT NULL AND ${sentCondition} AND at * 1000 + coalesce(duration_us, 0) > ? * 1000`,
  )
  const sentBy = handle.prepare(
    `SELECT 1 FROM requests INDEXED BY requests_by_caller
      WHERE caller = ? AND outcome IS NOT NULL AND outcome <> ${codeOf(outcomes, 'refused')} AND attempts > 0 LIMIT 1`,
  )
  // The condition must be textually equal to that of the index.
  const limited = handle.prepare(
    `SELECT ${requestColumns} FROM requests AS r INDEXED BY requests_limited
      WHERE ((r.status = 429 AND r.outcome <> 2) OR instr(r.retried_after, '429') > 0) AND r.id < ?
      ORDER BY r.id DESC LIMIT ?`,
  )

  const spoken = handle.prepare(
    `SELECT r.id, r.at, r.bytes_up, r.endpoint FROM requests AS r INDEXED BY requests_by_caller
      WHERE r.caller = ? AND r.outcome = ${codeOf(outcomes, 'ok')} ORDER BY r.id DESC LIMIT ${mostSpoken}`,
  )
  const speech = codeOf(endpoints, 'speech')
  const priced = handle.prepare(
    `SELECT id, CAST(cost AS TEXT) AS cost_text, tokens_in, tokens_out
      FROM (SELECT * FROM requests AS r INDEXED BY requests_by_caller
        WHERE r.caller = ? AND r.outcome = ${codeOf(outcomes, 'ok')} ORDER BY r.id DESC LIMIT ${mostPriced})
      WHERE cost > 0 ORDER BY id DESC LIMIT ?`,
  )

  return {
    get(id: number): StoredRequest | null {
      const row = one.get(id)
      return row ? readRequest(row) : null
    },
    last: (): { id: number; at: number } | null => idAndAt(lastOne.get()),
    /** The first row with this id or a higher one. */
    from: (id: number): { id: number; at: number } | null => idAndAt(atOrAfter.get(id)),
    /** Rows from an id on that have not ended. */
    leftOpen: (id: number): StoredRequest[] => left.all(id).map(readRequest),
    perMinute: (id: number, at: number): { caller: number; minute: number; n: number }[] =>
      minutes
        .all(id, at)
        .map((row) => ({ caller: number(row, 'caller'), minute: number(row, 'minute'), n: number(row, 'n') })),
    /** Requests from an id on that ended after `at` (ms since 1970), without those that were never sent. */
    spentSince: (id: number, at: number): Pick<StoredRequest, 'id' | 'caller' | 'cost'>[] =>
      since.all(id, at).map((row) => {
        const cost = textOrNull(row, 'cost_text')
        return { id: number(row, 'id'), caller: number(row, 'caller'), cost: cost === null ? null : BigInt(cost) }
      }),
    /** Whether a request of this caller was sent to the service and has ended. */
    hasSent: (caller: number): boolean => sentBy.get(caller) !== undefined,
    meanOutputs: (id: number): { caller: number; model: string | null; mean: number; n: number }[] =>
      outputs.all(id).map((row) => ({
        caller: number(row, 'caller'),
        model: textOrNull(row, 'model'),
        mean: number(row, 'mean'),
        n: number(row, 'n'),
      })),
    /** Successful requests for speech among the newest 5,000 of each caller, newest first for each. */
    newestSpoken: (callers: readonly number[]): { id: number; at: number; bytesUp: number }[] =>
      callers
        .flatMap((caller) => spoken.all(caller))
        .filter((row) => number(row, 'endpoint') === speech)
        .map((row) => ({ id: number(row, 'id'), at: number(row, 'at'), bytesUp: number(row, 'bytes_up') })),
    /** Successful requests of each caller that cost something, newest first, at most `limit` in all. */
    newestPriced: (callers: readonly number[], limit: number): { id: number; cost: bigint; tokens: number }[] =>
      callers
        .flatMap((caller) => priced.all(caller, limit))
        .map((row) => ({
          id: number(row, 'id'),
          cost: BigInt(text(row, 'cost_text')),
          tokens: (numberOrNull(row, 'tokens_in') ?? 0) + (numberOrNull(row, 'tokens_out') ?? 0),
        }))
        .sort((a, b) => b.id - a.id)
        .slice(0, limit),
    /** Requests with ids below `before` that the service answered with 429, newest first. Does not include requests refused by this program. */
    limited: (before: number, limit: number): StoredRequest[] => limited.all(before, limit).map(readRequest),
  }
}

/** Writes rows. The caller has opened the transaction, one for all rows of a turn of the event loop. */
export function requestTable({ handle }: Pick<Database, 'handle'>) {
  const openUsual = handle.prepare('INSERT INTO requests (id, at, caller, endpoint, stream) VALUES (?, ?, ?, ?, ?)')
  const openOther = handle.prepare(
    'INSERT INTO requests (id, at, caller, endpoint, stream, method, path) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  // Most rows end without problems. The rest use a second statement, which saves thirteen parameters in most cases.
  const close = handle.prepare(
    `UPDATE requests SET caller = ?, stream = ?, outcome = ?, state = ?, status = ?, attempts = ?, queued_us = ?,
      connect_us = ?, first_byte_us = ?, duration_us = ?, bytes_up = ?, bytes_down = ?, tokens_in = ?, tokens_out = ?,
      tokens_cached = ?, tokens_are = ?, cost = ?, cost_is = ?, request_id = ?, finish_reason = ? WHERE id = ?`,
  )
  const translated = handle.prepare(
    'UPDATE requests SET dialect = ?, asked_model = ?, answered_model = ?, ignored = ? WHERE id = ?',
  )
  const adapted = handle.prepare('UPDATE requests SET adapted = ?, answer = ? WHERE id = ?')
  const trouble = handle.prepare(
    `UPDATE requests SET backoff_us = ?, backoff_429_us = ?, cancelled_by = ?, retried_after = ?, model = ?, problem_kind = ?,
      problem_message = ?, has_bodies = ? WHERE id = ?`,
  )
  const refuse = handle.prepare(
    `INSERT INTO requests (id, at, caller, endpoint, outcome, state, status, method, path, origin, problem_kind,
      problem_message, model, dialect, answer, cost, cost_is, duration_us, times)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, ?)`,
  )
  const remove = handle.prepare('DELETE FROM requests WHERE id = ?')
  const forget = handle.prepare('UPDATE requests SET has_bodies = 0 WHERE id = ?')
  const remember = handle.prepare('UPDATE requests SET has_bodies = 1 WHERE id = ?')

  return {
    ...requestReader(handle),
    open(row: OpenedRequest): void {
      if (row.method === null && row.path === null) openUsual.run(row.id, row.at, row.caller, row.endpoint, row.stream)
      else openOther.run(row.id, row.at, row.caller, row.endpoint, row.stream, row.method, row.path)
    },
    /** Returns false when the row does not exist. */
    close(r: StoredRequest): boolean {
      const { changes } = close.run(
        ...[r.caller, r.stream, r.outcome, r.state, r.status, r.attempts, r.queuedUs, r.connectUs, r.firstByteUs],
        ...[r.durationUs, r.bytesUp, r.bytesDown, r.tokensIn, r.tokensOut, r.tokensCached, r.tokensAre, r.cost],
        ...[r.costIs, r.requestId, r.finishReason, r.id],
      )
      if (r.dialect !== null || r.askedModel !== null || r.answeredModel !== null || r.ignored !== null) {
        translated.run(r.dialect, r.askedModel, r.answeredModel, r.ignored, r.id)
      }
      if (r.adapted !== null || r.answer !== null) adapted.run(r.adapted, r.answer, r.id)
      const quiet =
        r.backoffUs === 0 &&
        r.cancelledBy === null &&
        r.retriedAfter === null &&
        r.model === null &&
        r.problemKind === null &&
        r.hasBodies === 0
      if (quiet) return changes === 1
      trouble.run(
        ...[
          r.backoffUs,
          r.backoff429Us,
          r.cancelledBy,
          r.retriedAfter,
          r.model,
          r.problemKind,
          r.problemMessage,
          r.hasBodies,
          r.id,
        ],
      )
      return changes === 1
    },
    /** Inserts a refused request as a complete row. */
    refuse(r: StoredRequest): void {
      refuse.run(
        ...[r.id, r.at, r.caller, r.endpoint, r.outcome, r.state, r.status, r.method, r.path, r.origin],
        ...[r.problemKind, r.problemMessage, r.model, r.dialect, r.answer, r.times],
      )
    },
    /** Deletes a refused row whose place a repeat has taken. */
    remove: (id: number): void => void remove.run(id),
    forgetBodies: (id: number): void => void forget.run(id),
    /** Records that the bodies of the request are stored. */
    hasBodies: (id: number): void => void remember.run(id),
  }
}

const idAndAt = (row: Row | undefined): { id: number; at: number } | null =>
  row ? { id: number(row, 'id'), at: number(row, 'at') } : null

export function readRequest(row: Row): StoredRequest {
  const cost = textOrNull(row, 'cost_text')
  return {
    id: number(row, 'id'),
    at: number(row, 'at'),
    caller: number(row, 'caller'),
    endpoint: number(row, 'endpoint'),
    stream: number(row, 'stream'),
    outcome: numberOrNull(row, 'outcome'),
    state: numberOrNull(row, 'state'),
    status: numberOrNull(row, 'status'),
    attempts: number(row, 'attempts'),
    queuedUs: number(row, 'queued_us'),
    backoffUs: number(row, 'backoff_us'),
    backoff429Us: numberOrNull(row, 'backoff_429_us'),
    connectUs: numberOrNull(row, 'connect_us'),
    firstByteUs: numberOrNull(row, 'first_byte_us'),
    durationUs: numberOrNull(row, 'duration_us'),
    bytesUp: number(row, 'bytes_up'),
    bytesDown: number(row, 'bytes_down'),
    tokensIn: numberOrNull(row, 'tokens_in'),
    tokensOut: numberOrNull(row, 'tokens_out'),
    tokensCached: numberOrNull(row, 'tokens_cached'),
    tokensAre: number(row, 'tokens_are'),
    cost: cost === null ? null : BigInt(cost),
    costIs: number(row, 'cost_is'),
    requestId: textOrNull(row, 'request_id'),
    hasBodies: number(row, 'has_bodies'),
    times: number(row, 'times'),
    cancelledBy: numberOrNull(row, 'cancelled_by'),
    retriedAfter: textOrNull(row, 'retried_after'),
    method: textOrNull(row, 'method'),
    path: textOrNull(row, 'path'),
    model: textOrNull(row, 'model'),
    origin: textOrNull(row, 'origin'),
    problemKind: textOrNull(row, 'problem_kind'),
    problemMessage: textOrNull(row, 'problem_message'),
    dialect: numberOrNull(row, 'dialect'),
    askedModel: textOrNull(row, 'asked_model'),
    answeredModel: textOrNull(row, 'answered_model'),
    finishReason: textOrNull(row, 'finish_reason'),
    ignored: textOrNull(row, 'ignored'),
    adapted: textOrNull(row, 'adapted'),
    answer: numberOrNull(row, 'answer'),
  }
}

/** Largest stored amount of SC, in billionths: the columns have 64 bits, and their sums must fit too. */
export const mostCost = 10n ** 17n
/** Larger numbers of tokens in one reply are invalid. */
export const mostTokens = 1e12
