import { FileX2 } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Recording } from '../../../src-preload/contract/transcription.ts'
import { showInstant, showSize } from '../../i18n/format.ts'
import { clockOf } from '../../shared/audio/durationText.ts'
import { Waveform, type WaveformHandle } from '../../shared/audio/Waveform.tsx'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { useStudio } from '../../shared/studioContext.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { EmptyState } from '../../shared/ui/EmptyState.tsx'
import { Facts } from '../../shared/ui/Facts.tsx'
import { InlineNameField } from '../../shared/ui/InlineNameField.tsx'
import { Notice } from '../../shared/ui/Notice.tsx'
import { Skeleton } from '../../shared/ui/Skeleton.tsx'
import { StageBar } from '../../shared/ui/StageBar.tsx'
import { comparedTranscript, type OpenRecording, shownTranscript, useTranscribe } from '../../stores/transcription.ts'
import { readOpen, rename, showRecording } from './actions.ts'
import { cueAt } from './find.ts'
import { useNaming } from './naming.ts'
import { usePlayback } from './playback.ts'
import { RecordingMenu } from './RecordingMenu.tsx'
import { transcribe } from './requests.ts'
import { TranscriptPane } from './TranscriptPane.tsx'

/** One recording: its waveform, and its transcript below. */
export function Result() {
  const { t } = useTranslation('transcribe')
  const open = useTranscribe((now) => now.open)
  if (!open) return null
  if (open.state === 'gone') {
    return (
      <>
        <StageBar title={t('title')} />
        <div className="flex min-h-0 flex-1">
          <EmptyState
            icon={FileX2}
            title={t('gone')}
            action={<Button onClick={() => showRecording(null)}>{t('allRecordings')}</Button>}
          />
        </div>
      </>
    )
  }
  return <Opened open={open} />
}

function Opened({ open }: { open: OpenRecording }) {
  const { t } = useTranslation('transcribe')
  const { recording } = open
  const transcript = shownTranscript(open)
  const busy = open.transcripts.some(({ state }) => state === 'making')
  return (
    <>
      <Bar recording={recording} again={open.transcripts.length > 0} busy={busy} />
      {open.problem && (
        <ProblemNotice problem={open.problem} className="m-4" on={{ retry: () => void readOpen(open.id) }} />
      )}
      {recording ? (
        <>
          <div className="mx-auto w-full max-w-[1040px] flex-none px-5 pt-4 pb-2 max-[800px]:px-3">
            {recording.state === 'cut' && (
              <Notice kind="warn" role="status" className="mb-2">
                {t('cutAbout')}
              </Notice>
            )}
            {recording.mediaId === null ? (
              <p className="py-4 text-soft">{t('recordingNow')}</p>
            ) : (
              <Sound recording={recording} mediaId={recording.mediaId} cues={transcript?.cues ?? none} />
            )}
          </div>
          <TranscriptPane open={open} recording={recording} compared={comparedTranscript(open)} />
        </>
      ) : (
        <div className="mx-auto flex w-full max-w-[1040px] flex-col gap-6 px-5 pt-4">
          <Skeleton className="h-16 w-full rounded-m" />
          <Skeleton className="h-7 w-40" />
          <Skeleton className="w-full" />
          <Skeleton className="w-2/3" />
        </div>
      )}
    </>
  )
}

const none: readonly { from: number }[] = []

function Bar({ recording, again, busy }: { recording: Recording | null; again: boolean; busy: boolean }) {
  const { t } = useTranslation('transcribe')
  const naming = useNaming(({ id }) => id !== null && id === recording?.id)
  if (!recording) return <StageBar title={t('title')} />
  const { id, name, createdAt, seconds, bytes } = recording
  return (
    <StageBar
      title={
        naming ? (
          <InlineNameField
            maxLength={300}
            name={name}
            label={t('nameOf')}
            onName={(fresh) => void rename(id, fresh)}
            onEnd={() => useNaming.setState({ id: null })}
          />
        ) : (
          <bdi dir="auto">{name}</bdi>
        )
      }
      beside={
        <span className="num whitespace-nowrap text-faint text-s max-[800px]:hidden">
          <Facts>
            <time dateTime={createdAt}>{showInstant(createdAt)}</time>
            {seconds !== null && clockOf(seconds)}
            {showSize(bytes)}
          </Facts>
        </span>
      }
      actions={
        <>
          {recording.mediaId !== null && (
            <Button
              variant={again ? 'normal' : 'primary'}
              busy={busy}
              title={t('withSettings')}
              onClick={() => void transcribe(id)}
            >
              {t(again ? 'transcribeAgain' : 'transcribe')}
            </Button>
          )}
          <RecordingMenu recording={recording} />
        </>
      }
    />
  )
}

function Sound(props: { recording: Recording; mediaId: string; cues: readonly { from: number }[] }) {
  const studio = useStudio()
  const { recording, mediaId, cues } = props
  const [handle, setHandle] = useState<WaveformHandle | null>(null)
  const shown = useRef(cues)
  shown.current = cues
  useEffect(() => {
    usePlayback.setState({ handle, playing: false, cue: -1 })
    return () => usePlayback.setState({ handle: null, playing: false, cue: -1 })
  }, [handle])
  const onTime = (time: number): void => {
    const cue = time > 0 ? cueAt(shown.current, time) : -1
    if (cue !== usePlayback.getState().cue) usePlayback.setState({ cue })
  }
  // Saves the measured duration when the core has none.
  const onReady = (seconds: number): void => {
    if (recording.seconds === null && Number.isFinite(seconds) && seconds > 0) {
      studio.transcription.setDuration({ id: recording.id, seconds }).catch(() => undefined)
    }
  }
  return (
    <Waveform
      key={mediaId}
      ref={setHandle}
      mediaId={mediaId}
      mime={recording.mime}
      seconds={recording.seconds}
      label={recording.name}
      height={64}
      onTime={onTime}
      onReady={onReady}
      onPlaying={(playing) => usePlayback.setState({ playing })}
    />
  )
}
