import { ChevronDown } from 'lucide-react'
import type { SelectHTMLAttributes } from 'react'
import { cx } from './cx.ts'
import { useFieldProps } from './Field.tsx'

export interface Choice<T extends string> {
  value: T
  label: string
}

/** One of many values, as the browser's own list. `label` names it. Inside a `Field`, the field does. */
export function Select<T extends string>({
  label,
  value,
  choices,
  onPick,
  className,
  ...props
}: Omit<SelectHTMLAttributes<HTMLSelectElement>, 'onChange' | 'value'> & {
  label?: string
  value: T
  choices: readonly Choice<T>[]
  onPick: (value: T) => void
}) {
  const field = useFieldProps()
  return (
    <span className={cx('relative inline-flex min-w-0', className)}>
      <select
        {...field}
        {...props}
        aria-label={label}
        value={value}
        onChange={(event) => {
          const picked = choices.find((choice) => choice.value === event.target.value)
          if (picked) onPick(picked.value)
        }}
        className={cx(
          'h-7 w-full min-w-0 appearance-none truncate rounded-m bg-raise pe-7 ps-2.5 text-ink text-s',
          'shadow-[inset_0_0_0_1px_var(--line-strong)] hover:bg-hover disabled:opacity-55',
        )}
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
      <ChevronDown aria-hidden size={14} className="pointer-events-none absolute top-[7px] end-2 text-soft" />
    </span>
  )
}
