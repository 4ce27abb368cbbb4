import type { Certainty, Endpoint } from '../../../src-preload/contract/requests.ts'
import type { MeterReading, RequestEnd, TokenUsage } from '../ports/requests.ts'
import type { Nano } from '../shared/money.ts'
import { mostCost, mostTokens } from '../store/requestLog/requests.ts'
import { isInference } from '../upstream/request/endpoint.ts'
import type { Use } from './prices.ts'

/** The facts about an ended request that determine its cost. */
export interface EndedRequest {
  endpoint: Endpoint
  model: string | null
  stream: boolean
  state: RequestEnd['state']
  /** Status of the last attempt. */
  status: number | null
  /** Whether sending of any attempt had started. */
  sent: boolean
  /** Whether an earlier attempt may have made the service work (specification, ERR-06). */
  doubt: boolean
  bytesUp: number
  /** Number of images requested. */
  count: number
  reading: MeterReading | null
}

/** A cost in billionths of an SC, and how certain it is. */
export interface Cost {
  cost: Nano | null
  is: Certainty
}

const nothing: Cost = { cost: 0n, is: 'measured' }
/** No cost according to the specification. An estimate, because this computer can't see the amount that the service recorded. */
const nothingByItsWord: Cost = { cost: 0n, is: 'estimated' }
const unknown: Cost = { cost: null, is: 'unknown' }

/** Statuses without any work (specification, Errors). A 5xx proves nothing. */
const noWork: ReadonlySet<number> = new Set([400, 401, 402, 403, 404, 429])

/** The cost of a request and its certainty. */
export function costOf(
  ended: EndedRequest,
  price: (endpoint: Endpoint, model: string | null, use: Use) => Nano | null,
): Cost {
  const { endpoint, model, status, reading } = ended
  if (!ended.sent || isReadOut(endpoint)) return nothing
  if (ended.state === 'refused' || madeNoWork(ended)) return ended.doubt ? unknown : nothing
  if (isCancelledEmpty(ended)) return ended.doubt ? unknown : nothingByItsWord
  const use = usedBy(ended)
  if (use === null || (status !== null && status >= 400)) return unknown
  if (ended.state !== 'done' && !reading?.output) return unknown
  const cost = price(endpoint, model, use)
  return cost === null || cost > mostCost ? unknown : { cost, is: 'estimated' }
}

const isReadOut = (endpoint: Endpoint): boolean => !isInference(endpoint) && endpoint !== 'other'

function madeNoWork({ endpoint, status }: EndedRequest): boolean {
  // The legacy route is not implemented and never works (specification, POST /v1/completions).
  if (endpoint === 'completions' && status === 501) return true
  return status !== null && noWork.has(status)
}

/**
 * A cancelled stream for which no output token was recorded costs nothing (specification, CHAT-17). No output arrived, but recorded tokens
 * may have been on their way.
 */
function isCancelledEmpty({ endpoint, state, stream, reading }: EndedRequest): boolean {
  const output = reading?.output === true || (reading?.usage?.completionTokens ?? 0) > 0
  return state === 'cancelled' && stream && endpoint === 'chat' && !output
}

/** What the request used, or null when too little is known for a price. */
function usedBy({ endpoint, bytesUp, count, reading }: EndedRequest): Use | null {
  const tokens = cleanUsage(reading?.usage ?? null)
  const byRequest = endpoint === 'speech' || endpoint === 'transcription' || endpoint === 'images'
  if (!byRequest && (tokens.in === null || tokens.out === null)) return null
  return {
    tokensIn: tokens.in ?? 0,
    tokensCached: tokens.cached ?? 0,
    tokensOut: tokens.out ?? 0,
    bytesUp,
    count,
  }
}

/** Valid token counts; others are null. Cached tokens are part of the prompt, never more (specification, Usage). */
export function cleanUsage(usage: TokenUsage | null): { in: number | null; out: number | null; cached: number | null } {
  const tokensIn = wholeOrNull(usage?.promptTokens)
  const cached = wholeOrNull(usage?.cachedTokens)
  return {
    in: tokensIn,
    out: wholeOrNull(usage?.completionTokens),
    cached: cached === null || tokensIn === null ? null : Math.min(cached, tokensIn),
  }
}

function wholeOrNull(count: number | null | undefined): number | null {
  return typeof count === 'number' && Number.isInteger(count) && count >= 0 && count <= mostTokens ? count : null
}
