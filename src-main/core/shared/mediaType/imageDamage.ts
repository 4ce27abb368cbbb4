import { Readable } from 'node:stream'
import { crc32, createInflateRaw } from 'node:zlib'
import { imageTypeOf } from '../../../../src-preload/contract/imageHeader.ts'
import { JpegTables } from './jpegScan.ts'

/** Formats that this program does not show, by their signature, and the endings of their files. */
const otherFormats: readonly [name: string, ending: string, matches: (head: Buffer) => boolean][] = [
  ['AVIF', 'avif', (head) => /^ftypavi[fs]/.test(head.toString('latin1', 4, 12))],
  ['HEIC', 'heic', (head) => /^ftyp(?:hei|hev|mif|msf)/.test(head.toString('latin1', 4, 12))],
  ['JPEG XL', 'jxl', (head) => head.readUInt16BE(0) === 0xff0a || head.toString('latin1', 4, 8) === 'JXL '],
  ['TIFF', 'tiff', (head) => /^(?:II\*\0|MM\0\*)/.test(head.toString('latin1', 0, 4))],
  ['BMP', 'bmp', (head) => head.toString('latin1', 0, 2) === 'BM'],
  ['SVG', 'svg', (head) => isSvg(head.toString('latin1'))],
]

/** Whether a text begins with an SVG element, perhaps after an XML declaration and comments. The work is linear in the length. */
function isSvg(head: string): boolean {
  let rest = head.replace(/^\s*<\?xml[^>]*>/, '').trimStart()
  while (rest.startsWith('<!--')) {
    const end = rest.indexOf('-->', 4)
    if (end === -1) return false
    rest = rest.slice(end + 3).trimStart()
  }
  return /^<svg\b/.test(rest)
}

const endings = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/gif': 'gif', 'image/webp': 'webp' } as const

/** The format of a file that is or was to be an image: its name, and the ending of a file name. Null for anything else. */
export function imageFormatOf(bytes: Buffer): { name: string; ending: string } | null {
  const type = imageTypeOf(bytes)
  if (type !== null) return { name: type.slice('image/'.length).toUpperCase(), ending: endings[type] }
  const head = bytes.subarray(0, 500)
  const other = head.length < 12 ? undefined : otherFormats.find(([, , matches]) => matches(head))
  return other ? { name: other[0], ending: other[1] } : null
}

/**
 * Why an image can't be shown as a whole, as the end of a sentence that begins with "The image"; null when nothing is wrong. PNG is
 * decompressed, and every row must be there. JPEG, GIF and WebP are walked to their end, which finds what is cut off or missing, but not a
 * wrong colour. The caller has checked the dimensions: the work is linear in them and in the bytes. Decompression runs on other threads.
 */
export async function imageDamage(bytes: Buffer): Promise<string | null> {
  const type = imageTypeOf(bytes)
  if (type === 'image/png') return pngDamage(bytes)
  if (type === 'image/jpeg') return jpegDamage(bytes)
  if (type === 'image/gif') return gifDamage(bytes)
  return type === 'image/webp' ? webpDamage(bytes) : 'has an unknown format'
}

const cutOff = (bytes: Buffer): string => `is cut off after ${bytes.length.toLocaleString('en')} bytes`

/** Rows of one pass of a PNG, and their bytes without the filter byte. */
interface Pass {
  rows: number
  rowBytes: number
}

/** PNG (third edition), 8.2: start and step of the seven passes of an interlaced image. */
const adam7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const
/** Channels by colour type, and the bit depths that each permits (11.2.1). */
const channels: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }
const depths: Record<number, readonly number[]> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
}

/** Chunks of a PNG and segments of a JPEG that are read. A PNG of 20 MB in chunks of 8 KB has 2,500. */
const mostParts = 10_000
const tooManyParts = `has more than ${mostParts.toLocaleString('en')} parts`

async function pngDamage(bytes: Buffer): Promise<string | null> {
  const passes = passesOf(bytes)
  if (passes === null) return 'has an invalid PNG header'
  const { data, problem } = pngChunks(bytes)
  if (data.length === 0) return problem ?? 'has no pixels'
  return (await hasAllRows(data, passes)) ? null : (problem ?? 'has fewer pixels than its header says')
}

/** The compressed pixels of a PNG, and what is wrong with its chunks. A wrong check sum of pixels only matters when rows are missing. */
function pngChunks(bytes: Buffer): { data: Buffer[]; problem: string | null } {
  const data: Buffer[] = []
  let problem: string | null = null
  let count = 0
  for (let at = 8; at + 12 <= bytes.length; ) {
    count += 1
    if (count > mostParts) return { data: [], problem: tooManyParts }
    const end = at + 12 + bytes.readUInt32BE(at)
    if (end > bytes.length) break
    const name = bytes.toString('latin1', at + 4, at + 8)
    const isPixels = name === 'IDAT'
    // A lower-case name marks a chunk that is not needed for the pixels (5.4).
    const isNeeded = /^[A-Z]/.test(name)
    if (isNeeded && crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) {
      problem ??= `has a damaged part (${name})`
      if (!isPixels) return { data, problem }
    }
    if (isPixels && end > at + 12) data.push(bytes.subarray(at + 8, end - 4))
    if (name === 'IEND') return { data, problem }
    at = end
  }
  return { data, problem: problem ?? cutOff(bytes) }
}

function passesOf(bytes: Buffer): Pass[] | null {
  if (bytes.length < 33) return null
  const [width, height, depth = 0, colour = 0] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20), bytes[24], bytes[25]]
  if (depths[colour]?.includes(depth) !== true || (bytes[28] ?? 2) > 1) return null
  const bits = depth * (channels[colour] ?? 1)
  const whole = [[0, 0, 1, 1]] as const
  return (bytes[28] === 0 ? whole : adam7).flatMap(([x, y, stepX, stepY]) => {
    const [columns, rows] = [Math.ceil((width - x) / stepX), Math.ceil((height - y) / stepY)]
    return columns > 0 && rows > 0 ? [{ rows, rowBytes: Math.ceil((columns * bits) / 8) }] : []
  })
}

/**
 * Decompresses the pixels in pieces, without storing them. Each row begins with its filter, 0 to 4 (9.2). The check sum after the
 * compressed data is not compared: browsers show the image without it.
 */
async function hasAllRows(parts: readonly Buffer[], passes: readonly Pass[]): Promise<boolean> {
  const data = Buffer.concat(parts)
  // RFC 1950, 2.2: method 8, no dictionary, and a check of both bytes.
  if (data.length < 2 || (data.readUInt8(0) & 15) !== 8 || (data.readUInt8(1) & 32) !== 0) return false
  if (data.readUInt16BE(0) % 31 !== 0) return false
  const left = passes.map((pass) => ({ ...pass }))
  let next = 0
  const inflate = createInflateRaw({ chunkSize: 256 * 1024 })
  const source = Readable.from([data.subarray(2)])
  source.on('error', (error) => inflate.destroy(error))
  try {
    for await (const piece of source.pipe(inflate)) {
      if (!(piece instanceof Buffer)) return false
      while (next < piece.length) {
        const [pass] = left
        if (!pass) return true
        if ((piece[next] ?? 5) > 4) return false
        next += 1 + pass.rowBytes
        pass.rows -= 1
        if (pass.rows === 0) left.shift()
      }
      next -= piece.length
    }
  } catch {
    // Invalid or missing compressed data. Decoders show an image whose rows are all there, so what follows them does not count.
  }
  return left.length === 0 && next <= 0
}

/**
 * ITU T.81, annex B. Entropy-coded data follow a scan header and end at the next marker. The image ends with EOI. Bytes between segments
 * that belong to none are skipped. Without EOI, a sequential image whose blocks are all there is whole.
 */
async function jpegDamage(bytes: Buffer): Promise<string | null> {
  const tables = new JpegTables()
  let hasScan = false
  let count = 0
  for (let at = 2; at + 2 <= bytes.length; ) {
    if (bytes[at] !== 0xff || bytes[at + 1] === 0) {
      at += 1
      continue
    }
    const marker = bytes[at + 1] ?? 0
    if (marker === endOfImage) return hasScan ? null : 'has no pixels'
    const step = segmentLength(bytes, at, marker)
    if (step === null) return 'has a damaged part'
    if (step <= 2) {
      at += step
      continue
    }
    count += 1
    if (count > mostParts) return tooManyParts
    const segment = bytes.subarray(at + 4, at + step)
    at += step
    if (marker !== startOfScan) {
      tables.add(marker, segment)
      continue
    }
    const end = endOfScan(bytes, at)
    hasScan ||= end > at
    if (await tables.isWhole(segment, bytes.subarray(at, end), end === bytes.length)) return null
    at = end
  }
  return cutOff(bytes)
}

const startOfScan = 0xda
const endOfImage = 0xd9

/** The bytes of a fill byte, of a marker alone, or of a segment; null for an invalid length. */
function segmentLength(bytes: Buffer, at: number, marker: number): number | null {
  if (marker === 0xff) return 1
  if (marker === 0x01 || isRestart(marker)) return 2
  if (at + 4 > bytes.length) return 4
  const length = bytes.readUInt16BE(at + 2)
  return length < 2 ? null : 2 + length
}

const isRestart = (marker: number): boolean => marker >= 0xd0 && marker <= 0xd7

/** B.1.1.5: in entropy-coded data, FF is followed by 00, and restart markers belong to the data. A loop is faster than many searches. */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at += 1) {
    if (bytes[at] !== 0xff) continue
    const marker = bytes[at + 1] ?? 0
    if (marker !== 0 && !isRestart(marker) && marker !== 0xff) return at
  }
  return bytes.length
}

/** GIF89a: blocks up to the trailer, of which at least one is an image. Some encoders leave out the trailer, or write zeros between blocks. */
function gifDamage(bytes: Buffer): string | null {
  const tableBytes = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * (2 << (flags & 7)))
  let frames = 0
  let at = 13 + tableBytes(bytes[10] ?? 0)
  while (at < bytes.length && bytes[at] !== 0x3b) {
    const block = bytes[at]
    if (block === 0) {
      at += 1
      continue
    }
    if (block === 0x2c) at += 11 + tableBytes(bytes[at + 9] ?? 0)
    else if (block === 0x21) at += 2
    else return 'has a damaged part'
    while (at < bytes.length && bytes[at] !== 0) at += (bytes[at] ?? 0) + 1
    at += 1
    if (block === 0x2c) frames += 1
  }
  if (at > bytes.length) return cutOff(bytes)
  return frames > 0 ? null : 'has no pixels'
}

/** Names of chunks, `VP8 `, `VP8L` and `ANMF`, as numbers: a file can have millions of chunks. */
const webpNames = { lossy: 0x56503820, lossless: 0x5650384c, frame: 0x414e4d46 }

/** RFC 9649: chunks within the length that the RIFF header states, of which one has pixels. */
function webpDamage(bytes: Buffer): string | null {
  const size = bytes.readUInt32LE(4) + 8
  if (size > bytes.length + 1) return cutOff(bytes)
  let hasPixels = false
  for (let at = 12; at + 8 <= Math.min(size, bytes.length); ) {
    const name = bytes.readUInt32BE(at)
    const length = bytes.readUInt32LE(at + 4)
    const end = at + 8 + length
    if (end > bytes.length) return 'has a damaged part'
    // RFC 6386, 9.1: 19 bits of the frame tag are the length of the first partition, which follows ten bytes of header.
    if (name === webpNames.lossy) {
      if (length <= 10 || 10 + (bytes.readUIntLE(at + 8, 3) >> 5) > length) return 'has a damaged part'
      hasPixels = true
    } else if (name === webpNames.lossless) hasPixels ||= length > 5
    else if (name === webpNames.frame) hasPixels ||= length > 24
    at = end + (length & 1)
  }
  return hasPixels ? null : 'has no pixels'
}
