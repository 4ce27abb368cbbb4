import { useEffect, useRef } from 'react'
import { cx } from '../ui/cx.ts'
import type { ActiveRecording } from './recorder.ts'

/** Interval between new values for screen readers, ms. */
const announceEveryMs = 500

/** The input level of a recording. Drawn without React, because the level changes with every frame. */
export function LevelMeter({
  recording,
  label,
  className,
}: {
  recording: Pick<ActiveRecording, 'level' | 'paused'>
  label: string
  className: string
}) {
  const meter = useRef<HTMLSpanElement>(null)
  const fill = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    let frame = 0
    let announcedAt = 0
    const draw = (at: number): void => {
      const level = recording.paused() ? 0 : recording.level()
      if (fill.current) fill.current.style.scale = `${level} 1`
      if (at - announcedAt > announceEveryMs) {
        announcedAt = at
        meter.current?.setAttribute('aria-valuenow', String(Math.round(level * 100)))
      }
      frame = requestAnimationFrame(draw)
    }
    frame = requestAnimationFrame(draw)
    return () => cancelAnimationFrame(frame)
  }, [recording])
  return (
    // biome-ignore lint/a11y/useSemanticElements: the <meter> element cannot have our colours
    <span
      ref={meter}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={0}
      className={cx('block shrink-0 overflow-hidden rounded-full bg-line-strong', className)}
    >
      <span ref={fill} className="block h-full w-full origin-left scale-x-0 bg-good rtl:origin-right" />
    </span>
  )
}
