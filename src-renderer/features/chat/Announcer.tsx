import { useEffect, useState } from 'react'
import { useShallow } from 'zustand/react/shallow'
import type { Message } from '../../../src-preload/contract/chat.ts'
import { joinSentences, showNames } from '../../i18n/format.ts'
import { useApp } from '../../stores/app.ts'
import { useChat } from '../../stores/chat.ts'
import { isRunning } from '../../stores/openChat.ts'
import { useHandsFree } from './handsFree/conversation.ts'
import { type ChatTranslate, useChatTranslate } from './messages.ts'
import { newSentences } from './sentences.ts'
import { ended, speakable } from './voice/speakable.ts'

/** Characters of a reply that are announced. Screen readers cannot skip the rest of an announcement. */
const spokenChars = 1_500
/** How often a growing reply is looked at, ms. */
const lookMs = 500
/** Announcements that stay in the page. */
const keptLines = 40

/** One announcement. Screen readers read an added element, and the elements that are added together in any order. */
interface Line {
  key: number
  text: string
}

const after = (before: readonly Line[], text: string): Line => ({ key: (before.at(-1)?.key ?? 0) + 1, text })

/**
 * Announces a reply once when it ends, and side-by-side replies in one sentence when all have ended. Also announces a fast reply that ended
 * before the window saw it running. Does not announce replies from before the chat opened. With the setting `readSentences`, it announces a
 * single reply sentence by sentence while it arrives, and its end.
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
  const [lines, setLines] = useState<readonly Line[]>([])
  /** The reply that is announced by sentences, and the end of what was announced. */
  const [read, setRead] = useState({ id: '', to: 0 })
  const bySentences = useApp(({ app }) => app?.settings.readSentences ?? false)
  /** A screen reader would speak over the reply that is spoken, and the microphone would hear it. */
  const isSpoken = useHandsFree(({ state }) => state.on)
  const key = replies[0]?.id ?? null
  const running = replies.some(isRunning)
  // Clears the announcement when another chat opens. Text of a deleted chat must not remain in the page.
  if (announcedIn !== here) {
    setAnnouncedIn(here)
    setLines([])
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
      setLines([
        after(
          lines,
          replies.length > 1
            ? allWords(replies, t)
            : replies.map((reply) => oneWords(reply, read.id === reply.id ? read.to : 0, t)).join(''),
        ),
      ])
  }
  const reading = bySentences && running && replies.length === 1 && !isSpoken ? key : null
  useEffect(() => {
    if (reading === null) return
    let from = 0
    const look = (): void => {
      const reply = useChat.getState().open?.messages.findLast(({ id }) => id === reading)
      const { texts, to } = newSentences(reply?.text ?? '', from)
      if (to === from) return
      const isFirst = from === 0
      from = to
      setRead({ id: reading, to })
      const text = asOneLine(texts.join('\n'))
      const said = isFirst ? t('settled', { model: reply?.model ?? t('assistant'), text }) : text
      if (text !== '') setLines((before) => [...before, after(before, said)].slice(-keptLines))
    }
    const timer = setInterval(look, lookMs)
    return () => clearInterval(timer)
  }, [reading, t])
  return (
    <div className="chat-sr" aria-live="polite" role="log">
      {lines.map(({ key: at, text }) => (
        <p key={at} dir="auto">
          {text}
        </p>
      ))}
    </div>
  )
}

/** Lines without a mark at their end, such as those of lists, get one: voices pause there. */
const asOneLine = (text: string): string =>
  text
    .split(/\s*\n\s*/)
    .map(ended)
    .join(' ')

/** The announcement of a reply that has ended. What was announced before, up to the index `from`, is left out. */
function oneWords(reply: Message, from: number, t: ChatTranslate): string {
  const model = reply.model ?? t('assistant')
  // The beginning has enough: the marks of Markdown are far fewer than its words.
  const rest = spoken(asOneLine(speakable(reply.text.slice(from, from + 4 * spokenChars))))
  const failure = reply.problem?.message ?? ''
  const text = rest || spoken(reply.refusal || failure)
  if (reply.status === 'stopped')
    return from > 0 ? joinSentences([rest, t('settledStoppedRead')]) : t('settledStopped', { text })
  if (reply.status !== 'complete') return t('settledFailed', { text: failure || text })
  if (from > 0) return joinSentences([rest, t('settledRead', { model })])
  if (text === '' && reply.toolCalls.length > 0)
    return t('settledCalls', { model, tools: showNames(reply.toolCalls.map(({ name }) => name)) })
  return t('settled', { model, text })
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
