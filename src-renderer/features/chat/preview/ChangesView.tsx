import { useMemo } from 'react'
import { joinFacts } from '../../../i18n/format.ts'
import { revealed } from '../../../shared/markdown/hiddenCharacters.tsx'
import { type ChangePart, changesOf } from './changes.ts'
import { usePreviewTexts } from './texts.ts'

/** Lines drawn at most. */
const maxLines = 3_000

/** What a version changed, line by line. @param number of the earlier version, from 1 */
export function ChangesView({ before, after, number }: { before: string; after: string; number: number }) {
  const t = usePreviewTexts()
  const changes = useMemo(() => changesOf(before, after), [before, after])
  if (!changes) return <p className="chat-preview-note">{t('changesTooFar')}</p>
  const { parts, added, removed } = changes
  if (added + removed === 0) return <p className="chat-preview-note">{t('changesNone')}</p>
  return (
    <div className="chat-preview-table">
      <p className="chat-preview-count">
        {joinFacts([t('changesWith', { at: number }), t('changesCount', { added, removed })])}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard (WCAG 2.1.1) */}
      <section className="chat-preview-changes" aria-label={t('viewChanges')} tabIndex={0} dir="ltr">
        {parts.slice(0, maxLines).map((part, at) => (
          <Line key={lineKey(at)} part={part} />
        ))}
      </section>
    </div>
  )
}

const lineKey = (at: number): string => `l${at}`

function Line({ part }: { part: ChangePart }) {
  const t = usePreviewTexts()
  if (part.is === 'skipped') return <div data-is="skipped">{t('changesSkipped', { count: part.count })}</div>
  const Element = part.is === 'added' ? 'ins' : part.is === 'removed' ? 'del' : 'div'
  const sign = part.is === 'added' ? '+' : part.is === 'removed' ? '−' : ' '
  return (
    <Element data-is={part.is}>
      {part.is !== 'same' && <span className="chat-sr">{t(part.is)} </span>}
      <span aria-hidden>{sign}</span>
      <code>{revealed(part.text) || '\u00a0'}</code>
    </Element>
  )
}
