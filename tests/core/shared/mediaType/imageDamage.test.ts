import { spawnSync } from 'node:child_process'
import { crc32, deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { encode } from 'fast-png'
import { expect, it } from 'vitest'
import { imageDamage, imageFormatOf } from '../../../../src-main/core/shared/mediaType/imageDamage.ts'
import { readImageHeader } from '../../../../src-preload/contract/imageHeader.ts'
import { tries } from '../../../helpers/effort.ts'
import { longestTurn, slowness } from '../../../helpers/longestTurn.ts'
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
  // Of a JPEG, the last byte before EOI may have nothing but padding, as the last byte of a WebP.
  const pixelsEnd = (bytes: Buffer): number => {
    if (bytes[0] === 0x89) return bytes.lastIndexOf('IEND') - 8
    return bytes.length - (bytes[0] === 0xff ? 3 : bytes[0] === 0x52 ? 1 : 0)
  }
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

const chunk = (name: string, data: Buffer): Buffer => {
  const bytes = Buffer.alloc(12 + data.length)
  bytes.writeUInt32BE(data.length)
  bytes.write(name, 4, 'latin1')
  data.copy(bytes, 8)
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length)
  return bytes
}
const smallPng = Buffer.from(encode({ width: 9, height: 9, data: new Uint8Array(9 * 9 * 3).fill(9), channels: 3 }))
const idatAt = smallPng.indexOf('IDAT') - 4
const idatEnd = idatAt + 12 + smallPng.readUInt32BE(idatAt)
const pixels = smallPng.subarray(idatAt + 8, idatEnd - 4)
const pngOf = (...chunks: Buffer[]): Buffer =>
  Buffer.concat([smallPng.subarray(0, idatAt), ...chunks, smallPng.subarray(idatEnd)])

it('images that browsers show whole have no damage, although an encoder was wrong', async () => {
  const wrongSum = Buffer.from(pixels)
  wrongSum.writeUInt8(wrongSum.readUInt8(wrongSum.length - 1) ^ 1, wrongSum.length - 1)
  const wrongCrc = Buffer.from(smallPng)
  wrongCrc.writeUInt8(wrongCrc.readUInt8(idatEnd - 1) ^ 1, idatEnd - 1)
  const photo = jpg(40, 30)
  const end = gif.length - 1
  const whole = {
    'PNG with a wrong Adler-32': pngOf(chunk('IDAT', wrongSum)),
    'PNG without Adler-32': pngOf(chunk('IDAT', pixels.subarray(0, -4))),
    'PNG with a wrong CRC of its pixels': wrongCrc,
    'PNG with empty parts': pngOf(chunk('IDAT', Buffer.alloc(0)), chunk('IDAT', pixels)),
    'PNG in parts of one byte': pngOf(...Array.from(pixels, (one) => chunk('IDAT', Buffer.of(one)))),
    'JPEG without EOI': photo.subarray(0, -2),
    'JPEG with half an EOI': photo.subarray(0, -1),
    'JPEG with bytes between segments': Buffer.concat([photo.subarray(0, 20), Buffer.alloc(2), photo.subarray(20)]),
    'GIF with zeros before the trailer': Buffer.concat([gif.subarray(0, end), Buffer.alloc(2), gif.subarray(end)]),
  }
  for (const [name, bytes] of Object.entries(whole)) {
    expect([name, await imageDamage(bytes), readImageHeader(bytes) === null]).toEqual([name, null, false])
  }
})

it('images of many small parts are refused or read without long turns', async () => {
  const filled = (part: Buffer): Buffer => Buffer.alloc(Math.floor(6_000_000 / part.length) * part.length, part)
  const photo = jpg(40, 30)
  const scans = ['ff00', 'ffd0', 'ffff'].map((hex) =>
    Buffer.concat([photo.subarray(0, -2), filled(Buffer.from(hex, 'hex')), photo.subarray(-2)]),
  )
  const lossy = webp()
  const webpOfMany = Buffer.concat([lossy, filled(Buffer.from('ABCD\0\0\0\0'))])
  webpOfMany.writeUInt32LE(webpOfMany.length - 8, 4)
  const pngs = ['IDAT', 'ABCD', 'abcd'].map((name) =>
    pngOf(filled(chunk(name, Buffer.alloc(0))), chunk('IDAT', pixels)),
  )
  const empty = filled(Buffer.from('ffe00002', 'hex'))
  const segments = Buffer.concat([photo.subarray(0, 2), empty, photo.subarray(2)])
  const measured = longestTurn()
  for (const bytes of [...scans, webpOfMany]) expect(await imageDamage(bytes)).toBe(null)
  for (const bytes of [...pngs, segments]) expect(await imageDamage(bytes)).toBe('has more than 10,000 parts')
  expect(measured()).toBeLessThan(150 * slowness())
})

it('an SVG is found after any number of comments, and a text of comments alone is read in linear time', () => {
  const comments = '<!-- -->\n'.repeat(40)
  expect(imageFormatOf(Buffer.from(`<?xml version="1.0"?>${comments}<svg/>        `))).toMatchObject({ name: 'SVG' })
  const before = process.cpuUsage()
  expect(imageFormatOf(Buffer.from(`${'<!---->'.repeat(23)}xxxxxxxxxxxx`))).toBe(null)
  expect(process.cpuUsage(before).user).toBeLessThan(200_000)
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
