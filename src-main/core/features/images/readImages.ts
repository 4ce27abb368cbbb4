import { imageTypeOf, readImageHeader } from '../../../../src-preload/contract/imageHeader.ts'
import { StudioError } from '../../errors.ts'
import { imageDamage, imageFormatOf } from '../../shared/mediaType/imageDamage.ts'
import { maxImageBytes, refusalOfImage } from '../../shared/mediaType/imageLimits.ts'
import { SerialQueue } from '../../shared/serialQueue.ts'
import type { ImageContent } from '../../upstream/reply/imageReply.ts'

/** Why bytes are not a whole image, and the end of a file name that says so. */
export interface ImageDamage {
  /** Always `malformed_reply`: the service, not the person, supplied the bytes. */
  problem: StudioError
  fileName: string
}

const checks = new SerialQueue()

/**
 * What is wrong with the bytes of an image; null for an image that can be shown. Images are checked one after another, because each check
 * keeps this thread busy for some milliseconds at a time.
 */
export const damageOf = (content: ImageContent): Promise<ImageDamage | null> => checks.run(() => checkImage(content))

/** Checks length and dimensions before decoding. */
async function checkImage({ bytes: pieces, isText }: ImageContent): Promise<ImageDamage | null> {
  const damage = (text: string, fileName: string): ImageDamage => ({
    problem: new StudioError('malformed_reply', text, { workPossible: true }),
    fileName,
  })
  if (isText) return damage('The image’s base64 is invalid.', 'damaged base64.txt')
  const bytes = Buffer.concat(pieces)
  const format = imageFormatOf(bytes)
  const ending = format?.ending ?? 'bin'
  if (imageTypeOf(bytes) === null) {
    const what = format === null ? 'This file is not an image.' : `This image’s format, ${format.name}, can’t be shown.`
    return damage(what, `not shown.${ending}`)
  }
  const header = readImageHeader(bytes)
  const refusal = header ? refusalOfImage(bytes.length, header) : null
  if (refusal !== null) return damage(refusal, `too large.${ending}`)
  const found = await imageDamage(bytes)
  if (found === null && header !== null) return null
  return damage(`The image ${found ?? 'has a damaged header'}.`, `damaged.${ending}`)
}

/** Reads all bytes of an image. @throws StudioError `malformed_reply` above the largest size of an image */
export async function readBounded(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of bytes) {
    size += chunk.length
    if (size > maxImageBytes) throw new StudioError('malformed_reply', 'This image has more than 20 MB.')
    chunks.push(chunk)
  }
  return chunks
}
