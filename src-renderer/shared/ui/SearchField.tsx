import { Search, X } from 'lucide-react'
import { type InputHTMLAttributes, type ReactNode, type RefObject, useRef } from 'react'
import { IconButton } from './Button.tsx'
import { cx } from './cx.ts'

export interface SearchFieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'value' | 'size'> {
  label: string
  value: string
  onValue: (value: string) => void
  /** Name of the button that clears the field. Without a name there is no button. */
  clearLabel?: string
  inputRef?: RefObject<HTMLInputElement | null>
  iconSize?: number
  iconStroke?: number
  /** Size, colours and outline of the box. */
  className?: string
  inputClassName?: string
  /** After the input, inside the box. */
  children?: ReactNode
}

/** The look of a search box above a list or a chart. */
export const raisedSearch =
  'rounded-m bg-raise text-s shadow-[inset_0_0_0_1px_var(--line-strong)] focus-within:shadow-[inset_0_0_0_2px_var(--accent)]'

/** A search input with its icon in one box. */
export function SearchField({
  label,
  value,
  onValue,
  clearLabel,
  inputRef,
  iconSize = 16,
  iconStroke,
  className,
  inputClassName,
  children,
  ...input
}: SearchFieldProps) {
  const own = useRef<HTMLInputElement>(null)
  const field = inputRef ?? own
  return (
    <label className={cx('flex items-center gap-1.5 text-faint', className)}>
      <Search aria-hidden size={iconSize} {...(iconStroke && { strokeWidth: iconStroke })} className="shrink-0" />
      <input
        type="search"
        dir="auto"
        ref={field}
        aria-label={label}
        placeholder={label}
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={(event) => onValue(event.target.value)}
        {...input}
        className={cx(
          'min-w-0 flex-1 bg-transparent text-ink outline-none',
          clearLabel !== undefined && '[&::-webkit-search-cancel-button]:hidden',
          inputClassName,
        )}
      />
      {clearLabel !== undefined && value !== '' && (
        <IconButton
          icon={X}
          size="small"
          label={clearLabel}
          onClick={() => {
            onValue('')
            field.current?.focus()
          }}
        />
      )}
      {children}
    </label>
  )
}
