import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy } from '@fastify/busboy'
import { ServiceError } from '../errors.ts'
import type { RequestRecord } from '../world/records.ts'

export interface Form {
  fields: Record<string, string>
  /** The part named `file`; null without one. */
  file: { name: string; bytes: Uint8Array } | null
}

/** Larger recordings are read to their end but not stored, so that the client receives the refusal. */
export const MAX_FILE_BYTES = 128 * 1024 * 1024

/** Reads the whole form into memory. Throws 400 for anything but a form, a truncated form, or a too large file. */
export async function readForm(request: IncomingMessage, record: RequestRecord): Promise<Form> {
  const type = request.headers['content-type'] ?? ''
  if (!/^multipart\/form-data\s*;/i.test(type)) {
    throw new ServiceError(400, 'invalid_content_type', `The body must be multipart/form-data, not "${type}".`)
  }
  const fields: Record<string, string> = Object.create(null)
  let file: Form['file'] = null
  let tooLarge = false
  try {
    const busboy = new Busboy({
      headers: { ...request.headers, 'content-type': type },
      limits: { fileSize: MAX_FILE_BYTES, fields: 50, files: 2, parts: 60, fieldSize: 1024 * 1024 },
    })
    busboy.on('field', (name: string, value: string) => {
      fields[name] = value
    })
    busboy.on('file', (name: string, stream: NodeJS.ReadableStream & { truncated?: boolean }, fileName: string) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => name === 'file' && chunks.push(chunk))
      stream.on('limit', () => {
        tooLarge = true
        chunks.length = 0
      })
      stream.on('end', () => {
        if (name === 'file') file = { name: fileName, bytes: Buffer.concat(chunks) }
      })
    })
    await pipeline(request, counting(record), busboy)
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause)
    throw new ServiceError(400, 'invalid_form', `The form could not be read: ${detail}`)
  }
  if (tooLarge) throw new ServiceError(400, 'file_too_large', `A file may have at most ${MAX_FILE_BYTES} bytes.`)
  return { fields: { ...fields }, file }
}

function counting(record: RequestRecord): Transform {
  const hash = createHash('sha256')
  return new Transform({
    transform(chunk: Buffer, _encoding, next) {
      record.bytesIn += chunk.length
      hash.update(chunk)
      next(null, chunk)
    },
    flush(next) {
      record.bodySha256 = hash.digest('hex')
      next()
    },
  })
}
