import type { CustomSeriesOption } from 'echarts/charts'
import type { ChartColors } from './appearance.ts'
import { type ChartData, heightsOf } from './data.ts'

// All bars are one custom shape of ECharts. Ten years of days and a dozen models are thousands of bars, and ECharts' own bar series takes
// longer per bar than the browser needs to fill it.

/** Above this number of bars, the gaps would be wider than the bars. */
export const manyBuckets = 130

/** The plot area, px: its position, the height of the value 1, and the device pixels per px. */
export interface Plot {
  x: number
  y: number
  width: number
  height: number
  perValue: number
  ratio: number
}

/** One segment of one bar, px. */
export interface Part {
  x: number
  y: number
  width: number
  height: number
}

/** Maximum width of a bar, px, and the share of its slot that stays free. */
const widest = 48
const gap = 0.28

/**
 * The segments of all bars, series by series. Edges are on whole device pixels and neighbours share them, so that no gaps show. Every
 * positive value is at least one pixel high.
 */
export function partsOf(data: ChartData, { x, y, width, height, perValue, ratio }: Plot): Part[][] {
  const count = data.buckets.length
  const sharp = (px: number): number => Math.round(px * ratio) / ratio
  const band = width / Math.max(1, count)
  const apart = count <= manyBuckets
  const wide = apart ? Math.max(1 / ratio, sharp(Math.min(widest, band * (1 - gap)))) : band
  const bottom = sharp(y + height)
  const lefts = Float64Array.from({ length: count }, (_, at) => sharp(x + at * band + (band - wide) / 2))
  // Bars with gaps have equal widths. Bars without gaps end where the next bar starts.
  const rights = lefts.map((left, at) => (apart ? left + wide : sharp(x + (at + 1) * band)))
  const sums = new Float64Array(count)
  const tops = new Float64Array(count).fill(bottom)
  return data.series.map(({ values }) => {
    const parts: Part[] = []
    for (let at = 0; at < count; at += 1) {
      const value = values[at] ?? 0
      if (!(value > 0)) continue
      const below = tops[at] ?? bottom
      const sum = (sums[at] ?? 0) + value
      const top = Math.min(sharp(bottom - sum * perValue), bottom - 1 / ratio)
      sums[at] = sum
      if (top >= below) continue
      tops[at] = top
      const left = lefts[at] ?? 0
      parts.push({ x: left, y: top, width: Math.max(1 / ratio, (rights[at] ?? 0) - left), height: below - top })
    }
    return parts
  })
}

/** Gap above a segment and radius of its corners, px. Small segments are plain rectangles. */
const between = (count: number): number => (count > manyBuckets ? 0 : count <= 31 ? 0.75 : 0.4)
const radiusOf = ({ width, height }: Part): number => Math.min(2, width / 5, height / 5)
const isRound = ({ width, height }: Part, line: number): boolean => line > 0 && width >= 4 && height >= 4

/** `pixels`: fastest drawing, for the screen. `paths`: one path per series, sharp at any size, for saved images. */
export type Medium = { as: 'pixels'; ratio: number } | { as: 'paths' }

export function bars(data: ChartData, colors: ChartColors, medium: Medium): CustomSeriesOption[] {
  const highest = heightsOf(data).reduce((most, one) => Math.max(most, one), 0)
  const ratio = medium.as === 'pixels' ? medium.ratio : 2
  const line = between(data.buckets.length)
  return [
    {
      ...{ type: 'custom', id: 'bars', silent: true, clip: false, z: 2, progressive: 0 },
      // The axis needs nothing else.
      data: [[0, highest]],
      renderItem: ({ coordSys }, api) => {
        const of = (name: string): number => Number(Reflect.get(coordSys, name)) || 0
        const [x, y, width, height] = [of('x'), of('y'), of('width'), of('height')]
        const zero = api.coord([0, 0])[1] ?? 0
        const perValue = highest > 0 ? (zero - (api.coord([0, highest])[1] ?? 0)) / highest : 0
        const parts = partsOf(data, { x, y, width, height, perValue, ratio })
        const fills = data.series.map(({ ink }) => colors.of(ink))
        if (medium.as === 'paths') {
          return {
            type: 'group',
            children: parts.map((own, at) => ({
              type: 'path',
              shape: { pathData: own.map((part) => outline(part, line)).join('') },
              style: { fill: fills[at] ?? '' },
            })),
          }
        }
        const [left, top] = [Math.floor(x * ratio) / ratio, Math.floor(y * ratio) / ratio]
        const [wide, high] = [
          Math.ceil((x + width - left) * ratio) / ratio,
          Math.ceil((y + height - top) * ratio) / ratio,
        ]
        const box = { x: left, y: top, width: wide, height: high }
        const image = fill(parts, fills, { ...box, ratio, line })
        return { type: 'image', style: { image, ...box } }
      },
    },
  ]
}

function outline(part: Part, line: number): string {
  const { x, y, width, height } = part
  if (!isRound(part, line)) return `M${x} ${y}h${width}v${height}h${-width}z`
  const r = radiusOf(part)
  const [wide, high] = [width - 2 * r, height - line - 2 * r]
  return `M${x + r} ${y + line}h${wide}q${r} 0 ${r} ${r}v${high}q0 ${r} ${-r} ${r}h${-wide}q${-r} 0 ${-r} ${-r}v${-high}q0 ${-r} ${r} ${-r}z`
}

interface Sheet extends Part {
  ratio: number
  line: number
}

/** A canvas fills rectangles on whole pixels many times faster than a path. */
function fill(parts: readonly Part[][], fills: readonly string[], sheet: Sheet): HTMLCanvasElement {
  const { x, y, width, height, ratio, line } = sheet
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(width * ratio)
  canvas.height = Math.round(height * ratio)
  const context = canvas.getContext('2d')
  if (!context) return canvas
  context.scale(ratio, ratio)
  context.translate(-x, -y)
  parts.forEach((own, at) => {
    context.fillStyle = fills[at] ?? ''
    context.beginPath()
    for (const part of own) {
      if (isRound(part, line)) {
        context.roundRect(part.x, part.y + line, part.width, part.height - line, radiusOf(part))
      } else context.fillRect(part.x, part.y, part.width, part.height)
    }
    context.fill()
  })
  return canvas
}
