import './projects.css'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AttachedDocument } from '../../../../src-preload/contract/documents.ts'
import { draftOf, newChat, useChat } from '../../../stores/chat.ts'
import { useLibrary } from '../../../stores/library.ts'
import { useNewChat } from '../../../stores/newChat.ts'
import { DocumentChip } from '../documents/DocumentChip.tsx'
import { DocumentDialog } from '../documents/DocumentDialog.tsx'
import { contextAfter, leafOf, lookAhead, projectIdOf, useNextContext } from './context.ts'
import { PassageChip, RemovedPassages } from './Passages.tsx'
import { useRemovedPassages } from './removedPassages.ts'

/** Time after the last key until passages for the text are searched, ms. */
const typingPause = 300

/** What the project of the chat adds to the next message: whole files, and passages for the typed text. */
export function ProjectTray() {
  const next = useNewChat((store) => store.folderId)
  const id = useChat(({ open }) => projectIdOf(open, next))
  const folder = useLibrary(({ folders }) => folders.find((one) => one.id === id))
  return folder && folder.files.length > 0 ? <Tray files={folder.files} wholeTokens={folder.wholeTokens} /> : null
}

function Tray({ files, wholeTokens }: { files: readonly unknown[]; wholeTokens: number }) {
  const { t } = useTranslation('projects')
  const text = useChat(draftOf)
  const draft = useChat(({ open }) => open?.id ?? newChat)
  const leaf = useChat(({ open }) => leafOf(open))
  const sending = useChat((state) => state.sending !== null)
  const next = useNextContext()
  const context = contextAfter(next, leaf)
  const [shown, setShown] = useState<AttachedDocument | null>(null)
  const removed = useRemovedPassages(({ byDraft }) => byDraft[draft])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the context depends on the chat, the files, the end of the path and what was removed
  useEffect(() => {
    const ended = new AbortController()
    const timer = setTimeout(() => void lookAhead(text, ended.signal), typingPause)
    return () => {
      clearTimeout(timer)
      ended.abort()
    }
  }, [text, draft, leaf, files, wholeTokens, removed])
  const { documents, passages, indexing } = context
  const isEmpty = documents.length === 0 && passages.length === 0 && (removed?.length ?? 0) === 0
  if (sending || (isEmpty && indexing === 0)) return null
  return (
    <div className="composer-tray project-tray">
      <ul aria-label={t('next')} aria-busy={next.state === 'loading'}>
        {documents.map((document) => (
          <li key={document.mediaId} className="chat-document" data-state="ready">
            <DocumentChip document={document} onOpen={() => setShown(document)} />
          </li>
        ))}
        {passages.length > 0 && (
          <li className="chat-document" data-state="ready">
            <PassageChip passages={passages} isNext />
          </li>
        )}
      </ul>
      <RemovedPassages />
      {indexing > 0 && (
        <p className="chat-faint" role="status">
          {t('stillIndexing', { count: indexing })}
        </p>
      )}
      <DocumentDialog document={shown} onClose={() => setShown(null)} />
    </div>
  )
}
