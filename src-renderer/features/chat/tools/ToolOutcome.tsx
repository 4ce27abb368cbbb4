import { navigate } from '../../../shared/navigation.ts'
import { useToolTranslate } from '../../../shared/toolMessages.ts'
import { Button } from '../../../shared/ui/Button.tsx'
import { cx } from '../../../shared/ui/cx.ts'
import { plainText } from '../../../shared/ui/plainText.ts'
import { cardState } from './appearance.ts'
import type { ToolRow } from './round.ts'
import { showResult } from './show.ts'
import { HostileText } from './Text.tsx'

/** Below the line of a call that the person can help to succeed: its meaning, and one action. */
export function ToolHelp({ row: { run } }: { row: ToolRow }) {
  const t = useToolTranslate()
  const state = cardState(run, false)
  if (state !== 'timed_out' && state !== 'failed' && state !== 'unknown_tool') return null
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 ps-5 text-s text-soft">
      <span>{t(`outcome.${state}`, { name: plainText(run.name) })}</span>
      <Button size="small" onClick={() => navigate({ page: 'settings', id: 'tools' })}>
        {t(`outcome.action.${state}`)}
      </Button>
    </div>
  )
}

/** The end of a call, below its arguments: its meaning, any fault, and the result that the model received. */
export function ToolOutcome({ row }: { row: ToolRow }) {
  const t = useToolTranslate()
  const { run } = row
  const state = cardState(run, false)
  const isResult = state === 'done' || state === 'error'
  const label = t(isResult ? 'outcome.result' : 'outcome.sentToModel')
  return (
    <>
      {isExplained(state) && <p className="text-s text-soft">{t(`outcome.${state}`)}</p>}
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
      {row.text !== '' && (
        <>
          <p aria-hidden className="text-faint text-s">
            {label}
          </p>
          <HostileText
            shown={showResult(row.text)}
            whole={row.text}
            label={label}
            copy={t('outcome.copy')}
            resultOf={row.id}
          />
        </>
      )}
      {row.text === '' && isResult && <p className="text-faint text-s">{t('outcome.empty')}</p>}
      {(run.allowed === 'conversation' || run.allowed === 'always') && (
        <p className="text-faint text-s">{t(`outcome.allowed.${run.allowed}`)}</p>
      )}
    </>
  )
}

const explainedStates = ['error', 'denied', 'invalid', 'stopped'] as const
const isExplained = (state: string): state is (typeof explainedStates)[number] =>
  explainedStates.some((one) => one === state)
