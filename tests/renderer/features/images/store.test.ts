import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Drawing, Image } from '../../../../src-preload/contract/images.ts'
import { likelyCost } from '../../../../src-renderer/features/images/cost.ts'
import { family } from '../../../../src-renderer/features/images/family.ts'
import {
  firstImages,
  type ImagesStore,
  onStage,
  targets,
  withAction,
  withChange,
  withDismissed,
  withFound,
  withoutImages,
  withRange,
  withToggled,
} from '../../../../src-renderer/stores/images.ts'

const idOf = (at: number): string => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`
const when = (at: number): string => new Date(Date.UTC(2026, 10, 21) + at * 1_000).toISOString()
const image = (at: number, more: Partial<Image> = {}): Image => ({
  id: idOf(at),
  drawingId: idOf(9_000 + at),
  createdAt: when(at),
  width: 4,
  height: 3,
  bytes: 9,
  mime: 'image/png',
  mediaId: idOf(at),
  thumbId: null,
  favourite: false,
  prompt: `picture ${at}`,
  ...more,
})
const drawing = (at: number, more: Partial<Drawing> = {}): Drawing => ({
  id: idOf(at),
  createdAt: when(at),
  state: 'done',
  problem: null,
  cost: null,
  costIs: 'unknown',
  rows: [],
  prompt: `prompt ${at}`,
  n: 1,
  model: null,
  size: null,
  responseFormat: null,
  fromImageId: null,
  tookMs: 5,
  slots: [{ index: 0, state: 'kept', imageId: idOf(at), fileId: null, problem: null, address: null }],
  inSight: { count: 1, lookId: idOf(at) },
  ...more,
})
const shown = (...at: number[]): ImagesStore =>
  withFound(
    firstImages,
    at.map((one) => image(one)),
  )
const ids = ({ images }: ImagesStore): number[] => images.map(({ id }) => Number(id.slice(-12)))

describe('the store of the Images page', () => {
  it('sorts pictures by time, whatever the order of events, each once', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([1, 2, 3, 4, 5, 6, 7, 8], { minLength: 1 }), (order) => {
        const sorted = [...order, ...order].reduce(
          (store, at) => withChange(store, { type: 'image', image: image(at) }),
          firstImages,
        )
        expect(ids(sorted)).toEqual([...order].sort((a, b) => b - a))
        expect(sorted.total).toBe(order.length)
      }),
    )
  })

  it('searches again instead of guessing whether an unseen picture matches', () => {
    const narrowed = { ...shown(3, 1), search: 'picture', total: 5 }
    const withUnseen = withChange(narrowed, { type: 'image', image: image(9) })
    expect(ids(withUnseen)).toEqual([3, 1])
    expect(withUnseen).toMatchObject({ stale: true, total: 5 })
    expect(withChange(withUnseen, { type: 'total', total: 6 }).total).toBe(6)
    expect(withChange(narrowed, { type: 'image', image: image(3, { favourite: true }) })).toMatchObject({
      stale: false,
    })
  })

  it('moves the cursor to the next picture when its own is deleted, and removes deleted ones from the selection', () => {
    const store = { ...shown(5, 4, 3, 2, 1), cursor: idOf(3), picked: new Set([idOf(3), idOf(1)]) }
    const left = withoutImages(store, [idOf(3), idOf(2)])
    expect(left.cursor).toBe(idOf(1))
    expect([...left.picked]).toEqual([idOf(1)])
    expect(withoutImages(left, [idOf(1)]).cursor).toBe(idOf(4))
    expect(left.total).toBe(3)
  })

  it('selects from the first picture of the range in gallery order, and toggles', () => {
    const store = { ...shown(5, 4, 3, 2, 1), cursor: idOf(4), anchor: idOf(4) }
    const down = { ...store, ...withRange(store, idOf(2)) }
    expect([...down.picked]).toEqual([4, 3, 2].map(idOf))
    const up = { ...down, ...withRange(down, idOf(5)) }
    expect([...up.picked]).toEqual([5, 4].map(idOf))
    const more = { ...up, ...withToggled(up, idOf(1)) }
    expect(targets(more).map(({ id }) => id)).toEqual([5, 4, 1].map(idOf))
    expect(targets({ ...more, ...withToggled(more, idOf(1)) })).toHaveLength(2)
  })

  it('shows running drawings and the latest problems until they are dismissed', () => {
    const failed = (at: number) => drawing(at, { state: 'failed' })
    const drawings = [drawing(9, { state: 'making' }), failed(8), failed(7), failed(6), failed(5)]
    const store = { ...firstImages, drawings }
    const seen = (now: ImagesStore) => onStage(now).map(({ id }) => Number(id.slice(-12)))
    expect(seen(store)).toEqual([9, 8, 7, 6])
    expect(seen(withDismissed(store, idOf(8)))).toEqual([9, 7, 6, 5])
    // The latest complete drawing hides older problems, unless one is recalled.
    const since = { ...store, drawings: [failed(10), ...drawings.with(2, drawing(7))] }
    expect(seen(since)).toEqual([10, 9, 8])
    expect(seen({ ...since, recalled: idOf(5) })).toEqual([10, 9, 8, 5])
    expect(seen(withDismissed({ ...since, recalled: idOf(5) }, idOf(5)))).toEqual([10, 9, 8])
    const refused = {
      ...drawing(3),
      slots: [{ index: 0, state: 'refused' as const, imageId: null, fileId: null, problem: null, address: 'x' }],
    }
    expect(seen({ ...firstImages, drawings: [refused] })).toEqual([3])
  })

  it('estimates the cost of several pictures exactly from the last price', () => {
    const [slot] = drawing(1).slots
    const three = slot ? [slot, slot, slot] : []
    const drawings = [
      drawing(3, { state: 'failed', cost: '9' }),
      drawing(2, { cost: '0.12', slots: three }),
      drawing(1, { cost: '7' }),
    ]
    expect(Number(likelyCost(drawings, 4))).toBe(0.16)
    expect(likelyCost([drawing(1)], 1)).toBeNull()
  })
})

describe('deletions', () => {
  it('are undone one action at a time, the last one first', () => {
    const store = withAction(withAction(shown(1), [idOf(4), idOf(3)]), [idOf(2)])
    expect(store).toMatchObject({ undo: [[idOf(4), idOf(3)], [idOf(2)]], undoShown: true })
  })
})

describe('a lineage', () => {
  it('is a tree: each prompt once, after its parent, one level deeper', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat(30)), { minLength: 1, maxLength: 25 }), (parents) => {
        const drawings = parents.map((from, at) =>
          drawing(at + 1, { fromImageId: from === null || from > at ? null : idOf(from) }),
        )
        const images = drawings.map(({ id }, at) => image(at + 1, { id: idOf(at + 1), drawingId: id }))
        const read = family({ drawings, images })
        expect(read.map(({ drawing: { id } }) => id).sort()).toEqual(drawings.map(({ id }) => id).sort())
        for (const [at, kin] of read.entries()) {
          const parent = read.slice(0, at).find(({ drawing: { id } }) => id === kin.parentId)
          expect(kin.level).toBe((parent?.level ?? 0) + 1)
          if (kin.parentId !== null) expect(parent).toBeDefined()
        }
      }),
    )
  })
})
