import { Square } from 'lucide-react'
import { useEffect, useId, useState } from 'react'
import type { Message, ToolCall, ToolRun } from '../../../../src-preload/contract/chat.ts'
import { joinSentences, showSpan } from '../../../i18n/format.ts'
import { jsonFaultText, type ToolTranslate, useToolTranslate } from '../../../shared/toolMessages.ts'
import { Button } from '../../../shared/ui/Button.tsx'
import { cx } from '../../../shared/ui/cx.ts'
import { jsonFault } from '../../../shared/ui/jsonFault.ts'
import { OpenMark } from '../../../shared/ui/OpenMark.tsx'
import { plainText } from '../../../shared/ui/plainText.ts'
import { useNow } from '../../../shared/useNow.ts'
import { useFind } from '../../../stores/chatFind.ts'
import { readToolId } from '../../../stores/tools.ts'
import { stopCall } from './actions.ts'
import { appearances, type CardState, cardState, toneInk } from './appearance.ts'
import { isToolRow, type ToolRow } from './round.ts'
import { showArguments } from './show.ts'
import { HostileName, HostileText } from './Text.tsx'
import { ToolAsk } from './ToolAsk.tsx'
import { ToolByHand } from './ToolByHand.tsx'
import { ToolHelp, ToolOutcome } from './ToolOutcome.tsx'
import { ToolRound, useRows } from './ToolRound.tsx'
import { useStableFocus } from './useStableFocus.ts'

/**
 * One tool call and its state: one line that opens to the arguments and the result, or a card while the call asks the person. `row` is the
 * message of role tool that answers it, null without one. `writing`: the model is still writing the call. Everything that is not this
 * program's own text is untrusted and shown as plain text.
 */
export function ToolCard({ call, row, writing }: { call: ToolCall; row: Message | null; writing: boolean }) {
  const heading = useId()
  const tool = row && isToolRow(row) ? row : null
  const state = cardState(tool?.run ?? null, writing)
  const card = useStableFocus(state)
  const asks = state === 'awaiting' || state === 'by_hand'
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
        'flex min-w-0 flex-col font-sans text-m outline-none focus-visible:outline-2 focus-visible:outline-accent',
        asks
          ? 'my-2 gap-2.5 rounded-l bg-raise p-3 shadow-[inset_0_0_0_1px_var(--accent)]'
          : 'my-0.5 items-start gap-1.5 rounded-s',
      )}
    >
      {tool && asks ? (
        <Question heading={heading} call={call} row={tool} state={state} />
      ) : (
        <Line heading={heading} call={call} row={tool} state={state} />
      )}
    </div>
  )
}

interface CallProps {
  /** Id of the heading that names the call. */
  heading: string
  call: ToolCall
  row: ToolRow | null
  state: CardState
}

/** A call that needs the person: its arguments, and the answers. */
function Question({ heading, call, row, state }: CallProps & { row: ToolRow }) {
  const t = useToolTranslate()
  const { icon: Icon, tone } = appearances[state]
  return (
    <>
      <header className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
        <h3 id={heading} className="flex min-w-0 items-center gap-2 font-[540]">
          <Icon aria-hidden size={15} strokeWidth={1.75} className={cx('shrink-0', toneInk[tone])} />
          <HostileName>{nameOf(call, row.run, t)}</HostileName>
        </h3>
        <span className="min-w-0 truncate text-faint text-s">{placeOf(row.run, t)}</span>
        <span className={cx('ml-auto text-s', toneInk[tone])}>
          {t(state === 'by_hand' ? 'state.by_hand' : 'state.awaiting')}
        </span>
      </header>
      <Arguments call={call} state={state} />
      {state === 'awaiting' ? <ToolAsk row={row} /> : <ToolByHand row={row} />}
    </>
  )
}

/** A call that needs nothing: "Used tide_height · Tides". Opens to the arguments and the result. */
function Line({ heading, call, row, state }: CallProps) {
  const t = useToolTranslate()
  const content = useId()
  const [open, setOpen] = useState(false)
  const found = useFind(({ inMessage }) => row !== null && inMessage === row.id)
  useEffect(() => {
    if (found) setOpen(true)
  }, [found])
  const { icon: Icon, tone } = appearances[state]
  const place = placeOf(row?.run ?? null, t)
  const [before = '', after = ''] = t(`line.${state}`, { name: nameMark }).split(nameMark)
  return (
    <>
      <div className="flex min-w-0 max-w-full flex-wrap items-center gap-x-2">
        <h3 id={heading} className="min-w-0 font-normal text-s">
          <button
            type="button"
            aria-expanded={open}
            aria-controls={content}
            onClick={() => setOpen(!open)}
            className="flex min-h-6 min-w-0 max-w-full items-center gap-1.5 rounded-s text-start text-soft hover:text-ink"
          >
            <Icon
              aria-hidden
              size={15}
              strokeWidth={1.75}
              className={cx('shrink-0', toneInk[tone], state === 'running' && 'animate-spin')}
            />
            <span className="flex min-w-0 items-baseline gap-1 whitespace-pre">
              {before.trim() !== '' && <span>{before.trim()}</span>}
              <HostileName className="text-ink">{nameOf(call, row?.run ?? null, t)}</HostileName>
              {after.trim() !== '' && <span>{after.trim()}</span>}
              {place !== '' && <span className="min-w-0 truncate">{`· ${place}`}</span>}
              {row && <Duration row={row} />}
            </span>
            <OpenMark open={open} />
          </button>
        </h3>
        {row && state === 'running' && <ToolStop messageId={row.id} />}
      </div>
      {row && <ToolHelp row={row} />}
      <div id={content} hidden={!open} className="flex min-w-0 flex-col gap-1.5 self-stretch ps-5 pb-1.5">
        {open && (
          <>
            <Arguments call={call} state={state} />
            {row && <ToolOutcome row={row} />}
          </>
        )}
      </div>
    </>
  )
}

/** Stands for the name in the text of a line. No text has this character. */
const nameMark = '\u0000'

/** The name of the tool as its server calls it. The model may know it by a longer name. */
function nameOf(call: ToolCall, run: ToolRun | null, t: ToolTranslate): string {
  const read = readToolId(run?.tool?.id ?? '')
  return plainText(read?.kind === 'mcp' ? read.name : call.name) || t('card.noName')
}

/** The server of a tool. */
function placeOf(run: ToolRun | null, t: ToolTranslate): string {
  if (!run?.tool) return ''
  return run.tool.kind === 'function' ? t('card.function') : plainText(run.tool.server ?? '')
}

/** Stops a running call. */
function ToolStop({ messageId }: { messageId: string }) {
  const t = useToolTranslate()
  const [stopping, setStopping] = useState(false)
  const stop = async () => {
    setStopping(true)
    await stopCall(messageId)
    setStopping(false)
  }
  return (
    <Button icon={Square} size="small" busy={stopping} title={t('card.stopHint')} onClick={() => void stop()}>
      {t(stopping ? 'card.stopping' : 'card.stop')}
    </Button>
  )
}

/** How long a call took, from one second on. */
function Duration({ row: { run } }: { row: ToolRow }) {
  const running = run.state === 'running'
  const now = useNow(100, running)
  if (run.startedAt === null || run.tool?.kind === 'function') return null
  const ended = running ? now : run.finishedAt === null ? null : Date.parse(run.finishedAt)
  const ms = ended === null ? 0 : ended - Date.parse(run.startedAt)
  return ms < 1_000 ? null : (
    <span className="num text-faint before:me-1 before:content-['·']">{showSpan(ms / 1_000)}</span>
  )
}

/** The arguments of the call. A fault is described where the call has ended. */
function Arguments({ call, state }: { call: ToolCall; state: CardState }) {
  const t = useToolTranslate()
  const writing = state === 'writing'
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
      {fault && <p className="text-bad text-s">{joinSentences([t('card.notJson'), jsonFaultText(t, fault)])}</p>}
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
