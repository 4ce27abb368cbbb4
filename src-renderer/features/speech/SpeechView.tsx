import { ArrowLeftRight, Play, Square, X } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SpeechDetail } from '../../../src-preload/contract/speech.ts'
import { joinFacts, showSize } from '../../i18n/format.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { showCost } from '../../shared/money/cost.ts'
import { WaitInstead } from '../../shared/offline/ConnectionNote.tsx'
import { Button, IconButton } from '../../shared/ui/Button.tsx'
import { cx } from '../../shared/ui/cx.ts'
import { Notice } from '../../shared/ui/Notice.tsx'
import { partStarts, useSpeech } from '../../stores/speech.ts'
import { cancel, compareWith, resume } from './actions.ts'
import { LiveSound } from './LiveSound.tsx'
import { canResume, isOver, lengthOf, voiceOf } from './labels.ts'
import { playFrom, type Side, swapVoices } from './playback.ts'
import { SpokenText } from './SpokenText.tsx'
import { StoredSound } from './StoredSound.tsx'

/** The column of a speech, at a readable line width. */
export const speechColumn = 'mx-auto flex w-full max-w-[980px] flex-col px-6 py-6 max-[800px]:px-4'

/** A speech: sound, progress and text, optionally beside another one. */
export function SpeechView({ speech }: { speech: SpeechDetail }) {
  const { t } = useTranslation('speech')
  const compared = useSpeech((store) => store.compared?.detail ?? null)
  const [part, setPart] = useState(0)
  const onTime = (time: number): void => {
    const at = partStarts(speech).findLastIndex((start) => time >= start - 0.05) + 1
    if (at !== part) setPart(at)
  }
  return (
    <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
      {/* A short speech is slightly above the middle, so that a large window is not empty below it. */}
      <div className={cx(speechColumn, 'my-auto shrink-0 gap-6 pb-[16vh]')}>
        {compared ? (
          <section aria-label={t('comparing')} className="flex flex-col gap-3">
            <div className="flex items-center gap-2">
              <h2 className="font-semibold">{t('comparing')}</h2>
              <IconButton icon={X} size="small" label={t('compareEnd')} onClick={() => void compareWith(null)} />
            </div>
            <div className="grid grid-cols-[repeat(auto-fit,minmax(min(250px,100%),1fr))] gap-4">
              <Beside speech={speech} side="open" onTime={onTime} />
              <Beside speech={compared} side="compared" />
            </div>
          </section>
        ) : (
          <Sound speech={speech} side="open" onTime={onTime} large />
        )}
        <Ending speech={speech} />
        <SpokenText
          speech={speech}
          part={speech.parts > 1 ? part : 0}
          onPart={speech.mediaId !== null && isOver(speech) ? playFrom : null}
        />
      </div>
    </div>
  )
}

interface SoundProps {
  speech: SpeechDetail
  side: Side
  onTime?: (time: number) => void
  /** Whether this is the only sound on the stage. */
  large?: boolean
}

/** The playable part of the sound. */
function Sound({ speech, side, onTime, large = false }: SoundProps) {
  const { t } = useTranslation('speech')
  if (!isOver(speech)) {
    return (
      <div className="flex flex-col gap-3">
        <Progress speech={speech} />
        <LiveSound id={speech.id} />
      </div>
    )
  }
  if (speech.mediaId === null) return <p className="text-s text-soft">{t('noSound')}</p>
  return <StoredSound speech={speech} mediaId={speech.mediaId} side={side} large={large} {...(onTime && { onTime })} />
}

function Beside({ speech, side, onTime }: SoundProps) {
  const { t } = useTranslation('speech')
  return (
    <article className="flex min-w-0 flex-col gap-2 rounded-l bg-raise p-4 shadow-[0_0_0_1px_var(--line),var(--lift-small)]">
      <div className="flex min-w-0 flex-wrap items-baseline gap-x-2">
        <h3 className="truncate font-semibold">{voiceOf(speech)}</h3>
        <span className="num text-s text-soft">
          {joinFacts([speech.format, speech.seconds !== null && lengthOf(speech.seconds), showCost(speech)])}
        </span>
      </div>
      <Sound speech={speech} side={side} {...(onTime && { onTime })} />
      <Button
        variant="plain"
        size="small"
        icon={ArrowLeftRight}
        className="-ms-2 self-start"
        onClick={() => swapVoices(side)}
      >
        {t('swap')}
      </Button>
    </article>
  )
}

/** The progress in numbers, with a Stop button. */
function Progress({ speech }: { speech: SpeechDetail }) {
  const { t } = useTranslation('speech')
  const { id, parts, partsDone, audioBytes } = speech
  const part = Math.min(parts, partsDone + 1)
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-m bg-hover px-3 py-2.5">
      <span role="status" className="num text-s">
        {audioBytes === 0
          ? t('progressNone', { part, parts })
          : t('progress', { part, parts, size: showSize(audioBytes) })}
      </span>
      <progress
        aria-label={t('progressLabel')}
        max={parts}
        value={partsDone}
        className="h-1.5 min-w-24 flex-1 appearance-none overflow-hidden rounded-full bg-line-strong [&::-webkit-progress-bar]:bg-line-strong [&::-webkit-progress-value]:bg-accent"
      />
      <Button size="small" icon={Square} onClick={() => void cancel(id)}>
        {t('cancel')}
      </Button>
    </div>
  )
}

/** Why the speech is incomplete, with one action. */
function Ending({ speech }: { speech: SpeechDetail }) {
  const { t } = useTranslation('speech')
  const { id, state, problem } = speech
  if (!canResume(speech)) return null
  const go = () => void resume(id)
  const part = speech.partList.find((one) => one.state !== 'done')?.part ?? 1
  const again = speech.parts > 1 ? t('resumeAt', { part, parts: speech.parts }) : t('resume')
  return (
    <div className="flex flex-col gap-2">
      {problem && state === 'failed' ? (
        <ProblemNotice problem={problem}>
          <Button size="small" icon={Play} onClick={go}>
            {again}
          </Button>
          {speech.partsDone === 0 && <WaitInstead what="speech" id={id} problem={problem} />}
        </ProblemNotice>
      ) : (
        <Notice kind={state === 'cancelled' ? 'info' : 'warn'} action={{ label: again, onClick: go }}>
          {t(state === 'cancelled' ? 'cancelledWhat' : 'cutWhat')}
        </Notice>
      )}
    </div>
  )
}
