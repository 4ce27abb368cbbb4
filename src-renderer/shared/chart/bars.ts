import type { CustomSeriesOption } from 'echarts/charts'
import type { ChartColors } from './appearance.ts'
import { type ChartData, reachOf } from './data.ts'

// All bars are one custom shape of ECharts. Ten years of days and a dozen models are thousands of bars, and ECharts' own bar series takes
// longer per bar than the browser needs to fill it.

/** Above this number of bars, the gaps would be wider than the bars. */
export const manyBuckets = 130

/** The plot area, px: its position, the height of the value 1, the part below zero, and the device pixels per px. */
export interface Plot {
  x: number
  y: number
  width: number
  height: number
  perValue: number
  belowZero?: number
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
 * The segments of all bars, series by series. Edges are on whole device pixels and neighbours share them, so that no gaps show. Bars of
 * negative values hang below zero. The first value of a stack is at least one pixel high.
 */
export function partsOf(data: ChartData, { x, y, width, height, perValue, belowZero = 0, ratio }: Plot): Part[][] {
  const count = data.buckets.length
  const sharp = (px: number): number => Math.round(px * ratio) / ratio
  const band = width / Math.max(1, count)
  const apart = count <= manyBuckets
  const wide = apart ? Math.max(1 / ratio, sharp(Math.min(widest, band * (1 - gap)))) : band
  const zero = sharp(y + height - belowZero)
  const lefts = Float64Array.from({ length: count }, (_, at) => sharp(x + at * band + (band - wide) / 2))
  // Bars with gaps have equal widths. Bars without gaps end where the next bar starts.
  const rights = lefts.map((left, at) => (apart ? left + wide : sharp(x + (at + 1) * band)))
  // Sums of the values, and their lengths from zero, px.
  const stack = () => ({ sums: new Float64Array(count), lengths: new Float64Array(count) })
  const [above, below] = [stack(), stack()]
  return data.series.map(({ values }) => {
    const parts: Part[] = []
    for (let at = 0; at < count; at += 1) {
      const value = values[at] ?? 0
      if (value === 0) continue
      const { sums, lengths } = value > 0 ? above : below
      const from = lengths[at] ?? 0
      const sum = (sums[at] ?? 0) + Math.abs(value)
      const to = Math.max(sharp(sum * perValue), 1 / ratio)
      sums[at] = sum
      if (to <= from) continue
      lengths[at] = to
      const left = lefts[at] ?? 0
      const top = value > 0 ? zero - to : zero + from
      parts.push({ x: left, y: top, width: Math.max(1 / ratio, (rights[at] ?? 0) - left), height: to - from })
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
  const { highest, lowest } = reachOf(data)
  const ratio = medium.as === 'pixels' ? medium.ratio : 2
  const line = between(data.buckets.length)
  return [
    {
      type: 'custom',
      id: 'bars',
      silent: true,
      clip: false,
      z: 2,
      progressive: 0,
      // The axis needs nothing else. All bars are drawn with the first item.
      data:
        lowest < 0
          ? [
              [0, highest],
              [0, lowest],
            ]
          : [[0, highest]],
      renderItem: ({ coordSys, dataIndex }, api) => {
        if (dataIndex > 0) return null
        const of = (name: string): number => Number(Reflect.get(coordSys, name)) || 0
        const [x, y, width, height] = [of('x'), of('y'), of('width'), of('height')]
        const zero = api.coord([0, 0])[1] ?? 0
        const farthest = highest > 0 ? highest : lowest
        const perValue = farthest === 0 ? 0 : (zero - (api.coord([0, farthest])[1] ?? 0)) / farthest
        const belowZero = lowest < 0 ? y + height - zero : 0
        const parts = partsOf(data, { x, y, width, height, perValue, belowZero, ratio })
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
