import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'

/** A name being changed in its place: Enter or leaving keeps it, Esc does not. */
export function NameField(props: { name: string; longest: number; onName: (name: string) => void; onEnd: () => void }) {
  const { t } = useTranslation('library')
  const field = useRef<HTMLInputElement>(null)
  const ended = useRef(false)
  useEffect(() => {
    field.current?.focus()
    field.current?.select()
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
      className="chat-title-field"
      aria-label={t('nameOf')}
      defaultValue={props.name}
      maxLength={props.longest}
      onBlur={() => end(true)}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (event.nativeEvent.isComposing) return
        if (event.key !== 'Enter' && event.key !== 'Escape') return
        // In a drawer Esc would shut that too.
        event.preventDefault()
        end(event.key === 'Enter')
      }}
    />
  )
}
