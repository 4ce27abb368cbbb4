import type { ImageType } from '../../../../src-preload/contract/imageHeader.ts'

/**
 * Maximum side length, pixels. Larger pictures are scaled down before the upload: vision models use fewer pixels, and every turn sends the
 * picture again.
 */
export const longestSide = 2048
/** Maximum size of a picture that is sent as it is, bytes. A larger one is compressed. */
export const largestBytes = 4 * 1024 * 1024

const sentTypes: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] satisfies ImageType[]

/** Whether the file may contain several frames: any GIF, a WebP with the animation flag (RFC 9649), a PNG with `acTL` before its data. */
export function mayMove(bytes: Uint8Array, type: ImageType | null): boolean {
  if (type === 'image/gif') return true
  const head = String.fromCharCode(...bytes.subarray(0, 4096))
  if (type === 'image/webp') return head.slice(12, 16) === 'VP8X' && ((bytes[20] ?? 0) & 2) !== 0
  if (type !== 'image/png') return false
  const control = head.indexOf('acTL')
  const data = head.indexOf('IDAT')
  return control !== -1 && (data === -1 || control < data)
}

export interface PictureFit {
  width: number
  height: number
  /** Whether the picture must be re-encoded, and why. */
  redraw: boolean
}

/** The size in which a picture is sent. Keeps the proportions. */
export function fitOf(picture: {
  width: number
  height: number
  bytes: number
  type: ImageType | null
  orientation: number
}): PictureFit {
  const { width, height, bytes, type, orientation } = picture
  const share = Math.min(1, longestSide / Math.max(width, height))
  return {
    width: Math.max(1, Math.round(width * share)),
    height: Math.max(1, Math.round(height * share)),
    redraw: share < 1 || bytes > largestBytes || type === null || orientation !== 1,
  }
}

export const isImageType = (type: string): type is ImageType => sentTypes.includes(type)
