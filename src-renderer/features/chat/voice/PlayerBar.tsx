import { Pause, Play, RotateCw, Square, Volume2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { ProblemNotice } from '../../../shared/errors/ProblemNotice.tsx'
import { IconButton } from '../../../shared/ui/Button.tsx'
import { Select } from '../../../shared/ui/Select.tsx'
import { fineSeconds } from '../messages.ts'
import {
  pauseReading,
  type ReadAloud,
  resumeReading,
  setSpeed,
  speak,
  speeds,
  stopReading,
  usePlayer,
} from './player.ts'

const words = {
  asking: 'startingToRead',
  playing: 'reading',
  waiting: 'buffering',
  paused: 'readingPaused',
  failed: 'readAloud',
} as const

/** The reading player above the composer. */
export function PlayerBar() {
  const { t } = useTranslation('composer')
  const now = usePlayer((state) => state.now)
  const speed = usePlayer((state) => state.speed)
  if (now === null) return null
  const running = now.state === 'playing' || now.state === 'waiting'
  return (
    <section className="composer-player" aria-label={t('player')}>
      {now.problem && <ProblemNotice problem={now.problem} />}
      <div className="composer-bar">
        <Volume2 aria-hidden size={15} />
        <span role="status">{t(words[now.state])}</span>
        <Facts now={now} />
        {now.state === 'failed' ? (
          <IconButton
            icon={RotateCw}
            size="small"
            label={t('tryAgain')}
            onClick={() => void speak(now.messageId, now.text, now.part)}
          />
        ) : (
          <>
            <Select
              label={t('speed')}
              className="w-20"
              value={String(speed)}
              choices={speeds.map((value) => ({ value: String(value), label: t('speedOf', { speed: value }) }))}
              onPick={(value) => setSpeed(Number(value))}
            />
            <IconButton
              icon={running ? Pause : Play}
              size="small"
              label={t(running ? 'pause' : 'resumeReading')}
              disabled={now.state === 'asking'}
              onClick={running ? pauseReading : resumeReading}
            />
          </>
        )}
        <IconButton icon={Square} size="small" label={t('stopReading')} onClick={stopReading} />
      </div>
    </section>
  )
}

function Facts({ now: { part, parts, firstSoundMs } }: { now: ReadAloud }) {
  const { t } = useTranslation('composer')
  return (
    <span className="composer-bar-facts num">
      {parts > 1 && <span>{t('partOf', { part, parts })}</span>}
      {firstSoundMs !== null && <span>{t('firstSound', { seconds: fineSeconds(firstSoundMs) })}</span>}
    </span>
  )
}
