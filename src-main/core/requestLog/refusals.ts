import type { GateRefusal } from '../ports/requests.ts'
import type { Callers } from '../store/requestLog/callers.ts'
import { answers, codeOf, dialects, endpoints, endStates, outcomes, usualPath } from '../store/requestLog/codes.ts'
import type { StoredRequest } from '../store/requestLog/requests.ts'
import { endpointOf } from '../upstream/request/endpoint.ts'
import { tidy } from './redact.ts'

const windowMs = 60_000
/** Maximum number of different sources with their own rows within a minute; further ones are `others`. */
const maxPlaces = 50

/** A row of one refusal, or of many of the same kind. */
export interface RefusalRow {
  readonly id: number
  row: StoredRequest
  /** Whether the row is in the database. A repeat then replaces the row, with the time of the repeat. */
  stored: boolean
  /** The id of the row that this row has replaced, or null. */
  readonly replaces: number | null
  /** Whether another row has replaced this row. */
  isReplaced: boolean
}

/**
 * Logs refusals of the guard. The same refusal from the same source within a minute is one row with a count, so that a flood fills neither
 * disk nor memory. A repeat moves the row up to its own time. Rows are written at most ten times a second, so that a flood moves no faster.
 */
export class RefusalLog {
  readonly #recent = new Map<string, { refusal: RefusalRow; until: number }>()
  readonly #unsaved = new Set<RefusalRow>()
  readonly #callers: Callers
  readonly #nextId: () => number

  constructor(callers: Callers, nextId: () => number) {
    this.#callers = callers
    this.#nextId = nextId
  }

  add(refused: GateRefusal, at: number): RefusalRow {
    this.#forget(at)
    const place = refused.appId ?? refused.from
    const key = `${refused.code}\n${place}\n${refused.model ?? ''}\n${refused.answer ?? ''}`
    const others = this.#recent.size >= maxPlaces && !this.#recent.has(key)
    const known = this.#recent.get(others ? refused.code : key)
    if (known) {
      known.refusal = this.#repeat(known.refusal, at)
      this.#unsaved.add(known.refusal)
      return known.refusal
    }
    const row = this.#row(others ? { ...refused, appId: null, from: 'others' } : refused, at)
    const refusal = { id: row.id, row, stored: false, replaces: null, isReplaced: false }
    this.#recent.set(others ? refused.code : key, { refusal, until: at + windowMs })
    this.#unsaved.add(refusal)
    return refusal
  }

  #repeat(before: RefusalRow, at: number): RefusalRow {
    const times = before.row.times + 1
    if (!before.stored) {
      before.row.times = times
      return before
    }
    before.isReplaced = true
    const id = this.#nextId()
    return { id, row: { ...before.row, id, at, times }, stored: false, replaces: before.id, isReplaced: false }
  }

  /** The lowest id of a row that a repeat may still move, or Infinity. */
  lowestMovable(now: number): number {
    this.#forget(now)
    return Math.min(...this.#recent.values().map(({ refusal }) => refusal.id))
  }

  /** The entries are in order of time and all last equally long. */
  #forget(now: number): void {
    for (const [key, { until }] of this.#recent) {
      // A clock that was set back must not leave a window open for ever.
      if (until > now && until <= now + windowMs) break
      this.#recent.delete(key)
    }
  }

  #row(refused: GateRefusal, at: number): StoredRequest {
    const { dialect = null } = refused
    const endpoint = dialect === null ? endpointOf(refused.method, refused.path) : 'chat'
    const path = tidy(refused.path.split('?', 1)[0] ?? '', 2048)
    const who = refused.appId === null ? 'stranger' : `tool:${refused.appId}`
    const caller = this.#callers.of(who, refused.model ? tidy(refused.model, 300) : null)
    return {
      id: this.#nextId(),
      at,
      caller: caller.id,
      endpoint: codeOf(endpoints, endpoint),
      stream: 0,
      outcome: codeOf(outcomes, 'refused'),
      state: codeOf(endStates, 'refused'),
      status: refused.status,
      attempts: 0,
      queuedUs: 0,
      backoffUs: 0,
      backoff429Us: 0,
      connectUs: null,
      firstByteUs: null,
      durationUs: 0,
      bytesUp: 0,
      bytesDown: 0,
      tokensIn: null,
      tokensOut: null,
      tokensCached: null,
      tokensAre: 2,
      cost: 0n,
      costIs: 0,
      requestId: null,
      hasBodies: 0,
      times: 1,
      cancelledBy: null,
      dialect: dialect === null ? null : codeOf(dialects, dialect),
      askedModel: null,
      answeredModel: null,
      finishReason: null,
      ignored: null,
      adapted: null,
      answer: refused.answer === undefined ? null : codeOf(answers, refused.answer),
      retriedAfter: null,
      method: refused.method === 'POST' ? null : tidy(refused.method, 20),
      path: path === usualPath[endpoint] ? null : path,
      model: caller.many ? tidy(refused.model ?? '', 300) : null,
      origin: refused.appId === null ? tidy(refused.from, 300) : null,
      problemKind: tidy(refused.code, 100),
      problemMessage: tidy(refused.message, 1000),
    }
  }

  get unsaved(): ReadonlySet<RefusalRow> {
    return this.#unsaved
  }

  saved(): void {
    for (const refusal of this.#unsaved) refusal.stored = true
    this.#unsaved.clear()
  }
}
