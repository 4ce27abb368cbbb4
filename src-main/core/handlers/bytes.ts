import { Readable } from 'node:stream'
import type * as z from 'zod'
import { encodeFrame, type failedFrame, framesType } from '../../../src-preload/contract/frames.ts'
import type { ProblemKind } from '../../../src-preload/contract/problem.ts'
import {
  partBytes,
  type partReply,
  partType,
  type pieceReply,
  recordingPath,
  transferPath,
} from '../../../src-preload/contract/transfers.ts'
import { StudioError } from '../errors.ts'
import { pageHeaders } from '../features/transfers/pageListener.ts'
import type { OpenEvents } from '../features/transfers/streams.ts'
import type { Transfers } from '../features/transfers/transfers.ts'
import type { Host } from '../host.ts'
import type { BytesHandler, BytesReply, BytesRequest } from '../ports/bytes.ts'
import { reported } from './errors.ts'

export interface BytesDependencies {
  host: Host
  transfers: Pick<Transfers, 'uploads' | 'downloads' | 'streams' | 'pages'>
  recordings: { append(piece: { id: string; at: number; data: Uint8Array }): Promise<number> }
}

const uuid = '[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}'
const transferUrl = new RegExp(`^${transferPath(`(${uuid})`)}$`)
const recordingUrl = new RegExp(`^${recordingPath(`(${uuid})`)}$`)
const offset = /^\d{1,15}$/
const mediaType = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}$/

/** Headers of every reply. They stop the browser from displaying a file, whatever its type, and from caching it. */
const headersOfAll = {
  'Content-Security-Policy': "sandbox; default-src 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
}

const statuses: Partial<Record<ProblemKind, number>> = { bad_input: 400, no_such_item: 404, busy: 503, disk_full: 507 }

/** Answers the requests of `/transfers/`: parts of uploads, pieces of recordings, downloads, streams and pages. */
export function createBytesHandler({ host, transfers, recordings }: BytesDependencies): BytesHandler {
  const { uploads, downloads, streams, pages } = transfers

  function answer(request: BytesRequest): BytesReply | Promise<BytesReply> {
    const { method, path } = request
    const [, transferId] = transferUrl.exec(path) ?? []
    const [, recordingId] = recordingUrl.exec(path) ?? []
    if (transferId === undefined && recordingId === undefined) return notFound()
    if (method === 'PUT') return refusalOf(request) ?? store(request, transferId, recordingId)
    if (transferId === undefined) return wrongMethod('PUT')
    return method === 'GET' || method === 'HEAD' ? read(transferId, method === 'HEAD') : wrongMethod('GET, HEAD, PUT')
  }

  async function store({ query, body }: BytesRequest, uploadId = '', recordingId = ''): Promise<BytesReply> {
    const at = Number(query.get('at'))
    if (recordingId !== '') {
      return json(200, { bytes: await append(recordingId, at, body) } satisfies z.infer<typeof pieceReply>)
    }
    return json(200, { received: await uploads.part({ uploadId, at, body }) } satisfies z.infer<typeof partReply>)
  }

  function read(id: string, isHead: boolean): BytesReply {
    const file = downloads.find(id)
    if (file) return fileReply(file, isHead)
    if (isHead) return notFound()
    const open = streams.take(id)
    if (open) return streamReply(host, open)
    const page = pages.take(id)
    return page === null ? notFound() : pageReply(page)
  }

  /** Stores a piece. When it breaks off, stores the bytes that arrived: the page sends only what is missing. */
  async function append(id: string, at: number, body: Readable): Promise<number> {
    const chunks: Buffer[] = []
    let broken: { thrown: unknown } | null = null
    try {
      let bytes = 0
      for await (const chunk of body.iterator({ destroyOnReturn: false })) {
        bytes += chunk.length
        if (bytes > partBytes) throw new StudioError('bad_input', 'This piece is too large.')
        chunks.push(chunk)
      }
    } catch (thrown) {
      broken = { thrown }
    }
    const stored = await recordings.append({ id, at, data: Buffer.concat(chunks) })
    if (broken) throw broken.thrown
    return stored
  }

  return async (request) => {
    try {
      return await answer(request)
    } catch (thrown) {
      // A page that has disconnected needs no reply, and its disconnection is not an error.
      if (request.body.errored === thrown && !(thrown instanceof StudioError)) return refuse(400, 'The part broke off.')
      const failure = reported(host, thrown)
      return json(statuses[failure.kind] ?? 500, failure.toProblem())
    }
  }
}

/** Why a PUT is refused before its body is read, or null. */
function refusalOf({ contentType, contentLength, query }: BytesRequest): BytesReply | null {
  if (contentType !== partType) return refuse(415, `Only ${partType} is accepted here.`)
  if (contentLength !== null && contentLength > partBytes) return refuse(413, 'This part is too large.')
  return offset.test(query.get('at') ?? '') ? null : refuse(400, 'The offset is missing or invalid.')
}

/** A document that the person opens in a tab. */
function pageReply(html: string): BytesReply {
  const text = Buffer.from(html)
  const headers = { ...headersOfAll, ...pageHeaders, 'Content-Length': String(text.length) }
  return { status: 200, headers, body: Readable.from([text]) }
}

interface DownloadFile {
  name: string
  mime: string
  bytes: number
  read(): Readable
}

function fileReply({ name, mime, bytes, read }: DownloadFile, isHead: boolean): BytesReply {
  const headers = {
    ...headersOfAll,
    'Content-Type': mediaType.test(mime) ? mime : 'application/octet-stream',
    'Content-Length': String(bytes),
    'Content-Disposition': `attachment; filename*=UTF-8''${encodeName(name)}`,
    'Accept-Ranges': 'none',
  }
  return { status: 200, headers, body: isHead ? null : read() }
}

/** A file name as an extended parameter (RFC 8187, 3.2.1). The encoding leaves no character that could end the header. */
function encodeName(name: string): string {
  const percent = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  return encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, percent)
}

/** Runs the stream while it is read. A failure is its last event, because the status has been sent by then. */
function streamReply(host: Host, open: OpenEvents): BytesReply {
  const left = new AbortController()
  async function* encoded(): AsyncGenerator<Uint8Array, null, void> {
    try {
      for await (const event of open(left.signal)) yield* encodeFrame(event)
    } catch (thrown) {
      if (left.signal.aborted) return null
      const problem = reported(host, thrown).toProblem()
      yield* encodeFrame({ type: 'failed', problem } satisfies z.infer<typeof failedFrame>)
    }
    return null
  }
  const frames = encoded()
  const body = new Readable({
    read: () => void frames.next().then(({ value }) => body.push(value)),
    // Readable.from would report a disconnected reader only after the next event.
    destroy(thrown, done) {
      left.abort()
      done(thrown)
    },
  })
  return { status: 200, headers: { ...headersOfAll, 'Content-Type': framesType }, body }
}

function json(status: number, value: object): BytesReply {
  const text = Buffer.from(JSON.stringify(value))
  const headers = { ...headersOfAll, 'Content-Type': 'application/json', 'Content-Length': String(text.length) }
  return { status, headers, body: Readable.from([text]) }
}

function wrongMethod(allowed: string): BytesReply {
  const reply = refuse(405, 'This method is not allowed here.')
  return { ...reply, headers: { ...reply.headers, Allow: allowed } }
}

const refuse = (status: number, message: string): BytesReply =>
  json(status, new StudioError(status === 404 ? 'no_such_item' : 'bad_input', message).toProblem())
const notFound = (): BytesReply => refuse(404, 'That file is no longer available. Request it again.')
