import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { z } from 'zod'
import { ServiceError } from '../errors.ts'
import type { RequestRecord } from '../world/records.ts'

/** Images ride in chat bodies as base64, so a body may be large; beyond this it is refused. */
export const MAX_JSON_BYTES = 64 * 1024 * 1024

/** The whole body. Throws 400 when it is longer than `limit` bytes. */
export async function readBody(request: IncomingMessage, record: RequestRecord, limit: number): Promise<Buffer> {
  const hash = createHash('sha256')
  const chunks: Buffer[] = []
  const tooLarge = () => new ServiceError(400, 'body_too_large', `The body may have at most ${limit} bytes.`)
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge()
  // `destroyOnReturn: false`: leaving early must not tear down the socket on which the refusal goes out.
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

/** The body as JSON that fits `schema`. Throws 400 in words otherwise. */
export async function readJson<T>(request: IncomingMessage, record: RequestRecord, schema: z.ZodType<T>): Promise<T> {
  const type = request.headers['content-type'] ?? ''
  if (!/^application\/json\b/i.test(type)) {
    throw new ServiceError(400, 'invalid_content_type', `The body must be application/json, not "${type}".`)
  }
  const bytes = await readBody(request, record, MAX_JSON_BYTES)
  return parseWith(schema, parseJson(bytes))
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (cause) {
    const detail = cause instanceof SyntaxError ? cause.message : 'it is not UTF-8'
    throw new ServiceError(400, 'invalid_json', `The body is not valid JSON: ${detail}`)
  }
}

/** Throws 400 that names the first field that does not fit, and how. */
export function parseWith<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  const where = issue?.path.map(String).join('.') ?? ''
  const words = issue?.message ?? 'does not fit'
  throw new ServiceError(400, 'invalid_request', where === '' ? `The body: ${words}` : `${where}: ${words}`)
}
