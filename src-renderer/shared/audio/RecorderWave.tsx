import { useEffect, useRef } from 'react'
import { cx } from '../ui/cx.ts'
import { type ActiveRecording, peakEvery } from './recorder.ts'

/** Width of a bar and of the gap after it, px. */
const bar = 2
const step = 3
/** Minimum bar height as a share of the full height, so that silence is visible as a line. */
const least = 0.03

/** The last seconds of a recording, newest at the end. Drawn without React, once per bar. */
export function RecorderWave({
  recording,
  label,
  className = 'h-8 min-w-0 flex-1',
}: {
  recording: ActiveRecording
  label: string
  className?: string
}) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const { current: place } = canvas
    const context = place?.getContext('2d')
    if (!place || !context) return
    let drawn = -1
    const draw = (): void => {
      const { peaks } = recording
      if (peaks.length === drawn) return
      drawn = peaks.length
      const { clientWidth: width, clientHeight: height } = place
      place.width = width * devicePixelRatio
      place.height = height * devicePixelRatio
      context.scale(devicePixelRatio, devicePixelRatio)
      context.fillStyle = getComputedStyle(place).color
      const many = Math.min(peaks.length, Math.floor(width / step))
      for (let back = 0; back < many; back++) {
        const peak = peaks[peaks.length - 1 - back] ?? 0
        // Half of all speech is below a tenth of the peak level. The square root makes quiet speech visible.
        const tall = Math.max(least, Math.sqrt(peak)) * height
        context.fillRect(width - (back + 1) * step, (height - tall) / 2, bar, tall)
      }
      place.dataset.bars = String(peaks.length)
    }
    const timer = setInterval(draw, peakEvery)
    draw()
    return () => clearInterval(timer)
  }, [recording])
  return <canvas ref={canvas} role="img" aria-label={label} className={cx('text-accent', className)} />
}
