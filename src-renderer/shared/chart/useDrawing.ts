import type { EChartsType } from 'echarts/core'
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { ChartColors } from './appearance.ts'
import type { ChartData } from './data.ts'
import { bucketsPerBar, type Fold, folded } from './mergeBuckets.ts'
import { chartOption } from './option.ts'

export interface Band {
  left: number
  width: number
  /** Index of the chart's pixel. */
  of: number
}

/** Converts between px of the chart's box and its data. */
export interface ChartPosition {
  /** The bucket at a position. For a merged bar, the drawn bucket. */
  bucketAt: (x: number) => number | null
  /** The value at a height. */
  heightOf: (y: number) => number
  bandOf: (bucket: number) => Band | null
}

export type DrawingState = 'loading' | 'drawn' | 'failed'

/** Draws the data into the element of `canvas`, again whenever data, colours or size change. */
export function useDrawing(
  data: ChartData,
  colors: ChartColors,
): { canvas: RefObject<HTMLDivElement | null>; state: DrawingState; place: ChartPosition; fold: Fold } {
  const canvas = useRef<HTMLDivElement>(null)
  const [chart, setChart] = useState<EChartsType | null>(null)
  const [state, setState] = useState<DrawingState>('loading')
  // Positions refer to the drawing, which is updated one effect after new data.
  const [drawn, setDrawn] = useState<Fold | null>(null)
  // Overlays are positioned again when the width changes.
  const [width, setWidth] = useState(0)
  // The box has its size before the first drawing.
  useLayoutEffect(() => setWidth(canvas.current?.clientWidth ?? 0), [])
  const per = bucketsPerBar(data.buckets.length, width)
  const fold = useMemo(() => folded(data, per), [data, per])

  useEffect(() => {
    let made: EChartsType | null = null
    let gone = false
    const sized = new ResizeObserver(() => {
      const box = made && otherBox(made, canvas.current)
      if (!made || !box) return
      made.resize(box)
      setWidth(box.width)
    })
    import('./echarts.ts').then(
      ({ init }) => {
        if (gone || !canvas.current) return
        made = init(canvas.current, null, { renderer: 'canvas' })
        setChart(made)
        sized.observe(canvas.current)
      },
      () => setState('failed'),
    )
    return () => {
      gone = true
      sized.disconnect()
      made?.dispose()
      setChart(null)
    }
  }, [])

  useEffect(() => {
    if (!chart || chart.isDisposed()) return
    fitTo(chart, canvas.current)
    const medium = { as: 'pixels', ratio: chart.getDevicePixelRatio() } as const
    chart.setOption(chartOption(fold.data, colors, medium), { notMerge: true })
    setWidth(chart.getWidth())
    setDrawn(fold)
    setState('drawn')
  }, [chart, fold, colors])

  const place = useMemo(() => placeOf(drawn === fold ? chart : null, fold, width), [chart, fold, drawn, width])
  return { canvas, state, place, fold }
}

/** The box's size in whole px when it differs from the drawing's. Null for an invisible box. */
function otherBox(chart: EChartsType, box: HTMLElement | null): { width: number; height: number } | null {
  const [width, height] = [box?.clientWidth ?? 0, box?.clientHeight ?? 0]
  if (width === 0 || height === 0 || (width === chart.getWidth() && height === chart.getHeight())) return null
  return { width, height }
}

/** A note below the chart changes the box. The old drawing is removed first, because ECharts would redraw it in the new size. */
function fitTo(chart: EChartsType, element: HTMLElement | null): void {
  const box = otherBox(chart, element)
  if (!box) return
  chart.clear()
  chart.resize(box)
}

function placeOf(chart: EChartsType | null, { per, peaks }: Fold, width: number): ChartPosition {
  const count = peaks.length
  if (!chart || chart.isDisposed() || count === 0)
    return { bucketAt: () => null, heightOf: () => 0, bandOf: () => null }
  const at = (bar: number): number => numberOf(chart.convertToPixel({ xAxisIndex: 0 }, bar))
  const band = count > 1 ? (at(count - 1) - at(0)) / (count - 1) : 2 * at(0)
  const start = at(0) - band / 2
  return {
    bucketAt: (x) => peaks[Math.floor((x - start) / band)] ?? null,
    heightOf: (y) => numberOf(chart.convertFromPixel({ yAxisIndex: 0 }, y)),
    bandOf: (bucket) => ({ left: start + Math.floor(bucket / per) * band, width: band, of: width }),
  }
}

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : Number.NaN)
