import { Mic, Sparkles } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useShallow } from 'zustand/shallow'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { Button } from '../../shared/ui/Button.tsx'
import { EmptyState } from '../../shared/ui/EmptyState.tsx'
import { StageBar } from '../../shared/ui/StageBar.tsx'
import { useFileDrop } from '../../shared/ui/useFileDrop.ts'
import { isUploading, useTranscribe } from '../../stores/transcription.ts'
import { showRecording } from './actions.ts'
import { Dock } from './Dock.tsx'
import { addFiles, tryExample } from './files.ts'
import { Queue } from './Queue.tsx'
import { RecorderHero } from './RecorderHero.tsx'
import { Result } from './Result.tsx'
import { useRecorder } from './record.ts'

/** A recording with its transcript, or the upload queue and the first steps. The dock is always below the stage. */
export function TranscribeStage() {
  const { t } = useTranslation('transcribe')
  const open = useTranscribe((now) => now.open?.id ?? null)
  const drop = useFileDrop(addFiles)
  return (
    <div className="relative flex min-h-0 flex-1 flex-col" {...drop.handlers}>
      {open === null ? <Begin /> : <Result key={open} />}
      {open !== null && <FilesLine openId={open} />}
      <Dock />
      {drop.over && (
        <div className="pointer-events-none absolute inset-2 z-20 grid place-items-center rounded-l border-2 border-accent border-dashed bg-pick/85 font-semibold text-accent text-l">
          {t('dropNow')}
        </div>
      )}
    </div>
  )
}

function Begin() {
  const { t } = useTranslation('transcribe')
  const state = useTranscribe((now) => now.state)
  const problem = useTranscribe((now) => now.problem)
  const files = useTranscribe((now) => now.files.length)
  const some = useTranscribe((now) => now.total > 0)
  const recorder = useRecorder(({ now }) => now)
  return (
    <>
      <StageBar title={t('title')} />
      <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
        {state === 'failed' && problem && <ProblemNotice problem={problem} className="m-4" />}
        <Queue />
        {recorder.state === 'recording' ? (
          <RecorderHero recording={recorder.recording} paused={recorder.paused} />
        ) : (
          files === 0 && (
            <EmptyState
              icon={Mic}
              title={t('emptyTitle')}
              action={
                // The primary action, to record, is in the dock.
                !some && (
                  <Button icon={Sparkles} onClick={() => void tryExample()}>
                    {t('tryExample')}
                  </Button>
                )
              }
            >
              <p>{t('emptyAbout')}</p>
            </EmptyState>
          )
        )}
      </div>
    </>
  )
}

/** The state of the queue while a recording is open, except for this recording's own file. */
function FilesLine({ openId }: { openId: string }) {
  const { t } = useTranslation('transcribe')
  const others = useTranscribe(useShallow((now) => now.files.filter(({ recordingId }) => recordingId !== openId)))
  const going = others.filter(isUploading).length
  const failed = others.filter(({ state }) => state === 'failed').length
  if (going === 0 && failed === 0) return null
  return (
    <div className="flex flex-none items-center gap-2 px-5 py-1 text-s text-soft">
      <span className="num">{going > 0 && t('filesGoing', { count: going })}</span>
      {failed > 0 && <span className="num text-bad">{t('filesFailed', { count: failed })}</span>}
      <Button size="small" variant="plain" onClick={() => showRecording(null)}>
        {t('showFiles')}
      </Button>
    </div>
  )
}
