import type * as z from 'zod'
import { asStudioError, StudioError } from '../../errors.ts'
import type { Via } from '../../ports/appMedia.ts'
import type { AdmissionRequest, RequestEnd, RequestTrace, StudioFeature } from '../../ports/requests.ts'
import { factsOf, type HeaderPairs } from '../headers.ts'
import { guardOfReply, type JsonScan } from '../json/jsonScan.ts'
import { endOfFailure, errorOfReply, maxErrorBody } from '../reply/errors.ts'
import type { ReplyPiece } from '../reply/events.ts'
import type { ReplyStream } from '../reply/replyStream.ts'
import { moneyFields } from '../reply/schemas.ts'
import { cleanReading, totalTokens } from '../reply/usage.ts'
import { endpointOf, isInference } from '../request/endpoint.ts'
import type { CallOptions, ChatStreamEvent, ReplyFacts, UpstreamReply } from '../types.ts'
import { bytesOf, type Closed, type ReplyBody, readAll, readStart } from '../wire/body.ts'
import { cancelled } from '../wire/faults.ts'
import { attemptOnce } from './attempt.ts'
import { copyBody, copyLimit } from './copy.ts'
import type { UpstreamLink } from './link.ts'
import { openReplyBody } from './openedReply.ts'
import { isUnanswered } from './reachability.ts'
import { withRetry } from './retry.ts'

/** A request of the studio itself. */
export interface CallRequest {
  method: 'GET' | 'POST'
  url: URL
  accept: string
  headers?: HeaderPairs
  /** Called for each attempt. */
  body?: () => Uint8Array | AsyncIterable<Uint8Array>
  /** For the request log and the scheduler. */
  model?: string
  stream?: boolean
  /** Estimated tokens of the prompt, and of prompt and reply together. */
  tokensIn?: number
  tokens?: number
  /** Number of images that the request asks for. */
  pictures?: number
}

/** A reply with a success status whose body has not been read. */
export interface UnreadReply {
  facts: ReplyFacts
  raw: ReplyBody<ChatStreamEvent>
  /** The bytes of the reply with their events. */
  pieces: AsyncIterable<ReplyPiece>
  /** The same without the events. */
  bytes: AsyncIterable<Uint8Array>
}

/** Largest JSON reply, bytes. Images of a reply do not count. */
export const maxJsonBytes = 32 * 1024 * 1024
/**
 * Maximum number of values in such a reply, for example 20,000 models or 11,000 rows of usage. Reading, checking and storing this many takes
 * up to 200 ms, in which no stream moves.
 */
const maxJsonValues = 100_000

/** Body and headers of a JSON request; `bytes` is the body's length. */
export function jsonBody(value: unknown) {
  const json = Buffer.from(JSON.stringify(value))
  const headers: HeaderPairs = [['content-type', 'application/json']]
  return { headers, body: () => json, bytes: json.length }
}

/**
 * Sends a request, with retries, until the service answers with a good status. The caller reads the body. The request's log row exists
 * before the first byte is sent, and is closed when the body ends.
 * @throws StudioError
 */
export async function call(link: UpstreamLink, request: CallRequest, options: CallOptions = {}): Promise<UnreadReply> {
  const { signal: given, onWait, feature = 'account' } = options
  if (given?.aborted === true) throw cancelled()
  link.lifetime.checkOpen(isFile(link, request))
  const reachable = options.once === true ? null : link.reachability.whenReachable()
  // The studio repeats account read-outs by itself, so a read-out that can't reach the service gets no log row.
  if (reachable && feature === 'account') await reachable
  const trace = openRow(link, request, feature, options)
  options.onRow?.(trace.id)
  // A person can also stop the request in the request log.
  const stopped = new AbortController()
  trace.onStop = () => stopped.abort()
  const signal = given ? AbortSignal.any([given, stopped.signal]) : stopped.signal
  let hasConnected = false
  const onConnected = (): void => {
    hasConnected = true
  }
  try {
    if (trace.written) await trace.written
    if (reachable) await reachable
    return await withRetry(() => attempt(link, request, trace, { ...options, signal }, onConnected), {
      signal,
      onWait: (wait) => {
        if (wait.for === 'retry') trace.backsOff(wait.problem.status ?? 0)
        onWait?.(wait)
      },
      policy: options.once === true ? { ...link.retry, maxAttempts: 1 } : link.retry,
      retired: link.lifetime.retired,
    })
  } catch (thrown) {
    const error = asStudioError(thrown)
    const end = endOf(error)
    // The deadline of an account read-out passed; no person cancelled it.
    trace.ends(options.once === true && end.state === 'cancelled' ? { ...end, by: 'studio' } : end, null)
    options.onClosed?.()
    throw hasConnected || !isUnanswered(error.kind) ? thrown : unsent(error)
  }
}

/**
 * Sends a request by `via`, which retries, queues and logs it.
 * @throws StudioError
 */
export async function callVia(
  { base, credential }: UpstreamLink,
  { method, url, accept, headers = [], body }: CallRequest,
  { via, ...options }: CallOptions & { via: Via },
): Promise<Pick<UnreadReply, 'bytes' | 'facts'>> {
  const path = url.pathname.slice(base.prefix.length) + url.search
  const sent = { method, path, headers: [['accept', accept], ...headers] satisfies HeaderPairs, body: body?.() ?? null }
  const { status, headers: received, bytes } = await via(sent, options)
  const facts = factsOf(status, received, Date.now())
  if (status < 200 || status > 299) throw errorOfReply(facts, await readStart(bytes, maxErrorBody), credential)
  return { facts, bytes }
}

/** Marks a failure in which no attempt reached the service. */
const unsent = ({ kind, message, facts, cause }: StudioError): StudioError =>
  new StudioError(kind, message, { ...facts, unsent: true }, { cause })

const isFile = ({ base }: UpstreamLink, { method, url }: CallRequest): boolean =>
  endpointOf(method, url.pathname.slice(base.prefix.length)) === 'files'

function openRow(
  { requestLog, base }: UpstreamLink,
  request: CallRequest,
  feature: StudioFeature,
  { logBodies = false, againOf }: CallOptions,
): RequestTrace {
  const { method, model = null, stream = false, pictures } = request
  const path = request.url.pathname.slice(base.prefix.length)
  const requester = { kind: 'studio', feature } as const
  const counted = pictures === undefined ? {} : { pictures }
  return requestLog.open({
    requester,
    method,
    path,
    endpoint: endpointOf(method, path),
    model,
    stream,
    logBodies,
    ...counted,
    ...(againOf !== undefined && { againOf }),
  })
}

async function attempt(
  link: UpstreamLink,
  request: CallRequest,
  trace: RequestTrace,
  { signal, onWait, onClosed, feature = 'account' }: CallOptions,
  onConnected: () => void,
): Promise<UnreadReply> {
  const { method, url, model = null, tokens = 0, tokensIn = 0 } = request
  const endpoint = endpointOf(method, url.pathname.slice(link.base.prefix.length))
  const requester = { kind: 'studio', feature } as const
  const admission: AdmissionRequest = {
    requester,
    slot: isInference(endpoint),
    tokens,
    model,
    signal,
    afterwards: endpoint === 'files',
    trace: onWait ? withQueueNotices(trace, onWait) : trace,
  }
  const body = request.body?.() ?? null
  if (body instanceof Uint8Array) trace.sentBytes(body.length)
  const copies = trace.logBodies && body instanceof Uint8Array ? copyBodies(trace, body, link) : null
  let stream: ReplyStream | null = null
  onWait?.({ for: 'connection' })
  const { reply, metered } = await attemptOnce(
    link,
    admission,
    trace,
    {
      method,
      path: url.pathname + url.search,
      headers: [
        ['accept', request.accept],
        ['accept-encoding', 'identity'],
        ...(request.headers ?? []),
        ...link.credential.headers(),
      ],
      body,
      signal,
      onConnected,
      onSent: () => onWait?.({ for: 'reply' }),
    },
    () => totalTokens(stream?.reading().usage ?? null),
  )
  const facts = factsOf(reply.status, reply.headers, Date.now())
  trace.replied(facts.status, facts.requestId)
  const { status, contentType } = facts
  const { mask } = link.credential
  const options = {
    ...{ endpoint, stream: request.stream === true, status, contentType, mask, tokensIn },
    ...{ needsEvents: true, thinkTags: link.thinkTags() },
  }
  const opened = openReplyBody(reply, options, trace, copies)
  stream = opened.stream
  metered()
  if (copies) opened.body.onClosed(copies.done)
  const { body: raw, pieces } = opened
  const bytes = bytesOf(pieces)
  if (status < 200 || status > 299) throw errorOfReply(facts, await readErrorBody(raw, bytes), link.credential)
  opened.onClosed((how) => {
    trace.ends(
      endOfBody(how, opened.stream),
      cleanReading(opened.stream.reading(), (text) => mask.text(text)),
    )
    onClosed?.()
  })
  return { facts, raw, pieces, bytes }
}

/** Forwards the scheduler's queue notices to the caller and to the log row. */
function withQueueNotices(trace: RequestTrace, onWait: NonNullable<CallOptions['onWait']>): AdmissionRequest['trace'] {
  return {
    id: trace.id,
    queued() {
      trace.queued()
      onWait({ for: 'turn' })
    },
    admitted() {
      trace.admitted()
      onWait({ for: 'connection' })
    },
  }
}

interface Copies {
  push(bytes: Uint8Array): void
  /** Stores the copy of the reply. Call when the reply has ended or was left. */
  done(): void
}

/** Logs the request body now, and the raw reply at its end. The key is removed from both. */
function copyBodies(trace: RequestTrace, body: Uint8Array, { credential }: UpstreamLink): Copies {
  const clean = (text: string): string => credential.redact(text)
  const sent = copyBody(copyLimit)
  sent.push(body)
  const request = sent.done(clean)
  trace.bodies(request, null)
  const reply = copyBody(copyLimit)
  return { push: reply.push, done: () => trace.bodies(request, reply.done(clean)) }
}

function endOfBody(how: Closed, stream: ReplyStream): RequestEnd {
  const { failure, isComplete } = stream
  if (how instanceof StudioError) return how.kind === 'cancelled' ? endOf(how) : { ...endOf(how), state: 'cut' }
  if (failure !== null) return endOfFailure(failure, stream.reading().output)
  return isComplete || how === 'ended' ? { state: 'done' } : { state: 'cancelled', by: 'person' }
}

function endOf({ kind, message, facts }: StudioError): RequestEnd {
  if (kind === 'cancelled') return { state: 'cancelled', by: 'person' }
  // The service answered with an error status.
  return { state: facts.status === undefined ? 'failed' : 'done', problem: { kind, message } }
}

/** Reads an error body. The status decides the failure, even if the body breaks off or can't be decoded. */
async function readErrorBody(raw: ReplyBody<unknown>, bytes: AsyncIterable<Uint8Array>): Promise<string> {
  try {
    return await readStart(bytes, maxErrorBody)
  } catch (error) {
    raw.close()
    if (error instanceof StudioError && error.kind === 'cancelled') throw error
    return ''
  }
}

/** Calls an endpoint whose reply is one JSON document. */
export async function callJson<T>(
  link: UpstreamLink,
  request: Omit<CallRequest, 'accept'>,
  schema: z.ZodType<T>,
  options: CallOptions = {},
): Promise<UpstreamReply<T>> {
  const reply = await call(link, { ...request, accept: 'application/json' }, options)
  return { facts: reply.facts, value: await readJson(link, reply, schema) }
}

/** Reads and checks a JSON reply. @throws StudioError `malformed_reply` */
export async function readJson<T>(link: UpstreamLink, reply: UnreadReply, schema: z.ZodType<T>): Promise<T> {
  const bytes = await readAll(guarded(link, reply, guardOfReply(maxJsonValues)), maxJsonBytes)
  return parseReply(link, reply.facts, bytes, schema)
}

/**
 * Parses and checks a JSON reply whose depth and number of values were checked before.
 * @throws StudioError `malformed_reply`
 */
export function parseReply<T>(link: UpstreamLink, facts: ReplyFacts, bytes: Uint8Array, schema: z.ZodType<T>): T {
  const text = new TextDecoder().decode(bytes)
  let value: unknown
  try {
    value = JSON.parse(withExactMoney(text))
  } catch {
    // No cause: it would quote the text, which may contain the key.
    throw malformed(link, facts, text, 'The service’s reply is not JSON.')
  }
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw malformed(link, facts, text, 'The service’s reply lacks a required field.')
  return parsed.data
}

/** Yields the reply's bytes while they are cheap to parse. Parsing a hostile reply would block the program for seconds. */
export async function* guarded(
  link: UpstreamLink,
  { bytes, facts }: Pick<UnreadReply, 'bytes' | 'facts'>,
  guard: JsonScan,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of bytes) {
    guard.push(chunk)
    if (guard.problem === 'depth' || guard.problem === 'values') {
      throw malformed(link, facts, '', 'The service’s reply is nested too deep or has too many values.')
    }
    yield chunk
  }
}

/** A `malformed_reply` error with the start of the reply, the key masked. The service may have done work. */
export function malformed(link: UpstreamLink, facts: ReplyFacts, raw: string, message: string): StudioError {
  return new StudioError('malformed_reply', message, {
    status: facts.status,
    ...(facts.requestId === null ? {} : { requestId: facts.requestId }),
    raw: link.credential.redact(raw.slice(0, maxErrorBody)).slice(0, 4096),
    workPossible: true,
  })
}

/** A field in SC and its number. A quote inside a string is escaped, so nothing inside of one matches. */
const moneyNumber = new RegExp(
  String.raw`(?<!\\)("(?:${[...moneyFields].join('|')})"\s*:\s*)(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?=[\s,}])`,
  'g',
)

/** The text of a reply with its money as strings, which keep every digit. A reviver of `JSON.parse` would take five times as long. */
const withExactMoney = (text: string): string => text.replace(moneyNumber, '$1"$2"')
