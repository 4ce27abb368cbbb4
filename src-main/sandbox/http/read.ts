import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { z } from 'zod'
import { ServiceError } from '../errors.ts'
import type { RequestRecord } from '../world/records.ts'

/** Chat bodies contain images as base64, so they may be large. Larger bodies are refused. */
export const MAX_JSON_BYTES = 64 * 1024 * 1024

/** Reads the whole body. Throws 400 if it is longer than `limit` bytes. */
export async function readBody(request: IncomingMessage, record: RequestRecord, limit: number): Promise<Buffer> {
  const hash = createHash('sha256')
  const chunks: Buffer[] = []
  const tooLarge = () => new ServiceError(400, 'body_too_large', `The body may have at most ${limit} bytes.`)
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge()
  // `destroyOnReturn: false`: leaving the loop early must not close the socket, because the refusal is sent on it.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const bytes: Buffer = chunk
    record.bytesIn += bytes.length
    if (record.bytesIn > limit) throw tooLarge()
    hash.update(bytes)
    chunks.push(bytes)
  }
  record.bodySha256 = hash.digest('hex')
  return Buffer.concat(chunks)
}

/** Reads JSON that satisfies `schema`. Throws 400 with a message for anything else. */
export async function readJson<T>(request: IncomingMessage, record: RequestRecord, schema: z.ZodType<T>): Promise<T> {
  const type = request.headers['content-type'] ?? ''
  if (!/^application\/json\b/i.test(type)) {
    throw new ServiceError(400, 'invalid_content_type', `The body must be application/json, not "${type}".`)
  }
  const bytes = await readBody(request, record, MAX_JSON_BYTES)
  return parseWith(schema, parseJson(bytes))
}

/** Maximum depth and number of values of a body. Parsing must not block the process, which may also run a core or tests. */
const MAX_DEPTH = 128
const MAX_VALUES = 1_000_000

/** Throws 400 if parsing would take too long. Invalid JSON may pass, because the parser refuses it. */
function checkShape(bytes: Buffer): void {
  let depth = 0
  let values = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === 0x22) at = endOfString(bytes, at)
    else if (byte === 0x5b || byte === 0x7b) {
      depth++
      values++
    } else if (byte === 0x5d || byte === 0x7d) depth--
    else if (byte === 0x2c) values++
    if (depth > MAX_DEPTH)
      throw new ServiceError(400, 'invalid_json', `The body is nested over ${MAX_DEPTH} levels deep.`)
    if (values > MAX_VALUES) throw new ServiceError(400, 'invalid_json', `The body has over ${MAX_VALUES} values.`)
  }
}

/** Position of the closing quote of the string that begins at `from`. */
function endOfString(bytes: Buffer, from: number): number {
  for (let at = from + 1; at < bytes.length; at++) {
    if (bytes[at] === 0x22) return at
    if (bytes[at] === 0x5c) at++
  }
  return bytes.length
}

function parseJson(bytes: Buffer): unknown {
  checkShape(bytes)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (cause) {
    const detail = cause instanceof SyntaxError ? cause.message : 'it is not UTF-8'
    throw new ServiceError(400, 'invalid_json', `The body is not valid JSON: ${detail}`)
  }
}

/** Throws 400 with the name of the first invalid field and the reason. */
export function parseWith<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  const where = issue?.path.map(String).join('.') ?? ''
  const words = issue?.message ?? 'is invalid'
  throw new ServiceError(400, 'invalid_request', where === '' ? `The body: ${words}` : `${where}: ${words}`)
}
