import { X } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Transcript } from '../../../src-preload/contract/transcription.ts'
import { IconButton } from '../../shared/ui/Button.tsx'
import type { OpenRecording } from '../../stores/transcription.ts'
import { compareWith } from './actions.ts'
import { type DiffPiece, difference } from './diff.ts'
import { versionOf } from './labels.ts'

/** Two transcripts of one recording side by side, with differing words marked. */
export function Compare({ open, left, right }: { open: OpenRecording; left: Transcript; right: Transcript }) {
  const { t } = useTranslation('transcribe')
  const result = useMemo(() => difference(left.text, right.text), [left.text, right.text])
  const nameOf = (one: Transcript): string => versionOf(one, open.transcripts.length - open.transcripts.indexOf(one))
  const said =
    result.words === null ? t('differMuch') : result.words === 0 ? t('differNot') : t('differ', { count: result.words })
  return (
    <section aria-label={t('compareTitle')} className="flex min-h-0 flex-1 flex-col">
      <div className="flex items-center gap-2 px-6 pt-2 text-s text-soft max-[800px]:px-4">
        <span role="status">{said}</span>
        <IconButton icon={X} size="small" label={t('compareNone')} onClick={() => compareWith(null)} />
      </div>
      <div className="grid min-h-0 flex-1 grid-cols-2 gap-px max-[800px]:grid-cols-1">
        <Side name={nameOf(left)} pieces={result.left} />
        <Side name={nameOf(right)} pieces={result.right} />
      </div>
    </section>
  )
}

function Side({ name, pieces }: { name: string; pieces: readonly DiffPiece[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section tabIndex={0} aria-label={name} className="min-h-0 overflow-y-auto px-6 py-3 max-[800px]:px-4">
      <h2 className="mb-2 font-semibold text-faint text-s">{name}</h2>
      <p dir="auto" className="whitespace-pre-wrap text-body leading-[1.65] select-text">
        {runs(pieces).map(({ text, differs, key }) =>
          differs ? (
            <mark key={key} className="transcribe-differs">
              {text}
            </mark>
          ) : (
            text
          ),
        )}
      </p>
    </section>
  )
}

/** Merges neighbouring pieces of the same kind, because a long text has many words and few differences. */
function runs(pieces: readonly DiffPiece[]): (DiffPiece & { key: number })[] {
  const all: (DiffPiece & { key: number })[] = []
  for (const [key, { text, differs }] of pieces.entries()) {
    const last = all.at(-1)
    if (last && last.differs === differs) last.text += text
    else all.push({ text, differs, key })
  }
  return all
}
