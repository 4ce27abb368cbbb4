// Columns of equal width. Each image is placed in the shortest column. Therefore tops never decrease in list order: images appear in order
// of time, and a binary search finds the visible range.

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
}

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

/** Cost: about a millisecond for 10,000 images. */
export function layOut(pictures: readonly Sized[], width: number): Masonry {
  const count = columnsFor(width)
  const columnWidth = Math.max(1, (width - gap * (count - 1)) / count)
  const column = new Uint16Array(pictures.length)
  const top = new Float64Array(pictures.length)
  const tall = new Float64Array(pictures.length)
  const columns: number[][] = Array.from({ length: count }, () => [])
  const ends = new Float64Array(count)
  pictures.forEach((picture, at) => {
    const to = ends.indexOf(Math.min(...ends))
    const share = Math.min(tallest, Math.max(flattest, picture.height / Math.max(1, picture.width)))
    const height = Math.round(columnWidth * (Number.isFinite(share) ? share : 1))
    column[at] = to
    top[at] = ends[to] ?? 0
    tall[at] = height
    ends[to] = (ends[to] ?? 0) + height + gap
    columns[to]?.push(at)
  })
  return { columnWidth, height: Math.max(0, Math.max(...ends) - gap), column, top, tall, columns }
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
