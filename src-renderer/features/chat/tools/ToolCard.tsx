import { Square } from 'lucide-react'
import { useId, useState } from 'react'
import type { Message, ToolCall, ToolRun } from '../../../../src-preload/contract/chat.ts'
import { jsonFaultText, type ToolTranslate, useToolTranslate } from '../../../shared/toolMessages.ts'
import { Button } from '../../../shared/ui/Button.tsx'
import { cx } from '../../../shared/ui/cx.ts'
import { jsonFault } from '../../../shared/ui/jsonFault.ts'
import { plainText } from '../../../shared/ui/plainText.ts'
import { useNow } from '../../../shared/useNow.ts'
import { seconds } from '../messages.ts'
import { stopCall } from './actions.ts'
import { appearances, cardState, toneInk } from './appearance.ts'
import { isToolRow, type ToolRow } from './round.ts'
import { showArguments } from './show.ts'
import { HostileName, HostileText } from './Text.tsx'
import { ToolAsk } from './ToolAsk.tsx'
import { ToolByHand } from './ToolByHand.tsx'
import { ToolOutcome } from './ToolOutcome.tsx'
import { ToolRound, useRows } from './ToolRound.tsx'
import { useStableFocus } from './useStableFocus.ts'

/**
 * One tool call and its state. `row` is the message of role tool that answers it, null without one. `writing`: the model is still writing
 * the call. Everything that is not this program's own text is untrusted and shown as plain text.
 */
export function ToolCard({ call, row, writing }: { call: ToolCall; row: Message | null; writing: boolean }) {
  const t = useToolTranslate()
  const heading = useId()
  const tool = row && isToolRow(row) ? row : null
  const state = cardState(tool?.run ?? null, writing)
  const card = useStableFocus(state)
  const { icon: Icon, tone } = appearances[state]
  const name = plainText(call.name) || t('card.noName')
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is a part of a form, and a section would be one landmark of many with one name
    <div
      role="group"
      ref={card}
      tabIndex={-1}
      aria-labelledby={heading}
      data-tool-call={call.name}
      data-state={state}
      className={cx(
        'my-2 flex min-w-0 flex-col gap-2.5 rounded-l bg-raise p-3 font-sans text-m outline-none',
        tone === 'ask' ? 'shadow-[inset_0_0_0_1px_var(--accent)]' : 'shadow-[inset_0_0_0_1px_var(--line-strong)]',
        'focus-visible:outline-2 focus-visible:outline-accent',
      )}
    >
      <header className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
        <h3 id={heading} className="flex min-w-0 items-center gap-2 font-[540]">
          <Icon
            aria-hidden
            size={15}
            strokeWidth={1.75}
            className={cx('shrink-0', toneInk[tone], state === 'running' && 'animate-spin')}
          />
          <HostileName>{name}</HostileName>
        </h3>
        <span className="min-w-0 truncate text-faint text-s">{kindOf(tool?.run ?? null, t)}</span>
        <span className={cx('num ml-auto text-s', toneInk[tone])}>
          {tool ? <StateText row={tool} /> : t(`state.${state}`)}
        </span>
      </header>
      <Arguments call={call} writing={writing} state={state} />
      {tool && <Body row={tool} />}
    </div>
  )
}

function Body({ row }: { row: ToolRow }) {
  const state = cardState(row.run, false)
  if (state === 'awaiting') return <ToolAsk row={row} />
  if (state === 'by_hand') return <ToolByHand row={row} />
  if (state === 'running') return <ToolStop messageId={row.id} />
  return <ToolOutcome row={row} />
}

/** Stops a running call. Says that earlier effects of the tool cannot be undone. */
function ToolStop({ messageId }: { messageId: string }) {
  const t = useToolTranslate()
  const [stopping, setStopping] = useState(false)
  const stop = async () => {
    setStopping(true)
    await stopCall(messageId)
    setStopping(false)
  }
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button icon={Square} size="small" busy={stopping} onClick={() => void stop()}>
        {t(stopping ? 'card.stopping' : 'card.stop')}
      </Button>
      <span className="text-faint text-s">{t('card.stopHint')}</span>
    </div>
  )
}

function kindOf(run: ToolRun | null, t: ToolTranslate): string {
  if (!run?.tool) return ''
  if (run.tool.kind === 'function') return t('card.function')
  return t('card.mcp', { server: plainText(run.tool.server ?? '') })
}

/** The state as text, with its duration. */
function StateText({ row: { run } }: { row: ToolRow }) {
  const t = useToolTranslate()
  const running = run.state === 'running'
  const now = useNow(100, running)
  const began = run.startedAt === null ? null : Date.parse(run.startedAt)
  const ended = run.finishedAt === null ? null : Date.parse(run.finishedAt)
  if (running) return t('state.runningFor', { seconds: seconds(now - (began ?? now)) })
  const state = cardState(run, false)
  const byPerson = run.tool?.kind === 'function'
  if ((state === 'done' || state === 'error') && byPerson) return t(`state.${state}ByHand`)
  if ((state === 'done' || state === 'error') && began !== null && ended !== null)
    return t(`state.${state}In`, { seconds: seconds(ended - began) })
  return t(`state.${state}`)
}

/** The arguments of the call. A fault is described where the call has ended. */
function Arguments({ call, writing, state }: { call: ToolCall; writing: boolean; state: string }) {
  const t = useToolTranslate()
  const shown = showArguments(call.arguments)
  const fault = !writing && !shown.json && call.arguments !== '' ? jsonFault(call.arguments) : null
  if (shown.empty && (shown.json || call.arguments === '') && state !== 'invalid')
    return writing ? null : <p className="text-faint text-s">{t('card.noArguments')}</p>
  return (
    <>
      <HostileText
        shown={shown}
        whole={call.arguments}
        label={t('card.arguments', { name: plainText(call.name) })}
        copy={t('card.copyArguments')}
      />
      {fault && (
        <p className="text-bad text-s">
          {t('card.notJson')} {jsonFaultText(t, fault)}
        </p>
      )}
    </>
  )
}

/** All tool calls of a reply with their states, and actions for all of them. */
export function ToolCalls({ reply }: { reply: Message }) {
  const rows = useRows(reply.id)
  const writing = reply.status === 'pending' || reply.status === 'streaming'
  if (reply.toolCalls.length === 0) return null
  return (
    <>
      {reply.toolCalls.map((call, at) => (
        <ToolCard key={call.index} call={call} row={rows[at] ?? null} writing={writing} />
      ))}
      <ToolRound replyId={reply.id} />
    </>
  )
}
