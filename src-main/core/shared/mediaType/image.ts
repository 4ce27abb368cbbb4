import { readFile, stat } from 'node:fs/promises'
import { StudioError } from '../../errors.ts'

/** Type and size of a picture, from its header. */
export interface PictureFacts {
  mime: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'
  width: number
  height: number
}

/**
 * Reads type and size of a picture from its bytes, whatever its name says: PNG, JPEG, GIF or WebP, animated ones too. The size is the one
 * that a browser shows, after a rotation that the file orders, and for a GIF whose frame is larger than its screen. Reads headers only, and
 * no byte beyond those given. Null for any other format, and for a truncated or invalid header.
 */
export function readPicture(bytes: Uint8Array): PictureFacts | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const facts = readPng(view) ?? readGif(view) ?? readWebp(view) ?? readJpeg(view)
  return facts && facts.width > 0 && facts.height > 0 ? facts : null
}

const ascii = (view: DataView, at: number, text: string): boolean => {
  if (at + text.length > view.byteLength) return false
  for (let index = 0; index < text.length; index++) {
    if (view.getUint8(at + index) !== text.charCodeAt(index)) return false
  }
  return true
}

/** Swaps width and height of a picture that is shown rotated by a quarter. */
const upright = (facts: PictureFacts, isRotated: boolean): PictureFacts =>
  isRotated ? { ...facts, width: facts.height, height: facts.width } : facts

/** Exif 2.32, 4.6.4: tag 274 of the first directory; the values 5 to 8 rotate a picture by a quarter. `at`: offset of the TIFF header. */
function isRotatedByQuarter(view: DataView, at: number, end: number): boolean {
  if (at + 8 > end) return false
  const little = ascii(view, at, 'II')
  if ((!little && !ascii(view, at, 'MM')) || view.getUint16(at + 2, little) !== 42) return false
  const first = at + view.getUint32(at + 4, little)
  if (first + 2 > end) return false
  const entries = view.getUint16(first, little)
  for (let entry = 0; entry < entries; entry++) {
    const place = first + 2 + entry * 12
    if (place + 12 > end) return false
    if (view.getUint16(place, little) !== 274) continue
    const rotation = view.getUint16(place + 8, little)
    return rotation >= 5 && rotation <= 8
  }
  return false
}

/** PNG (third edition), 5.2 and 11.2.1: the signature, then IHDR with 13 bytes. */
function readPng(view: DataView): PictureFacts | null {
  if (view.byteLength < 33 || view.getUint32(0) !== 0x89504e47 || view.getUint32(4) !== 0x0d0a1a0a) return null
  if (view.getUint32(8) !== 13 || !ascii(view, 12, 'IHDR')) return null
  const facts = { mime: 'image/png', width: view.getUint32(16), height: view.getUint32(20) } as const
  for (let at = 33; at + 12 <= view.byteLength && !ascii(view, at + 4, 'IDAT'); at += 12 + view.getUint32(at)) {
    if (!ascii(view, at + 4, 'eXIf')) continue
    return upright(facts, isRotatedByQuarter(view, at + 8, Math.min(view.byteLength, at + 8 + view.getUint32(at))))
  }
  return facts
}

/**
 * GIF89a, sections 18 and 20: the logical screen, or the first frame when it is larger. Browsers enlarge the picture for the first frame,
 * not for later ones.
 */
function readGif(view: DataView): PictureFacts | null {
  if (view.byteLength < 13 || !(ascii(view, 0, 'GIF87a') || ascii(view, 0, 'GIF89a'))) return null
  const facts = { mime: 'image/gif', width: view.getUint16(6, true), height: view.getUint16(8, true) } as const
  const frame = firstFrame(view)
  if (frame === null) return facts
  const reach = (from: number): number => view.getUint16(frame + from, true) + view.getUint16(frame + from + 4, true)
  return { ...facts, width: Math.max(facts.width, reach(1)), height: Math.max(facts.height, reach(3)) }
}

/** Offset of the first image descriptor. Each step advances, so the loop ends. */
function firstFrame(view: DataView): number | null {
  const flags = view.getUint8(10)
  let at = 13 + ((flags & 0x80) === 0 ? 0 : 3 * (2 << (flags & 7)))
  // Extensions: a label, then blocks with their lengths up to an empty block.
  while (at + 10 <= view.byteLength && view.getUint8(at) === 0x21) {
    at += 2
    while (at < view.byteLength && view.getUint8(at) !== 0) at += view.getUint8(at) + 1
    at += 1
  }
  return at + 10 <= view.byteLength && view.getUint8(at) === 0x2c ? at : null
}

/** RFC 9649: a RIFF file whose first chunk is VP8, VP8L or VP8X. Each encodes the size in its own way. */
function readWebp(view: DataView): PictureFacts | null {
  if (view.byteLength < 30 || !ascii(view, 0, 'RIFF') || !ascii(view, 8, 'WEBP')) return null
  const mime = 'image/webp'
  if (ascii(view, 12, 'VP8X')) {
    const side = (at: number): number => 1 + (view.getUint8(at) | (view.getUint16(at + 1, true) << 8))
    return { mime, width: side(24), height: side(27) }
  }
  if (ascii(view, 12, 'VP8L')) {
    if (view.getUint8(20) !== 0x2f) return null
    const bits = view.getUint32(21, true)
    return { mime, width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) }
  }
  if (!ascii(view, 12, 'VP8 ')) return null
  // RFC 6386, 9.1: a key frame's start code, then two sides of 14 bits.
  if ((view.getUint8(20) & 1) !== 0 || view.getUint8(23) !== 0x9d || view.getUint16(24) !== 0x012a) return null
  return { mime, width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
}

/** ITU T.81, B.1.1.3: every frame header but those of tables (C4), arithmetic coding (CC) and the reserved C8. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

/** Length of a fill byte and of markers without a length field; 0 for all others. */
function lengthAlone(marker: number): number {
  if (marker === 0xff) return 1
  return marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7) ? 2 : 0
}

/** Walks the segments up to the frame header. Each step advances, so the walk ends with the bytes. */
function readJpeg(view: DataView): PictureFacts | null {
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8 || view.getUint8(2) !== 0xff) return null
  let isRotated = false
  for (let at = 2; at + 4 <= view.byteLength; ) {
    if (view.getUint8(at) !== 0xff) return null
    const marker = view.getUint8(at + 1)
    const alone = lengthAlone(marker)
    if (alone > 0) {
      at += alone
      continue
    }
    // The picture ends, or its data starts, before any frame.
    if (marker === 0xd9 || marker === 0xda) return null
    const length = view.getUint16(at + 2)
    if (length < 2) return null
    if (isFrame(marker)) {
      if (at + 9 > view.byteLength) return null
      // T.81 allows the height to follow the data (DNL), with 0 here. No current encoder does that.
      return upright({ mime: 'image/jpeg', width: view.getUint16(at + 7), height: view.getUint16(at + 5) }, isRotated)
    }
    // Exif 2.32, 4.5.4: APP1, its name, a TIFF header.
    if (marker === 0xe1 && ascii(view, at + 4, 'Exif\0\0')) {
      isRotated = isRotatedByQuarter(view, at + 10, Math.min(view.byteLength, at + 2 + length))
    }
    at += 2 + length
  }
  return null
}

/** Limits of pictures: 20 MB is more than the service accepts today, and 16,384 px per side is what Chromium decodes reliably. */
export const maxPictureBytes = 20 * 1024 * 1024
const maxSide = 16_384
const maxPixels = 100_000_000

/** Reads type and size of a picture file that may be stored. @throws StudioError `bad_input` */
export async function lookAtPicture(path: string): Promise<PictureFacts & { bytes: number }> {
  const { size: bytes } = await stat(path)
  if (bytes > maxPictureBytes) throw new StudioError('bad_input', 'A picture may have at most 20 MB.')
  const facts = readPicture(await readFile(path))
  if (facts === null) {
    throw new StudioError('bad_input', 'This is not a picture of a supported type: PNG, JPEG, GIF or WebP.')
  }
  const { width, height } = facts
  if (width > maxSide || height > maxSide || width * height > maxPixels) {
    const limits = 'at most 16,384 pixels a side and 100 million in all'
    throw new StudioError('bad_input', `This picture has ${width} × ${height} pixels. The limit is ${limits}.`)
  }
  return { ...facts, bytes }
}
