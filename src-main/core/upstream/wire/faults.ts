import type { ProblemKind } from '../../../../src-preload/contract/problem.ts'
import { type ProblemFacts, StudioError } from '../../errors.ts'

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
