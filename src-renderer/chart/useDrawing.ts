import type { EChartsType } from 'echarts/core'
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import type { ChartData } from './data.ts'
import type { Look } from './look.ts'
import { chartOption } from './option.ts'

export interface Band {
  left: number
  width: number
  /** Of the chart, in px. */
  of: number
}

/** Between px of the chart's box and what stands there. */
export interface Place {
  bucketAt: (x: number) => number | null
  /** The value at a height. */
  heightOf: (y: number) => number
  bandOf: (bucket: number) => Band | null
}

export type DrawingState = 'loading' | 'drawn' | 'failed'

/** Draws the data into the element of `canvas`, again when it, the colours or the size change. */
export function useDrawing(
  data: ChartData,
  look: Look,
): { canvas: RefObject<HTMLDivElement | null>; state: DrawingState; place: Place } {
  const canvas = useRef<HTMLDivElement>(null)
  const [chart, setChart] = useState<EChartsType | null>(null)
  const [state, setState] = useState<DrawingState>('loading')
  // What is placed over the drawing is placed again when it has another size.
  const [width, setWidth] = useState(0)

  useEffect(() => {
    let made: EChartsType | null = null
    let gone = false
    const sized = new ResizeObserver(([entry]) => {
      const box = entry?.contentRect
      if (!box || !made || box.width === 0) return
      made.resize({ width: box.width, height: box.height })
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
    chart.setOption(chartOption(data, look), { notMerge: true })
    setState('drawn')
    setWidth(chart.getWidth())
  }, [chart, data, look])

  const count = data.buckets.length
  const place = useMemo(() => placeOf(state === 'drawn' ? chart : null, count, width), [chart, count, state, width])
  return { canvas, state, place }
}

function placeOf(chart: EChartsType | null, count: number, width: number): Place {
  if (!chart || chart.isDisposed() || count === 0)
    return { bucketAt: () => null, heightOf: () => 0, bandOf: () => null }
  const at = (bucket: number): number => numberOf(chart.convertToPixel({ xAxisIndex: 0 }, bucket))
  const band = count > 1 ? (at(count - 1) - at(0)) / (count - 1) : 2 * at(0)
  const start = at(0) - band / 2
  return {
    bucketAt: (x) => {
      const bucket = Math.floor((x - start) / band)
      return bucket >= 0 && bucket < count ? bucket : null
    },
    heightOf: (y) => numberOf(chart.convertFromPixel({ yAxisIndex: 0 }, y)),
    bandOf: (bucket) => ({ left: start + bucket * band, width: band, of: width }),
  }
}

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : Number.NaN)
