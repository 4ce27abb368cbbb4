import { joinFacts, showSc } from '../../../i18n/format.ts'
import './context.css'
import { NotebookText } from 'lucide-react'
import { memo } from 'react'
import type { ContextMeasure } from '../../../../src-preload/contract/context.ts'
import { Button } from '../../../shared/ui/Button.tsx'
import { Meter } from '../../../shared/ui/Meter.tsx'
import { WithSc } from '../../../shared/ui/WithSc.tsx'
import { askToSummarise, showContext } from './actions.ts'
import { fullness, levels, useHasDraft, useMeasure, useMeasuring } from './measure.ts'
import { useContextTexts } from './texts.ts'

/** Tokens from which the size of a context is of interest, also while its maximum is not known. */
const worthShowing = 10_000

const summaryTexts = { running: 'summaryRunning', written: 'summaryReady', interrupted: 'summaryInterrupted' } as const

const spentText = ({ estimated, unpriced }: NonNullable<ContextMeasure['spent']>) =>
  unpriced > 0 ? 'spentAtLeast' : estimated ? 'spentEstimated' : 'spent'

/** Below the message field: how full the context is, and what the chat and the next message cost. Opens the details. */
export const ContextLine = memo(function ContextLine() {
  const t = useContextTexts()
  useMeasuring()
  const measure = useMeasure()
  const hasDraft = useHasDraft()
  // An empty chat has nothing to say yet.
  if (!measure || !(hasDraft || measure.spent || measure.parts.history + measure.parts.files > 0)) {
    return <div className="context-line" />
  }
  const { total, length, spent, leastCost, summary } = measure
  const state = fullness(measure)
  const isShown = length.tokens !== null || total >= worthShowing
  const used =
    length.tokens === null
      ? joinFacts([t('usedOnly', { count: total }), t('unknown')])
      : t('used', { used: total, count: length.tokens })
  return (
    <div className="context-line">
      {isShown && (
        <button type="button" className="context-open" data-state={state} onClick={showContext}>
          <span>{t('title')}</span>
          {length.tokens !== null && (
            <Meter
              label={t('meter')}
              value={Math.min(total, length.tokens)}
              max={length.tokens}
              level={levels[state]}
              valueText={used}
            />
          )}
          <span className="num" aria-hidden={length.tokens !== null}>
            <WithSc text={used} />
          </span>
          {(state === 'nearlyFull' || state === 'tooLong') && <b>{t(state)}</b>}
        </button>
      )}
      {summary && (
        <Button size="small" onClick={() => askToSummarise(summary.upTo)}>
          <NotebookText aria-hidden size={14} /> {t(summaryTexts[summary.state])}
        </Button>
      )}
      <span className="context-costs num">
        {spent && (
          <span>
            <WithSc text={t(spentText(spent), { amount: showSc(spent.amount) })} />
          </span>
        )}
        {leastCost !== null && hasDraft && (
          <span title={t('nextTitle')}>
            <WithSc text={t('next', { amount: showSc(leastCost) })} />
          </span>
        )}
      </span>
    </div>
  )
})
