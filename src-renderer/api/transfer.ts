import { ORPCError } from '@orpc/client'
import type * as z from 'zod'
import { decodeFrames, failedFrame } from '../../src-preload/contract/frames.ts'
import { type Problem, problem } from '../../src-preload/contract/problem.ts'
import {
  type ByteStream,
  type Download,
  partBytes,
  partReply,
  partType,
  pieceReply,
  recordingPath,
  transferPath,
} from '../../src-preload/contract/transfers.ts'
import type { Client } from './connect.ts'
import { TransportError } from './link.ts'

export interface UploadOptions {
  signal?: AbortSignal
  /** Called with the number of bytes that the core has received. */
  onProgress?: (sent: number) => void
}

/**
 * Uploads a file to the core in parts. The next part is read while the current one is sent. An aborted or failed upload is deleted in the
 * core, and the core deletes uploads that are unused for one hour.
 * @returns the id of the upload
 * @throws TransportError; ORPCError `PROBLEM` when the core refuses; the signal's reason
 */
export async function upload(
  client: Client,
  file: Blob,
  { signal, onProgress = () => undefined }: UploadOptions = {},
): Promise<string> {
  const name = file instanceof File ? file.name.slice(-300) : ''
  const options = signal ? { signal } : {}
  const { uploadId } = await client.transfers.beginUpload({ name, bytes: file.size }, options)
  try {
    let next = readPart(file, 0)
    for (let at = 0; at < file.size; ) {
      const body = await next
      next = readPart(file, at + partBytes)
      const { received } = await put(transferPath(uploadId), { at, body }, partReply, signal)
      at = received
      onProgress(at)
      signal?.throwIfAborted()
    }
    return uploadId
  } catch (thrown) {
    // This call also fails when the connection is lost. The core then deletes the upload after an hour.
    client.transfers.cancelUpload({ uploadId }).catch(() => undefined)
    throw thrown
  }
}

/**
 * Stores a piece of a recording, at most `partBytes`, from the offset `at`.
 * @returns the stored bytes of the recording
 * @throws TransportError; ORPCError `PROBLEM` when the core refuses
 */
export async function sendPiece(recordingId: string, at: number, piece: Blob): Promise<number> {
  const { bytes } = await put(recordingPath(recordingId), { at, body: await piece.arrayBuffer() }, pieceReply)
  return bytes
}

function readPart(file: Blob, at: number): Promise<ArrayBuffer> {
  const read = file
    .slice(at, at + partBytes)
    .arrayBuffer()
    .catch((thrown: unknown) => {
      throw new Error('The file can no longer be read.', { cause: thrown })
    })
  // Prevents an unhandled rejection: this read can fail while the previous part is being sent. The caller awaits the promise later.
  read.catch(() => undefined)
  return read
}

/** Sends an ArrayBuffer, because Electron reads a whole Blob in the main process. */
async function put<T>(
  path: string,
  { at, body }: { at: number; body: ArrayBuffer },
  reply: z.ZodType<T>,
  signal?: AbortSignal,
): Promise<T> {
  const headers = { 'Content-Type': partType }
  const answered = await request(`${path}?at=${at}`, { method: 'PUT', headers, body, ...(signal && { signal }) })
  return reply.parse(await answered.json())
}

/** @throws TransportError; ORPCError `PROBLEM` when the core refuses; the signal's reason */
async function request(path: string, init: RequestInit): Promise<Response> {
  const reply = await fetch(path, { ...init, cache: 'no-store', redirect: 'error' }).catch(lost(init.signal))
  if (reply.ok) return reply
  const refusal = problem.safeParse(await reply.json().catch(() => null))
  if (refusal.success) throw problemError(refusal.data)
  // The host no longer accepts this page.
  throw new TransportError('The connection to Inference Studio is lost.')
}

const problemError = (data: Problem) => new ORPCError('PROBLEM', { message: data.message, data })

/** Turns a failed read or request into a TransportError, unless the signal has aborted. */
const lost =
  (signal: AbortSignal | null | undefined) =>
  (thrown: unknown): never => {
    if (signal?.aborted) throw signal.reason
    throw new TransportError('The connection to Inference Studio was lost before it answered.', { cause: thrown })
  }

/**
 * Starts a stream of the core and yields its events. Leaving the loop or aborting the signal also ends the stream in the core.
 * @param schema of one event; bytes are in `data`
 * @throws TransportError; ORPCError `PROBLEM` when the stream fails; the signal's reason
 */
export async function* readStream<T>(
  { streamId }: ByteStream,
  schema: z.ZodType<T>,
  signal: AbortSignal,
): AsyncGenerator<T, undefined, void> {
  const { body } = await request(transferPath(streamId), { signal })
  const frames = decodeFrames(chunksOf(body))
  try {
    for (;;) {
      const { done, value } = await frames.next().catch(lost(signal))
      if (done) return
      const failed = failedFrame.safeParse(value)
      if (failed.success) throw problemError(failed.data.problem)
      yield schema.parse(value)
    }
  } finally {
    await frames.return(undefined)
  }
}

/** Iterates over a stream with a reader, because not every browser implements async iteration of streams. */
async function* chunksOf(body: Response['body']): AsyncGenerator<Uint8Array, void, void> {
  const reader = body?.getReader()
  if (!reader) return
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    // Rejects only when the stream has already failed.
    await reader.cancel().catch(() => undefined)
  }
}

/**
 * Saves a file of the core through the browser's download. The browser streams the file to the disk, so its size does not matter.
 * @throws TransportError; ORPCError `PROBLEM` when the file no longer exists
 */
export async function save({ downloadId, name }: Download): Promise<void> {
  const address = transferPath(downloadId)
  await request(address, { method: 'HEAD' })
  clickDownload(address, name)
}

export function saveBlob(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob)
  clickDownload(address, name)
  // The browser starts reading the blob after this task. One minute is enough for every browser.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

function clickDownload(address: string, name: string): void {
  const link = Object.assign(document.createElement('a'), { href: address, download: name })
  document.body.append(link)
  link.click()
  link.remove()
}
