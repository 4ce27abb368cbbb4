import { pipeline, Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type * as z from 'zod'
import { StudioError } from '../errors.ts'
import type { BaseAddress } from './address.ts'
import { type ReplyBody, readAll, readStart } from './body.ts'
import type { Credential } from './credential.ts'
import { errorOfReply, maxErrorBody } from './errors.ts'
import { exchange } from './exchange.ts'
import { factsOf, type HeaderPairs, header } from './headers.ts'
import type { Network } from './network.ts'
import { type RetryPolicy, withRetry } from './retry.ts'
import { moneyFields } from './schemas.ts'
import type { CallOptions, RateLimitHeaders, Reply, ReplyFacts } from './types.ts'

/** What every call needs: where, with which key, over which connections, and how patiently. */
export interface Link {
  base: BaseAddress
  credential: Credential
  network: Network
  retry: Partial<RetryPolicy>
  /** Told of every reply's headers, good or bad. */
  sawHeaders(rateLimit: RateLimitHeaders): void
}

export interface CallRequest {
  method: 'GET' | 'POST'
  url: URL
  accept: string
  headers?: HeaderPairs
  /** Made anew for each attempt. */
  body?: () => Uint8Array | AsyncIterable<Uint8Array>
}

export interface OpenReply {
  facts: ReplyFacts
  /** As the wire gave it. */
  raw: ReplyBody
  /** With its content encoding undone. */
  bytes: AsyncIterable<Uint8Array>
}

/** Images come as base64 inside JSON: four of them, with room. */
const maxJsonBytes = 256 * 1024 * 1024

export function jsonBody(value: unknown): Pick<CallRequest, 'headers' | 'body'> {
  const bytes = Buffer.from(JSON.stringify(value))
  return { headers: [['content-type', 'application/json']], body: () => bytes }
}

/**
 * Sends a request, again where the retry policy says so, until a good status comes; the body is still to be read.
 * @throws StudioError
 */
export function call(link: Link, request: CallRequest, options: CallOptions = {}): Promise<OpenReply> {
  const { signal, onWait } = options
  return withRetry(() => attempt(link, request, options), { signal, onWait, policy: link.retry })
}

async function attempt(link: Link, request: CallRequest, { signal, onWait }: CallOptions): Promise<OpenReply> {
  onWait?.({ for: 'connection' })
  const reply = await exchange(link.network, {
    origin: link.base.origin,
    method: request.method,
    path: request.url.pathname + request.url.search,
    headers: [
      ['accept', request.accept],
      ['accept-encoding', 'identity'],
      ...(request.headers ?? []),
      ['authorization', link.credential.authorization()],
    ],
    body: request.body?.() ?? null,
    signal,
    onSent: () => onWait?.({ for: 'reply' }),
  })
  const facts = cleanFacts(link, factsOf(reply.status, reply.headers, Date.now()))
  link.sawHeaders(facts.rateLimit)
  const bytes = decoded(reply.body, header(reply.headers, 'content-encoding'))
  if (reply.status >= 200 && reply.status < 300) return { facts, raw: reply.body, bytes }
  throw errorOfReply(facts, await readErrorBody(reply.body, bytes), link.credential)
}

/** A failed reply counts by its status, even if its body breaks off or can't be decoded. */
async function readErrorBody(raw: ReplyBody, bytes: AsyncIterable<Uint8Array>): Promise<string> {
  try {
    return await readStart(bytes, maxErrorBody)
  } catch (error) {
    raw.close()
    if (error instanceof StudioError && error.kind === 'cancelled') throw error
    return ''
  }
}

/** Headers can echo the key as well as a body can. */
function cleanFacts(link: Link, facts: ReplyFacts): ReplyFacts {
  const clean = (text: string | null): string | null => (text === null ? null : link.credential.redact(text))
  return { ...facts, requestId: clean(facts.requestId), contentType: clean(facts.contentType) }
}

/** `identity` is asked for; a service that compresses all the same is still understood, flush by flush. */
function decoded(body: ReplyBody, encoding: string | null): AsyncIterable<Uint8Array> {
  switch (encoding?.trim().toLowerCase() ?? '') {
    case '':
    case 'identity':
      return body
    case 'gzip':
    case 'x-gzip':
      return through(body, createGunzip)
    case 'deflate':
      return through(body, createInflate)
    case 'br':
      return through(body, createBrotliDecompress)
    default:
      return failing(
        new StudioError('malformed_reply', 'The reply is compressed in a way that was not asked for.'),
        body,
      )
  }
}

type Decompress = typeof createGunzip | typeof createInflate | typeof createBrotliDecompress

async function* through(body: ReplyBody, make: Decompress): AsyncGenerator<Uint8Array, void, undefined> {
  const source = Readable.from(body, { objectMode: false })
  // Errors reach the reader through the iteration below.
  const output = pipeline(source, make(), () => undefined)
  try {
    yield* output
  } catch (cause) {
    if (cause instanceof StudioError) throw cause
    throw new StudioError('malformed_reply', 'The reply’s compression is damaged.', { outputStarted: true }, { cause })
  } finally {
    output.destroy()
    body.close()
  }
}

/** A body whose first read fails. */
function failing(error: StudioError, body: ReplyBody): AsyncIterable<Uint8Array> {
  body.close()
  return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) }
}

/** A call whose reply is one JSON document. */
export async function callJson<T>(
  link: Link,
  request: Omit<CallRequest, 'accept'>,
  schema: z.ZodType<T>,
  options: CallOptions = {},
): Promise<Reply<T>> {
  const reply = await call(link, { ...request, accept: 'application/json' }, options)
  return { facts: reply.facts, value: await readJson(link, reply, schema) }
}

/** @throws StudioError `malformed_reply` */
export async function readJson<T>(link: Link, reply: OpenReply, schema: z.ZodType<T>): Promise<T> {
  const text = new TextDecoder().decode(await readAll(reply.bytes, maxJsonBytes))
  let value: unknown
  try {
    value = JSON.parse(text, exactMoney)
  } catch {
    // Without the cause: it quotes the text, which may hold the key.
    throw malformed(link, reply.facts, text, 'The service’s reply is not JSON.')
  }
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw malformed(link, reply.facts, text, 'The service’s reply lacks what it must have.')
  return parsed.data
}

export function malformed(link: Link, facts: ReplyFacts, raw: string, message: string): StudioError {
  return new StudioError('malformed_reply', message, {
    status: facts.status,
    ...(facts.requestId === null ? {} : { requestId: facts.requestId }),
    raw: link.credential.redact(raw.slice(0, maxErrorBody)).slice(0, 4096),
    workPossible: true,
  })
}

/** JSON.parse's reviver with the third argument of ES2026 (Node 21 and later), which TypeScript's library lacks. */
function exactMoney(this: unknown, key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' && moneyFields.has(key) ? (context?.source ?? String(value)) : value
}
