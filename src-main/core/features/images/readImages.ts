import { StudioError } from '../../errors.ts'
import type { ImageContent } from '../../upstream/imageReply.ts'

/** Maximum size of one image file, the same as for the media folder. */
export const mostBytes = 20 * 1024 * 1024

/** The bytes of a reply's image, in pieces. @throws StudioError `malformed_reply` for invalid or too long base64 */
export function bytesOf(content: ImageContent): readonly Uint8Array[] {
  if (content === 'invalid') throw new StudioError('malformed_reply', 'The image’s base64 is invalid.')
  if (content.reduce((size, { length }) => size + length, 0) > mostBytes) throw tooLarge()
  return content
}

/** Reads all bytes of an image. @throws StudioError `malformed_reply` above `mostBytes` */
export async function readBounded(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of bytes) {
    size += chunk.length
    if (size > mostBytes) throw tooLarge()
    chunks.push(chunk)
  }
  return chunks
}

/** Converts `bad_input` to `malformed_reply`: the service, not the person, supplied the invalid image. */
export function asReplyError(thrown: unknown): unknown {
  if (!(thrown instanceof StudioError) || thrown.kind !== 'bad_input') return thrown
  return new StudioError('malformed_reply', thrown.message, {}, { cause: thrown })
}

const tooLarge = (): StudioError => new StudioError('malformed_reply', 'This image has more than 20 MB.')
