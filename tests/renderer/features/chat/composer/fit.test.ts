import fc from 'fast-check'
import { expect, test } from 'vitest'
import { orientationOf } from '../../../../../src-renderer/features/chat/composer/exif.ts'
import {
  fitOf,
  largestBytes,
  longestSide,
  mayMove,
  typeOf,
} from '../../../../../src-renderer/features/chat/composer/fit.ts'
import { gifHead, jpg, png, webpHead } from '../../../../core/features/media/pictures.ts'
import { tries } from '../../../../helpers/effort.ts'

const small = { width: 100, height: 50, bytes: 1000, type: 'image/png' as const, orientation: 1 }

test('sends a picture within the limits unchanged', () => {
  expect(fitOf(small)).toEqual({ width: 100, height: 50, redraw: false })
  expect(fitOf({ ...small, width: longestSide, height: longestSide, bytes: largestBytes })).toMatchObject({
    redraw: false,
  })
})

test('scales down a picture with too many pixels, and re-encodes one that is too large, rotated or of another type', () => {
  expect(fitOf({ ...small, width: 6000, height: 4000 })).toEqual({ width: 2048, height: 1365, redraw: true })
  expect(fitOf({ ...small, bytes: largestBytes + 1 })).toEqual({ width: 100, height: 50, redraw: true })
  expect(fitOf({ ...small, orientation: 6 }).redraw).toBe(true)
  expect(fitOf({ ...small, type: null }).redraw).toBe(true)
})

test('keeps any size within its limit with its proportions, and at least one pixel', () => {
  const side = fc.integer({ min: 1, max: 30_000 })
  fc.assert(
    fc.property(side, side, (width, height) => {
      const fit = fitOf({ ...small, width, height })
      expect(Math.max(fit.width, fit.height)).toBeLessThanOrEqual(longestSide)
      expect(Math.min(fit.width, fit.height)).toBeGreaterThanOrEqual(1)
      const share = Math.max(fit.width, fit.height) / Math.max(width, height)
      expect(Math.abs(fit.width - width * share)).toBeLessThanOrEqual(1)
      expect(Math.abs(fit.height - height * share)).toBeLessThanOrEqual(1)
    }),
  )
})

test('detects types by their first bytes, and animations by their header', () => {
  expect([png(2, 2), jpg(8, 8), gifHead(2, 2), webpHead('VP8X', 2, 2), Buffer.from('<svg/>')].map(typeOf)).toEqual([
    'image/png',
    'image/jpeg',
    'image/gif',
    'image/webp',
    null,
  ])
  const moving = webpHead('VP8X', 2, 2)
  expect(mayMove(moving, 'image/webp')).toBe(false)
  moving[20] = 2
  expect(mayMove(moving, 'image/webp')).toBe(true)
  expect(mayMove(gifHead(2, 2), 'image/gif')).toBe(true)
  expect(mayMove(png(2, 2), 'image/png')).toBe(false)
  expect(mayMove(Buffer.concat([png(2, 2).subarray(0, 33), Buffer.from('0000acTL')]), 'image/png')).toBe(true)
})

/** The first bytes of a JPEG with an EXIF block, in either byte order. */
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

test('reads the orientation of a JPEG in both byte orders, and treats invalid data as upright', () => {
  for (const order of ['II', 'MM'] as const) {
    for (let value = 1; value <= 8; value++) expect(orientationOf(exif(value, order))).toBe(value)
    expect(orientationOf(exif(9, order))).toBe(1)
  }
  expect(orientationOf(jpg(8, 8))).toBe(1)
})

test('returns an orientation for any bytes, and never reads outside of them', () => {
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
      const found = orientationOf(bytes)
      return found >= 1 && found <= 8
    }),
    { numRuns: tries(500, 3000) },
  )
})
