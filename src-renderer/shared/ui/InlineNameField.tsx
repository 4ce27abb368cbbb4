import { useEffect, useRef } from 'react'
import { isComposing } from '../isComposing.ts'

export interface InlineNameFieldProps {
  name: string
  label: string
  maxLength: number
  /** Replaces the default appearance. */
  className?: string
  /** Called with a new, trimmed name. Not called for an empty or unchanged name. */
  onName: (name: string) => void
  /** Called once when editing ends, after `onName`. */
  onEnd: () => void
}

const box = 'h-7 min-w-0 flex-1 rounded-s bg-raise px-2 font-[520] shadow-[inset_0_0_0_1px_var(--line-strong)]'

/** Edits a name in place. Enter and losing the focus save the name, Escape does not. */
export function InlineNameField({ name, label, maxLength, className, onName, onEnd }: InlineNameFieldProps) {
  const field = useRef<HTMLInputElement>(null)
  const ended = useRef(false)
  useEffect(() => {
    field.current?.focus()
    field.current?.select()
    // A menu that closes returns the focus to its button first, which removes the selection. Letters typed meanwhile are not selected.
    const frame = requestAnimationFrame(() => field.current?.value === name && field.current.select())
    return () => cancelAnimationFrame(frame)
  }, [name])
  const end = (save: boolean): void => {
    if (ended.current) return
    ended.current = true
    const text = field.current?.value.trim() ?? ''
    if (save && text !== '' && text !== name) onName(text)
    onEnd()
  }
  return (
    <input
      dir="auto"
      ref={field}
      aria-label={label}
      defaultValue={name}
      maxLength={maxLength}
      autoComplete="off"
      className={className ?? box}
      onBlur={() => end(true)}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (isComposing(event) || (event.key !== 'Enter' && event.key !== 'Escape')) return
        // Escape would also close the drawer around the field.
        event.preventDefault()
        end(event.key === 'Enter')
      }}
    />
  )
}
