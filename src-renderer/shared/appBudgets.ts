import { exact } from '../../src-preload/contract/amountText.ts'
import type { App, AppUse } from '../../src-preload/contract/apps.ts'

const periods = ['Day', 'Month', 'Total'] as const

export interface BudgetView {
  period: (typeof periods)[number]
  spent: string
  limit: string
  /** Whether the budget is used up. */
  used: boolean
  share: number
}

/** The budgets that are set, with their spent amounts. Amounts reserved for running requests count only towards "used up", not as spent. */
export function budgetsOf(app: App, use: AppUse | null): BudgetView[] {
  return periods.flatMap((period) => {
    const limit = app[`budget${period}`]
    if (limit === null) return []
    const spent = use?.[`spent${period}`] ?? '0'
    const share = exact(limit) === 0n ? 1 : Number((exact(spent) * 10_000n) / exact(limit)) / 10_000
    return [{ period, spent, limit, used: exact(spent) >= exact(limit), share }]
  })
}
