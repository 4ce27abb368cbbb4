import { decode as decodePng } from 'fast-png'
import jpeg from 'jpeg-js'

type Format = 'png' | 'jpeg' | 'gif' | 'webp' | 'unknown'
type Colour = { r: number; g: number; b: number; hex: string }
export type Inspection = { format: Format; width: number | null; height: number | null; meanColour: Colour | null }
type Size = { width: number; height: number }

/** Above 64 megapixels only the header is read, because a header of a few bytes can claim any size. */
const mostPixels = 64_000_000

/** Reads format and size from the header, and the mean colour (weighted by alpha) if PNG or JPEG can be decoded. Never throws. */
export const inspectImage = (bytes: Uint8Array): Inspection => {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const format = formatOf(file)
  const size = sizeOf(file, format)
  const small = size !== null && size.width > 0 && size.height > 0 && size.width * size.height <= mostPixels
  return {
    format,
    width: size?.width ?? null,
    height: size?.height ?? null,
    meanColour: small ? mean(file, format) : null,
  }
}

const formatOf = (file: Buffer): Format => {
  const head = file.toString('latin1', 0, 12)
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'png'
  if (head.startsWith('\xff\xd8\xff')) return 'jpeg'
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'gif'
  return head.startsWith('RIFF') && head.endsWith('WEBP') ? 'webp' : 'unknown'
}

const sizeOf = (file: Buffer, format: Format): Size | null => {
  if (format === 'png') return file.length < 24 ? null : { width: file.readUInt32BE(16), height: file.readUInt32BE(20) }
  if (format === 'gif') return file.length < 10 ? null : { width: file.readUInt16LE(6), height: file.readUInt16LE(8) }
  if (format === 'jpeg') return jpegSize(file)
  return format === 'webp' ? webpSize(file) : null
}

/** Walks the markers to the frame header (ITU-T T.81, B.2.2). */
const jpegSize = (file: Buffer): Size | null => {
  for (let at = 2; at + 9 <= file.length; ) {
    if (file[at] !== 0xff) return null
    const marker = file[at + 1] ?? 0
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
    if (isFrame) return { width: file.readUInt16BE(at + 7), height: file.readUInt16BE(at + 5) }
    at += marker === 0xff ? 1 : 2 + file.readUInt16BE(at + 2)
  }
  return null
}

/** The three kinds of WebP: lossy, lossless, extended (RFC 9649, 2.5 to 2.7). */
const webpSize = (file: Buffer): Size | null => {
  if (file.length < 30) return null
  const kind = file.toString('latin1', 12, 16)
  if (kind === 'VP8 ') return { width: file.readUInt16LE(26) & 0x3fff, height: file.readUInt16LE(28) & 0x3fff }
  if (kind === 'VP8X') return { width: file.readUIntLE(24, 3) + 1, height: file.readUIntLE(27, 3) + 1 }
  if (kind !== 'VP8L') return null
  const bits = file.readUInt32LE(21)
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
}

const mean = (file: Buffer, format: Format): Colour | null => {
  try {
    if (format === 'png') return meanOfPng(file)
    if (format !== 'jpeg') return null
    const { data } = jpeg.decode(file, { useTArray: true, maxResolutionInMP: 64, maxMemoryUsageInMB: 512 })
    return average(data, 4, 255, (at) => [data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0, 255])
  } catch {
    // Damaged pixels under a valid header: the size is known, the colour is not.
    return null
  }
}

const meanOfPng = (file: Buffer): Colour | null => {
  const { data, channels, depth, palette, width, height } = decodePng(file)
  // fast-png does not unpack 1 to 4 bit samples. The size is known, the colour is not.
  if (depth < 8) return null
  const full = depth === 16 ? 65_535 : 255
  if (palette) {
    return average(data, 1, 255, (at) => {
      const [r = 0, g = 0, b = 0, a = 255] = palette[data[at] ?? 0] ?? []
      return [r, g, b, a]
    })
  }
  if (data.length < width * height * channels) return null
  const grey = channels < 3
  const alpha = channels % 2 === 0
  return average(data, channels, full, (at) => {
    const first = data[at] ?? 0
    const a = alpha ? (data[at + channels - 1] ?? 0) : full
    return [first, grey ? first : (data[at + 1] ?? 0), grey ? first : (data[at + 2] ?? 0), a]
  })
}

type Pixel = (at: number) => readonly [number, number, number, number]

const average = (data: ArrayLike<number>, step: number, full: number, pixel: Pixel): Colour | null => {
  let [red, green, blue, weight] = [0, 0, 0, 0]
  for (let at = 0; at + step <= data.length; at += step) {
    const [r, g, b, a] = pixel(at)
    red += r * a
    green += g * a
    blue += b * a
    weight += a
  }
  if (weight === 0) return null
  const [r, g, b] = [red, green, blue].map((sum) => Math.round(((sum / weight) * 255) / full))
  if (r === undefined || g === undefined || b === undefined) return null
  return { r, g, b, hex: `#${[r, g, b].map((value) => value.toString(16).padStart(2, '0')).join('')}` }
}
