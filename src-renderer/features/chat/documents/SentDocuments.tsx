import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AttachedDocument } from '../../../../src-preload/contract/documents.ts'
import { DocumentChip } from './DocumentChip.tsx'
import { DocumentDialog } from './DocumentDialog.tsx'

/** The documents of a message. A click opens the text that was sent. */
export function SentDocuments({ documents }: { documents: readonly AttachedDocument[] }) {
  const { t } = useTranslation('documents')
  const [shown, setShown] = useState(-1)
  if (documents.length === 0) return null
  return (
    <>
      <ul className="chat-documents" aria-label={t('sent')}>
        {documents.map((document, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: one document may occur twice, and the list of a message never changes
          <li key={`${document.mediaId}${at}`} className="chat-document" data-state="ready">
            <DocumentChip document={document} onOpen={() => setShown(at)} />
          </li>
        ))}
      </ul>
      <DocumentDialog document={documents[shown] ?? null} onClose={() => setShown(-1)} />
    </>
  )
}
