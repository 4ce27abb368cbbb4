import { ChevronRight } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { revealed } from '../../../shared/markdown/hiddenCharacters.tsx'
import { maxJsonChars, readJson } from './json.ts'
import { usePreviewTexts } from './texts.ts'
import { useThrottled } from './useThrottled.ts'

/** Children drawn at once, characters drawn of a text, and levels that are open at first. */
const [childStep, textChars, openLevels] = [100, 2_000, 2]
/** Interval of updates while the block grows, ms. */
const updateMs = 300

/** A JSON value as a tree. A branch is drawn when it is opened. */
export function JsonView({ text, open }: { text: string; open: boolean }) {
  const t = usePreviewTexts()
  const shown = useThrottled(text, open ? updateMs : 0)
  const long = shown.length > maxJsonChars
  const reading = useMemo(() => (long ? null : readJson(shown, open)), [shown, open, long])
  if (!reading) return <p className="chat-preview-note">{t('tooLong', { most: maxJsonChars })}</p>
  if ('fault' in reading)
    return (
      <p className="chat-preview-note" role={open ? undefined : 'status'}>
        {open ? t('empty') : t('jsonFailed', { fault: reading.fault.slice(0, 300) })}
      </p>
    )
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard (WCAG 2.1.1)
    <section className="chat-preview-json" aria-label={t('kinds.json')} tabIndex={0} dir="ltr">
      <JsonNode name={null} value={reading.value} level={0} />
    </section>
  )
}

function JsonNode({ name, value, level }: { name: string | number | null; value: unknown; level: number }) {
  const t = usePreviewTexts()
  const [opened, setOpened] = useState(level < openLevels)
  const label = name === null ? null : <span className="chat-json-name">{revealed(String(name).slice(0, 300))}: </span>
  if (typeof value !== 'object' || value === null)
    return (
      <div className="chat-json-leaf">
        {label}
        <Leaf value={value} />
      </div>
    )
  const isArray = Array.isArray(value)
  const count = isArray ? value.length : Object.keys(value).length
  return (
    <details open={opened} onToggle={(event) => setOpened(event.currentTarget.open)}>
      <summary>
        <ChevronRight aria-hidden />
        {label}
        <span className="chat-json-count">
          {isArray ? '[ ]' : '{ }'} {t(isArray ? 'jsonArray' : 'jsonObject', { count })}
        </span>
      </summary>
      {opened && <Children value={value} count={count} level={level} />}
    </details>
  )
}

function Children({ value, count, level }: { value: object; count: number; level: number }) {
  const t = usePreviewTexts()
  const [most, setMost] = useState(childStep)
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? value.slice(0, most).map((one, at) => [at, one])
    : Object.entries(value).slice(0, most)
  return (
    <div className="chat-json-children">
      {entries.map(([name, one]) => (
        <JsonNode key={name} name={name} value={one} level={level + 1} />
      ))}
      {count > most && (
        <button type="button" className="chat-json-more" onClick={() => setMost(most + childStep)}>
          {t('jsonMore', { count: Math.min(childStep, count - most) })}
        </button>
      )}
    </div>
  )
}

function Leaf({ value }: { value: unknown }): ReactNode {
  if (typeof value !== 'string') return <span className="chat-json-value">{String(value)}</span>
  const shown = value.length > textChars ? `${value.slice(0, textChars)}…` : value
  return <span className="chat-json-string">"{revealed(shown)}"</span>
}
