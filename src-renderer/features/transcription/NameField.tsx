import { useEffect, useRef } from 'react'

/** A name being changed in its place: Enter or leaving keeps it, Esc does not. */
export function NameField(props: { name: string; label: string; onName: (name: string) => void; onEnd: () => void }) {
  const field = useRef<HTMLInputElement>(null)
  const ended = useRef(false)
  useEffect(() => {
    // A menu that was just shut gives the focus back to its button first.
    const frame = requestAnimationFrame(() => field.current?.select())
    field.current?.focus()
    return () => cancelAnimationFrame(frame)
  }, [])
  const end = (keep: boolean): void => {
    if (ended.current) return
    ended.current = true
    const text = field.current?.value.trim() ?? ''
    if (keep && text !== '' && text !== props.name) props.onName(text)
    props.onEnd()
  }
  return (
    <input
      ref={field}
      aria-label={props.label}
      defaultValue={props.name}
      maxLength={300}
      autoComplete="off"
      className="h-7 min-w-0 flex-1 rounded-s bg-raise px-2 font-[520] shadow-[inset_0_0_0_1px_var(--line-strong)]"
      onBlur={() => end(true)}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (event.nativeEvent.isComposing || (event.key !== 'Enter' && event.key !== 'Escape')) return
        event.preventDefault()
        end(event.key === 'Enter')
      }}
    />
  )
}
