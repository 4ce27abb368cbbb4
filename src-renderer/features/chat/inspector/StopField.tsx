import { Plus, X } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import { isComposing } from '../../../shared/isComposing.ts'
import { IconButton } from '../../../shared/ui/Button.tsx'
import { useChatTranslate } from '../messages.ts'
import { readStop, showStop } from '../params.ts'
import { changeParam } from '../setup.ts'
import { ParamRow } from './ParamRow.tsx'

const maxStops = 16

/** Stop sequences, one per line. */
export function StopField({ value }: { value: string[] | undefined }) {
  const t = useChatTranslate()
  const id = useId()
  const list = useRef<HTMLUListElement>(null)
  const [typed, setTyped] = useState(() => (value ?? []).map(showStop))
  useEffect(() => {
    setTyped((now) => (same(kept(now), value ?? []) ? now : (value ?? []).map(showStop)))
  }, [value])
  const change = (next: string[]): void => {
    setTyped(next)
    const texts = kept(next)
    changeParam('stop', texts.length === 0 ? undefined : texts)
  }
  const add = (): void => {
    setTyped([...typed, ''])
    requestAnimationFrame(() => [...(list.current?.querySelectorAll('input') ?? [])].at(-1)?.focus())
  }
  return (
    <ParamRow
      id={id}
      name={t('paramStop')}
      wire="stop"
      set={typed.length > 0}
      onReset={() => change([])}
      control={
        <span className="chat-param-add">
          {typed.length === 0 && <span className="chat-faint">{t('notSent')}</span>}
          <IconButton
            id={id}
            icon={Plus}
            size="small"
            label={t('stopAdd')}
            disabled={typed.length >= maxStops}
            onClick={add}
          />
        </span>
      }
    >
      {typed.length > 0 && (
        <>
          <ul className="chat-stops" ref={list}>
            {typed.map((text, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a line is identified by its index
              <li key={at}>
                <input
                  dir="auto"
                  aria-label={t('stopNumber', { number: at + 1 })}
                  value={text}
                  maxLength={1_000}
                  spellCheck={false}
                  onChange={(event) => change(typed.with(at, event.target.value))}
                  onKeyDown={(event) => {
                    if (event.key === 'Enter' && !isComposing(event)) add()
                  }}
                />
                <IconButton
                  icon={X}
                  size="small"
                  label={t('stopRemove', { number: at + 1 })}
                  onClick={() => change(typed.toSpliced(at, 1))}
                />
              </li>
            ))}
          </ul>
          <p className="chat-faint">{t('stopHint')}</p>
        </>
      )}
    </ParamRow>
  )
}

const kept = (typed: readonly string[]): string[] => typed.map(readStop).filter((text) => text !== '')
const same = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((text, at) => text === b[at])
