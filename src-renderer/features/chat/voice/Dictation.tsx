import { Check, LoaderCircle, Mic, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { LevelMeter } from '../../../shared/audio/LevelMeter.tsx'
import { MicrophoneNotice } from '../../../shared/audio/MicrophoneNotice.tsx'
import { ProblemNotice } from '../../../shared/errors/ProblemNotice.tsx'
import { Button, IconButton } from '../../../shared/ui/Button.tsx'
import { StatusText } from '../../../shared/ui/StatusText.tsx'
import { useNow } from '../../../shared/useNow.ts'
import { useHandsFree } from '../handsFree/conversation.ts'
import { useEscapeToStop } from '../hooks.ts'
import {
  cancelDictation,
  finishDictation,
  longestRecording,
  sendRecording,
  startDictation,
  useDictation,
} from './dictation.ts'

export function DictateButton() {
  const { t } = useTranslation('composer')
  const off = useDictation(({ now }) => now.state === 'off' || now.state === 'no_microphone')
  const talking = useHandsFree(({ state }) => state.on)
  return <IconButton icon={Mic} label={t('dictate')} disabled={!off || talking} onClick={() => void startDictation()} />
}

/** The state of dictation, above the field. Empty while off. */
export function DictationBar() {
  const { t } = useTranslation(['composer', 'audio'])
  const now = useDictation((state) => state.now)
  const reported = useDictation((state) => state.reported)
  const running = now.state !== 'off' && now.state !== 'failed' && now.state !== 'no_microphone'
  useEscapeToStop(running, cancelDictation)
  const cancel = <IconButton icon={X} size="small" label={t('cancel')} shortcut="Esc" onClick={cancelDictation} />
  return (
    <>
      <StatusText>
        {now.state === 'off' && reported > 0 && t('transcriptInserted')}
        {now.state === 'recording' && t('recording')}
      </StatusText>
      {now.state === 'asking' && <Bar words={t('waitingForMicrophone')}>{cancel}</Bar>}
      {now.state === 'recording' && (
        <section className="composer-bar" aria-label={t('recording')}>
          <span className="composer-recording-dot" aria-hidden />
          <LevelMeter
            recording={now.recording}
            label={t('recordingLevel')}
            className="composer-level h-[5px] w-[120px]"
          />
          <Time since={now.since} />
          {now.muted && <span role="alert">{t('audio:microphoneMuted')}</span>}
          {cancel}
          <Button variant="primary" size="small" icon={Check} onClick={() => void finishDictation()}>
            {t('finishDictation')}
          </Button>
        </section>
      )}
      {now.state === 'sending' && (
        <Bar words={t('sendingRecording', { percent: Math.round(now.sent * 100) })}>{cancel}</Bar>
      )}
      {now.state === 'writing' && <Bar words={t('transcribing')}>{cancel}</Bar>}
      {now.state === 'no_microphone' && (
        <MicrophoneNotice
          trouble={now.trouble}
          onRetry={() => void startDictation()}
          onDismiss={cancelDictation}
          className="composer-bar"
        />
      )}
      {now.state === 'failed' && (
        <div className="composer-bar composer-bar-tall" role="alert">
          {now.problem && <ProblemNotice problem={now.problem} />}
          <span>{t(now.problem ? 'dictationFailed' : 'dictationEmpty')}</span>
          <Button size="small" onClick={() => void sendRecording()}>
            {t('tryAgain')}
          </Button>
          <Button size="small" variant="plain" onClick={cancelDictation}>
            {t('discard')}
          </Button>
        </div>
      )}
    </>
  )
}

function Bar({ words, children }: { words: string; children: ReactNode }) {
  return (
    <div className="composer-bar" role="status">
      <LoaderCircle aria-hidden size={15} className="chat-turning" />
      <span>{words}</span>
      {children}
    </div>
  )
}

function Time({ since }: { since: number }) {
  const { t } = useTranslation('composer')
  const now = useNow(500)
  return <span className="num">{t('recordingTime', { time: clock(now - since), most: clock(longestRecording) })}</span>
}

/** Formats a duration in ms: `0:07`, `12:40`. */
export function clock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
