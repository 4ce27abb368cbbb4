import type { LucideIcon } from 'lucide-react'
import { RadioGroup } from 'radix-ui'
import { cx } from './cx.ts'

export interface Segment<T extends string> {
  value: T
  label: string
  icon?: LucideIcon
  disabled?: boolean
}

/** One of a few values, all visible. Arrow keys select. */
export function Segmented<T extends string>(props: {
  label: string
  /** Id of a text that explains the choice. */
  describedBy?: string | undefined
  value: T
  segments: Segment<T>[]
  onChange: (value: T) => void
  className?: string
}) {
  return (
    <RadioGroup.Root
      orientation="horizontal"
      aria-label={props.label}
      aria-describedby={props.describedBy}
      value={props.value}
      onValueChange={(picked) => {
        const segment = props.segments.find(({ value }) => value === picked)
        if (segment) props.onChange(segment.value)
      }}
      className={cx('inline-flex w-fit max-w-full flex-wrap gap-0.5 rounded-m bg-hover p-0.5', props.className)}
    >
      {props.segments.map(({ value, label, icon: Icon, disabled }) => (
        <RadioGroup.Item
          key={value}
          value={value}
          disabled={disabled ?? false}
          className={cx(
            'inline-flex h-6 items-center gap-1.5 rounded-[6px] px-2.5 font-[520] text-s text-soft transition-colors duration-100',
            'enabled:hover:text-ink disabled:opacity-45',
            'data-[state=checked]:bg-raise data-[state=checked]:text-ink data-[state=checked]:shadow-[0_0_0_1px_var(--line-strong)]',
          )}
        >
          {Icon && <Icon aria-hidden size={14} strokeWidth={1.75} />}
          {label}
        </RadioGroup.Item>
      ))}
    </RadioGroup.Root>
  )
}
