import { readFile, stat } from 'node:fs/promises'
import { type ImageHeader, readImageHeader } from '../../../../src-preload/contract/imageHeader.ts'
import { StudioError } from '../../errors.ts'

/** 20 MB, more than the service accepts today. */
const maxImageBytes = 20 * 1024 * 1024
/** Pixels. Chromium decodes images up to these limits reliably. */
const maxSide = 16_384
const maxPixels = 100_000_000

/** Type, size and length of an image file that can be stored. @throws StudioError `bad_input` */
export async function readImageFile(path: string): Promise<ImageHeader & { bytes: number }> {
  const { size: bytes } = await stat(path)
  if (bytes > maxImageBytes) throw new StudioError('bad_input', 'An image may have at most 20 MB.')
  const header = readImageHeader(await readFile(path))
  if (header === null) {
    throw new StudioError('bad_input', 'This file is not an image that can be stored. Use PNG, JPEG, GIF or WebP.')
  }
  const { width, height } = header
  if (width > maxSide || height > maxSide || width * height > maxPixels) {
    const limits = 'The limits are 16,384 pixels per side and 100 million pixels in total.'
    throw new StudioError('bad_input', `This image has ${width} × ${height} pixels. ${limits}`)
  }
  return { ...header, bytes }
}
