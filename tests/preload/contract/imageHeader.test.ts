import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jpegOrientation, readImageHeader } from '../../../src-preload/contract/imageHeader.ts'
import { gifHead, jpg, png, pngClaim, turnedJpg, turnedPng, webpHead } from '../../core/features/media/pictures.ts'
import { tries } from '../../helpers/effort.ts'
import { needs } from '../../helpers/programs.mjs'

/** A test image that ffmpeg encodes. */
const ffmpeg = (...args: string[]): Buffer =>
  execFileSync(
    'ffmpeg',
    ['-v', 'error', '-f', 'lavfi', '-i', 'testsrc=size=123x77:rate=5:duration=1', ...args, 'pipe:1'],
    { maxBuffer: 1 << 26 },
  )

test.each([
  ['image/png', ['-frames:v', '1', '-f', 'apng']],
  ['image/png', ['-frames:v', '1', '-c:v', 'png', '-f', 'image2pipe']],
  ['image/jpeg', ['-frames:v', '1', '-c:v', 'mjpeg', '-f', 'image2pipe']],
  ['image/gif', ['-f', 'gif']],
  ['image/webp', ['-frames:v', '1', '-c:v', 'libwebp', '-f', 'webp']],
  ['image/webp', ['-frames:v', '1', '-c:v', 'libwebp', '-lossless', '1', '-f', 'webp']],
  ['image/webp', ['-c:v', 'libwebp_anim', '-f', 'webp']],
] as const)('recognises an %s of another program by its bytes, with its size (%#)', needs('ffmpeg'), (mime, args) => {
  expect(readImageHeader(ffmpeg(...args))).toEqual({ mime, width: 123, height: 77 })
})

test('reads the size of every variant of every type', () => {
  expect(readImageHeader(png(3, 5))).toEqual({ mime: 'image/png', width: 3, height: 5 })
  expect(readImageHeader(jpg(17, 9))).toEqual({ mime: 'image/jpeg', width: 17, height: 9 })
  expect(readImageHeader(gifHead(640, 2))).toEqual({ mime: 'image/gif', width: 640, height: 2 })
  for (const form of ['VP8X', 'VP8L', 'VP8 '] as const) {
    expect(readImageHeader(webpHead(form, 1234, 567)), form).toEqual({ mime: 'image/webp', width: 1234, height: 567 })
  }
})

test('the size is the displayed one: EXIF rotation is applied, and a GIF frame larger than the screen counts', () => {
  for (const [orientation, sides] of [
    [1, [30, 20]],
    [3, [30, 20]],
    [6, [20, 30]],
    [8, [20, 30]],
    [9, [30, 20]],
  ] as const) {
    for (const bytes of [turnedJpg(30, 20, orientation), turnedPng(30, 20, orientation)]) {
      const { width, height } = readImageHeader(bytes) ?? {}
      expect([width, height], `${orientation}`).toEqual(sides)
    }
  }
  expect(readImageHeader(gifHead(10, 10, [65_000, 64_000]))).toEqual({
    mime: 'image/gif',
    width: 65_000,
    height: 64_000,
  })
  expect(readImageHeader(gifHead(640, 480, [3, 4]))).toEqual({ mime: 'image/gif', width: 640, height: 480 })
})

test('returns null for other files and for images without a size', () => {
  const words = (text: string): Buffer => Buffer.from(text)
  for (const bytes of [
    words(''),
    words('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    words('%PDF-1.7'),
    words('BM0000000000000000000000000000000000'),
    words('RIFF0000WAVEfmt 000000000000000000000'),
    gifHead(0, 10),
    pngClaim(10, 0),
    Buffer.from([0xff, 0xd8, 0xff, 0xd9]),
    // Image data before any frame header, and a segment that claims more bytes than exist.
    Buffer.from([0xff, 0xd8, 0xff, 0xda, 0, 2, 0, 0, 0, 0]),
    Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0xff, 0xff, 0, 0, 0, 0]),
  ]) {
    expect(readImageHeader(bytes)).toBeNull()
  }
})

test('never throws, whatever the bytes and however a real header is damaged', () => {
  const seeds = [
    png(4, 4),
    jpg(8, 8),
    turnedJpg(8, 8, 6),
    turnedPng(4, 4, 6),
    gifHead(3, 3),
    gifHead(3, 3, [4, 4]),
    webpHead('VP8X', 9, 9),
    webpHead('VP8 ', 9, 9),
  ]
  const damaged = fc
    .tuple(fc.constantFrom(...seeds), fc.nat(200), fc.array(fc.tuple(fc.nat(60), fc.nat(255)), { maxLength: 6 }))
    .map(([seed, cut, changes]) => {
      const bytes = Buffer.from(seed.subarray(0, Math.max(0, seed.length - cut)))
      for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value
      return bytes
    })
  const any = fc.oneof(fc.uint8Array({ maxLength: 200 }), damaged)
  fc.assert(
    fc.property(any, (bytes) => {
      const facts = readImageHeader(bytes)
      return facts === null || (facts.width > 0 && facts.height > 0)
    }),
    { numRuns: tries(500, 5000) },
  )
})

test('reads an image in the middle of a larger buffer', () => {
  const whole = Buffer.concat([Buffer.alloc(7), png(6, 4)])
  expect(readImageHeader(whole.subarray(7))).toMatchObject({ width: 6, height: 4 })
})

/** The start of a JPEG with an EXIF block, in either byte order. */
function exif(value: number, order: 'II' | 'MM'): Uint8Array {
  const little = order === 'II'
  const tiff = new DataView(new ArrayBuffer(26))
  tiff.setUint16(0, little ? 0x4949 : 0x4d4d)
  tiff.setUint16(2, 42, little)
  tiff.setUint32(4, 8, little)
  tiff.setUint16(8, 1, little)
  tiff.setUint16(10, 0x0112, little)
  tiff.setUint16(12, 3, little)
  tiff.setUint32(14, 1, little)
  tiff.setUint16(18, value, little)
  const block = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), Buffer.from(tiff.buffer)])
  return Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xe1, 0, block.length + 2]), block])
}

test('reads the orientation of a JPEG in both byte orders; an invalid value counts as upright', () => {
  for (const order of ['II', 'MM'] as const) {
    for (let value = 1; value <= 8; value++) expect(jpegOrientation(exif(value, order))).toBe(value)
    expect(jpegOrientation(exif(9, order))).toBe(1)
  }
  expect(jpegOrientation(jpg(8, 8))).toBe(1)
})

test('any bytes have an orientation, and no header makes the reader leave them', () => {
  const damaged = fc
    .tuple(
      fc.constantFrom(exif(6, 'II'), exif(6, 'MM')),
      fc.nat(40),
      fc.array(fc.tuple(fc.nat(45), fc.nat(255)), { maxLength: 5 }),
    )
    .map(([seed, cut, changes]) => {
      const bytes = seed.slice(0, seed.length - cut)
      for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value
      return bytes
    })
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 100 }), damaged), (bytes) => {
      const found = jpegOrientation(bytes)
      return found >= 1 && found <= 8
    }),
    { numRuns: tries(500, 3000) },
  )
})
