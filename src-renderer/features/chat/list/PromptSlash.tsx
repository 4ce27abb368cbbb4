import { type RefObject, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { useTranslation } from 'react-i18next'
import type { Prompt } from '../../../../src-preload/contract/library.ts'
import { isComposing } from '../../../shared/isComposing.ts'
import { useLibrary } from '../../../stores/library.ts'
import { matchingPrompts, openPrompts, takePrompt } from './prompts.ts'

const maxShown = 8

interface Slash {
  field: RefObject<HTMLTextAreaElement | null>
  /** The field's text. */
  text: string
}

/**
 * Offers prompts while the composer contains only a slash and a search text. It takes arrow keys, Enter, Tab and Escape from the field
 * while there are matches. Without a match it disappears, so that a path can be typed.
 */
export function PromptSlash({ field, text }: Slash) {
  const prompts = useLibrary((store) => store.prompts)
  const [dismissed, setDismissed] = useState<string | null>(null)
  const wanted = /^\/([^\n/]{0,60})$/.exec(text)?.[1]
  // Escape hides the list until the field is empty.
  useEffect(() => {
    if (text === '') setDismissed(null)
  }, [text])
  if (wanted === undefined || dismissed !== null) return null
  const found = matchingPrompts(prompts, wanted).slice(0, maxShown)
  if (prompts.length > 0 && found.length === 0) return null
  return <Popup field={field} found={found} onDismiss={() => setDismissed(text)} />
}

function Popup({
  field,
  found,
  onDismiss,
}: {
  field: Slash['field']
  found: readonly Prompt[]
  onDismiss: () => void
}) {
  const { t } = useTranslation('library')
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const [at, setAt] = useState(0)
  /** The last line opens the prompt library. */
  const reached = Math.min(at, found.length)
  const choose = (index: number): void => {
    const area = field.current
    const prompt = found[index]
    if (!area) return
    // The prompt replaces the slash.
    area.focus()
    area.select()
    document.execCommand('delete')
    if (prompt) takePrompt(prompt)
    else openPrompts()
  }
  const latest = useRef({ choose, onDismiss, reached, last: found.length })
  useLayoutEffect(() => {
    latest.current = { choose, onDismiss, reached, last: found.length }
  })
  useLayoutEffect(() => {
    const area = field.current
    if (!area || !box.current) return
    const { left, top, width } = area.getBoundingClientRect()
    Object.assign(box.current.style, {
      left: `${left}px`,
      width: `${Math.min(width, 520)}px`,
      bottom: `${innerHeight - top + 8}px`,
    })
  })
  useEffect(() => {
    const area = field.current
    if (!area) return
    const byKey = (event: KeyboardEvent): void => {
      if (isComposing(event)) return
      const { choose: take, onDismiss: dismiss, reached: now, last } = latest.current
      if (event.key === 'ArrowDown') setAt((now + 1) % (last + 1))
      else if (event.key === 'ArrowUp') setAt((now + last) % (last + 1))
      else if ((event.key === 'Enter' && !event.shiftKey) || event.key === 'Tab') take(now)
      else if (event.key === 'Escape') dismiss()
      else return
      event.preventDefault()
      event.stopImmediatePropagation()
    }
    area.addEventListener('keydown', byKey, { capture: true })
    area.setAttribute('aria-controls', id)
    return () => {
      area.removeEventListener('keydown', byKey, { capture: true })
      area.removeAttribute('aria-controls')
      area.removeAttribute('aria-activedescendant')
    }
  }, [field, id])
  useEffect(() => field.current?.setAttribute('aria-activedescendant', `${id}-${reached}`), [field, id, reached])
  const line = (index: number) => ({
    id: `${id}-${index}`,
    role: 'option',
    tabIndex: -1,
    'aria-selected': index === reached,
    className: 'list-choice',
    // The field keeps the focus and its caret.
    onMouseDown: (event: { preventDefault(): void }) => event.preventDefault(),
    onMouseMove: () => setAt(index),
    onClick: () => choose(index),
  })
  return createPortal(
    <div ref={box} id={id} role="listbox" aria-label={t('promptPick')} className="list-slash">
      {found.map((prompt, index) => (
        <div key={prompt.id} {...line(index)}>
          <b dir="auto">{prompt.name}</b>
          <span dir="auto">{prompt.text.slice(0, 120)}</span>
        </div>
      ))}
      <div {...line(found.length)}>{found.length === 0 ? t('promptNew') : t('promptManage')}</div>
    </div>,
    // Inside the main landmark, so that all content is inside a landmark.
    field.current?.closest('main') ?? document.body,
  )
}
