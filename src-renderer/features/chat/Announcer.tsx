import { useState } from 'react'
import { useShallow } from 'zustand/react/shallow'
import type { Message } from '../../../src-preload/contract/chat.ts'
import { useChat } from '../../stores/chat.ts'
import { isRunning } from '../../stores/openChat.ts'
import { type ChatTranslate, useChatTranslate } from './messages.ts'

const spokenChars = 1_500

/**
 * Announces a reply once when it ends, and replies side by side in one sentence when all have ended. Replies that had ended before the chat
 * opened are not announced.
 */
export function Announcer() {
  const t = useChatTranslate()
  const replies = useChat(
    useShallow(({ open }): readonly Message[] => {
      if (open && open.beside.length > 1) return open.beside
      const last = open?.messages.findLast((message) => message.role === 'assistant')
      return last ? [last] : []
    }),
  )
  const [awaited, setAwaited] = useState<string | null>(null)
  const here = useChat(({ open }) => open?.id ?? null)
  const [announcedIn, setSaidIn] = useState(here)
  const [announced, setAnnounced] = useState('')
  const key = replies[0]?.id ?? null
  const running = replies.some(isRunning)
  // The announcement is cleared with its chat: the chat may be deleted, and then its text must not remain in the page.
  if (announcedIn !== here) {
    setSaidIn(here)
    setAnnounced('')
  }
  if (key !== null && running && awaited !== key) setAwaited(key)
  if (key !== null && !running && awaited === key) {
    setAwaited(null)
    setAnnounced(replies.length > 1 ? allWords(replies, t) : replies.map((reply) => oneWords(reply, t)).join(''))
  }
  return (
    <div className="chat-sr" aria-live="polite" role="log">
      {announced}
    </div>
  )
}

function oneWords(reply: Message, t: ChatTranslate): string {
  const model = reply.model ?? t('assistant')
  const text = (reply.text || reply.refusal || (reply.problem?.message ?? '')).slice(0, spokenChars)
  if (reply.status === 'stopped') return t('settledStopped', { text })
  if (reply.status === 'complete') return t('settled', { model, text })
  return t('settledFailed', { text: reply.problem?.message ?? text })
}

function allWords(replies: readonly Message[], t: ChatTranslate): string {
  const good = replies.filter(({ status }) => status === 'complete').length
  const models = replies.map(({ model }) => model ?? t('assistant')).join(', ')
  return good === replies.length
    ? t('settledBeside', { count: replies.length, models })
    : t('settledBesideSome', { count: replies.length, good, models })
}
