import { FileUp } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { ImportReport } from '../../../../src-preload/contract/transfers.ts'
import { showNamed, showNote, showSize } from '../../../i18n/format.ts'
import { ProblemNotice } from '../../../shared/errors/ProblemNotice.tsx'
import { Button } from '../../../shared/ui/Button.tsx'
import { CopyButton } from '../../../shared/ui/CopyButton.tsx'
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

function doneTitle({ conversations, leftOut }: ImportReport) {
  if (conversations > 0) return leftOut.length > 0 ? 'importPartly' : 'importDone'
  return leftOut.length > 0 ? 'importFailed' : 'importNothing'
}

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

function Report({ report }: { report: ImportReport }) {
  const { t } = useTranslation('library')
  const { conversations, messages, pictures, known, notes } = report
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
      <LeftOut report={report} />
      {notes.length > 0 && (
        <div>
          <p className="text-soft">{t('reportNotes')}</p>
          <ul className="mt-1 max-h-40 list-disc overflow-y-auto ps-5 text-s">
            {notes.map((note, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a list that never changes
              <li key={at} className="[overflow-wrap:anywhere]">
                {showNote(note)}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  )
}

/** The records that were not imported, with the reason of each. */
function LeftOut({ report: { leftOut, leftOutMore } }: { report: ImportReport }) {
  const { t } = useTranslation('library')
  if (leftOut.length === 0) return null
  const more = leftOutMore > 0 ? t('reportMore', { count: leftOutMore }) : null
  const lines = [
    ...leftOut.map(({ title, reason }) => showNamed(showNote(title), showNote(reason))),
    ...(more ? [more] : []),
  ]
  const name = t('reportLeftOut', { count: leftOut.length + leftOutMore })
  return (
    <section aria-label={name} className="flex flex-col gap-1">
      <div className="flex items-center justify-between gap-2">
        <p className="font-semibold">{name}</p>
        <CopyButton text={lines.join('\n')} name={t('reportCopy')} label={t('reportCopy')} size="small" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the list scrolls, and the keyboard must reach it */}
      <ul tabIndex={0} className="max-h-60 overflow-y-auto rounded-m border border-line text-s">
        {leftOut.map(({ title, reason }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a list that never changes
          <li key={at} className="border-line border-b px-2 py-1 [overflow-wrap:anywhere] last:border-b-0">
            <b className="block font-semibold" dir="auto">
              {showNote(title)}
            </b>
            <span className="text-soft">{showNote(reason)}</span>
          </li>
        ))}
        {more && <li className="px-2 py-1 text-soft">{more}</li>}
      </ul>
    </section>
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
