import { CircleStop, Info, type LucideIcon, RotateCw, Shuffle, StepForward } from 'lucide-react'
import type { ReactNode } from 'react'
import { canContinue, canRetry, type Message } from '../../../src-preload/contract/chat.ts'
import { readContextError } from '../../../src-preload/contract/contextError.ts'
import type { Problem, ProblemKind } from '../../../src-preload/contract/problem.ts'
import { problemTargets } from '../../shared/errors/actions.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { useChat } from '../../stores/chat.ts'
import { useStage } from '../../stores/chatPage.ts'
import { SmallButton } from './actionButtons.tsx'
import { ContextFaultActions, contextWords } from './context/ContextFault.tsx'
import { remarkOn } from './facts.ts'
import { useBusy } from './hooks.ts'
import { continueReply, editTurnOf, retry } from './messageActions.ts'
import { useChatTranslate } from './messages.ts'

/** How a reply ended, when that needs an explanation: stopped, incomplete, failed, or complete with something unusual. */
export function ReplyEnd({ reply }: { reply: Message }) {
  const t = useChatTranslate()
  if (reply.status === 'incomplete' || reply.status === 'failed') return <Fault reply={reply} />
  if (reply.status === 'stopped') {
    const empty = reply.text === '' && reply.reasoning === '' && reply.refusal === '' && reply.toolCalls.length === 0
    return (
      <Note icon={<CircleStop aria-hidden />} reply={reply} retryable>
        {t(empty ? 'stoppedEmpty' : 'stopped')}
      </Note>
    )
  }
  const remark = remarkOn(reply)
  if (!remark) return null
  return (
    <Note icon={<Info aria-hidden />} reply={reply}>
      {t(remark, { count: reply.usage?.completionTokens ?? 0 })}
    </Note>
  )
}

/** Problems that another model may not have (specification, ERR-02). */
const ofTheModel: ReadonlySet<ProblemKind> = new Set(['invalid_request', 'not_found'])

/** The card of a failure. Its action is the reply's own retry button where a retry can help. */
function Fault({ reply }: { reply: Message }) {
  const t = useChatTranslate()
  const problem: Problem = reply.problem ?? { kind: 'incomplete_stream', message: t('unknownReason') }
  const context = readContextError(problem)
  // The notice says that the reply is incomplete.
  const shown = reply.status === 'incomplete' ? { ...problem, outputStarted: true } : problem
  return (
    <div className="chat-fault" data-kind={problem.kind}>
      <ProblemNotice
        problem={shown}
        on={{ edit: () => editTurnOf(reply) }}
        role="note"
        {...(context ? { noAction: true, ...contextWords(reply, context) } : {})}
      >
        {context && <ContextFaultActions reply={reply} />}
        {(context || problemTargets[problem.kind] !== 'edit') && <RetryButton reply={reply} />}
        {ofTheModel.has(problem.kind) && <OtherModelButton reply={reply} />}
        <ContinueButton reply={reply} />
      </ProblemNotice>
    </div>
  )
}

function Note(props: { icon: ReactNode; reply: Message; retryable?: boolean; children: ReactNode }) {
  return (
    <div className="chat-note chat-note-plain" role="note">
      {props.icon}
      <div className="chat-note-text">{props.children}</div>
      {props.retryable && <RetryButton reply={props.reply} />}
      <ContinueButton reply={props.reply} />
    </div>
  )
}

/** A button that requests the reply again. Disabled while a reply is running. */
function AgainButton(props: { reply: Message; icon: LucideIcon; label: string; action?: string; run: () => void }) {
  const t = useChatTranslate()
  const busy = useBusy()
  const { reply, run, ...button } = props
  if (!canRetry(reply)) return null
  return (
    <SmallButton
      {...button}
      aria-disabled={busy}
      title={busy ? t('needEnd') : undefined}
      onClick={() => !busy && run()}
    />
  )
}

function RetryButton({ reply }: { reply: Message }) {
  const t = useChatTranslate()
  return <AgainButton reply={reply} icon={RotateCw} label={t('retry')} action="retry" run={() => retry(reply.id)} />
}

function OtherModelButton({ reply }: { reply: Message }) {
  const t = useChatTranslate()
  const ask = (): void => useStage.setState({ dialog: { kind: 'retryWith', replyId: reply.id } })
  return <AgainButton reply={reply} icon={Shuffle} label={t('retryWith')} run={ask} />
}

/** Continues an incomplete reply. Only for the last reply of the path, because earlier replies would start an unwanted branch. */
function ContinueButton({ reply }: { reply: Message }) {
  const t = useChatTranslate()
  const last = useChat(({ open }) => open?.ids.at(-1) === reply.id)
  if (!last || !canContinue(reply)) return null
  return (
    <SmallButton icon={StepForward} label={t('continueReply')} action="continue" onClick={() => continueReply(reply)} />
  )
}
