// Reads the headers of image files, for the core and for the page. Both must agree on type, size and orientation.

export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'

/** Type and size of an image, from its header. */
export interface ImageHeader {
  mime: ImageType
  /** Pixels as shown, with the EXIF rotation applied. */
  width: number
  height: number
}

/** Returns the type of an image by its signature, or null for any other file. Ignores the file name. Needs the first 12 bytes. */
export function imageTypeOf(bytes: Uint8Array): ImageType | null {
  const view = viewOf(bytes)
  if (ascii(view, 0, '\x89PNG\r\n\x1a\n')) return 'image/png'
  if (ascii(view, 0, '\xff\xd8\xff')) return 'image/jpeg'
  if (ascii(view, 0, 'GIF87a') || ascii(view, 0, 'GIF89a')) return 'image/gif'
  return ascii(view, 0, 'RIFF') && ascii(view, 8, 'WEBP') ? 'image/webp' : null
}

/**
 * Returns type and size of an image from its bytes: PNG, JPEG, GIF or WebP, animated images included. The size is the displayed size in
 * pixels, with the EXIF rotation applied. If the first frame of a GIF is larger than its screen, the size is that of the frame.
 * Reads only headers within the given bytes. Null for any other file, and for a header that is cut or invalid.
 */
export function readImageHeader(bytes: Uint8Array): ImageHeader | null {
  const mime = imageTypeOf(bytes)
  const size = mime && sizeReaders[mime](viewOf(bytes))
  return mime && size && size.width > 0 && size.height > 0 ? { mime, ...size } : null
}

/**
 * Returns the Orientation tag of a JPEG's EXIF block, 1 (upright) to 8. Returns 1 for a JPEG without the tag and for any other file.
 * Reads only the given bytes: the EXIF block ends within the first 64 kB, unless large blocks precede it.
 */
export const jpegOrientation = (bytes: Uint8Array): number =>
  imageTypeOf(bytes) === 'image/jpeg' ? scanJpeg(viewOf(bytes)).orientation : 1

interface Size {
  width: number
  height: number
}

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

function ascii(view: DataView, at: number, text: string): boolean {
  if (at + text.length > view.byteLength) return false
  for (let index = 0; index < text.length; index++) {
    if (view.getUint8(at + index) !== text.charCodeAt(index)) return false
  }
  return true
}

/** Orientations 5 to 8 rotate an image by a quarter turn, so that width and height swap. */
const upright = ({ width, height }: Size, orientation: number): Size =>
  orientation >= 5 ? { width: height, height: width } : { width, height }

/** Exif 2.32, 4.6.4: tag 274 of the first directory, 1 to 8. `at`: where the TIFF header begins. 1 for a missing or invalid tag. */
function tiffOrientation(view: DataView, at: number, end: number): number {
  if (at + 8 > end) return 1
  const little = ascii(view, at, 'II')
  if ((!little && !ascii(view, at, 'MM')) || view.getUint16(at + 2, little) !== 42) return 1
  const first = at + view.getUint32(at + 4, little)
  if (first + 2 > end) return 1
  const entries = view.getUint16(first, little)
  for (let index = 0; index < entries; index++) {
    const entry = first + 2 + index * 12
    if (entry + 12 > end) return 1
    if (view.getUint16(entry, little) !== 274) continue
    const value = view.getUint16(entry + 8, little)
    return value >= 1 && value <= 8 ? value : 1
  }
  return 1
}

/** PNG (third edition), 5.2 and 11.2.1: the signature, then IHDR with 13 bytes. */
function pngSize(view: DataView): Size | null {
  if (view.byteLength < 33 || view.getUint32(8) !== 13 || !ascii(view, 12, 'IHDR')) return null
  const size = { width: view.getUint32(16), height: view.getUint32(20) }
  for (let at = 33; at + 12 <= view.byteLength && !ascii(view, at + 4, 'IDAT'); at += 12 + view.getUint32(at)) {
    if (!ascii(view, at + 4, 'eXIf')) continue
    return upright(size, tiffOrientation(view, at + 8, Math.min(view.byteLength, at + 8 + view.getUint32(at))))
  }
  return size
}

/** GIF89a, sections 18 and 20: the logical screen, or the first frame if that is larger. Browsers enlarge the screen for no later frame. */
function gifSize(view: DataView): Size | null {
  if (view.byteLength < 13) return null
  const size = { width: view.getUint16(6, true), height: view.getUint16(8, true) }
  const frame = firstGifFrame(view)
  if (frame === null) return size
  const reach = (from: number): number => view.getUint16(frame + from, true) + view.getUint16(frame + from + 4, true)
  return { width: Math.max(size.width, reach(1)), height: Math.max(size.height, reach(3)) }
}

/** Offset of the first image descriptor, or null. Every step moves forward, so the search ends. */
function firstGifFrame(view: DataView): number | null {
  const flags = view.getUint8(10)
  let at = 13 + ((flags & 0x80) === 0 ? 0 : 3 * (2 << (flags & 7)))
  // Extensions: a label, then blocks with their lengths up to an empty one.
  while (at + 10 <= view.byteLength && view.getUint8(at) === 0x21) {
    at += 2
    while (at < view.byteLength && view.getUint8(at) !== 0) at += view.getUint8(at) + 1
    at += 1
  }
  return at + 10 <= view.byteLength && view.getUint8(at) === 0x2c ? at : null
}

/** RFC 9649: a RIFF file whose first chunk is VP8, VP8L or VP8X. Each of them encodes the size differently. */
function webpSize(view: DataView): Size | null {
  if (view.byteLength < 30) return null
  if (ascii(view, 12, 'VP8X')) {
    const side = (at: number): number => 1 + (view.getUint8(at) | (view.getUint16(at + 1, true) << 8))
    return { width: side(24), height: side(27) }
  }
  if (ascii(view, 12, 'VP8L')) {
    if (view.getUint8(20) !== 0x2f) return null
    const bits = view.getUint32(21, true)
    return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) }
  }
  if (!ascii(view, 12, 'VP8 ')) return null
  // RFC 6386, 9.1: a key frame's start code, then two sides of 14 bits.
  if ((view.getUint8(20) & 1) !== 0 || view.getUint8(23) !== 0x9d || view.getUint16(24) !== 0x012a) return null
  return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
}

function jpegSize(view: DataView): Size | null {
  const { size, orientation } = scanJpeg(view)
  return size && upright(size, orientation)
}

/** ITU T.81, B.1.1.3: every frame header, without the markers for tables (C4), arithmetic coding (CC) and the reserved C8. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

/** Bytes to skip for a fill byte and for markers without a length; 0 for all others. */
function bytesWithoutLength(marker: number): number {
  if (marker === 0xff) return 1
  return marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7) ? 2 : 0
}

/** Walks the segments of a JPEG up to its frame header. Every step moves forward, so the walk ends with the bytes. */
function scanJpeg(view: DataView): { size: Size | null; orientation: number } {
  let orientation = 1
  const without = () => ({ size: null, orientation })
  for (let at = 2; at + 4 <= view.byteLength; ) {
    const marker = view.getUint8(at) === 0xff ? view.getUint8(at + 1) : 0
    // Browsers skip bytes that belong to no segment.
    if (marker === 0) {
      at += 1
      continue
    }
    const skip = bytesWithoutLength(marker)
    if (skip > 0) {
      at += skip
      continue
    }
    // The image ends or its data starts before any frame.
    if (marker === 0xd9 || marker === 0xda) return without()
    const length = view.getUint16(at + 2)
    if (length < 2) return without()
    if (isFrame(marker)) {
      if (at + 9 > view.byteLength) return without()
      // T.81 allows a height of 0 here, with the real height after the data (DNL). No common encoder writes such files.
      return { size: { width: view.getUint16(at + 7), height: view.getUint16(at + 5) }, orientation }
    }
    // Exif 2.32, 4.5.4: APP1, its name, a TIFF header.
    if (marker === 0xe1 && ascii(view, at + 4, 'Exif\0\0')) {
      orientation = tiffOrientation(view, at + 10, Math.min(view.byteLength, at + 2 + length))
    }
    at += 2 + length
  }
  return without()
}

const sizeReaders: Record<ImageType, (view: DataView) => Size | null> = {
  'image/png': pngSize,
  'image/jpeg': jpegSize,
  'image/gif': gifSize,
  'image/webp': webpSize,
}
