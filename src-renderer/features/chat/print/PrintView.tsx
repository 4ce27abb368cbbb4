import './print.css'
import { useEffect } from 'react'
import { createPortal } from 'react-dom'
import type { Message } from '../../../../src-preload/contract/chat.ts'
import { mediaPath } from '../../../../src-preload/contract/media.ts'
import { Markdown } from '../../../shared/markdown/Markdown.tsx'
import { useChat } from '../../../stores/chat.ts'
import { shownMessages } from '../../../stores/openChat.ts'
import { useRoute } from '../../../stores/route.ts'
import { fullTime, useChatTranslate } from '../messages.ts'
import { followBrowserPrint, usePrint } from './print.ts'

/** The whole open chat for the printer: all messages, not only those near the view. Only in the page while it is printed. */
export function PrintView() {
  const isShown = usePrint((state) => state.isShown)
  const isChat = useRoute().page === 'chat'
  useEffect(followBrowserPrint, [])
  return isShown && isChat ? createPortal(<PrintedChat />, document.body) : null
}

function PrintedChat() {
  const t = useChatTranslate()
  const open = useChat((state) => state.open)
  if (!open) return null
  const instructions = open.setup?.instructions ?? ''
  return (
    <main className="chat-print" aria-label={t('conversation')}>
      <h1 dir="auto">{open.conversation?.title ?? t('untitled')}</h1>
      {instructions !== '' && (
        <section>
          <h2>{t('printInstructions')}</h2>
          <p className="chat-print-text" dir="auto">
            {instructions}
          </p>
        </section>
      )}
      {shownMessages(open).map((message) => (
        <PrintedMessage key={message.id} message={message} />
      ))}
    </main>
  )
}

/** What is said below a reply that did not end normally. */
const cutNotes: Partial<Record<Message['status'], 'printCutStopped' | 'printCutIncomplete' | 'printCutFailed'>> = {
  stopped: 'printCutStopped',
  incomplete: 'printCutIncomplete',
  failed: 'printCutFailed',
}

function PrintedMessage({ message }: { message: Message }) {
  const t = useChatTranslate()
  const { role, text, refusal, attachments, documents, toolCalls, status, createdAt } = message
  const names = { user: t('you'), system: 'system', developer: 'developer', tool: t('printTool') }
  const author = role === 'assistant' ? (message.model ?? t('assistant')) : names[role]
  const cut = cutNotes[status] ?? null
  return (
    <section>
      <h2>
        {author} <time dateTime={createdAt}>{fullTime(createdAt)}</time>
      </h2>
      {role === 'assistant' ? (
        <Markdown text={text} whole />
      ) : (
        <p className="chat-print-text" dir="auto">
          {text}
        </p>
      )}
      {refusal !== '' && <p className="chat-print-text">{`${t('refusal')}: ${refusal}`}</p>}
      {attachments.map(({ mediaId, name, width, height }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: one picture may occur twice, and the list of a message never changes
        <img key={`${mediaId}${at}`} src={mediaPath(mediaId)} alt={name ?? ''} width={width} height={height} />
      ))}
      {documents.map(({ mediaId, name }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: one document may occur twice, and the list of a message never changes
        <p key={`${mediaId}${at}`} className="chat-print-note">
          {t('printDocument', { name })}
        </p>
      ))}
      {toolCalls.map(({ index, name, arguments: input }) => (
        <pre key={index}>{`${t('printTool')}: ${name} ${input}`}</pre>
      ))}
      {cut !== null && <p className="chat-print-note">{t(cut)}</p>}
    </section>
  )
}
