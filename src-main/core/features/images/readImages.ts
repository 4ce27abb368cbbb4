import { StudioError } from '../../errors.ts'

/** Maximum size of one image file, the same as for the media folder. */
export const mostBytes = 20 * 1024 * 1024

/** How an image arrived (specification, POST /v1/images/generations): its bytes, its URL, or both. */
export interface Arrived {
  url?: string | null | undefined
  b64_json?: string | null | undefined
}

/** @throws StudioError `malformed_reply` for invalid base64 or too much of it */
export function decodeBase64(data: string): Uint8Array {
  if (data.length > Math.ceil(mostBytes / 3) * 4 + 4) throw tooLarge()
  // Buffer.from accepts anything and skips invalid characters, which would corrupt the image.
  if (!/^[A-Za-z\d+/]+={0,2}$/.test(data)) {
    throw new StudioError('malformed_reply', 'The image’s base64 is invalid.')
  }
  return Buffer.from(data, 'base64')
}

/** Reads all bytes, up to the maximum size of an image. @throws StudioError `malformed_reply` above that */
export async function readBounded(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of bytes) {
    size += chunk.length
    if (size > mostBytes) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** An image rejected for its bytes is the service's error, not the person's. */
export function asReplyError(thrown: unknown): unknown {
  if (!(thrown instanceof StudioError) || thrown.kind !== 'bad_input') return thrown
  return new StudioError('malformed_reply', thrown.message, {}, { cause: thrown })
}

const tooLarge = (): StudioError => new StudioError('malformed_reply', 'This image has more than 20 MB.')
