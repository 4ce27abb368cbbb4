import type { GateRefusal } from '../ports/requests.ts'
import type { Callers } from '../store/requestLog/callers.ts'
import { codeOf, endpoints, endStates, outcomes, usualPath } from '../store/requestLog/codes.ts'
import type { StoredRequest } from '../store/requestLog/requests.ts'
import { endpointOf } from '../upstream/endpoint.ts'
import { tidy } from './redact.ts'

const windowMs = 60_000
/** Different places within a minute that get rows of their own; more are `others`. */
const mostPlaces = 50

/** A row that stands for one refusal or for many of the same. */
export interface RefusalRow {
  id: number
  row: StoredRequest
  /** False until the row is in the database; then only `times` changes. */
  stored: boolean
}

/** Refusals at the gate, the same from the same place within a minute counted as one row: a flood fills neither disk nor memory. */
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
    const key = `${refused.code}\n${place}`
    const others = this.#recent.size >= mostPlaces && !this.#recent.has(key)
    const known = this.#recent.get(others ? refused.code : key)
    if (known) {
      known.refusal.row.times += 1
      this.#unsaved.add(known.refusal)
      return known.refusal
    }
    const row = this.#row(others ? { ...refused, appId: null, from: 'others' } : refused, at)
    const refusal = { id: row.id, row, stored: false }
    this.#recent.set(others ? refused.code : key, { refusal, until: at + windowMs })
    this.#unsaved.add(refusal)
    return refusal
  }

  /** They were put in the order of their time, and all last equally long. */
  #forget(now: number): void {
    for (const [key, { until }] of this.#recent) {
      // A clock that went back must not keep a window open for ever.
      if (until > now && until <= now + windowMs) break
      this.#recent.delete(key)
    }
  }

  #row(refused: GateRefusal, at: number): StoredRequest {
    const endpoint = endpointOf(refused.method, refused.path)
    const path = tidy(refused.path.split('?', 1)[0] ?? '', 2048)
    const who = refused.appId === null ? 'stranger' : `tool:${refused.appId}`
    return {
      id: this.#nextId(),
      at,
      caller: this.#callers.of(who, null).id,
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
      retriedAfter: null,
      method: refused.method === 'POST' ? null : tidy(refused.method, 20),
      path: path === usualPath[endpoint] ? null : path,
      model: null,
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
