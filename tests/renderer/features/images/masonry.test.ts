import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Drawing, Image } from '../../../../src-preload/contract/images.ts'
import { groupsOf, placeholdersOf } from '../../../../src-renderer/features/images/groups.ts'
import {
  columnsFor,
  gap,
  headingHeight,
  inSight,
  layOut as layOutGroups,
  leftOf,
  type Masonry,
  type Sized,
  stepFrom,
} from '../../../../src-renderer/features/images/masonry.ts'

const side = fc.oneof(fc.integer({ min: 1, max: 4_096 }), fc.constantFrom(0, 1, 16_384))
const pictures = fc.array(fc.record({ width: side, height: side }), { maxLength: 120 })
const stage = fc.integer({ min: 60, max: 3_000 })

/** Groups of 1 to 7 neighbours. */
const groupsFor = (list: readonly Sized[]): number[][] => {
  const groups: number[][] = []
  for (let at = 0, size = 1; at < list.length; at += size, size = (size * 3) % 7 || 1)
    groups.push(list.slice(at, at + size).map((_, index) => at + index))
  return groups
}
const layOut = (list: readonly Sized[], width: number): Masonry => layOutGroups(list, width, groupsFor(list))

const ways = ['left', 'right', 'up', 'down'] as const

interface Placed {
  left: number
  top: number
  right: number
  bottom: number
}

function placed(list: readonly Sized[], width: number): Placed[] {
  const masonry = layOut(list, width)
  return list.map((_, at) => {
    const left = leftOf(masonry, at)
    const top = masonry.top[at] ?? Number.NaN
    return { left, top, right: left + masonry.columnWidth, bottom: top + (masonry.tall[at] ?? Number.NaN) }
  })
}

function stepsAreFair(masonry: Masonry, boxes: readonly Placed[], at: number): void {
  const down = stepFrom(masonry, at, 'down')
  if (down !== at) expect(stepFrom(masonry, down, 'up')).toBe(at)
  for (const way of ['left', 'right'] as const) {
    const beside = stepFrom(masonry, at, way)
    const far = (boxes[beside]?.left ?? 0) - (boxes[at]?.left ?? 0)
    if (beside !== at) expect(Math.sign(far)).toBe(way === 'left' ? -1 : 1)
  }
}

describe("the gallery's layout", () => {
  it('never overlaps pictures or exceeds the stage, whatever their sizes', () => {
    fc.assert(
      fc.property(pictures, stage, (list, width) => {
        const boxes = placed(list, width)
        for (const [at, a] of boxes.entries()) {
          expect(a.left).toBeGreaterThanOrEqual(0)
          expect(a.right).toBeLessThanOrEqual(width + 0.001)
          expect(a.bottom).toBeGreaterThan(a.top)
          for (const b of boxes.slice(at + 1)) {
            const beside = a.right + gap <= b.left + 0.001 || b.right + gap <= a.left + 0.001
            const below = a.bottom + gap <= b.top + 0.001 || b.bottom + gap <= a.top + 0.001
            expect(beside || below).toBe(true)
          }
        }
      }),
      { numRuns: 150 },
    )
  })

  it('preserves the order in a group: no picture starts above the one before it, and those at the same height are left to right', () => {
    fc.assert(
      fc.property(pictures, stage, (list, width) => {
        const boxes = placed(list, width)
        for (const group of groupsFor(list)) {
          for (const [place, at] of group.entries()) {
            const before = boxes[group[place - 1] ?? -1]
            const box = boxes[at]
            if (!before || !box) continue
            expect(box.top).toBeGreaterThanOrEqual(before.top)
            if (box.top === before.top) expect(box.left).toBeGreaterThan(before.left)
          }
        }
      }),
    )
  })

  it('has space for a heading above each group, as wide as the group, and no picture of another group there', () => {
    fc.assert(
      fc.property(pictures, stage, (list, width) => {
        const masonry = layOut(list, width)
        const boxes = placed(list, width)
        expect(masonry.groups.map(({ members }) => members)).toEqual(groupsFor(list))
        for (const { members, column, span, top } of masonry.groups) {
          const left = column * (masonry.columnWidth + gap)
          const right = left + span * (masonry.columnWidth + gap) - gap
          for (const at of members) {
            expect(boxes[at]?.top).toBeGreaterThanOrEqual(top + headingHeight)
            expect(boxes[at]?.left).toBeGreaterThanOrEqual(left - 0.001)
            expect(boxes[at]?.right).toBeLessThanOrEqual(right + 0.001)
          }
          for (const box of boxes) {
            const apart = box.right <= left + 0.001 || box.left >= right - 0.001
            expect(apart || box.bottom <= top + 0.001 || box.top >= top + headingHeight - 0.001).toBe(true)
          }
        }
      }),
      { numRuns: 150 },
    )
  })

  it('is as tall as the lowest picture, and has every picture once in its columns', () => {
    fc.assert(
      fc.property(pictures, stage, (list, width) => {
        const masonry = layOut(list, width)
        const lowest = Math.max(0, ...placed(list, width).map(({ bottom }) => bottom))
        expect(masonry.height).toBeCloseTo(lowest, 6)
        const all = masonry.columns.flat().sort((a, b) => a - b)
        expect(all).toEqual(list.map((_, at) => at))
      }),
    )
  })

  it('finds exactly the pictures that overlap a range', () => {
    fc.assert(
      fc.property(
        pictures,
        stage,
        fc.integer({ min: -500, max: 8_000 }),
        fc.integer({ min: 0, max: 2_000 }),
        (list, width, from, tall) => {
          const touched = placed(list, width).flatMap(({ top, bottom }, at) =>
            bottom >= from && top <= from + tall ? [at] : [],
          )
          expect(inSight(layOut(list, width), from, from + tall)).toEqual(touched)
        },
      ),
    )
  })

  it('shows every picture once while it is scrolled from end to end', () => {
    fc.assert(
      fc.property(pictures, stage, (list, width) => {
        const masonry = layOut(list, width)
        const seen = new Set<number>()
        for (let at = 0; at <= masonry.height; at += 300) {
          const now = inSight(masonry, at, at + 300)
          expect(new Set(now).size).toBe(now.length)
          for (const place of now) seen.add(place)
        }
        expect(seen.size).toBe(list.length)
      }),
    )
  })

  it('moves by arrow keys: up reverses down, sideways stays at the height, and all can be reached', () => {
    fc.assert(
      fc.property(
        pictures.filter((list) => list.length > 0),
        stage,
        (list, width) => {
          const masonry = layOut(list, width)
          const boxes = placed(list, width)
          const reached = new Set([0])
          for (const at of reached) {
            stepsAreFair(masonry, boxes, at)
            for (const way of ways) reached.add(stepFrom(masonry, at, way))
          }
          expect(reached.size).toBe(list.length)
        },
      ),
      { numRuns: 150 },
    )
  })

  it('has at least one column, and more in a wider stage', () => {
    fc.assert(
      fc.property(stage, stage, (a, b) => {
        expect(columnsFor(a)).toBeGreaterThanOrEqual(1)
        if (a <= 850 && b <= 850 && a <= b) expect(columnsFor(a)).toBeLessThanOrEqual(columnsFor(b))
      }),
    )
    expect([360, 620, 1_000, 1_600].map(columnsFor)).toEqual([2, 3, 4, 6])
  })

  it('lays out 10,000 pictures in a few milliseconds', () => {
    const list = Array.from({ length: 10_000 }, (_, at) => ({ width: 1_024, height: 600 + ((at * 37) % 900) }))
    layOut(list, 1_000)
    // CPU time of this thread, µs, so that a busy machine does not matter.
    const before = process.threadCpuUsage()
    for (let round = 0; round < 20; round += 1) layOut(list, 1_000)
    expect(process.threadCpuUsage(before).user / 20).toBeLessThan(30_000)
  })
})

describe('groups of the gallery', () => {
  const image = (id: number, prompt: string, drawingId: string): Image =>
    ({ id: String(id), prompt, drawingId, createdAt: `2026-11-28T10:00:0${9 - id}Z`, width: 640, height: 480 }) as Image
  const drawing = (id: string, prompt: string, createdAt: string, states: string[]): Drawing =>
    ({ id, prompt, createdAt, state: 'making', slots: states.map((state, index) => ({ index, state })) }) as Drawing

  it('has neighbours with the same prompt in one group, also of several requests', () => {
    const images = [image(0, 'fox', 'b'), image(1, 'fox', 'a'), image(2, 'sea', 'c'), image(3, 'fox', 'd')]
    expect(groupsOf(images, [])).toEqual([[0, 1], [2], [3]])
  })

  it('has places of the expected size for the missing images of running requests, beside those that arrived', () => {
    const images = [image(0, 'sea', 'b'), image(1, 'fox', 'a')]
    const waiting = placeholdersOf(
      [
        drawing('c', 'sky', '2026-11-28T11:00:00Z', ['fetching', 'waiting']),
        drawing('b', 'sea', '2026-11-28T10:00:00Z', ['kept', 'waiting', 'failed']),
      ],
      images,
    )
    expect(waiting.map(({ prompt, width, height }) => [prompt, width, height])).toEqual([
      ['sky', 640, 480],
      ['sky', 640, 480],
      ['sea', 640, 480],
    ])
    expect(groupsOf(images, waiting)).toEqual([[2, 3], [4, 0], [1]])
  })

  it('moves no image and needs no other space when an image takes the place of its placeholder', () => {
    const old = [image(1, 'fox', 'a'), image(2, 'sea', 'b')]
    const at = '2026-11-28T11:00:00Z'
    const lay = (images: Image[], states: string[]): Masonry => {
      const waiting = placeholdersOf([drawing('c', 'sky', at, states)], images)
      return layOutGroups([...images, ...waiting], 900, groupsOf(images, waiting))
    }
    const before = lay(old, ['waiting', 'waiting'])
    const after = lay([{ ...image(0, 'sky', 'c'), createdAt: at }, ...old], ['kept', 'waiting'])
    expect(after.height).toBe(before.height)
    expect([...after.top.slice(1, 3)]).toEqual([...before.top.slice(0, 2)])
    expect([...after.column.slice(1, 3)]).toEqual([...before.column.slice(0, 2)])
  })
})
