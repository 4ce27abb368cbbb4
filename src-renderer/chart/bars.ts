import type { CustomSeriesOption } from 'echarts/charts'
import { type ChartData, heightsOf } from './data.ts'
import type { Look } from './look.ts'

// The bars are one shape of ECharts, not one of each: ten years of days of a dozen models are thousands of them, and its own series of bars would
// take longer over each than the browser takes to fill it.

/** Beyond so many bars their edges are thinner than what stands between them. */
export const manyBuckets = 130

/** The plot in px: where it stands, how high a value of 1 is, and how many pixels of the screen are one of them. */
export interface Plot {
  x: number
  y: number
  width: number
  height: number
  perValue: number
  ratio: number
}

/** One part of one bar, in px. */
export interface Part {
  x: number
  y: number
  width: number
  height: number
}

/** px of the widest bar, and the part of its place that is left free where bars are told apart. */
const widest = 48
const gap = 0.28

/**
 * The parts of all bars, series by series. Edges lie on the pixels of the screen: neighbours share them, so nothing shows between, and what is
 * known to be more than nothing is at least one of them high.
 */
export function partsOf(data: ChartData, { x, y, width, height, perValue, ratio }: Plot): Part[][] {
  const count = data.buckets.length
  const sharp = (px: number): number => Math.round(px * ratio) / ratio
  const band = width / Math.max(1, count)
  const wide = Math.min(widest, count <= manyBuckets ? band * (1 - gap) : band)
  const bottom = sharp(y + height)
  const lefts = Float64Array.from({ length: count }, (_, at) => sharp(x + at * band + (band - wide) / 2))
  const rights = Float64Array.from({ length: count }, (_, at) => sharp(x + at * band + (band + wide) / 2))
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

/** px of the line that parts of a bar have between them; none where bars touch each other. */
const between = (count: number): number => (count > manyBuckets ? 0 : count <= 31 ? 0.75 : 0.4)
const radius = 2

/**
 * `pixels`: as quick as the screen takes it, for a chart that is looked at. `paths`: a path for each series, which stay sharp at any size,
 * for a picture.
 */
export type Medium = { as: 'pixels'; ratio: number } | { as: 'paths' }

export function bars(data: ChartData, look: Look, medium: Medium): CustomSeriesOption[] {
  const highest = heightsOf(data).reduce((most, one) => Math.max(most, one), 0)
  const ratio = medium.as === 'pixels' ? medium.ratio : 2
  const line = between(data.buckets.length)
  return [
    {
      ...{ type: 'custom', id: 'bars', silent: true, clip: false, z: 2, progressive: 0 },
      // All that the axis must know of them.
      data: [[0, highest]],
      renderItem: ({ coordSys }, api) => {
        const of = (name: string): number => Number(Reflect.get(coordSys, name)) || 0
        const [x, y, width, height] = [of('x'), of('y'), of('width'), of('height')]
        const zero = api.coord([0, 0])[1] ?? 0
        const perValue = highest > 0 ? (zero - (api.coord([0, highest])[1] ?? 0)) / highest : 0
        const parts = partsOf(data, { x, y, width, height, perValue, ratio })
        const fills = data.series.map(({ ink }) => look.of(ink))
        if (medium.as === 'paths') {
          return {
            type: 'group',
            children: parts.map((own, at) => ({
              type: 'path',
              shape: { pathData: own.map((part) => outline(part, line)).join('') },
              style: { fill: fills[at] ?? '', ...(line > 0 && { stroke: look.raise, lineWidth: line }) },
            })),
          }
        }
        const [left, top] = [Math.floor(x * ratio) / ratio, Math.floor(y * ratio) / ratio]
        const [wide, high] = [
          Math.ceil((x + width - left) * ratio) / ratio,
          Math.ceil((y + height - top) * ratio) / ratio,
        ]
        const box = { x: left, y: top, width: wide, height: high }
        const image = fill(parts, fills, { ...box, ratio, line, between: look.raise })
        return { type: 'image', style: { image, ...box } }
      },
    },
  ]
}

function outline({ x, y, width, height }: Part, line: number): string {
  const r = line > 0 ? Math.min(radius, width / 2, height / 2) : 0
  if (r === 0) return `M${x} ${y}h${width}v${height}h${-width}z`
  const [wide, high] = [width - 2 * r, height - 2 * r]
  return `M${x + r} ${y}h${wide}q${r} 0 ${r} ${r}v${high}q0 ${r} ${-r} ${r}h${-wide}q${-r} 0 ${-r} ${-r}v${-high}q0 ${-r} ${r} ${-r}z`
}

interface Sheet extends Part {
  ratio: number
  line: number
  between: string
}

/** A rectangle on whole pixels is what a canvas fills quickest: hundreds of times as quick as a path of them. */
function fill(parts: readonly Part[][], fills: readonly string[], sheet: Sheet): HTMLCanvasElement {
  const { x, y, width, height, ratio, line } = sheet
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(width * ratio)
  canvas.height = Math.round(height * ratio)
  const context = canvas.getContext('2d')
  if (!context) return canvas
  context.scale(ratio, ratio)
  context.translate(-x, -y)
  context.lineWidth = line
  context.strokeStyle = sheet.between
  parts.forEach((own, at) => {
    context.fillStyle = fills[at] ?? ''
    if (line === 0) {
      for (const part of own) context.fillRect(part.x, part.y, part.width, part.height)
      return
    }
    context.beginPath()
    for (const part of own) context.roundRect(part.x, part.y, part.width, part.height, radius)
    context.fill()
    context.stroke()
  })
  return canvas
}
