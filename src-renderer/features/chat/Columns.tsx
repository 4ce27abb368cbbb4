import { Check, Square } from 'lucide-react'
import { useShallow } from 'zustand/react/shallow'
import type { Message } from '../../../src-preload/contract/chat.ts'
import { useChat } from '../../stores/chat.ts'
import { isRunning } from '../../stores/openChat.ts'
import { stop } from './actions.ts'
import { CopyMessage } from './CopyMessage.tsx'
import { runningSpeed } from './facts.ts'
import { useMessage, useNow } from './hooks.ts'
import { MessageMenu } from './MessageMenu.tsx'
import { continueWith } from './messageActions.ts'
import { figure, useChatTranslate } from './messages.ts'
import { ReplyEnd } from './ReplyEnd.tsx'
import { FactsButton } from './ReplyFooter.tsx'
import { ReplyBody } from './ReplyView.tsx'
import { SpeakButton } from './voice/SpeakButton.tsx'
import { Who } from './Who.tsx'

/** Replies side by side: several choices of one request, or several models. The person continues with one of them. */
export function Columns({ askId, keptId }: { askId: string; keptId: string }) {
  const t = useChatTranslate()
  const ids = useChat(useShallow(({ open }) => open?.besideIds ?? []))
  const models = useChat(useShallow(({ open }) => open?.beside.map(({ model }) => model) ?? []))
  const sameModel = new Set(models).size < models.length
  return (
    <section className="chat-turn chat-beside" aria-label={t('beside', { count: ids.length })} data-ask={askId}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls sideways must be reachable by keyboard (WCAG 2.1.1) */}
      <section className="chat-columns" tabIndex={0} aria-label={t('besideScroll')}>
        {ids.map((id, at) => (
          <Column key={id} id={id} kept={id === keptId} choice={sameModel ? at + 1 : null} />
        ))}
      </section>
    </section>
  )
}

function Column({ id, kept, choice }: { id: string; kept: boolean; choice: number | null }) {
  const t = useChatTranslate()
  const reply = useMessage(id)
  const stopping = useChat((state) => state.stopping.has(id))
  if (!reply) return null
  const running = isRunning(reply)
  const model = reply.model ?? t('assistant')
  const name = choice === null ? model : t('choice', { choice, model })
  return (
    <article
      className="chat-column"
      aria-label={kept ? t('keptOne', { name }) : name}
      aria-busy={running}
      data-message-id={reply.id}
      data-role="assistant"
      data-status={reply.status}
      data-kept={kept}
    >
      <Who name={name} instant={reply.createdAt} streaming={reply.status === 'streaming'} />
      <ReplyBody reply={reply} />
      <ReplyEnd reply={reply} />
      <footer>
        {running ? (
          <>
            <LiveSpeed reply={reply} />
            <button
              type="button"
              className="chat-btn chat-small"
              aria-disabled={stopping}
              aria-label={t('stopOne', { name })}
              onClick={() => void stop(reply.id)}
            >
              <Square aria-hidden /> {t(stopping ? 'stopping' : 'stop')}
            </button>
          </>
        ) : (
          <Settled reply={reply} />
        )}
        {kept ? (
          <span className="chat-kept">
            <Check aria-hidden /> {t('kept')}
          </span>
        ) : (
          <button
            type="button"
            className="chat-btn chat-small"
            data-action="keep"
            aria-label={t('keepOne', { name })}
            onClick={() => void continueWith(reply)}
          >
            {t('keep')}
          </button>
        )}
      </footer>
    </article>
  )
}

function Settled({ reply }: { reply: Message }) {
  return (
    <>
      <FactsButton reply={reply} />
      <span className="chat-column-actions">
        <CopyMessage message={reply} />
        {reply.text !== '' && <SpeakButton messageId={reply.id} text={reply.text} />}
        <MessageMenu message={reply} />
      </span>
    </>
  )
}

/** Tokens per second during streaming. The service counts tokens only at the end, so this is estimated from the length. */
function LiveSpeed({ reply }: { reply: Message }) {
  const t = useChatTranslate()
  const now = useNow(true, 500)
  const speed = runningSpeed(reply, now)
  return <span className="chat-speed">{speed === null ? '' : t('perSecondAbout', { speed: figure(speed) })}</span>
}
