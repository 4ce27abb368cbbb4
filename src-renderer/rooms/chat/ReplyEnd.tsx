import { CircleStop, Info, RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Message } from '../../../src-preload/contract/chat.ts'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import { problemTargets } from '../../problems/actions.ts'
import { ProblemNotice } from '../../problems/ProblemNotice.tsx'
import { editTurnOf, retry } from './actions.ts'
import { remarkOn } from './facts.ts'
import { figure, useWords } from './words.ts'

/** How a reply ended when that needs saying: stopped, incomplete, failed, or complete with something odd about it. */
export function ReplyEnd({ reply }: { reply: Message }) {
  const words = useWords()
  if (reply.status === 'incomplete' || reply.status === 'failed') return <Fault reply={reply} />
  if (reply.status === 'stopped') {
    const empty = reply.text === '' && reply.reasoning === '' && reply.refusal === '' && reply.toolCalls.length === 0
    return (
      <Note icon={<CircleStop aria-hidden />} retryOf={reply.id}>
        {words(empty ? 'stoppedEmpty' : 'stopped')}
      </Note>
    )
  }
  const remark = remarkOn(reply)
  if (!remark) return null
  return (
    <Note icon={<Info aria-hidden />}>{words(remark, { tokens: figure(reply.usage?.completionTokens ?? 0) })}</Note>
  )
}

/** The failure in the words of the service's table, with its one action; asking again is the reply's own wherever it can help. */
function Fault({ reply }: { reply: Message }) {
  const words = useWords()
  const problem: Problem = reply.problem ?? { kind: 'incomplete_stream', message: words('unknownReason') }
  return (
    <div className="chat-fault" data-kind={problem.kind}>
      {reply.status === 'incomplete' && <p className="chat-mark">{words('incompleteMark')}</p>}
      <ProblemNotice problem={problem} on={{ edit: () => editTurnOf(reply) }} role="note" />
      {problemTargets[problem.kind] !== 'edit' && (
        <button type="button" className="chat-btn chat-small" onClick={() => void retry(reply.id)}>
          <RotateCw aria-hidden /> {words('retry')}
        </button>
      )}
    </div>
  )
}

function Note({ icon, retryOf, children }: { icon: ReactNode; retryOf?: string; children: ReactNode }) {
  const words = useWords()
  return (
    <div className="chat-note chat-note-plain" role="note">
      {icon}
      <div className="chat-note-text">{children}</div>
      {retryOf !== undefined && (
        <button type="button" className="chat-btn chat-small" onClick={() => void retry(retryOf)}>
          <RotateCw aria-hidden /> {words('retry')}
        </button>
      )}
    </div>
  )
}
