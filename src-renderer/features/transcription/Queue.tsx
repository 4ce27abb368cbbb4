import { RotateCw, X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Transcript } from '../../../src-preload/contract/transcription.ts'
import { joinFacts, showSize } from '../../i18n/format.ts'
import { Button, IconButton } from '../../shared/ui/Button.tsx'
import { Card } from '../../shared/ui/Card.tsx'
import { cx } from '../../shared/ui/cx.ts'
import { isUploading, type QueuedFile, useTranscribe } from '../../stores/transcription.ts'
import { showRecording } from './actions.ts'
import { cancelFile, clearEnded, retryFile } from './files.ts'

/** The upload queue, with the state of each file. */
export function Queue() {
  const { t } = useTranslation('transcribe')
  const files = useTranscribe((now) => now.files)
  if (files.length === 0) return null
  const going = files.filter(isUploading).length
  return (
    <section aria-label={t('files')} className="mx-auto w-full max-w-[720px] px-6 py-5 max-[800px]:px-4">
      <div className="mb-2 flex min-h-7 items-center gap-2">
        <h2 className="font-semibold">{t('files')}</h2>
        <span role="status" className="num text-faint text-s">
          {going > 0 ? t('filesGoing', { count: going }) : t('filesEnded')}
        </span>
        {going < files.length && (
          <Button size="small" variant="plain" className="ms-auto" onClick={clearEnded}>
            {t('clearEnded')}
          </Button>
        )}
      </div>
      <Card>
        <ul className="divide-y divide-line">
          {files.map((file) => (
            <FileRow key={file.key} file={file} />
          ))}
        </ul>
      </Card>
    </section>
  )
}

function FileRow({ file }: { file: QueuedFile }) {
  const { t } = useTranslation('transcribe')
  const making = useTranscribe((now) => (file.transcriptId === null ? undefined : now.making[file.transcriptId]))
  const { name, recordingId } = file
  const share = shareOf(file, making)
  const where = useWhere(file, making)
  return (
    <li className="flex items-center gap-3 px-3.5 py-2">
      <div className="min-w-0 flex-1">
        {recordingId === null ? (
          <div className="truncate font-[520]" dir="auto">
            {name}
          </div>
        ) : (
          <button
            type="button"
            dir="auto"
            className="block max-w-full truncate rounded-s font-[520] hover:text-accent"
            aria-label={t('openFile', { name })}
            onClick={() => showRecording(recordingId)}
          >
            {name}
          </button>
        )}
        <div className={cx('num text-s', file.state === 'failed' ? 'text-bad' : 'text-faint')}>
          {file.problem ? <span dir="auto">{file.problem.message}</span> : where}
        </div>
        {share !== null && (
          <div
            role="progressbar"
            aria-label={t('progressOf', { name })}
            aria-valuemin={0}
            aria-valuemax={100}
            aria-valuenow={Math.round(share * 100)}
            className="mt-1 h-1 overflow-hidden rounded-full bg-line-strong"
          >
            <div className="h-full bg-accent" style={{ width: `${share * 100}%` }} />
          </div>
        )}
      </div>
      {isUploading(file) ? (
        <IconButton icon={X} size="small" label={t('cancelFile', { name })} onClick={() => cancelFile(file.key)} />
      ) : (
        file.state !== 'done' && (
          <IconButton
            icon={RotateCw}
            size="small"
            label={t('retryFile', { name })}
            onClick={() => retryFile(file.key)}
          />
        )
      )}
    </li>
  )
}

function shareOf({ state, sent, bytes }: QueuedFile, making: Transcript | undefined): number | null {
  if (state === 'sending') return bytes === 0 ? 1 : sent / bytes
  if (state === 'asking' && making && making.totalBytes > 0) return making.sentBytes / making.totalBytes
  return null
}

/** The state of a file as text, with uploaded and total bytes. */
function useWhere({ state, sent, bytes, transcriptId }: QueuedFile, making: Transcript | undefined): string {
  const { t } = useTranslation('transcribe')
  const size = showSize(bytes)
  if (state === 'failed') return t('file_failed')
  if (state === 'sending') return t('file_sending', { sent: showSize(sent), size })
  if (state === 'asking' && making) {
    return making.sentBytes < making.totalBytes
      ? t('file_uploading', { sent: showSize(making.sentBytes), size: showSize(making.totalBytes) })
      : t('file_hearing')
  }
  if (state === 'done') return joinFacts([t(transcriptId === null ? 'file_kept' : 'file_done'), size])
  return joinFacts([t(`file_${state}`), size])
}
