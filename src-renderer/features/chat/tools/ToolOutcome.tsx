import { useEffect, useState } from 'react'
import { navigate } from '../../../shared/navigation.ts'
import { useToolTranslate } from '../../../shared/toolMessages.ts'
import { Button } from '../../../shared/ui/Button.tsx'
import { cx } from '../../../shared/ui/cx.ts'
import { OpenMark } from '../../../shared/ui/OpenMark.tsx'
import { plainText } from '../../../shared/ui/plainText.ts'
import { useFind } from '../../../stores/chatFind.ts'
import { figure } from '../messages.ts'
import { cardState } from './appearance.ts'
import type { ToolRow } from './round.ts'
import { firstLine, showResult } from './show.ts'
import { HostileText } from './Text.tsx'

/** The end of a call: its meaning, any fault, one action, and the collapsed result that the model received. */
export function ToolOutcome({ row }: { row: ToolRow }) {
  const t = useToolTranslate()
  const { run } = row
  const state = cardState(run, false)
  const reported = isExplained(state)
    ? t(`outcome.${state}`, { name: plainText(run.name), server: plainText(run.tool?.server ?? '') })
    : null
  const toSettings = state === 'timed_out' || state === 'failed' || state === 'unknown_tool'
  return (
    <>
      {reported && <p className="text-s text-soft">{reported}</p>}
      {run.notes.length > 0 && (
        <ul className={cx('list-disc ps-5 text-s', state === 'done' ? 'text-soft' : 'text-bad')}>
          {run.notes.slice(0, 20).map((note, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: notes never move, and two may be equal
            <li key={at} className="break-words">
              {plainText(note.slice(0, 1_000))}
            </li>
          ))}
        </ul>
      )}
      <Result row={row} />
      {(toSettings || run.allowed === 'conversation' || run.allowed === 'always') && (
        <div className="flex flex-wrap items-center gap-2">
          {toSettings && (
            <Button size="small" onClick={() => navigate({ page: 'settings', id: 'tools' })}>
              {t(`outcome.action.${state}`)}
            </Button>
          )}
          {(run.allowed === 'conversation' || run.allowed === 'always') && (
            <span className="text-faint text-s">{t(`outcome.allowed.${run.allowed}`)}</span>
          )}
        </div>
      )}
    </>
  )
}

const explainedStates = ['error', 'denied', 'invalid', 'unknown_tool', 'stopped', 'timed_out', 'failed'] as const
const isExplained = (state: string): state is (typeof explainedStates)[number] =>
  explainedStates.some((one) => one === state)

/** The result that the model received, collapsed to its first line. */
function Result({ row }: { row: ToolRow }) {
  const t = useToolTranslate()
  const [open, setOpen] = useState(false)
  const found = useFind(({ inMessage }) => inMessage === row.id)
  useEffect(() => {
    if (found) setOpen(true)
  }, [found])
  const given = row.run.state === 'done'
  if (row.text === '') return given ? <p className="text-faint text-s">{t('outcome.empty')}</p> : null
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex min-w-0 items-center gap-1.5 rounded-s text-start text-s text-soft hover:text-ink"
      >
        <OpenMark open={open} />
        <span className="shrink-0 font-[520]">{t(given ? 'outcome.result' : 'outcome.sentToModel')}</span>
        <span className="num shrink-0 text-faint">
          {t('outcome.size', { count: row.text.length, size: figure(row.text.length) })}
        </span>
        {!open && (
          <span className="min-w-0 truncate font-mono text-faint [unicode-bidi:isolate]">{firstLine(row.text)}</span>
        )}
      </button>
      {open && (
        <HostileText
          shown={showResult(row.text)}
          whole={row.text}
          label={t(given ? 'outcome.result' : 'outcome.sentToModel')}
          copy={t('outcome.copy')}
          resultOf={row.id}
        />
      )}
    </div>
  )
}
