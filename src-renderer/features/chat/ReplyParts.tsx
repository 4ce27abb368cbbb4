import { ChevronRight, LoaderCircle, Square } from 'lucide-react'
import { useState } from 'react'
import type { Message, Wait } from '../../../src-preload/contract/chat.ts'
import { Markdown } from '../../shared/markdown/Markdown.tsx'
import { useNow } from '../../shared/useNow.ts'
import { useChat } from '../../stores/chat.ts'
import { SmallButton } from './actionButtons.tsx'
import { stop } from './actions.ts'
import { type ChatTranslate, seconds, useChatTranslate, wholeSeconds } from './messages.ts'

/** The reasoning, collapsed above the answer, with its duration. */
export function Reasoning({ reply }: { reply: Message }) {
  const t = useChatTranslate()
  const [open, setOpen] = useState(false)
  const live = reply.status === 'streaming' && reply.text === ''
  const now = useNow(100, live)
  const began = Date.parse(reply.createdAt) + (reply.firstTokenMs ?? 0)
  const label = live
    ? t('reasoning', { seconds: seconds(now - began) })
    : reply.reasoningMs === null
      ? t('reasoned')
      : t('reasonedFor', { seconds: seconds(reply.reasoningMs) })
  return (
    <div className="chat-reasoning">
      <button type="button" className="chat-fold" aria-expanded={open} onClick={() => setOpen(!open)}>
        {live ? <LoaderCircle className="chat-turning" aria-hidden /> : <ChevronRight aria-hidden />}
        <span>{label}</span>
      </button>
      {open && (
        <div className="chat-reasoning-text">
          <Markdown text={reply.reasoning} growing={live} />
        </div>
      )}
    </div>
  )
}

/** What a reply without output is waiting for, shown after 300 ms, with a Stop button. */
export function Waiting({ wait, replyId }: { wait: Wait; replyId: string }) {
  const t = useChatTranslate()
  const stopping = useChat((state) => state.stopping.has(replyId))
  const now = useNow(100)
  const lasts = now - Date.parse(wait.since)
  if (lasts < 300 && wait.for !== 'retry') return <div className="chat-waiting" />
  return (
    <div className="chat-waiting">
      <LoaderCircle className="chat-turning" aria-hidden />
      <span>
        {stopping ? t('stopping') : waitText(wait, now, t)}
        {wait.problem?.workPossible && <span className="chat-wait-note"> {t('waitWorkPossible')}</span>}
      </span>
      {!stopping && (wait.for === 'retry' || lasts > 3_000) && (
        <SmallButton icon={Square} label={t('stop')} onClick={() => void stop(replyId)} />
      )}
    </div>
  )
}

function waitText(wait: Wait, now: number, t: ChatTranslate): string {
  const lasted = wholeSeconds(now - Date.parse(wait.since))
  if (wait.for === 'turn') return t('waitTurn', { seconds: lasted })
  if (wait.for === 'connection') return t('waitConnection')
  if (wait.for === 'reply') return t('waitReply', { seconds: lasted })
  if (wait.for === 'first_token') return t('waitFirst', { seconds: lasted })
  const { problem } = wait
  const reason =
    problem?.kind === 'rate_limited' ? t('busy', { status: String(problem.status ?? 429) }) : (problem?.message ?? '')
  const attempt = wait.attempt ?? 2
  const left = wait.until === null ? 0 : Date.parse(wait.until) - now
  if (left <= 0) return t('waitRetryNow', { reason, attempt })
  return t('waitRetry', { reason, seconds: Math.ceil(left / 1_000), attempt })
}
