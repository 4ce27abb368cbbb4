import { Play } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { SpeechDetail } from '../../../src-preload/contract/speech.ts'
import { clockOf } from '../../shared/audio/durationText.ts'
import { IconButton } from '../../shared/ui/Button.tsx'
import { cx } from '../../shared/ui/cx.ts'
import { Pill, type PillTone } from '../../shared/ui/Pill.tsx'
import { partStarts } from '../../stores/speech.ts'

const tones: Record<SpeechDetail['partList'][number]['state'], PillTone> = {
  waiting: 'muted',
  making: 'warn',
  done: 'good',
  failed: 'bad',
}

/** The spoken text by parts, each with a play button. `part`: the playing one. */
export function SpokenText({
  speech,
  part: heard,
  onPart,
}: {
  speech: SpeechDetail
  part: number
  /** Null while playback cannot seek. */
  onPart: ((start: number) => void) | null
}) {
  const { t } = useTranslation('speech')
  const starts = partStarts(speech)
  const { partList, text } = speech
  return (
    <section aria-label={t('text')} className="flex min-w-0 flex-col gap-3">
      {partList.map(({ part, from, to, state }) => {
        const start = starts[part - 1]
        return (
          <div
            key={part}
            data-part={part}
            data-state={state}
            aria-current={heard === part ? 'true' : undefined}
            className={cx(
              partList.length > 1 && 'rounded-m border-s-2 ps-3',
              heard === part ? 'border-accent' : 'border-line',
            )}
          >
            {partList.length > 1 && (
              <div className="flex min-h-6 items-center gap-2 text-s text-soft">
                <span className="num font-[540]">
                  {start === undefined ? t('partName', { part }) : t('partAt', { part, time: clockOf(start) })}
                </span>
                <Pill tone={tones[state]}>{t(`partState.${state}`)}</Pill>
                {onPart && start !== undefined && state === 'done' && (
                  <IconButton icon={Play} size="small" label={t('hearPart', { part })} onClick={() => onPart(start)} />
                )}
              </div>
            )}
            <p dir="auto" className="select-text whitespace-pre-wrap break-words text-body leading-relaxed">
              {text.slice(from, to)}
            </p>
          </div>
        )
      })}
    </section>
  )
}
