import { FilePlus, FileWarning, X } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Folder } from '../../../../src-preload/contract/library.ts'
import { maxPinnedFiles, type PinnedFile } from '../../../../src-preload/contract/projects.ts'
import { joinFacts, showSize } from '../../../i18n/format.ts'
import { Button, IconButton } from '../../../shared/ui/Button.tsx'
import { Facts } from '../../../shared/ui/Facts.tsx'
import { FileInput } from '../../../shared/ui/FileInput.tsx'
import { useFileDrop } from '../../../shared/ui/useFileDrop.ts'
import { WithSc } from '../../../shared/ui/WithSc.tsx'
import { DocumentIcon, useDocumentFacts } from '../documents/DocumentChip.tsx'
import { DocumentDialog } from '../documents/DocumentDialog.tsx'
import { addPinned, cancelPinned, type PinningFile, unpin, usePinning } from './pinning.ts'

const none: readonly PinningFile[] = []

/** The files of a project: add, view, remove, and how each is used. */
export function ProjectFiles({ folder: { id, files } }: { folder: Folder }) {
  const { t } = useTranslation(['projects', 'documents'])
  const pinning = usePinning((state) => state.byFolder[id] ?? none)
  const leftOut = usePinning((state) => state.leftOut)
  const { over, handlers } = useFileDrop((given) => addPinned(id, given))
  const [shown, setShown] = useState<PinnedFile | null>(null)
  // A file that the project has is shown once.
  const arriving = pinning.filter(
    ({ mediaId, trouble }) => trouble !== null || !files.some((file) => file.mediaId === mediaId),
  )
  const tokens = files.reduce((sum, file) => sum + file.tokens, 0)
  return (
    <section className="project-files" aria-label={t('files')} data-over={over} {...handlers}>
      <h3>{t('files')}</h3>
      <p className="text-s text-soft num">
        {files.length === 0 ? (
          t('filesAbout')
        ) : (
          <WithSc text={joinFacts([t('total', { count: files.length }), t('documents:tokens', { count: tokens })])} />
        )}
      </p>
      <ul>
        {files.map((file) => (
          <PinnedRow
            key={file.mediaId}
            file={file}
            onOpen={() => setShown(file)}
            onRemove={() => void unpin(id, file)}
          />
        ))}
        {arriving.map((file) => (
          <Pinning key={file.key} file={file} onCancel={() => cancelPinned(id, file.key)} />
        ))}
      </ul>
      {leftOut > 0 && <p role="alert">{t('tooMany', { most: maxPinnedFiles })}</p>}
      <AddFiles onFiles={(given) => addPinned(id, given)} />
      <DocumentDialog document={shown && { ...shown, pages: null }} onClose={() => setShown(null)} />
    </section>
  )
}

function AddFiles({ onFiles }: { onFiles: (given: File[]) => void }) {
  const { t } = useTranslation('projects')
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <Button data-add-pinned onClick={() => input.current?.click()}>
          <FilePlus aria-hidden size={15} /> {t('add')}
        </Button>
        <span className="text-s text-soft">{t('drop')}</span>
      </div>
      <FileInput ref={input} multiple data-pinned aria-label={t('add')} onFiles={onFiles} />
    </>
  )
}

interface NewProjectFilesProps {
  files: readonly File[]
  onChange: (files: readonly File[]) => void
}

/** Files for a project that does not exist yet. */
export function NewProjectFiles({ files, onChange }: NewProjectFilesProps) {
  const { t } = useTranslation('projects')
  const add = (given: readonly File[]): void => onChange([...files, ...given])
  const { over, handlers } = useFileDrop(add)
  return (
    <section className="project-files" aria-label={t('files')} data-over={over} {...handlers}>
      <h3>{t('files')}</h3>
      {files.length === 0 && <p className="text-s text-soft">{t('filesAbout')}</p>}
      <ul>
        {files.slice(0, maxPinnedFiles).map((file, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two chosen files may be the same
          <li key={at} className="chat-document" data-state="ready">
            <span className="chat-document-open">
              <DocumentIcon unit="text" />
              <span className="chat-file-words">
                <b>{file.name}</b> <span className="num">{showSize(file.size)}</span>
              </span>
            </span>
            <span className="chat-file-actions">
              <IconButton
                icon={X}
                size="small"
                label={t('remove', { name: file.name })}
                onClick={() => onChange(files.filter((_, other) => other !== at))}
              />
            </span>
          </li>
        ))}
      </ul>
      {files.length > maxPinnedFiles && <p role="alert">{t('tooMany', { most: maxPinnedFiles })}</p>}
      <AddFiles onFiles={add} />
    </section>
  )
}

function PinnedRow({ file, onOpen, onRemove }: { file: PinnedFile; onOpen: () => void; onRemove: () => void }) {
  const { t } = useTranslation('projects')
  const facts = useDocumentFacts()
  const { name, isWhole, isIndexed } = file
  return (
    <li className="chat-document" data-state="ready">
      <button type="button" className="chat-document-open" title={t('view', { name })} onClick={onOpen}>
        <DocumentIcon unit={file.unit} />
        <span className="chat-file-words">
          <b>{name}</b>{' '}
          <span className="num">
            <Facts>
              {facts({ ...file, pages: null })}
              {isWhole ? t('whole') : isIndexed ? t('searched') : t('indexing')}
            </Facts>
          </span>
        </span>
      </button>
      <span className="chat-file-actions">
        <IconButton icon={X} size="small" label={t('remove', { name })} onClick={onRemove} />
      </span>
    </li>
  )
}

function Pinning({ file: { name, state, trouble }, onCancel }: { file: PinningFile; onCancel: () => void }) {
  const { t } = useTranslation('projects')
  return (
    <li className="chat-document" data-state={trouble === null ? state : 'failed'} aria-busy={trouble === null}>
      <span className="chat-document-open">
        {trouble === null ? <DocumentIcon unit="text" /> : <FileWarning aria-hidden />}
        <span className="chat-file-words">
          <b>{name}</b>{' '}
          {trouble === null ? (
            <span>{t(state === 'converting' ? 'converting' : 'uploading')}</span>
          ) : (
            <span data-bad role="alert">
              {trouble}
            </span>
          )}
        </span>
      </span>
      <span className="chat-file-actions">
        <IconButton
          icon={X}
          size="small"
          label={t(trouble === null ? 'cancel' : 'remove', { name })}
          onClick={onCancel}
        />
      </span>
    </li>
  )
}
