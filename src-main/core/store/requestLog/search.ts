import type { SQLInputValue } from 'node:sqlite'
import type { ReadHandle } from '../readOnly.ts'
import { number, type Row } from '../rows.ts'
import { readRequest, requestColumns, type StoredRequest } from './requests.ts'

/** A filter of rows: every part that is not null must match. Numbers are those of `callers` and codes.ts. */
export interface RowSearch {
  callers: readonly number[] | null
  /** For callers with many models: the name in the row. */
  model: string | null
  /** Null in the list means rows in progress. */
  outcomes: readonly (number | null)[] | null
  /** Text anywhere in the columns of a row, or in the name of its caller or the path of its endpoint. */
  text: { like: string; callers: readonly number[]; endpoints: readonly number[] } | null
  /** Only used when the clock once went back, so that ids are not in the order of times. */
  since: number | null
  until: number | null
}

/** Both ends are included. */
export interface IdRange {
  low: number
  high: number
}

const ended = [0, 1, 2, 3] as const

/**
 * Searches rows newest first. Ended rows are found through the index by caller and outcome, with one short walk for each pair. A rare
 * caller among a million rows therefore needs no scan. Text is not indexed: the caller passes short ranges.
 */
export function requestSearch(handle: ReadHandle) {
  const byId = handle.prepare(`SELECT ${requestColumns} FROM requests AS r WHERE r.id = ?`)

  /** Rows of a range by a walk along the table. Includes rows in progress only if `outcomes` does. */
  function scan(search: RowSearch, { low, high }: IdRange, limit: number): StoredRequest[] {
    const { sql, values } = conditions(search, true)
    const statement = handle.prepare(
      `SELECT ${requestColumns} FROM requests AS r NOT INDEXED WHERE r.id BETWEEN ? AND ?${sql} ORDER BY r.id DESC LIMIT ?`,
    )
    return statement.all(low, high, ...values, limit).map(readRequest)
  }

  function walk(search: RowSearch, callers: readonly number[], range: IdRange, limit: number): StoredRequest[] {
    const { sql, values } = conditions(search, false)
    const statement = handle.prepare(
      `SELECT r.id FROM requests AS r INDEXED BY requests_by_caller
        WHERE r.caller = ? AND r.outcome = ? AND r.id BETWEEN ? AND ?${sql} ORDER BY r.id DESC LIMIT ?`,
    )
    let newest: number[] = []
    let { low } = range
    for (const caller of callers) {
      for (const outcome of search.outcomes ?? ended) {
        const found = statement.all(caller, outcome, low, range.high, ...values, limit)
        if (found.length === 0) continue
        newest = [...newest, ...found.map((row) => number(row, 'id'))].sort((a, b) => b - a).slice(0, limit)
        // Rows older than the oldest of a full page cannot be on that page.
        if (newest.length === limit) low = newest.at(-1) ?? low
      }
    }
    return newest.flatMap((id) => {
      const row = byId.get(id)
      return row ? [readRequest(row)] : []
    })
  }

  return {
    /** The newest `limit` ended rows of a range, and with `underWay` those in progress too. */
    find(search: RowSearch, range: IdRange, limit: number, underWay = false): StoredRequest[] {
      if (range.high < range.low || limit < 1) return []
      if (underWay) return scan(search, range, limit)
      const callers = search.callers ?? (search.outcomes === null ? null : everyCaller())
      if (callers === null) return scan({ ...search, outcomes: ended }, range, limit)
      return walk(search, callers, range, limit)
    },
    /** Number of matching ended rows of a range, or of the requests in them: a row can combine several refused requests. */
    count(search: RowSearch, { low, high }: IdRange, of: Counted = 'rows'): number {
      if (high < low) return 0
      const figure = of === 'rows' ? 'count(*)' : 'coalesce(sum(r.times), 0)'
      if (search.callers === null && search.text !== null) {
        const { sql, values } = conditions({ ...search, outcomes: search.outcomes ?? ended }, true)
        const all = `SELECT ${figure} AS n FROM requests AS r NOT INDEXED WHERE r.id BETWEEN ? AND ?${sql}`
        return countOf(handle.prepare(all).get(low, high, ...values))
      }
      const { sql, values } = conditions(search, false)
      const statement = handle.prepare(
        `SELECT ${figure} AS n FROM requests AS r INDEXED BY requests_by_caller
          WHERE r.caller = ? AND r.outcome = ? AND r.id BETWEEN ? AND ?${sql}`,
      )
      let total = 0
      for (const caller of search.callers ?? everyCaller()) {
        for (const outcome of search.outcomes ?? ended) {
          total += countOf(statement.get(caller, outcome, low, high, ...values))
        }
      }
      return total
    },
  }

  function everyCaller(): number[] {
    return handle
      .prepare('SELECT id FROM callers')
      .all()
      .map((row) => number(row, 'id'))
  }
}
/** What a count counts. */
export type Counted = 'rows' | 'requests'
export type RequestSearch = ReturnType<typeof requestSearch>

const countOf = (row: Row | undefined): number => (row ? number(row, 'n') : 0)

/**
 * Conditions that the index does not cover; with `all` also caller and outcome. Lists of numbers are passed as JSON, so that the SQL does
 * not depend on their length.
 */
function conditions(search: RowSearch, all: boolean): { sql: string; values: SQLInputValue[] } {
  const parts: string[] = []
  const values: SQLInputValue[] = []
  const add = (sql: string, ...more: SQLInputValue[]): void => {
    parts.push(` AND ${sql}`)
    values.push(...more)
  }
  const { callers, model, outcomes, text, since, until } = search
  if (all && callers !== null) add('r.caller IN (SELECT value FROM json_each(?))', JSON.stringify(callers))
  if (all && outcomes !== null) {
    const orOpen = outcomes.includes(null) ? ' OR r.outcome IS NULL' : ''
    add(`(r.outcome IN (SELECT value FROM json_each(?))${orOpen})`, JSON.stringify(outcomes))
  }
  if (model !== null) add('(r.model IS NULL OR r.model = ?)', model)
  if (since !== null) add('r.at >= ?', since)
  if (until !== null) add('r.at <= ?', until)
  if (text !== null) {
    const ways: string[] = []
    const way = (sql: string, value: SQLInputValue): void => {
      ways.push(sql)
      values.push(value)
    }
    // Nearly every row has a request id of the service and NULL in the others. Testing for NULL first avoids calls of LIKE.
    for (const column of ['request_id', 'problem_message', 'problem_kind', 'path', 'model']) {
      way(`(r.${column} IS NOT NULL AND r.${column} LIKE ? ESCAPE '\\')`, text.like)
    }
    const endpoint = '(r.path IS NULL AND r.endpoint IN (SELECT value FROM json_each(?)))'
    if (text.endpoints.length > 0) way(endpoint, JSON.stringify(text.endpoints))
    const caller = 'r.caller IN (SELECT value FROM json_each(?))'
    if (text.callers.length > 0) way(caller, JSON.stringify(text.callers))
    parts.push(` AND (${ways.join(' OR ')})`)
  }
  return { sql: parts.join(''), values }
}
