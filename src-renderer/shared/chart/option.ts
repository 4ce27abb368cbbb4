import type { CustomSeriesOption, LineSeriesOption } from 'echarts/charts'
import type { GridComponentOption, LegendComponentOption, TitleComponentOption } from 'echarts/components'
import type { ComposeOption } from 'echarts/core'
import { showCalendarDate, showCalendarDay, showCalendarMonth } from '../../i18n/format.ts'
import type { ChartColors } from './appearance.ts'
import { bars, type Medium, manyBuckets } from './bars.ts'
import { type ChartData, type Mark, marksOf, reachOf } from './data.ts'

export type ChartOption = ComposeOption<
  CustomSeriesOption | LineSeriesOption | GridComponentOption | LegendComponentOption | TitleComponentOption
>

/** The axis label of a bucket. Contains the year where a new year starts, and everywhere when the range covers several years. */
export function bucketLabel({ buckets, grain }: ChartData, at: number): string {
  const bucket = buckets[at]
  if (!bucket) return ''
  if (grain === 'month') return showCalendarMonth(bucket.from)
  const year = bucket.from.slice(0, 4)
  const anew = at > 0 && buckets[at - 1]?.from.slice(0, 4) !== year
  const years = Number(buckets.at(-1)?.from.slice(0, 4)) - Number(buckets[0]?.from.slice(0, 4))
  return anew || years > 1 ? showCalendarDate(bucket.from) : showCalendarDay(bucket.from)
}

/** Axis labels are inside the grid's box. */
export const chartGrid = { outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' } as const

/** The ECharts option of a chart. Pure, so that tests can compare it. */
export function chartOption(data: ChartData, colors: ChartColors, medium: Medium): ChartOption {
  const count = data.buckets.length
  const text = { color: colors.soft, fontFamily: colors.font, fontSize: 12 }
  return {
    animation: false,
    textStyle: { fontFamily: colors.font },
    grid: { ...chartGrid, left: 4, right: 8, top: 14, bottom: 6 },
    xAxis: {
      type: 'category',
      data: data.buckets.map(({ from }) => from),
      axisTick: { show: false },
      // The labels stay below bars of negative values.
      axisLine: { onZero: false, lineStyle: { color: colors.line } },
      axisLabel: {
        ...text,
        hideOverlap: true,
        margin: 10,
        // One label per week of days. ECharts removes labels that do not fit.
        interval: data.grain === 'day' && count > 10 && count <= manyBuckets ? Math.ceil(count / 31) * 7 - 1 : 'auto',
        formatter: (_, at) => bucketLabel(data, at),
      },
    },
    yAxis: {
      type: 'value',
      position: 'right',
      ...(reachOf(data).lowest === 0 && { min: 0 }),
      splitNumber: 3,
      axisLine: { show: false },
      axisTick: { show: false },
      splitLine: { lineStyle: { color: colors.line } },
      axisLabel: { ...text, margin: 12, formatter: (value: number) => data.axis(value) },
    },
    series: [...bars(data, colors, medium), ...marks(data, colors), ...before(data, colors)],
  }
}

function before({ before: reported }: ChartData, colors: ChartColors): LineSeriesOption[] {
  if (!reported) return []
  const line: LineSeriesOption = {
    type: 'line',
    id: 'before',
    step: 'middle',
    symbol: 'none',
    silent: true,
    z: 4,
    lineStyle: { color: colors.ink, width: 1.25, type: [3, 3] },
    data: reported.values.map((value) => value ?? '-'),
  }
  return [line]
}

/** px between the lines of a hatch. */
const hatch = { gap: 7, partial: 12, running: 0 }
const plain = (length: number): number => (Number.isFinite(length) ? length : 0)

/** Unknown buckets are hatched and running ones underlined, so that neither looks like zero. */
function marks(data: ChartData, colors: ChartColors): CustomSeriesOption[] {
  const marked = marksOf(data.buckets)
  if (marked.length === 0) return []
  return [
    {
      type: 'custom',
      id: 'marks',
      silent: true,
      z: 1,
      clip: false,
      data: marked.map(({ first, last }) => [first, 0, last]),
      renderItem: (params, api) => {
        const mark = marked[params.dataIndex]
        if (!mark) return null
        const size = api.size?.([1, 0])
        const band = plain(Array.isArray(size) ? (size[0] ?? 0) : (size ?? 0))
        const left = plain(api.coord([mark.first, 0])[0] ?? 0) - band / 2
        const right = plain(api.coord([mark.last, 0])[0] ?? 0) + band / 2
        const grid = params.coordSys
        const box = {
          x: left,
          y: plain(Reflect.get(grid, 'y')),
          width: right - left,
          height: plain(Reflect.get(grid, 'height')),
        }
        return { type: 'group', children: shapes(mark, box, colors) }
      },
    },
  ]
}

interface Box {
  x: number
  y: number
  width: number
  height: number
}

type Shapes = Extract<
  Exclude<ReturnType<NonNullable<CustomSeriesOption['renderItem']>>, null | undefined>,
  { type: 'group' }
>['children']

function shapes({ state }: Mark, box: Box, colors: ChartColors): Shapes {
  if (state === 'running') {
    const { x, y, width, height } = box
    return [
      {
        type: 'rect',
        shape: { x: x + 1, y: y + height, width: Math.max(1, width - 2), height: 2.5 },
        style: { fill: colors.of(0) },
      },
    ]
  }
  return [
    { type: 'rect', shape: box, style: { fill: colors.faint, opacity: state === 'gap' ? 0.1 : 0.05 } },
    {
      type: 'path',
      shape: {
        pathData: hatching(box, hatch[state])
          .map(([x1, y1, x2, y2]) => `M${x1} ${y1}L${x2} ${y2}`)
          .join(''),
      },
      style: { fill: 'none', stroke: colors.faint, lineWidth: 1, opacity: state === 'gap' ? 0.55 : 0.3 },
    },
  ]
}

/** Slanted lines that fill a box, clipped at its edges. */
export function hatching({ x, y, width, height }: Box, step: number): [number, number, number, number][] {
  const lines: [number, number, number, number][] = []
  if (width <= 0 || height <= 0 || step <= 0) return lines
  for (let start = step / 2; start < width + height; start += step) {
    // From the bottom or right edge upwards: each line runs from the bottom left to the top right.
    const from = { x: Math.max(0, start - height), y: Math.min(start, height) }
    const to = { x: Math.min(start, width), y: Math.max(0, start - width) }
    lines.push([x + from.x, y + from.y, x + to.x, y + to.y])
  }
  return lines
}
