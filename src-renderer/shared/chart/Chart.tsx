import './chart.css'
import { type KeyboardEvent, type MouseEvent, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useTranslation } from 'react-i18next'
import { asSentence, joinSentences } from '../../i18n/format.ts'
import { useApp } from '../../stores/app.ts'
import { Spinner } from '../ui/Spinner.tsx'
import { type ChartColors, readChartColors } from './appearance.ts'
import { type Cursor, walk } from './cursor.ts'
import { type ChartData, heightAt, seriesAt } from './data.ts'
import { spokenBucket } from './labels.ts'
import { Readout } from './Readout.tsx'
import { useDrawing } from './useDrawing.ts'

export interface ChartProps {
  data: ChartData
  /** The subject of the chart, for example `Spend by day`. */
  label: string
  /** Called when a bucket, or one of its series, is chosen. */
  onOpen?: (bucket: number, series: string | null) => void
}

/**
 * A stacked bar chart over days. One tab stop: left and right select a bucket, up and down a series, Enter opens. Screen readers read the
 * selection as the value, because the canvas itself has no text.
 */
export function Chart({ data, label, onOpen }: ChartProps) {
  const { t } = useTranslation('chart')
  const box = useRef<HTMLDivElement>(null)
  const colors = useChartColors()
  const { canvas, state, place, fold } = useDrawing(data, colors)
  const [selection, setSelection] = useState<{ cursor: Cursor; range: string } | null>(null)
  const last = data.buckets.length - 1
  const range = `${data.grain} ${data.buckets[0]?.from} ${data.buckets[last]?.to}`
  // A selection is valid only for its range of days: the same index of another range is another day.
  const cursor = selection?.range === range ? selection.cursor : null
  const setCursor = (next: Cursor | null): void => setSelection(next && { cursor: next, range })
  const note = t(`folded.${data.grain}`, { count: fold.per })
  const at = cursor?.at ?? null
  const band = at === null ? null : place.bandOf(at)

  const pointed = (event: MouseEvent): number | null => {
    const rect = box.current?.getBoundingClientRect()
    return rect ? place.bucketAt(event.clientX - rect.left) : null
  }
  const onClick = (event: MouseEvent): void => {
    const rect = box.current?.getBoundingClientRect()
    const bucket = pointed(event)
    if (bucket === null || !rect) return
    onOpen?.(bucket, seriesAt(data, bucket, place.heightOf(event.clientY - rect.top))?.id ?? null)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    if (event.key === 'Enter' && at !== null) onOpen?.(at, cursor?.series ?? null)
    else {
      const next = walk(event.key, at === null ? null : cursor, data)
      if (next === undefined) return
      setCursor(next)
    }
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <div
      ref={box}
      role="slider"
      tabIndex={0}
      aria-label={joinSentences(
        [label, fold.per > 1 ? note : '', t(onOpen ? 'hint' : 'hintPlain')].filter(Boolean).map(asSentence),
      )}
      aria-orientation="horizontal"
      aria-valuemin={0}
      aria-valuemax={Math.max(0, last)}
      aria-valuenow={at ?? Math.max(0, last)}
      aria-valuetext={spokenBucket(data, at ?? last, at === null ? null : (cursor?.series ?? null))}
      dir="ltr"
      className="chart"
      data-state={state}
      data-folded={fold.per > 1}
      data-opens={onOpen !== undefined && at !== null && heightAt(data, at) !== 0}
      onMouseMove={(event) => {
        const bucket = pointed(event)
        if (bucket !== at || cursor?.series) setCursor(bucket === null ? null : { at: bucket, series: null })
      }}
      onMouseLeave={() => setCursor(null)}
      onBlur={() => setCursor(null)}
      onClick={onClick}
      onKeyDown={onKeyDown}
    >
      <div ref={canvas} className="chart-canvas" />
      {state === 'loading' && (
        <span className="chart-wait">
          <Spinner /> {t('loading')}
        </span>
      )}
      {state === 'failed' && <span className="chart-wait">{t('failed')}</span>}
      {fold.per > 1 && (
        <p className="chart-folded" data-state={state}>
          {note}
        </p>
      )}
      {band && <div aria-hidden className="chart-band" style={{ left: band.left, width: band.width }} />}
      {at !== null && band && state === 'drawn' && (
        <Readout
          data={data}
          at={at}
          picked={cursor?.series ?? null}
          fold={fold}
          band={band}
          opens={onOpen !== undefined}
        />
      )}
    </div>
  )
}

/** The colours of the previous chart, as a first guess. Reading the colours of a new page would force a style calculation. */
let lastColors: ChartColors | null = null

/** The current colours, read again when the theme changes. */
function useChartColors() {
  const theme = useApp(({ app }) => app?.settings.theme)
  const [colors, setColors] = useState(() => (lastColors ??= readChartColors()))
  // biome-ignore lint/correctness/useExhaustiveDependencies: depends on the theme, although the effect reads the page
  useEffect(() => {
    const read = () => {
      const now = readChartColors()
      if (now.all !== lastColors?.all) lastColors = now
      setColors(lastColors)
    }
    // The text colour is cheap to read, all colours are not.
    if (lastColors && lastColors.ink === getComputedStyle(document.body).color) setColors(lastColors)
    else read()
    const dark = matchMedia('(prefers-color-scheme: dark)')
    dark.addEventListener('change', read)
    // Renders synchronously, because the page has the print colours only for a short time before printing.
    const drawNow = () => flushSync(read)
    window.addEventListener('beforeprint', drawNow)
    window.addEventListener('afterprint', read)
    return () => {
      dark.removeEventListener('change', read)
      window.removeEventListener('beforeprint', drawNow)
      window.removeEventListener('afterprint', read)
    }
  }, [theme])
  return colors
}
