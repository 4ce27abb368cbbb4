import { FileText } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Recording, Transcript } from '../../../src-preload/contract/transcription.ts'
import { joinSentences, showSize } from '../../i18n/format.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { ConnectionNote, WaitInstead } from '../../shared/offline/ConnectionNote.tsx'
import { OutboxList } from '../../shared/offline/OutboxList.tsx'
import { Button } from '../../shared/ui/Button.tsx'
import { EmptyState } from '../../shared/ui/EmptyState.tsx'
import { Notice } from '../../shared/ui/Notice.tsx'
import { Spinner } from '../../shared/ui/Spinner.tsx'
import { StatusText } from '../../shared/ui/StatusText.tsx'
import { type OpenRecording, shownTranscript } from '../../stores/transcription.ts'
import { Compare } from './Compare.tsx'
import { Cues } from './Cues.tsx'
import { useFound } from './FindBar.tsx'
import {
  cancelConverting,
  cancelTranscript,
  convertAndTranscribe,
  transcribe,
  transcribeLater,
  useConverting,
  useRefusals,
} from './requests.ts'
import { TextPane } from './TextPane.tsx'
import { Toolbar, type TranscriptView } from './Toolbar.tsx'

/** The transcript of a recording: its state, then the text. */
export function TranscriptPane(props: { open: OpenRecording; recording: Recording; compared: Transcript | null }) {
  const { t } = useTranslation('transcribe')
  const { open, recording, compared } = props
  const transcript = shownTranscript(open)
  const refusal = useRefusals(({ byRecording }) => byRecording[recording.id])
  const converting = useConverting(({ byRecording }) => byRecording[recording.id])
  const again = { retry: () => void transcribe(recording.id) }
  return (
    <div className="mx-auto flex min-h-0 w-full max-w-[1040px] flex-1 flex-col">
      <OutboxList what="transcript" recordingId={recording.id} className="mx-5 mt-3 flex-none" />
      {recording.mediaId !== null && (
        <ConnectionNote
          place="transcript"
          onWait={() => transcribeLater(recording.id)}
          className="mx-5 mt-3 flex-none"
        />
      )}
      {refusal && <ProblemNotice problem={refusal} on={again} className="mx-5 mt-3 flex-none" />}
      {converting && <ConvertLine recordingId={recording.id} />}
      {transcript === null ? (
        <Nothing recording={recording} loading={open.state === 'loading'} />
      ) : (
        <>
          <How transcript={transcript} recording={recording} />
          {(transcript.text !== '' || transcript.state === 'done') && (
            <Words key={transcript.id} {...{ open, transcript, compared }} />
          )}
        </>
      )}
      <StatusText>{transcript?.state === 'making' && t('hearing')}</StatusText>
    </div>
  )
}

function Nothing({ recording, loading }: { recording: Recording; loading: boolean }) {
  const { t } = useTranslation('transcribe')
  if (loading || recording.mediaId === null) return null
  return (
    <EmptyState
      icon={FileText}
      title={t('nothingYet')}
      action={
        <Button variant="primary" onClick={() => void transcribe(recording.id)}>
          {t('transcribe')}
        </Button>
      }
    >
      {t('nothingYetAbout')}
    </EmptyState>
  )
}

/** The state of a transcript, unless it is complete with text. */
function How({ transcript, recording }: { transcript: Transcript; recording: Recording }) {
  const { t } = useTranslation('transcribe')
  // Does not offer conversion again for a recording that this browser cannot decode.
  const unread = useConverting(
    ({ byRecording: { [recording.id]: now } }) => now?.state === 'failed' && now.problem === null,
  )
  const convertible = recording.mediaId !== null && !unread
  const { id, state, sentBytes, totalBytes, problem, text } = transcript
  const again = { retry: () => void transcribe(recording.id) }
  if (state === 'making') {
    const up = sentBytes < totalBytes
    return (
      <div className="mx-5 mt-3 flex flex-none items-center gap-3 rounded-m bg-hover px-3 py-2">
        <Spinner />
        <div className="min-w-0 flex-1">
          <div className="num">
            {up ? t('sending', { sent: showSize(sentBytes), total: showSize(totalBytes) }) : t('hearing')}
          </div>
          {up && totalBytes > 0 && (
            <div aria-hidden className="mt-1 h-1 overflow-hidden rounded-full bg-line-strong">
              <div className="h-full bg-accent" style={{ width: `${(sentBytes / totalBytes) * 100}%` }} />
            </div>
          )}
        </div>
        <Button size="small" onClick={() => void cancelTranscript(id)}>
          {t('cancel')}
        </Button>
      </div>
    )
  }
  if (state === 'failed' && problem) {
    const status = problem.status ?? 0
    const tooLarge = status === 413
    const refused = [400, 415, 422].includes(status)
    return (
      <ProblemNotice problem={problem} on={again} className="mx-5 mt-3 flex-none">
        <WaitInstead what="transcript" id={id} problem={problem} />
        {tooLarge && <TooLarge recording={recording} convertible={convertible} />}
        {refused && convertible && (
          <>
            <Button size="small" onClick={() => void convertAndTranscribe(recording.id, 'wav')}>
              {t('convertAgain')}
            </Button>
            <p className="basis-full">{t('refusedAbout')}</p>
          </>
        )}
      </ProblemNotice>
    )
  }
  const words = state === 'cut' ? t('madeCut') : state === 'cancelled' ? t('madeCancelled') : null
  const empty = state === 'done' && text.trim() === ''
  if (words === null && !empty) return null
  return (
    <Notice
      kind="warn"
      role="status"
      className="mx-5 mt-3 flex-none"
      {...(!empty && { action: { label: t('tryAgain'), onClick: again.retry } })}
    >
      {words ?? t('noWords')}
    </Notice>
  )
}

/** The size of a recording that the service found too large, and two ways to make it smaller. */
function TooLarge({ recording, convertible }: { recording: Recording; convertible: boolean }) {
  const { t } = useTranslation('transcribe')
  return (
    <>
      {convertible && (
        <>
          <Button size="small" onClick={() => void convertAndTranscribe(recording.id, 'compress')}>
            {t('compressAgain')}
          </Button>
          {recording.seconds !== null && (
            <Button size="small" onClick={() => void convertAndTranscribe(recording.id, 'split')}>
              {t('splitAgain')}
            </Button>
          )}
        </>
      )}
      <p className="basis-full">
        {joinSentences([t('tooLargeAbout', { size: showSize(recording.bytes) }), convertible && t('tooLargeOffer')])}
      </p>
    </>
  )
}

function ConvertLine({ recordingId }: { recordingId: string }) {
  const { t } = useTranslation('transcribe')
  const now = useConverting(({ byRecording }) => byRecording[recordingId])
  if (!now) return null
  if (now.state === 'failed') {
    return now.problem ? (
      <ProblemNotice
        problem={now.problem}
        className="mx-5 mt-3 flex-none"
        on={{ retry: () => void convertAndTranscribe(recordingId, now.how) }}
      />
    ) : (
      <Notice kind="bad" role="alert" className="mx-5 mt-3 flex-none">
        {t('cannotConvert')}
      </Notice>
    )
  }
  const percent = Math.round(now.share * 100)
  return (
    <div role="status" className="mx-5 mt-3 flex flex-none items-center gap-3 rounded-m bg-hover px-3 py-2">
      <Spinner />
      <span className="num flex-1">
        {t(now.state === 'keeping' ? 'keepingConverted' : `converting_${now.how}`, { percent })}
      </span>
      <Button size="small" onClick={() => cancelConverting(recordingId)}>
        {t('cancel')}
      </Button>
    </div>
  )
}

function Words({
  open,
  transcript,
  compared,
}: {
  open: OpenRecording
  transcript: Transcript
  compared: Transcript | null
}) {
  const hasTimes = transcript.cues.length > 0
  const [wanted, setWanted] = useState<TranscriptView>('timed')
  const [editing, setEditing] = useState(false)
  const view: TranscriptView = hasTimes ? wanted : 'text'
  const { found, look, walk } = useFound(transcript, view === 'timed')
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const asked = (): void => field.current?.focus()
    addEventListener('transcribe-find', asked)
    return () => removeEventListener('transcribe-find', asked)
  }, [])
  return (
    <>
      <Toolbar
        {...{ open, transcript, view, editing, found, field, hasTimes }}
        onView={setWanted}
        onEdit={setEditing}
        onLook={look}
        onWalk={walk}
      />
      {compared ? (
        <Compare open={open} left={transcript} right={compared} />
      ) : view === 'timed' ? (
        <Cues transcript={transcript} found={found} />
      ) : (
        <TextPane transcript={transcript} found={found} editing={editing && !hasTimes} />
      )}
    </>
  )
}
