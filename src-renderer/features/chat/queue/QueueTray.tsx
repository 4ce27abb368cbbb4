import './queue.css'
import { ArrowUp, Clock, Pencil, X } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { QueuedMessage } from '../../../../src-preload/contract/chat.ts'
import { joinFacts, showNamed } from '../../../i18n/format.ts'
import { useChat } from '../../../stores/chat.ts'
import { hasMessage } from '../../../stores/openChat.ts'
import { ActionButton } from '../actionButtons.tsx'
import { useBusy } from '../hooks.ts'
import { editQueued, removeQueued, sendQueued } from './actions.ts'

const none: readonly QueuedMessage[] = []

/** The messages that wait for the end of a reply, above the composer. */
export function QueueTray() {
  const { t } = useTranslation('composer')
  const queue = useChat(({ open }) => open?.queue ?? none)
  const first = queue.find(({ held }) => !held)
  return (
    <>
      <QueueNews queue={queue} />
      {queue.length > 0 && (
        <ol className="chat-queue" aria-label={t('queueTitle')}>
          {queue.map((queued) => (
            <Row key={queued.id} queued={queued} isFirst={queued === first} />
          ))}
        </ol>
      )}
    </>
  )
}

function Row({ queued, isFirst }: { queued: QueuedMessage; isFirst: boolean }) {
  const { t } = useTranslation('composer')
  const busy = useBusy()
  const waiting = useChat(({ open }) => open?.conversation?.waiting ?? false)
  const { text, attachments, documents, held, problem } = queued
  const files = attachments.length + documents.length
  const filesText = files === 0 ? '' : t('queueFiles', { count: files })
  const waits = held || !busy
  const state = held
    ? 'queueHeld'
    : busy
      ? isFirst
        ? 'queueNext'
        : 'queueLater'
      : waiting
        ? 'queueWaiting'
        : 'queueHeld'
  return (
    <li className="chat-queued" data-held={waits}>
      <Clock aria-hidden />
      <div className="chat-file-words num">
        <b dir="auto" title={text}>
          {text.trim() === '' ? (attachments[0]?.name ?? documents[0]?.name ?? filesText) : text}
        </b>
        <span data-bad={problem === null ? undefined : true}>
          {joinFacts([
            problem === null ? t(state) : showNamed(t(state), problem.message),
            text.trim() !== '' && files > 0 && filesText,
          ])}
        </span>
      </div>
      <div className="chat-file-actions">
        {waits && (
          <button type="button" className="chat-btn chat-small chat-late" onClick={() => void sendQueued(queued)}>
            <ArrowUp aria-hidden /> {t('queueSend')}
          </button>
        )}
        <ActionButton icon={Pencil} label={t('queueEdit')} onClick={() => void editQueued(queued)} />
        <ActionButton icon={X} label={t('queueRemove')} onClick={() => void removeQueued(queued)} />
      </div>
    </li>
  )
}

/** Announces what happened to the queue of the open chat since it was opened. */
function QueueNews({ queue }: { queue: readonly QueuedMessage[] }) {
  const { t } = useTranslation('composer')
  const here = useChat(({ open }) => (open?.state === 'live' ? open.id : null))
  const [known, setKnown] = useState({ here, queue })
  const [news, setNews] = useState('')
  if (known.here !== here || known.queue !== queue) {
    setKnown({ here, queue })
    if (known.here !== here) setNews('')
    else {
      const before = new Map(known.queue.map((one) => [one.id, one]))
      const added = queue.some(({ id, held }) => !held && !before.has(id))
      const heldNow = queue.find(({ id, held }) => held && before.get(id)?.held === false)
      const { open } = useChat.getState()
      const sent = known.queue.some(({ id }) => !queue.some((one) => one.id === id) && hasMessage(open, id))
      if (heldNow) setNews(t('queueHeldNow', { reason: heldNow.problem?.message ?? '' }).trim())
      else if (added) setNews(t('queuedNow'))
      else if (sent) setNews(t('queueSentNow'))
    }
  }
  return (
    <div className="chat-sr" role="status">
      {news}
    </div>
  )
}
