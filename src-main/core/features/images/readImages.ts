import { StudioError } from '../../errors.ts'

/** What one picture may have at most, as it came: the bound of the media folder. */
export const mostBytes = 20 * 1024 * 1024

/** How a picture came (specification, POST /v1/images/generations): its bytes, its address, or both. */
export interface Arrived {
  url?: string | null | undefined
  b64_json?: string | null | undefined
}

/** @throws StudioError `malformed_reply` for what is no base64, or too large */
export function decodeBase64(data: string): Uint8Array {
  if (data.length > Math.ceil(mostBytes / 3) * 4 + 4) throw tooLarge()
  // Buffer.from stops at nothing: what it passes over would be bytes that lie.
  if (!/^[A-Za-z\d+/]+={0,2}$/.test(data)) {
    throw new StudioError('malformed_reply', 'The picture’s base64 can’t be read.')
  }
  return Buffer.from(data, 'base64')
}

/** All of it, but never more than a picture may have: what is larger is left where it is. @throws StudioError */
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

/** A picture that was refused for its bytes is the service's mistake, not the person's. */
export function asReplyError(thrown: unknown): unknown {
  if (!(thrown instanceof StudioError) || thrown.kind !== 'bad_input') return thrown
  return new StudioError('malformed_reply', thrown.message, {}, { cause: thrown })
}

const tooLarge = (): StudioError => new StudioError('malformed_reply', 'This picture has more than 20 MB.')
