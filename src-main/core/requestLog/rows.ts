import type { Certainty, RequestRow, RequestState, Who } from '../../../src-preload/contract/requests.ts'
import { studioFeature } from '../../../src-preload/contract/requests.ts'
import { fromNano } from '../shared/money.ts'
import type { Callers } from '../store/requestLog/callers.ts'
import {
  answers,
  cancellers,
  certainties,
  dialects,
  endpoints,
  endStates,
  usualPath,
} from '../store/requestLog/codes.ts'
import type { StoredRequest } from '../store/requestLog/requests.ts'
import { parseJson } from '../store/rows.ts'
import type { AppNames } from './appNames.ts'

/** The phase of a request in progress, which the database does not know. */
export type LiveRequestState = Extract<RequestState, 'waiting' | 'backing_off' | 'sent' | 'streaming'>

/** The path to which the service was asked. That of a translated request, or of one outside /v1, is another than the app's. */
export const sentPath = ({ endpoint, path }: Pick<RequestRow, 'endpoint' | 'path'>): string =>
  usualPath[endpoint] ?? path

/** A stored row as the contract defines it, with current app names. A row that never ended shows as `live`. */
export function showRow(
  row: StoredRequest,
  callers: Callers,
  names: AppNames,
  live: LiveRequestState = 'sent',
): RequestRow {
  const caller = callers.get(row.caller)
  const endpoint = endpoints[row.endpoint] ?? 'other'
  return {
    id: row.id,
    at: instantOf(row.at),
    who: whoOf(caller?.who ?? 'stranger', row.origin, names),
    method: row.method ?? 'POST',
    path: row.path ?? usualPath[endpoint] ?? '',
    endpoint,
    dialect: row.dialect === null ? null : (dialects[row.dialect] ?? null),
    model: row.model ?? caller?.model ?? null,
    askedModel: row.askedModel,
    answeredModel: row.answeredModel,
    finishReason: row.finishReason,
    ignored: listOf(row.ignored),
    adapted: listOf(row.adapted),
    answer: row.answer === null ? null : (answers[row.answer] ?? null),
    state: row.state === null ? live : (endStates[row.state] ?? 'unknown'),
    stream: row.stream === 1,
    status: row.status,
    problem: row.problemKind === null ? null : { kind: row.problemKind, message: row.problemMessage ?? '' },
    cancelledBy: row.cancelledBy === null ? null : (cancellers[row.cancelledBy] ?? null),
    attempts: row.attempts,
    retriedAfter: row.retriedAfter === null ? [] : row.retriedAfter.split(',').map(Number),
    queuedMs: row.queuedUs / 1000,
    backoffMs: row.backoffUs / 1000,
    connectMs: ms(row.connectUs),
    firstByteMs: ms(row.firstByteUs),
    durationMs: ms(row.durationUs),
    bytesUp: row.bytesUp,
    bytesDown: row.bytesDown,
    tokensIn: row.tokensIn,
    tokensOut: row.tokensOut,
    tokensCached: row.tokensCached,
    tokensAre: certainty(row.tokensAre),
    cost: row.cost === null ? null : fromNano(row.cost),
    costIs: certainty(row.costIs),
    requestId: row.requestId,
    times: row.times,
    hasBodies: row.hasBodies === 1,
  }
}

/** A row with a 429. The wait after its 429s is null when it was not recorded separately from other back-off. */
export interface LimitedRow {
  row: RequestRow
  waitedMs: number | null
}

export function limitedRow({ backoffUs, backoff429Us }: StoredRequest, row: RequestRow): LimitedRow {
  if (backoff429Us !== null) return { row, waitedMs: backoff429Us / 1000 }
  const alone = row.retriedAfter.every((status) => status === 429)
  return { row, waitedMs: alone ? backoffUs / 1000 : null }
}

let second = Number.NaN
let upToSecond = ''

/** Same as `toISOString`, but computes the part that rows of the same second share only once: it runs for each row of a page. */
function instantOf(at: number): string {
  const whole = Math.floor(at / 1000)
  if (whole !== second) {
    second = whole
    upToSecond = new Date(whole * 1000).toISOString().slice(0, -4)
  }
  return `${upToSecond}${String(at - whole * 1000).padStart(3, '0')}Z`
}

/** The texts of a stored JSON list. */
const listOf = (stored: string | null): string[] => (stored === null ? [] : textsIn(parseJson(stored)))

const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []

const ms = (us: number | null): number | null => (us === null ? null : us / 1000)
const certainty = (code: number): Certainty => certainties[code] ?? 'unknown'

/** Who sent a request, from `callers.who`. */
export function whoOf(who: string, origin: string | null, names: AppNames): Who {
  if (who.startsWith('tool:')) {
    const { id, name, colour } = names.of(who.slice(5))
    return { kind: 'app', id, name, colour }
  }
  const feature = studioFeature.safeParse(who.slice('studio:'.length)).data
  if (feature && who.startsWith('studio:')) return { kind: 'studio', feature }
  return { kind: 'stranger', from: origin ?? '' }
}

const atOnce = 500
/** Maximum number of rows that are read to find rows of one account. Reading them blocks the program. */
const maxLooked = 20 * atOnce

/** Rows with a 429, newest first, as far as `isOf` accepts them. `read` returns rows with ids below its first argument. */
export function limitedOf(
  read: (before: number, limit: number) => StoredRequest[],
  isOf: (row: number) => boolean,
  limit: number,
): StoredRequest[] {
  const found: StoredRequest[] = []
  let before = Number.MAX_SAFE_INTEGER
  for (let looked = 0; looked < maxLooked && found.length < limit; looked += atOnce) {
    const rows = read(before, atOnce)
    found.push(...rows.filter(({ id }) => isOf(id)))
    const last = rows.at(-1)
    if (!last || rows.length < atOnce) break
    before = last.id
  }
  return found.slice(0, limit)
}
