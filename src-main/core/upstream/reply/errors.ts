import type { ProblemKind } from '../../../../src-preload/contract/problem.ts'
import { type StatusGroup, statusGroupOf } from '../../../../src-preload/contract/statusGroup.ts'
import { type ProblemFacts, StudioError } from '../../errors.ts'
import type { RequestEnd } from '../../ports/requests.ts'
import type { Credential } from '../credential.ts'
import { errorIn, readReplyError } from './errorBody.ts'
import type { ReplyFacts } from './events.ts'
import type { Mask } from './mask.ts'

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
 * @param body the error: a value in one of the forms of `readReplyError`, or words
 */
export function errorOfFrame(body: unknown, status: number, mask: Mask): StudioError {
  const isText = typeof body === 'string'
  const parsed = isText ? readReplyError(body) : errorIn(body)
  const clean = (text: string): string => mask.text(text)
  const named = Number(parsed.code)
  const kind = Number.isInteger(named) && named >= 400 ? kindOfStatus(named) : 'internal'
  const raw = clean(isText ? body : JSON.stringify(body)).slice(0, maxRaw)
  const problem: ProblemFacts = { status, workPossible: true, raw }
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
