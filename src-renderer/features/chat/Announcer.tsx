import { useState } from 'react'
import { useShallow } from 'zustand/react/shallow'
import type { Message } from '../../../src-preload/contract/chat.ts'
import { showNames } from '../../i18n/format.ts'
import { useChat } from '../../stores/chat.ts'
import { isRunning } from '../../stores/openChat.ts'
import { visibleText } from './asText.ts'
import { useHandsFree } from './handsFree/conversation.ts'
import { type ChatTranslate, useChatTranslate } from './messages.ts'

/** Characters of a reply that are announced. Screen readers cannot skip the rest of an announcement. */
const spokenChars = 1_500

/**
 * Announces a reply once when it ends, and side-by-side replies in one sentence when all have ended. Also announces a fast reply that ended
 * before the window saw it running. Does not announce replies from before the chat opened.
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
  const [announcedIn, setAnnouncedIn] = useState(here)
  /** When the chat was opened. A new chat gets its id later, with its first message. */
  const [since, setSince] = useState(() => new Date().toISOString())
  const [heard, setHeard] = useState<ReadonlySet<string>>(new Set())
  const [announced, setAnnounced] = useState('')
  /** A screen reader would speak over the reply that is spoken, and the microphone would hear it. */
  const isSpoken = useHandsFree(({ state }) => state.on)
  const key = replies[0]?.id ?? null
  const running = replies.some(isRunning)
  // Clears the announcement when another chat opens. Text of a deleted chat must not remain in the page.
  if (announcedIn !== here) {
    setAnnouncedIn(here)
    setAnnounced('')
    if (announcedIn !== null) setSince(new Date().toISOString())
  }
  if (key !== null && running && awaited !== key) setAwaited(key)
  // Announces only the newest version. Older versions appear only when the person switches to them.
  const isNew = replies.some(
    ({ createdAt, model, sibling, siblings }) => createdAt >= since && model !== null && sibling === siblings,
  )
  if (key !== null && !running && !heard.has(key) && (awaited === key || isNew)) {
    setAwaited(null)
    setHeard(new Set(heard).add(key))
    if (!isSpoken)
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
  // The beginning has enough: the marks of Markdown are far fewer than its words.
  const text = spoken(
    visibleText(reply.text.slice(0, 4 * spokenChars)) || reply.refusal || (reply.problem?.message ?? ''),
  )
  if (reply.status === 'stopped') return t('settledStopped', { text })
  if (reply.status === 'complete' && text === '' && reply.toolCalls.length > 0)
    return t('settledCalls', { model, tools: showNames(reply.toolCalls.map(({ name }) => name)) })
  if (reply.status === 'complete') return t('settled', { model, text })
  return t('settledFailed', { text: reply.problem?.message ?? text })
}

const words = new Intl.Segmenter(undefined, { granularity: 'word' })

/** At most `spokenChars` of a text, cut between two words, also of a language without spaces. */
function spoken(text: string): string {
  if (text.length <= spokenChars) return text
  // A word without an end is cut between characters.
  const end = words.segment(text.slice(0, 2 * spokenChars)).containing(spokenChars)?.index || spokenChars
  return `${text.slice(0, end).toWellFormed().trimEnd()}…`
}

function allWords(replies: readonly Message[], t: ChatTranslate): string {
  const good = replies.filter(({ status }) => status === 'complete').length
  const models = showNames(replies.map(({ model }) => model ?? t('assistant')))
  return good === replies.length
    ? t('settledBeside', { count: replies.length, models })
    : t('settledBesideSome', { count: replies.length, good, models })
}
