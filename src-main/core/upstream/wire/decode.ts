import { pipeline, Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, createZstdDecompress } from 'node:zlib'
import { StudioError } from '../../errors.ts'
import { bytesOf, type ReplyBody } from './body.ts'

/** Maximum number of nested encodings. A reply with more is treated as an attack. */
const maxEncodings = 3

/** Creates the decoder of an encoding from the first byte of the body. */
const decoders: Record<string, (first: number) => Transform> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  // RFC 9110 asks for a zlib header. Some servers omit it.
  deflate: (first) => ((first & 0x0f) === 8 ? createInflate() : createInflateRaw()),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress(),
}

/** Encodings to undo, the last applied first (RFC 9110, 8.4). */
function encodingsOf(contentEncoding: string): string[] {
  const names = contentEncoding.split(',').map((name) => name.trim().toLowerCase())
  return names.filter((name) => name !== '' && name !== 'identity').reverse()
}

/** Whether a body has no content encoding, one that `decoded` can undo, or an unknown one. */
export function kindOfEncoding(contentEncoding: string | null): 'none' | 'known' | 'unknown' {
  if (contentEncoding === null) return 'none'
  const encodings = encodingsOf(contentEncoding)
  if (encodings.length === 0) return 'none'
  const known = encodings.length <= maxEncodings && encodings.every((name) => Object.hasOwn(decoders, name))
  return known ? 'known' : 'unknown'
}

/** The error of a reply with an unknown content encoding. */
export const undecodable = (): StudioError =>
  new StudioError('malformed_reply', 'The reply has an unknown compression.')

/**
 * Undoes the content encoding of a body as it arrives. We ask for `identity`; some services compress all the same.
 * @throws StudioError by its iteration: `malformed_reply` for a damaged or unknown encoding
 */
export function decoded(body: ReplyBody<unknown>, contentEncoding: string | null): AsyncIterable<Uint8Array> {
  const kind = kindOfEncoding(contentEncoding)
  if (contentEncoding !== null && kind === 'known') return through(body, encodingsOf(contentEncoding))
  body.close()
  return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(undecodable()) }) }
}

async function* through(body: ReplyBody<unknown>, encodings: string[]): AsyncGenerator<Uint8Array, void, undefined> {
  let bytes: AsyncIterable<Uint8Array> = bytesOf(body)
  try {
    for (const name of encodings) bytes = await opened(bytes, name)
    yield* bytes
  } catch (cause) {
    if (cause instanceof StudioError) throw cause
    throw new StudioError('malformed_reply', 'The compressed reply is damaged.', { outputStarted: true }, { cause })
  } finally {
    body.close()
  }
}

/** Opens one decoder. An empty body stays empty. */
async function opened(bytes: AsyncIterable<Uint8Array>, name: string): Promise<AsyncIterable<Uint8Array>> {
  const source = bytes[Symbol.asyncIterator]()
  const start = await source.next()
  if (start.done === true) return Readable.from([])
  const decoder = decoders[name]?.(start.value[0] ?? 0)
  if (!decoder) return Readable.from([])
  const all = (async function* () {
    yield start.value
    yield* { [Symbol.asyncIterator]: () => source }
  })()
  // The reader receives errors through its iteration.
  return pipeline(Readable.from(all, { objectMode: false }), decoder, () => undefined)
}
