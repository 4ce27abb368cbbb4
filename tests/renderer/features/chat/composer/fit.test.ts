import fc from 'fast-check'
import { expect, test } from 'vitest'
import { imageTypeOf } from '../../../../../src-preload/contract/imageHeader.ts'
import { fitOf, largestBytes, longestSide, mayMove } from '../../../../../src-renderer/features/chat/composer/fit.ts'
import { gifHead, jpg, png, webpHead } from '../../../../core/features/media/pictures.ts'

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

test('recognises types by their bytes and possible animation by the header', () => {
  expect([png(2, 2), jpg(8, 8), gifHead(2, 2), webpHead('VP8X', 2, 2), Buffer.from('<svg/>')].map(imageTypeOf)).toEqual(
    ['image/png', 'image/jpeg', 'image/gif', 'image/webp', null],
  )
  const moving = webpHead('VP8X', 2, 2)
  expect(mayMove(moving, 'image/webp')).toBe(false)
  moving[20] = 2
  expect(mayMove(moving, 'image/webp')).toBe(true)
  expect(mayMove(gifHead(2, 2), 'image/gif')).toBe(true)
  expect(mayMove(png(2, 2), 'image/png')).toBe(false)
  expect(mayMove(Buffer.concat([png(2, 2).subarray(0, 33), Buffer.from('0000acTL')]), 'image/png')).toBe(true)
})
