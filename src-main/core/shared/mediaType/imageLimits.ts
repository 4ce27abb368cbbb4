import type { ImageHeader } from '../../../../src-preload/contract/imageHeader.ts'

/** 20 MB, more than the service accepts today. */
export const maxImageBytes = 20 * 1024 * 1024
/** Pixels. Chromium decodes images up to these limits reliably. */
const maxSide = 16_384
const maxPixels = 100_000_000

/** Why a file of this length and with this header is no image that can be stored, as a sentence; null when it can. */
export function refusalOfImage(bytes: number, header: ImageHeader | null): string | null {
  if (bytes > maxImageBytes) return 'An image may have at most 20 MB.'
  if (header === null) return 'This file is not an image that can be stored. Use PNG, JPEG, GIF or WebP.'
  const { width, height } = header
  if (width <= maxSide && height <= maxSide && width * height <= maxPixels) return null
  const limits = 'The limits are 16,384 pixels per side and 100 million pixels in total.'
  return `This image has ${width} × ${height} pixels. ${limits}`
}
