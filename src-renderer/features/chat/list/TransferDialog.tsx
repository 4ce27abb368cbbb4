import { FileUp } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { ImportReport } from '../../../../src-preload/contract/transfers.ts'
import { showSize } from '../../../i18n/format.ts'
import { ProblemNotice } from '../../../shared/errors/ProblemNotice.tsx'
import { Button } from '../../../shared/ui/Button.tsx'
import { Dialog } from '../../../shared/ui/Dialog.tsx'
import { FileInput } from '../../../shared/ui/FileInput.tsx'
import { Spinner } from '../../../shared/ui/Spinner.tsx'
import { useFileDrop } from '../../../shared/ui/useFileDrop.ts'
import { showChat } from './actions.ts'
import { cancelTransfer, hideTransfer, importFiles, type TransferTask, useTransfers } from './transfers.ts'

/** Import and export: selection, progress, result. */
export function TransferDialog() {
  const { t } = useTranslation('library')
  const work = useTransfers((store) => store.work)
  const shown = useTransfers((store) => store.shown)
  const title =
    work?.state === 'done' ? doneTitle(work.report) : work?.kind === 'export' ? 'exportTitle' : 'importTitle'
  return (
    <Dialog
      open={work !== null && shown}
      onClose={hideTransfer}
      stayOnOutsideClick={work?.state !== 'choose' && work?.state !== 'done'}
      title={t(title)}
      about={work?.state === 'choose' ? t('importAbout') : null}
      footer={work && <Ways work={work} />}
    >
      {work && <State work={work} />}
    </Dialog>
  )
}

const doneTitle = (report: ImportReport) => (report.conversations > 0 ? 'importDone' : 'importNothing')

function State({ work }: { work: TransferTask }) {
  const { t } = useTranslation('library')
  switch (work.state) {
    case 'choose':
      return <Choose />
    case 'sending':
      return (
        <Progress name={t('importSending', { name: work.name })} file={work.file} files={work.files}>
          <progress
            className="list-progress"
            aria-label={t('importSending', { name: work.name })}
            max={Math.max(1, work.bytes)}
            value={work.sent}
          />
          <span className="num text-s text-soft">
            {t('ofSize', { done: showSize(work.sent), all: showSize(work.bytes) })}
          </span>
        </Progress>
      )
    case 'reading':
      return (
        <Progress name={t('importReading', { name: work.name })} file={work.file} files={work.files}>
          <span className="text-s text-soft">{t('importReadingAbout')}</span>
        </Progress>
      )
    case 'making':
      return (
        <Progress name={t('exportMaking')}>
          <span className="text-s text-soft">{t('exportMakingAbout')}</span>
        </Progress>
      )
    case 'saving':
      return <Progress name={t('exportSaving', { name: work.name })} />
    case 'failed':
      return <ProblemNotice problem={work.problem} on={{ retry: work.again }} />
    case 'done':
      return <Report report={work.report} />
  }
}

function Progress(props: { name: string; file?: number; files?: number; children?: ReactNode }) {
  const { t } = useTranslation('library')
  const { name, file = 1, files = 1 } = props
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex min-w-0 items-center gap-2" role="status">
        <Spinner />
        <span className="min-w-0 truncate">{name}</span>
        {files > 1 && (
          <span className="num ms-auto shrink-0 text-s text-soft">{t('fileOf', { at: file, all: files })}</span>
        )}
      </div>
      {props.children}
    </div>
  )
}

function Choose() {
  const { t } = useTranslation('library')
  const input = useRef<HTMLInputElement>(null)
  const { handlers } = useFileDrop((files) => void importFiles(files))
  return (
    <div className="list-drop-place" {...handlers}>
      <FileUp aria-hidden size={22} strokeWidth={1.5} />
      <Button variant="primary" onClick={() => input.current?.click()}>
        {t('importChoose')}
      </Button>
      <span className="text-s text-soft">{t('importDrop')}</span>
      <FileInput
        ref={input}
        multiple
        accept=".zip,.json,application/zip,application/json"
        onFiles={(files) => void importFiles(files)}
      />
    </div>
  )
}

function Report({ report: { conversations, messages, pictures, known, notes } }: { report: ImportReport }) {
  const { t } = useTranslation('library')
  return (
    <div className="flex flex-col gap-3" role="status">
      {conversations > 0 && (
        <ul className="num flex flex-wrap gap-x-4 gap-y-1 font-semibold">
          <li>{t('reportConversations', { count: conversations })}</li>
          <li>{t('reportMessages', { count: messages })}</li>
          {pictures > 0 && <li>{t('reportPictures', { count: pictures })}</li>}
        </ul>
      )}
      {known > 0 && <p className="text-soft">{t('reportKnown', { count: known })}</p>}
      {notes.length > 0 && (
        <div>
          <p className="text-soft">{t('reportNotes', { count: notes.length })}</p>
          <ul className="mt-1 max-h-40 list-disc overflow-y-auto ps-5 text-s">
            {notes.map((note, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a list that never changes
              <li key={at} className="[overflow-wrap:anywhere]">
                {note}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  )
}

function Ways({ work }: { work: TransferTask }) {
  const { t } = useTranslation('library')
  if (work.state === 'done') {
    const { conversationId } = work.report
    return (
      <>
        <Button onClick={cancelTransfer}>{t('close')}</Button>
        {conversationId !== null && (
          <Button
            variant="primary"
            onClick={() => {
              cancelTransfer()
              showChat(conversationId)
            }}
          >
            {t('openFirst')}
          </Button>
        )}
      </>
    )
  }
  if (work.state === 'choose' || work.state === 'failed' || work.state === 'reading') {
    return <Button onClick={hideTransfer}>{t('close')}</Button>
  }
  return <Button onClick={cancelTransfer}>{t('cancel')}</Button>
}
