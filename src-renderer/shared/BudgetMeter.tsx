import { useAlerts } from '../stores/alerts.ts'
import type { BudgetView } from './appBudgets.ts'
import { Meter } from './ui/Meter.tsx'
import { WithSc } from './ui/WithSc.tsx'

/** A bar for the used part of a budget, with its amounts above it. It warns from the share that raises an alert. */
export function BudgetMeter({ label, budget, amounts }: { label: string; budget: BudgetView; amounts: string }) {
  const { share, state } = budget
  const warnAt = useAlerts(({ settings }) => settings?.budgetAt ?? 80)
  return (
    <div className="flex min-w-0 flex-col gap-1 text-s text-soft">
      <span className="num">
        <WithSc text={amounts} />
      </span>
      <Meter
        label={label}
        value={Math.min(share, 1) * 100}
        max={100}
        level={state === 'used' ? 'bad' : share * 100 >= warnAt ? 'warn' : 'good'}
        className="w-full"
      />
    </div>
  )
}
