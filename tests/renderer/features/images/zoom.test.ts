import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fitScale, fitted, held, moved, zoomed } from '../../../../src-renderer/shared/ui/zoom.ts'

const box = fc.record({ width: fc.integer({ min: 1, max: 8_000 }), height: fc.integer({ min: 1, max: 8_000 }) })
const by = fc.double({ min: -3_000, max: 3_000, noNaN: true })

it('fits a picture into its view and never enlarges it', () => {
  fc.assert(
    fc.property(box, box, (picture, view) => {
      const { scale } = fitted(picture, view)
      expect(scale).toBeLessThanOrEqual(1)
      expect(picture.width * scale).toBeLessThanOrEqual(view.width + 0.001)
      expect(picture.height * scale).toBeLessThanOrEqual(view.height + 0.001)
    }),
  )
})

it('keeps the point under the pointer in place while zooming, where the edges allow it', () => {
  const picture = { width: 4_000, height: 3_000 }
  const view = { width: 800, height: 600 }
  const close = zoomed(fitted(picture, view), 8, { x: 0, y: 0 }, picture, view)
  fc.assert(
    fc.property(
      fc.double({ min: -150, max: 150, noNaN: true }),
      fc.double({ min: 1, max: 1.6, noNaN: true }),
      (x, factor) => {
        const next = zoomed(close, factor, { x, y: 20 }, picture, view)
        const before = (x - close.x) / close.scale
        expect((x - next.x) / next.scale).toBeCloseTo(before, 3)
      },
    ),
  )
})

it('never pans out of sight, and never zooms below the minimum', () => {
  fc.assert(
    fc.property(box, box, by, by, fc.double({ min: 0.01, max: 50, noNaN: true }), (picture, view, dx, dy, factor) => {
      const now = moved(zoomed(fitted(picture, view), factor, { x: dx, y: dy }, picture, view), dx, dy, picture, view)
      expect(now.scale).toBeGreaterThanOrEqual(fitScale(picture, view) - 1e-9)
      const farX = Math.max(0, (picture.width * now.scale - view.width) / 2)
      expect(Math.abs(now.x)).toBeLessThanOrEqual(farX + 1e-6)
      expect(held(now, picture, view)).toEqual(now)
    }),
  )
})
