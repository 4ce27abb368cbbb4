import { Mic, Pause, Play, Plug, Save, X } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { showSize } from '../../i18n/format.ts'
import { chooseMicrophone, useMicrophone, useMicrophones } from '../../shared/audio/devices.ts'
import { clockOf } from '../../shared/audio/durationText.ts'
import { LevelMeter } from '../../shared/audio/LevelMeter.tsx'
import { MicrophoneNotice } from '../../shared/audio/MicrophoneNotice.tsx'
import { RecorderWave } from '../../shared/audio/RecorderWave.tsx'
import type { ActiveRecording } from '../../shared/audio/recorder.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { openConnectionSettings } from '../../shared/navigation.ts'
import { ConnectionNote } from '../../shared/offline/ConnectionNote.tsx'
import { Button, IconButton } from '../../shared/ui/Button.tsx'
import { ConfirmDialog } from '../../shared/ui/Dialog.tsx'
import { Notice } from '../../shared/ui/Notice.tsx'
import { Select } from '../../shared/ui/Select.tsx'
import { Spinner } from '../../shared/ui/Spinner.tsx'
import { StatusText } from '../../shared/ui/StatusText.tsx'
import { useApp } from '../../stores/app.ts'
import { useTranscribe } from '../../stores/transcription.ts'
import { chooseFiles } from './choose.ts'
import {
  cancelRecorder,
  finishRecorder,
  pauseRecorder,
  type Recorder,
  saveFailedRecording,
  saveHere,
  startRecorder,
  useElapsed,
  useRecorder,
} from './record.ts'

/** The bar below every stage of the page: buttons to record and to add files. During a recording, its level and controls. */
export function Dock() {
  const { t } = useTranslation('transcribe')
  const now = useRecorder((state) => state.now)
  const isNothingOpen = useTranscribe((store) => store.open === null)
  return (
    <section
      aria-label={t('dock')}
      className="@container mx-auto w-full max-w-[1040px] flex-none px-4 pt-1 pb-3 max-[800px]:px-3"
    >
      {now.state === 'no_microphone' && (
        <MicrophoneNotice
          trouble={now.trouble}
          onRetry={() => void startRecorder()}
          onDismiss={cancelRecorder}
          className="mb-2 flex flex-wrap items-center gap-2 rounded-m bg-warn-bg px-3 py-2 text-s [&>svg]:text-warn"
        />
      )}
      {/* An open recording has its own note. */}
      {isNothingOpen && <ConnectionNote place="transcript" className="mb-2" />}
      <div className="flex min-h-12 flex-wrap items-center gap-2 rounded-l bg-raise px-2.5 py-2 shadow-[0_0_0_1px_var(--line-strong),var(--lift-small)]">
        {now.state === 'recording' || now.state === 'finishing' ? (
          <Running now={now} />
        ) : now.state === 'asking' ? (
          <Asking />
        ) : now.state === 'failed' ? (
          <Failed now={now} />
        ) : (
          <Ready />
        )}
      </div>
    </section>
  )
}

function Ready() {
  const { t } = useTranslation('transcribe')
  const isUnset = useApp(({ app }) => app?.connection.state === 'none')
  return (
    <>
      <Button variant="primary" icon={Mic} onClick={() => void startRecorder()}>
        {t('record')}
      </Button>
      <Microphones />
      <Button onClick={chooseFiles}>{t('addFiles')}</Button>
      <span className="@[600px]:inline ms-1 hidden text-faint text-s">{t('dropHere')}</span>
      {isUnset && (
        <div className="flex basis-full items-center gap-3">
          <p className="min-w-0 flex-1 text-s text-soft">{t('needConnection')}</p>
          <Button icon={Plug} onClick={openConnectionSettings}>
            {t('connect')}
          </Button>
        </div>
      )}
    </>
  )
}

function Microphones() {
  const { t } = useTranslation('transcribe')
  const state = useRecorder(({ now }) => now.state)
  const list = useMicrophones(state)
  const chosen = useMicrophone()
  const choices = [
    { value: '', label: t('systemMicrophone') },
    ...list.map(({ id, label }, at) => ({ value: id, label: label || t('microphoneNumber', { number: at + 1 }) })),
  ]
  return (
    <Select
      label={t('microphone')}
      className="max-w-[220px]"
      value={choices.some(({ value }) => value === chosen) ? chosen : ''}
      choices={choices}
      onPick={chooseMicrophone}
    />
  )
}

function Asking() {
  const { t } = useTranslation('transcribe')
  return (
    <>
      <Spinner />
      <span role="status" className="flex-1">
        {t('asking')}
      </span>
      <Button onClick={cancelRecorder}>{t('cancel')}</Button>
    </>
  )
}

function Running({ now }: { now: Extract<Recorder, { recording: ActiveRecording }> }) {
  const { t } = useTranslation(['transcribe', 'audio'])
  const { recording, paused, kept, trouble } = now
  // The stage of a new recording already shows the time and level.
  const onStage = useTranscribe((store) => store.open === null && now.state === 'recording')
  const [asked, setAsked] = useState(false)
  const ms = useElapsed(recording)
  const going = now.state === 'recording'
  const time = clockOf(ms / 1000)
  // A recording that has just started is discarded without a question.
  const cancel = (): void => (ms < 3000 ? cancelRecorder() : setAsked(true))
  return (
    <>
      <StatusText>{t(!going ? 'finishing' : paused ? 'recordingPaused' : 'recording')}</StatusText>
      {onStage ? (
        <span className="min-w-0 flex-1 truncate text-s text-soft">{recording.device}</span>
      ) : (
        <>
          <span
            aria-hidden
            data-paused={paused}
            className="size-2.5 shrink-0 rounded-full bg-bad data-[paused=true]:bg-faint"
          />
          <span className="num min-w-10 font-[560]">{time}</span>
          {paused && (
            <span aria-hidden className="text-s text-soft">
              {t('recordingPaused')}
            </span>
          )}
          <RecorderWave recording={recording} label={t('recordingPicture')} />
          <LevelMeter recording={recording} label={t('level')} className="h-1.5 w-14" />
        </>
      )}
      <span className="num @[560px]:inline hidden text-faint text-s" title={recording.device}>
        {t('keptSoFar', { size: showSize(kept) })}
      </span>
      {going ? (
        <>
          <IconButton
            icon={paused ? Play : Pause}
            label={t(paused ? 'resume' : 'pause')}
            onClick={() => pauseRecorder(!paused)}
          />
          <IconButton icon={X} label={t('discard')} onClick={cancel} />
          <Button variant="primary" onClick={() => void finishRecorder()}>
            {t('done')}
          </Button>
        </>
      ) : (
        <Button busy>{t('finishing')}</Button>
      )}
      {now.muted && (
        <Notice kind="warn" role="alert" className="basis-full">
          {t('audio:microphoneMuted')}
        </Notice>
      )}
      {trouble && (
        <Notice
          kind="warn"
          role="alert"
          className="basis-full"
          action={{ label: t('saveHere'), onClick: saveHere }}
          details={{ label: t('transcript'), text: trouble.message }}
        >
          {t('notKeptNow')}
        </Notice>
      )}
      <ConfirmDialog
        open={asked}
        title={t('discardTitle')}
        about={t('discardAbout', { time })}
        confirm={t('discard')}
        onClose={() => setAsked(false)}
        onConfirm={() => {
          setAsked(false)
          cancelRecorder()
        }}
      />
    </>
  )
}

function Failed({ now }: { now: Extract<Recorder, { state: 'failed' }> }) {
  const { t } = useTranslation('transcribe')
  return (
    <ProblemNotice problem={now.problem} noAction className="flex-1">
      <p className="basis-full">{t('couldNotSave')}</p>
      <Button size="small" variant="primary" onClick={() => void saveFailedRecording()}>
        {t('tryAgain')}
      </Button>
      <Button size="small" icon={Save} onClick={saveHere}>
        {t('saveHere')}
      </Button>
      <Button size="small" variant="danger" onClick={cancelRecorder}>
        {t('discard')}
      </Button>
    </ProblemNotice>
  )
}
