import { CircleAlert, CircleStop, Info, RotateCw, Settings, TriangleAlert } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { Message } from '../../../src-preload/contract/chat.ts'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import { openSettings, retry } from './actions.ts'
import { actionFor, remarkOn } from './facts.ts'
import { figure, useWords } from './words.ts'

/** How a reply ended when that needs saying: stopped, incomplete, failed, or complete with something odd about it. */
export function ReplyEnd({ reply }: { reply: Message }) {
  const words = useWords()
  const reason = reply.problem?.message ?? words('unknownReason')
  const remark = remarkOn(reply)
  if (reply.status === 'stopped') {
    const empty = reply.text === '' && reply.reasoning === '' && reply.toolCalls.length === 0
    return (
      <Note tone="plain" icon={<CircleStop aria-hidden />} reply={reply} act="retry">
        {words(empty ? 'stoppedEmpty' : 'stopped')}
      </Note>
    )
  }
  if (reply.status === 'incomplete')
    return (
      <Note tone="warn" icon={<TriangleAlert aria-hidden />} reply={reply} act={actionFor(reply.problem)}>
        {words('incomplete', { reason })}
      </Note>
    )
  if (reply.status === 'failed')
    return (
      <Note tone="bad" icon={<CircleAlert aria-hidden />} reply={reply} act={actionFor(reply.problem)}>
        {words('failed', { reason })}
      </Note>
    )
  if (remark)
    return (
      <Note tone="plain" icon={<Info aria-hidden />} reply={reply} act="none">
        {words(remark, { tokens: figure(reply.usage?.completionTokens ?? 0) })}
      </Note>
    )
  return null
}

interface NoteProps {
  tone: 'plain' | 'warn' | 'bad'
  icon: ReactNode
  reply: Message
  act: 'retry' | 'settings' | 'none'
  children: ReactNode
}

function Note({ tone, icon, reply, act, children }: NoteProps) {
  const words = useWords()
  return (
    <div className={`chat-note chat-note-${tone}`} role="note">
      {icon}
      <div className="chat-note-text">
        <span>{children}</span>
        {reply.problem && <Raw problem={reply.problem} />}
      </div>
      {act === 'retry' && (
        <button type="button" className="chat-btn chat-small" onClick={() => void retry(reply.id)}>
          <RotateCw aria-hidden /> {words('retry')}
        </button>
      )}
      {act === 'settings' && (
        <button type="button" className="chat-btn chat-small" onClick={openSettings}>
          <Settings aria-hidden /> {words('settings')}
        </button>
      )}
    </div>
  )
}

/** The start of the service's own body, one click away. */
function Raw({ problem }: { problem: Problem }) {
  const words = useWords()
  const [shown, setShown] = useState(false)
  if (problem.raw === undefined || problem.raw === '') return null
  return (
    <>
      <button type="button" className="chat-plain-link" aria-expanded={shown} onClick={() => setShown(!shown)}>
        {words(shown ? 'rawHide' : 'rawShow')}
      </button>
      {shown && <pre className="chat-raw">{problem.raw}</pre>}
    </>
  )
}
