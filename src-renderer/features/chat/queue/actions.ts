import type { QueuedMessage } from '../../../../src-preload/contract/chat.ts'
import { maxDocuments } from '../../../../src-preload/contract/documents.ts'
import { i18n } from '../../../i18n/index.ts'
import { showToast } from '../../../shared/toasts.ts'
import { draftOf, useChat } from '../../../stores/chat.ts'
import { attempt, client } from '../client.ts'
import { draftPictures, maxPictures } from '../composer/draftPictures.ts'
import { useSentAs } from '../composer/RolePicker.tsx'
import { draftDocuments } from '../documents/draftDocuments.ts'
import { releaseFile } from '../draftFiles.ts'
import { writeDraft } from '../drafts.ts'
import { focusComposer } from '../focus.ts'

/**
 * Messages whose text is in the composer again, until the core has answered that it removed them. The composer has them first, so that a lost
 * connection or a crash in between leaves a message twice rather than not at all.
 */
const returning = new Map<string, string>()

/** Maximum length of a message, characters. */
export const longestMessage = 1_000_000

/** Lets the core send a held message now, or when the running reply ends. */
export async function sendQueued({ id }: QueuedMessage): Promise<void> {
  await attempt((core) => core.chat.sendQueued({ id }))
}

export async function removeQueued({ id, attachments, documents }: QueuedMessage): Promise<void> {
  focusComposer()
  const done = await attempt((core) => core.chat.removeQueued({ id }))
  if (done?.removed) for (const { mediaId } of [...attachments, ...documents]) releaseFile(mediaId)
}

/** Returns a queued message to the composer, above what is typed there. */
export async function editQueued(queued: QueuedMessage): Promise<void> {
  const { open } = useChat.getState()
  if (!open) return
  const draft = open.id
  const typed = draftOf(useChat.getState())
  const text = [queued.text, typed].filter((part) => part.trim() !== '').join('\n\n')
  const { attachments, documents } = queued
  const isTooMuch =
    text.length > longestMessage ||
    draftPictures.of(draft).length + attachments.length > maxPictures ||
    draftDocuments.of(draft).length + documents.length > maxDocuments
  if (isTooMuch) {
    showToast({ id: 'queue', text: i18n.t('composer:queueTooMuch') })
    return
  }
  draftPictures.addStored(attachments, draft)
  draftDocuments.addStored(
    documents.map((document) => ({ ...document, scanned: [] })),
    draft,
  )
  if (queued.role !== 'user') useSentAs.setState({ role: queued.role, name: queued.name ?? '' })
  writeDraft(draft, text)
  focusComposer()
  returning.set(queued.id, draft)
  const removed = await finish(queued.id, draft)
  if (removed !== false) return
  // It was sent, or another window took it: the composer gets its former content back.
  if (draftOf(useChat.getState()) === text) writeDraft(draft, typed)
  for (const { mediaId } of attachments) draftPictures.removeFile(draft, mediaId)
  for (const { mediaId } of documents) draftDocuments.removeFile(draft, mediaId)
  showToast({ id: 'queue', text: i18n.t('composer:queueGone') })
}

/** Null when the core could not be asked. */
async function finish(id: string, draft: string): Promise<boolean | null> {
  const { open, drafts } = useChat.getState()
  const text = open?.id === draft ? draftOf(useChat.getState()) : (drafts[draft] ?? '')
  const done = await attempt((core) => core.chat.removeQueued({ id, draft: text }))
  if (done) returning.delete(id)
  return done ? done.removed : null
}

/** Asks the core again about messages of a chat that are in the composer and were still queued when the connection was lost. */
export function finishReturning(draft: string): void {
  const { open } = useChat.getState()
  if (returning.size === 0 || open?.id !== draft || !client()) return
  for (const { id } of open.queue) if (returning.has(id)) void finish(id, draft)
}
