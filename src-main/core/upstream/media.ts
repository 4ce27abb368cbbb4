import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { StudioError } from '../errors.ts'
import { guardOfReply, type JsonScan } from './json/jsonScan.ts'
import { asRecord } from './reply/errorBody.ts'
import { ImageReplyScan, type ReplyImage } from './reply/imageReply.ts'
import { errorInstead } from './reply/rules.ts'
import { imageReply } from './reply/schemas.ts'
import { checkImageRequest, checkSpeechRequest, checkTranscriptionRequest } from './request/checks.ts'
import {
  type CallRequest,
  call,
  callVia,
  guarded,
  jsonBody,
  malformed,
  maxJsonBytes,
  parseReply,
  type UnreadReply,
} from './sending/call.ts'
import type { UpstreamLink } from './sending/link.ts'
import type {
  ByteReply,
  CallOptions,
  CreateImageRequest,
  CreateSpeechRequest,
  Transcription,
  TranscriptionRequest,
  UpstreamReply,
} from './types.ts'
import { readAll } from './wire/body.ts'

/** Largest images reply, bytes. It has four images of 20 MB in base64, and more. */
const maxImagesBytes = 256 * 1024 * 1024
const maxTranscriptBytes = 64 * 1024 * 1024
/** Maximum number of values in a transcript. Each word has four, and 14 hours of speech have some 120,000 words. Parsing takes 80 ms. */
const maxTranscriptValues = 500_000

type Sent = Pick<UnreadReply, 'bytes' | 'facts'>

function send(link: UpstreamLink, request: CallRequest, options: CallOptions = {}): Promise<Sent> {
  const { via } = options
  return via ? callVia(link, request, { ...options, via }) : call(link, request, options)
}

/**
 * Returns audio bytes as they arrive.
 * @throws StudioError
 */
export async function createSpeech(
  link: UpstreamLink,
  request: CreateSpeechRequest,
  options?: CallOptions,
): Promise<ByteReply> {
  checkSpeechRequest(request)
  const url = link.base.v1('/audio/speech')
  const named = request.model === undefined ? {} : { model: request.model }
  const callRequest = { method: 'POST', url, accept: '*/*', ...named, ...jsonBody(request) } as const
  const { facts, bytes } = await send(link, callRequest, options)
  return { facts, bytes }
}

/**
 * Streams the upload from the file. Its length is sent first.
 * @throws StudioError
 */
export async function createTranscription(
  link: UpstreamLink,
  request: TranscriptionRequest,
  options?: CallOptions,
): Promise<Transcription> {
  checkTranscriptionRequest(request)
  const { headers, body } = multipart(request, options?.onUploaded)
  const url = link.base.v1('/audio/transcriptions')
  const named = request.model === undefined ? {} : { model: request.model }
  const { facts, bytes } = await send(link, { method: 'POST', url, accept: '*/*', headers, body, ...named }, options)
  const guard = guardOfReply(maxTranscriptValues)
  const raw = new TextDecoder().decode(await readAll(watched(bytes, guard), maxTranscriptBytes))
  const type = facts.contentType?.split(';')[0]?.trim().toLowerCase() ?? ''
  const value = guard.problem === null ? parsedJson(raw) : undefined
  const failure = errorInstead(value, 'text', facts.status, link.credential.mask)
  if (failure) throw failure
  if (type === 'text/html') throw malformed(link, facts, raw, 'The service answered with a web page.')
  if (type === 'text/vtt') return { format: 'vtt', text: raw, raw, json: null, facts }
  if (type !== 'application/json' && !type.endsWith('+json'))
    return { format: 'text', text: raw, raw, json: null, facts }
  // It was paid for, so it is kept, although reading it would take too long.
  if (guard.problem === 'values') return { format: 'json', text: '', raw, json: null, facts }
  const json = asRecord(value)
  if (json === null)
    throw malformed(link, facts, raw, 'The transcript is not valid JSON, although its content type says so.')
  return { format: 'json', text: typeof json.text === 'string' ? json.text : '', raw, json, facts }
}

/** Yields the bytes, and scans them as they arrive. */
async function* watched(bytes: AsyncIterable<Uint8Array>, scan: JsonScan): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of bytes) {
    scan.push(chunk)
    yield chunk
  }
}

/** @throws StudioError */
export async function createImage(
  link: UpstreamLink,
  request: CreateImageRequest,
  options?: CallOptions,
): Promise<UpstreamReply<ReplyImage[]>> {
  checkImageRequest(request)
  const url = link.base.v1('/images/generations')
  const named = request.model === undefined ? {} : { model: request.model }
  const callRequest = { method: 'POST', url, ...named, pictures: request.n ?? 1, ...jsonBody(request) } as const
  const reply = await send(link, { ...callRequest, accept: 'application/json' }, options)
  return { facts: reply.facts, value: await readImages(link, reply) }
}

/** Reads the reply and decodes its images chunk by chunk, so that no image blocks the program. */
async function readImages(link: UpstreamLink, reply: Sent): Promise<ReplyImage[]> {
  const scan = new ImageReplyScan()
  let bytes = 0
  for await (const chunk of guarded(link, reply, scan)) {
    bytes += chunk.length
    if (bytes > maxImagesBytes || scan.rest.length > maxJsonBytes) {
      throw malformed(link, reply.facts, '', 'The service’s reply is too large.')
    }
  }
  const read = <T>(schema: z.ZodType<T>): T => parseReply(link, reply.facts, scan.rest.view(), schema)
  const failure = errorInstead(read(z.unknown()), 'data', reply.facts.status, link.credential.mask)
  if (failure) throw failure
  return scan.imagesOf(read(imageReply))
}

/**
 * Fetches a file or image that the service named. The request carries the key, so the address must be below the base address.
 * @throws StudioError `foreign_address` before anything is sent
 */
export async function fetchFile(link: UpstreamLink, address: string, options?: CallOptions): Promise<ByteReply> {
  const url = link.base.resolve(address)
  if (url === null) {
    // Without the address, which the caller shows beside it.
    throw new StudioError(
      'foreign_address',
      `The service named an address that is not under its own (${link.base.url}), so it was not fetched.`,
    )
  }
  const { facts, bytes } = await send(link, { method: 'GET', url, accept: '*/*' }, options)
  return { facts, bytes }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

interface Multipart {
  headers: [name: string, value: string][]
  body: () => AsyncIterable<Uint8Array>
}

/** Builds a form (RFC 7578), with names escaped as the WHATWG's forms do. */
function multipart(
  { file, fileName, ...fields }: TranscriptionRequest,
  onUploaded: CallOptions['onUploaded'],
): Multipart {
  const boundary = `inference-studio-${randomUUID()}`
  const parts = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`],
  )
  const type =
    !(file instanceof Uint8Array) && /^[\w.+-]+\/[\w.+-]+$/.test(file.type) ? file.type : 'application/octet-stream'
  parts.push(
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${escapeName(fileName)}"\r\n` +
      `content-type: ${type}\r\n\r\n`,
  )
  const head = Buffer.from(parts.join(''))
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`)
  const size = file instanceof Uint8Array ? file.byteLength : file.size
  return {
    headers: [
      ['content-type', `multipart/form-data; boundary=${boundary}`],
      ['content-length', String(head.length + size + tail.length)],
    ],
    body: async function* () {
      let sent = 0
      onUploaded?.(sent)
      yield head
      // The generator resumes after the socket has accepted the piece. Counted bytes are sent, except those in the system's buffers.
      for await (const chunk of file instanceof Uint8Array ? [file] : file.stream()) {
        if (chunk.length > 0) yield chunk
        sent += chunk.length
        onUploaded?.(sent)
      }
      yield tail
    },
  }
}

function escapeName(name: string): string {
  return name.replace(/\r/g, '%0D').replace(/\n/g, '%0A').replace(/"/g, '%22')
}
