import { cx } from './cx.ts'

export type Level = 'good' | 'warn' | 'bad'
const fills: Record<Level, string> = { good: 'bg-good', warn: 'bg-warn', bad: 'bg-bad' }

interface MeterProps {
  label: string
  value: number
  max: number
  level: Level
  className?: string
  /**
   * What screen readers read in place of the value. A button or link that contains the bar has it in its name: hide the same text beside the
   * bar from them there.
   */
  valueText?: string
}

/** A bar for the used part of a total. Requires a text beside it, because the bar is no text for screen readers. */
export function Meter(props: MeterProps) {
  const share = props.max > 0 ? Math.min(1, Math.max(0, props.value / props.max)) : 0
  return (
    // biome-ignore lint/a11y/useSemanticElements: the <meter> element cannot have our colours
    <span
      role="meter"
      aria-label={props.label}
      aria-valuemin={0}
      aria-valuemax={props.max}
      aria-valuenow={props.value}
      aria-valuetext={props.valueText}
      className={cx('block h-[5px] w-11 shrink-0 overflow-hidden rounded-full bg-line-strong', props.className)}
    >
      <span className={cx('block h-full', fills[props.level])} style={{ width: `${share * 100}%` }} />
    </span>
  )
}
