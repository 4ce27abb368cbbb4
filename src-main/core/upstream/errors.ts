import type { ProblemKind } from '../../../src-preload/contract/problem.ts'
import { type StatusGroup, statusGroupOf } from '../../../src-preload/contract/statusGroup.ts'
import { type ProblemFacts, StudioError } from '../errors.ts'
import type { RequestEnd } from '../ports/requests.ts'
import type { Credential } from './credential.ts'
import { readReplyError } from './errorBody.ts'
import type { Mask } from './reply/mask.ts'
import type { ReplyFacts } from './types.ts'

/** Maximum number of bytes of a failed reply that are read. They only serve a message, and a hostile reply has no end. */
export const maxErrorBody = 64 * 1024
const maxRaw = 4096

/** The specification's statuses (Errors), with a message for replies without one. */
const statuses: Record<number, [kind: ProblemKind, words: string]> = {
  400: ['invalid_request', 'The service refused the request as invalid.'],
  401: ['unauthorized', 'The service does not accept this key.'],
  402: ['insufficient_credits', 'The account does not have enough credits.'],
  403: ['forbidden', 'This key is not permitted to do this.'],
  404: ['not_found', 'The service does not know this model or resource.'],
  429: ['rate_limited', 'The service asks for fewer requests.'],
  500: ['internal', 'The service reported an internal error.'],
  501: ['not_implemented', 'The service does not implement this.'],
  502: ['bad_gateway', 'The service could not reach its model.'],
  503: ['unavailable', 'The service is temporarily unavailable.'],
  504: ['gateway_timeout', 'The service’s model did not answer in time.'],
}

/** Gateway statuses: the work may have been done although its reply was lost (specification, Client behaviour). */
const workPossible = new Set([500, 502, 503, 504])

/** The error kind of a failure status (specification, Errors). */
export function kindOfStatus(status: number): ProblemKind {
  return statuses[status]?.[0] ?? 'unexpected_status'
}

/** The error of a reply with a failure status, whatever its body is. Never contains any part of the key. */
export function errorOfReply(facts: ReplyFacts, body: string, credential: Credential): StudioError {
  const parsed = readReplyError(body)
  const [kind, words] = statuses[facts.status] ?? ['unexpected_status', wordsOfStatus(facts.status)]
  const clean = (text: string): string => credential.redact(text)
  const problem: ProblemFacts = { status: facts.status, outputStarted: false }
  if (parsed.message !== null) problem.said = clean(parsed.message)
  if (parsed.code !== null) problem.code = clean(parsed.code)
  if (parsed.type !== null) problem.type = clean(parsed.type)
  if (facts.requestId !== null) problem.requestId = clean(facts.requestId)
  if (facts.rateLimit.retryAfterMs !== null) problem.retryAfterMs = facts.rateLimit.retryAfterMs
  if (typeof facts.shouldRetry === 'boolean') problem.shouldRetry = facts.shouldRetry
  if (workPossible.has(facts.status)) problem.workPossible = true
  if (body !== '') problem.raw = clean(body).slice(0, maxRaw)
  return new StudioError(kind, parsed.message === null ? words : clean(parsed.message), problem)
}

/**
 * The error of a reply with a success status that reports an error.
 * @param body the error: JSON in one of the forms of `readReplyError`, or words
 */
export function errorOfFrame(body: string, status: number, mask: Mask): StudioError {
  const parsed = readReplyError(body)
  const clean = (text: string): string => mask.text(text)
  const named = Number(parsed.code)
  const kind = Number.isInteger(named) && named >= 400 ? kindOfStatus(named) : 'internal'
  const problem: ProblemFacts = { status, workPossible: true, raw: clean(body).slice(0, maxRaw) }
  if (parsed.message !== null) problem.said = clean(parsed.message)
  if (parsed.code !== null) problem.code = clean(parsed.code)
  if (parsed.type !== null) problem.type = clean(parsed.type)
  return new StudioError(kind, clean(parsed.message ?? 'The service reported an error instead of a reply.'), problem)
}

/**
 * How the log row of a reply with a success status ends that is no good: as failed when the service reports an error instead of output,
 * else as cut.
 */
export const endOfFailure = ({ kind, message, facts }: StudioError, hasOutput: boolean): RequestEnd => ({
  state: facts.said === undefined || hasOutput ? 'cut' : 'failed',
  problem: { kind, message },
})

const groupWords: Record<StatusGroup, string> = {
  informational: 'The service sent an interim reply without a final one',
  empty: 'The service answered without the expected content',
  redirect: 'The service answered with a redirect',
  method: 'The service does not accept this kind of request at this address',
  format: 'The service does not accept the format of this request',
  proxy: 'A network or proxy between here and the service asks for a sign-in',
  timeout: 'The service did not receive the whole request in time',
  conflict: 'The service reported a conflict with another request or with its current state',
  gone: 'This address or model no longer exists at the service',
  length: 'The service needs to know the length of a request before it arrives',
  tooLarge: 'The request is larger than the service accepts',
  addressTooLong: 'The address of the request is longer than the service accepts',
  range: 'The service does not have the requested part of the file',
  unprocessable: 'The service understood the request but can’t process it',
  joke: 'The service refused the request: “I’m a teapot”',
  wrongHost: 'The request reached a server that is not responsible for this address',
  early: 'The service does not want to process the request yet',
  upgrade: 'The service asks for another protocol or a newer version of it',
  headersTooLarge: 'The headers of the request are larger than the service accepts',
  legal: 'The service may not answer this request for legal reasons',
  client: 'The service refused the request',
  storage: 'The service has no storage left for this request',
  unreachable: 'A gateway could not reach the service',
  server: 'The service reported an error',
  unassigned: 'The service answered with a status that HTTP does not define',
}

/** What a status means that the specification does not name. */
export function wordsOfStatus(status: number): string {
  const group = statusGroupOf(status)
  const advice = group === 'redirect' ? ' The key is not sent elsewhere: check the base URL.' : ''
  return `${groupWords[group]} (${status}).${advice}`
}

/** The error of a cancelled request. */
export function cancelled(facts: ProblemFacts = {}): StudioError {
  return new StudioError('cancelled', 'Cancelled.', facts)
}

const connectCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'EHOSTDOWN',
  'ENETDOWN',
  'UND_ERR_PRX_CONN',
])
const endedByUs = new Set(['UND_ERR_DESTROYED', 'UND_ERR_CLOSED', 'UND_ERR_ABORTED'])
const tlsCode =
  /^(?:ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERROR_IN_C|HOSTNAME_|INVALID_|EPROTO|UND_ERR_PRX_TLS)/

const timeouts: Record<string, [kind: ProblemKind, words: string]> = {
  UND_ERR_CONNECT_TIMEOUT: ['connect_timeout', 'The service could not be reached in time.'],
  UND_ERR_HEADERS_TIMEOUT: ['headers_timeout', 'The service did not begin to answer in time.'],
  UND_ERR_BODY_TIMEOUT: ['idle_timeout', 'The answer stopped arriving.'],
}

/** How far a request was when the connection failed. */
export interface RequestPhase {
  /** The first byte of the request was written. */
  sent: boolean
  /** A status line arrived. */
  replied: boolean
  /** Bytes of the body arrived. */
  outputStarted: boolean
}

function factsOfFault(code: string, { outputStarted, sent }: RequestPhase): ProblemFacts {
  const facts: ProblemFacts = { outputStarted }
  if (code !== '') facts.fault = code
  if (sent) facts.workPossible = true
  return facts
}

/** Translates a failure of undici or Node into a StudioError. */
export function errorOfFault(fault: unknown, phase: RequestPhase): StudioError {
  if (fault instanceof StudioError) return fault
  const code = codeOf(fault)
  const text = fault instanceof Error ? fault.message : String(fault)
  const facts = factsOfFault(code, phase)
  const make = (kind: ProblemKind, message: string): StudioError =>
    new StudioError(kind, message, facts, { cause: fault })
  const timeout = timeouts[code]
  if (timeout !== undefined) return make(...timeout)
  // undici reports a proxy's refusal as an abort or an invalid argument. Only the message identifies it.
  if (/^Proxy (?:response|Authentication)/.test(text)) {
    return make('connect_failed', `The HTTP proxy of this computer refused the connection. ${text}.`)
  }
  if (endedByUs.has(code)) return cancelled(facts)
  if (!phase.sent && tlsCode.test(code)) return make('tls_failed', `No secure connection could be made (${code}).`)
  if ((fault instanceof Error && fault.name === 'HTTPParserError') || isMalformed(code, text, phase)) {
    return make('malformed_reply', 'The reply is not valid HTTP.')
  }
  if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED') {
    return make('bad_input', 'This request can’t be sent as it is.')
  }
  if (code === 'ETIMEDOUT' && !phase.sent) return make('connect_timeout', 'The service could not be reached in time.')
  if (connectCodes.has(code) || !phase.sent) {
    return make('connect_failed', `The service could not be reached${code === '' ? '' : ` (${code})`}.`)
  }
  // ETIMEDOUT on an open connection is from TCP keep-alive: the peer has disappeared.
  return make('connection_lost', `The connection to the service was lost${code === '' ? '' : ` (${code})`}.`)
}

/**
 * Whether the bytes before a reply's head were not valid HTTP. undici reports this as HTTPParserError, or in one of these ways:
 *
 * - "bad upgrade": a 101 without a request for it
 * - "bad response": a 100 without a request for it, which undici can't skip
 * - a failed assertion: a status below 100, or a second reply after a 101
 * - contradictory lengths
 *
 * The request reached the service each time, so none is retried.
 */
function isMalformed(code: string, text: string, { sent, replied }: RequestPhase): boolean {
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return true
  if (!sent || replied) return false
  const known = code === 'ERR_ASSERTION' || code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'
  return known || text === 'bad upgrade' || text === 'bad response'
}

function codeOf(fault: unknown): string {
  if (!(fault instanceof Error)) return ''
  if ('code' in fault && typeof fault.code === 'string') return fault.code
  if (fault instanceof AggregateError) {
    for (const inner of fault.errors) {
      const code = codeOf(inner)
      if (code !== '') return code
    }
  }
  return fault.cause === undefined ? '' : codeOf(fault.cause)
}
