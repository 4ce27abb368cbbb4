// Columns of equal width. The images of a prompt form a group, as wide as it has images, below the prompt as a heading. Groups fill rows from
// the start, so that single images share a row. In a group each image is placed in the shortest column. Tops never decrease within a
// column, so a binary search finds the visible range.

export interface Sized {
  width: number
  height: number
}

/** Places of all images in columns. */
export interface Masonry {
  columnWidth: number
  /** Total height, CSS pixels. */
  height: number
  /** By list index: the column, and the top and height of its box in CSS pixels. */
  column: Uint16Array
  top: Float64Array
  tall: Float64Array
  /** List indexes, column by column, from the top. */
  columns: readonly (readonly number[])[]
  groups: readonly PlacedGroup[]
  /** Index of its group, by list index. */
  group: Uint32Array
}

/** A group of images. Its heading is at `top`, above the images. */
export interface PlacedGroup {
  /** List indexes, in order. */
  members: readonly number[]
  /** The first column, and the number of columns. */
  column: number
  span: number
  /** CSS pixels. */
  top: number
}

/** Height of a heading with the space below it, CSS pixels. */
export const headingHeight = 26
/** Distance between rows of groups, CSS pixels. */
const rowGap = 14

/** Distance between images, CSS pixels. */
export const gap = 8
/** Images with a more extreme aspect ratio are cropped to this one. */
const tallest = 2
const flattest = 0.4

/** As many columns as fit: at least 170 pixels wide in a narrow stage, 260 in a wide one. At least one. */
export function columnsFor(width: number): number {
  const wanted = Math.min(260, Math.max(170, width / 5))
  return Math.max(1, Math.floor((width + gap) / (wanted + gap)))
}

/** Left side of the image at a list index, CSS pixels. */
export const leftOf = ({ column, columnWidth }: Masonry, at: number): number => (column[at] ?? 0) * (columnWidth + gap)

/**
 * Cost: a few milliseconds for 10,000 images.
 * @param groups list indexes of each group, in order of display; each index once
 */
export function layOut(pictures: readonly Sized[], width: number, groups: readonly (readonly number[])[]): Masonry {
  const count = columnsFor(width)
  const columnWidth = Math.max(1, (width - gap * (count - 1)) / count)
  const column = new Uint16Array(pictures.length)
  const top = new Float64Array(pictures.length)
  const tall = new Float64Array(pictures.length)
  const columns: number[][] = Array.from({ length: count }, () => [])
  const group = new Uint32Array(pictures.length)
  const placed: PlacedGroup[] = []
  let rowTop = 0
  let rowEnd = 0
  let used = 0
  for (const members of groups) {
    const span = Math.min(members.length, count)
    if (used + span > count) {
      rowTop = rowEnd + rowGap
      used = 0
    }
    placed.push({ members, column: used, span, top: rowTop })
    const ends = new Array<number>(span).fill(rowTop + headingHeight)
    for (const at of members) {
      const to = ends.indexOf(Math.min(...ends))
      const start = ends[to] ?? 0
      const height = heightOf(pictures[at], columnWidth)
      group[at] = placed.length - 1
      column[at] = used + to
      top[at] = start
      tall[at] = height
      ends[to] = start + height + gap
      rowEnd = Math.max(rowEnd, start + height)
      columns[used + to]?.push(at)
    }
    used += span
  }
  return { columnWidth, height: rowEnd, column, top, tall, columns, groups: placed, group }
}

function heightOf(picture: Sized | undefined, columnWidth: number): number {
  const { width = 1, height = 1 } = picture ?? {}
  const share = Math.min(tallest, Math.max(flattest, height / Math.max(1, width)))
  return Math.round(columnWidth * (Number.isFinite(share) ? share : 1))
}

/** List indexes of the images that overlap the range from `from` to `to`, ascending. */
export function inSight({ top, tall, columns }: Masonry, from: number, to: number): number[] {
  const seen: number[] = []
  for (const places of columns) {
    for (let at = firstBelow(places, top, tall, from); at < places.length; at++) {
      const place = places[at] ?? 0
      if ((top[place] ?? 0) > to) break
      seen.push(place)
    }
  }
  return seen.sort((a, b) => a - b)
}

/** The first image of a column whose lower edge is at or below `from`. */
function firstBelow(places: readonly number[], top: Float64Array, tall: Float64Array, from: number): number {
  let low = 0
  let high = places.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const place = places[middle] ?? 0
    if ((top[place] ?? 0) + (tall[place] ?? 0) < from) low = middle + 1
    else high = middle
  }
  return low
}

export type Direction = 'left' | 'right' | 'up' | 'down'

/** The index that an arrow key moves to, or `at` when there is none. Sideways it is the image at the same height. */
export function stepFrom(masonry: Masonry, at: number, direction: Direction): number {
  const { column, top, tall, columns } = masonry
  const own = column[at] ?? 0
  const places = columns[own] ?? []
  if (direction === 'up' || direction === 'down') {
    return places[places.indexOf(at) + (direction === 'up' ? -1 : 1)] ?? at
  }
  const beside = columns[own + (direction === 'left' ? -1 : 1)]
  const middle = (top[at] ?? 0) + (tall[at] ?? 0) / 2
  const next = beside && (beside[firstBelow(beside, top, tall, middle)] ?? beside.at(-1))
  return next ?? at
}
