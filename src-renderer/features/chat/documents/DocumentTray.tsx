import { joinSentences, showNote, showSize } from '../../../i18n/format.ts'
import './documents.css'
import { FileWarning, RotateCw, X } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { maxDocumentBytes, maxDocuments } from '../../../../src-preload/contract/documents.ts'
import { ActionButton } from '../actionButtons.tsx'
import { Hint } from '../composer/Hint.tsx'
import { DocumentIcon, useDocumentFacts } from './DocumentChip.tsx'
import { DocumentDialog } from './DocumentDialog.tsx'
import { canRetryDocument, choosePages, type DraftDocument, draftDocuments, rereadDocument } from './draftDocuments.ts'
import { ScannedPages } from './scans/ScannedPages.tsx'

/** The documents of the draft, above the field. */
export function DocumentTray({ draft }: { draft: string }) {
  const { t } = useTranslation('documents')
  const documents = draftDocuments.useItems(draft)
  const leftOut = draftDocuments.useLeftOut(draft)
  const [shown, setShown] = useState<string | null>(null)
  const open = documents.find(({ key }) => key === shown)
  if (documents.length === 0) return null
  return (
    <div className="composer-tray">
      <ul aria-label={t('toSend')}>
        {documents.map((document) => (
          <DraftItem key={document.key} draft={draft} document={document} onOpen={() => setShown(document.key)} />
        ))}
      </ul>
      {leftOut > 0 && <Hint>{t('tooMany', { count: leftOut, most: maxDocuments })}</Hint>}
      <DocumentDialog
        document={open?.stored ?? null}
        onClose={() => setShown(null)}
        onChoose={(pages, tokens) => open && choosePages(draft, open.key, pages, tokens)}
        onEncoding={async (encoding) => open && rereadDocument(draft, open, encoding)}
      />
    </div>
  )
}

function DraftItem({ draft, document, onOpen }: { draft: string; document: DraftDocument; onOpen: () => void }) {
  const { t } = useTranslation('documents')
  const { key, name, state, stored, scanned } = document
  const running = state !== 'ready' && state !== 'failed'
  const words = (
    <>
      {state === 'failed' ? <FileWarning aria-hidden /> : <DocumentIcon unit={stored?.unit ?? 'text'} />}
      <span className="chat-file-words">
        <b>{name}</b> <DocumentState document={document} hasScans={scanned.length > 0} />
      </span>
    </>
  )
  return (
    <li className="chat-document" data-state={state} aria-busy={running}>
      {stored ? (
        <button type="button" className="chat-document-open" title={t('open')} onClick={onOpen}>
          {words}
        </button>
      ) : (
        <span className="chat-document-open">{words}</span>
      )}
      <span className="chat-file-actions">
        {canRetryDocument(document) && (
          <ActionButton icon={RotateCw} label={t('retry')} onClick={() => draftDocuments.retry(draft, key)} />
        )}
        <ActionButton
          icon={X}
          label={t(running ? 'cancel' : 'remove', { name })}
          onClick={() => draftDocuments.remove(draft, key)}
        />
      </span>
      {stored && scanned.length > 0 && <ScannedPages draft={draft} document={document} stored={stored} />}
    </li>
  )
}

interface DocumentStateProps {
  document: DraftDocument
  hasScans: boolean
}

function DocumentState({ document, hasScans }: DocumentStateProps) {
  const { state, sent, read, trouble, stored, bytes } = document
  const { t } = useTranslation('documents')
  const facts = useDocumentFacts()
  if (trouble?.kind === 'large') {
    const words = { size: showSize(bytes), most: showSize(maxDocumentBytes) }
    return (
      <span data-bad role="alert">
        {t('tooLarge', words)}
      </span>
    )
  }
  if (trouble) {
    return (
      <span data-bad role="alert">
        {trouble.problem.message}
      </span>
    )
  }
  if (state === 'uploading') return <span>{t('uploading', { percent: Math.round(sent * 100) })}</span>
  if (stored === null)
    return <span>{read ? t('convertingPage', { page: read.done, count: read.all }) : t('converting')}</span>
  return (
    <>
      <span className="num">{facts(stored)}</span>
      {/* Pages without text have an offer of their own, and all notes are in the dialog. */}
      {stored.notes.length > 0 && !hasScans && (
        <span className="chat-clip">{joinSentences(stored.notes.map(showNote))}</span>
      )}
    </>
  )
}
