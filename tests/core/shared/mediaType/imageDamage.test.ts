import { spawnSync } from 'node:child_process'
import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { encode } from 'fast-png'
import { expect, it } from 'vitest'
import { imageDamage, imageFormatOf } from '../../../../src-main/core/shared/mediaType/imageDamage.ts'
import { tries } from '../../../helpers/effort.ts'
import { gifHead, jpg, pngClaim, turnedJpg, turnedPng, webp, webpHead } from '../../features/media/pictures.ts'

const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

const anyPng = fc
  .record({
    width: fc.integer({ min: 1, max: 40 }),
    height: fc.integer({ min: 1, max: 40 }),
    channels: fc.constantFrom(1, 2, 3, 4),
    depth: fc.constantFrom<8 | 16>(8, 16),
    seed: fc.integer({ min: 1, max: 1000 }),
  })
  .map(({ width, height, channels, depth, seed }) => {
    const cells = Array.from({ length: width * height * channels }, (_, at) => (at * seed * 7919) % 2 ** depth)
    const data = depth === 8 ? Uint8Array.from(cells) : Uint16Array.from(cells)
    return Buffer.from(encode({ width, height, data, channels, depth }))
  })
const anyJpg = fc
  .record({ width: fc.integer({ min: 1, max: 40 }), height: fc.integer({ min: 1, max: 40 }) })
  .map(({ width, height }) => jpg(width, height))

it('whole images of each format have no damage', async () => {
  for (const bytes of [gif, webp(), turnedJpg(5, 4, 6), turnedPng(5, 4, 6)]) expect(await imageDamage(bytes)).toBe(null)
  await fc.assert(
    fc.asyncProperty(fc.oneof(anyPng, anyJpg), async (bytes) => {
      expect(await imageDamage(bytes)).toBe(null)
    }),
    { numRuns: tries(40, 400) },
  )
})

it('an image that is cut off anywhere is damaged, unless all pixels of it are there', async () => {
  const pixelsEnd = (bytes: Buffer): number => (bytes[0] === 0x89 ? bytes.lastIndexOf('IEND') - 8 : bytes.length)
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(anyPng, anyJpg, fc.constant(gif), fc.constant(webp())),
      fc.nat(1_000_000),
      async (bytes, at) => {
        // A GIF without its last byte is complete: some encoders leave out the trailer.
        const end = bytes === gif ? gif.length - 1 : pixelsEnd(bytes)
        const cut = bytes.subarray(0, Math.max(12, at % end))
        expect(await imageDamage(cut)).not.toBe(null)
      },
    ),
    { numRuns: tries(80, 800) },
  )
})

it('a flipped bit in the pixels of a PNG is found', async () => {
  const bytes = Buffer.from(encode({ width: 9, height: 9, data: new Uint8Array(9 * 9 * 3).fill(9), channels: 3 }))
  const at = bytes.indexOf('IDAT') + 10
  bytes[at] = (bytes[at] ?? 0) ^ 4
  expect(await imageDamage(bytes)).toBe('has a damaged part (IDAT)')
})

it('a header without pixels is no image', async () => {
  const heads = [pngClaim(4, 4), gifHead(4, 4), webpHead('VP8X', 4, 4), Buffer.from([0xff, 0xd8, 0xff, 0xd9])]
  for (const head of heads) expect(await imageDamage(head)).not.toBe(null)
})

it('pixels that decompress to more than the header says are not decompressed further', async () => {
  const huge = deflateSync(Buffer.alloc(64 * 1024 * 1024))
  const small = Buffer.from(encode({ width: 2, height: 2, data: new Uint8Array(12), channels: 3 }))
  const at = small.indexOf('IDAT') - 4
  const length = Buffer.alloc(4)
  length.writeUInt32BE(huge.length)
  // The check sum of the chunk is wrong as well, but the pixels come first.
  const bytes = Buffer.concat([small.subarray(0, at), length, Buffer.from('IDAT'), huge, Buffer.alloc(4)])
  const before = process.cpuUsage()
  await imageDamage(bytes)
  expect(process.cpuUsage(before).user).toBeLessThan(2_000_000)
})

it('formats that can’t be shown are named', () => {
  const isobmff = (brand: string) => Buffer.from(`\0\0\0\x1cftyp${brand}\0\0\0\0`, 'latin1')
  expect(imageFormatOf(isobmff('avif'))).toEqual({ name: 'AVIF', ending: 'avif' })
  expect(imageFormatOf(isobmff('heic'))).toEqual({ name: 'HEIC', ending: 'heic' })
  expect(imageFormatOf(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))).toMatchObject({ name: 'SVG' })
  expect(imageFormatOf(gif)).toEqual({ name: 'GIF', ending: 'gif' })
  expect(imageFormatOf(Buffer.from('<html>'))).toBe(null)
})

it('images of a real encoder, interlaced and progressive ones included, have no damage', { tags: 'long' }, async ({
  skip,
}) => {
  const encoders = [
    ['-c:v', 'png', '-flags', '+ildct', '-f', 'image2pipe'],
    ['-c:v', 'png', '-pix_fmt', 'monob', '-f', 'image2pipe'],
    ['-c:v', 'png', '-pix_fmt', 'pal8', '-f', 'image2pipe'],
    ['-c:v', 'mjpeg', '-f', 'image2pipe'],
    ['-c:v', 'gif', '-f', 'gif'],
    ['-c:v', 'libwebp', '-f', 'webp'],
    ['-c:v', 'libwebp', '-lossless', '1', '-f', 'webp'],
  ]
  for (const encoder of encoders) {
    const source = ['-f', 'lavfi', '-i', 'testsrc2=size=123x77', '-frames:v', '1']
    const { stdout, error, status } = spawnSync('ffmpeg', ['-v', 'error', ...source, ...encoder, '-'])
    if (error) return skip('ffmpeg is not installed')
    if (status === 0) expect([encoder, await imageDamage(stdout)]).toEqual([encoder, null])
  }
})
