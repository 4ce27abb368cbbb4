import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readPicture } from '../../../../src-main/core/shared/mediaType/image.ts'
import { tries } from '../../../helpers/effort.ts'
import { gifHead, jpg, png, pngClaim, turnedJpg, turnedPng, webpHead } from '../../features/media/pictures.ts'

/** A picture made by another program. */
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
] as const)('%s of another program is told by its bytes, with its size (%#)', (mime, args) => {
  expect(readPicture(ffmpeg(...args))).toEqual({ mime, width: 123, height: 77 })
})

test('the size of every variant of every type is found', () => {
  expect(readPicture(png(3, 5))).toEqual({ mime: 'image/png', width: 3, height: 5 })
  expect(readPicture(jpg(17, 9))).toEqual({ mime: 'image/jpeg', width: 17, height: 9 })
  expect(readPicture(gifHead(640, 2))).toEqual({ mime: 'image/gif', width: 640, height: 2 })
  for (const form of ['VP8X', 'VP8L', 'VP8 '] as const) {
    expect(readPicture(webpHead(form, 1234, 567)), form).toEqual({ mime: 'image/webp', width: 1234, height: 567 })
  }
})

test('the size is the one that a browser shows: rotated if the file says so, and for a frame larger than its screen', () => {
  for (const [orientation, sides] of [
    [1, [30, 20]],
    [3, [30, 20]],
    [6, [20, 30]],
    [8, [20, 30]],
    [9, [30, 20]],
  ] as const) {
    for (const bytes of [turnedJpg(30, 20, orientation), turnedPng(30, 20, orientation)]) {
      const { width, height } = readPicture(bytes) ?? {}
      expect([width, height], `${orientation}`).toEqual(sides)
    }
  }
  expect(readPicture(gifHead(10, 10, [65_000, 64_000]))).toEqual({ mime: 'image/gif', width: 65_000, height: 64_000 })
  expect(readPicture(gifHead(640, 480, [3, 4]))).toEqual({ mime: 'image/gif', width: 640, height: 480 })
})

test('anything but a picture, and a picture without size, is null', () => {
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
    // Picture data before any frame header, and a segment that claims more bytes than there are.
    Buffer.from([0xff, 0xd8, 0xff, 0xda, 0, 2, 0, 0, 0, 0]),
    Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0xff, 0xff, 0, 0, 0, 0]),
  ]) {
    expect(readPicture(bytes)).toBeNull()
  }
})

test('any bytes, and any damage to a real header, give a result and no exception', () => {
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
      const facts = readPicture(bytes)
      return facts === null || (facts.width > 0 && facts.height > 0)
    }),
    { numRuns: tries(500, 5000) },
  )
})

test('a picture is also read from the middle of a larger buffer', () => {
  const whole = Buffer.concat([Buffer.alloc(7), png(6, 4)])
  expect(readPicture(whole.subarray(7))).toMatchObject({ width: 6, height: 4 })
})
