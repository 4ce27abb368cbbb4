import type { App, AppUse } from '../../src-preload/contract/apps.ts'
import { exact } from './ui/sc.ts'

const periods = ['Day', 'Month', 'Total'] as const

export interface BudgetView {
  period: (typeof periods)[number]
  spent: string
  limit: string
  /** Nothing more may be spent. */
  used: boolean
  share: number
}

/** The budgets that are set, with what is spent of each. What is held for requests under way counts only as used up, not as spent. */
export function budgetsOf(tool: App, use: AppUse | null): BudgetView[] {
  return periods.flatMap((period) => {
    const limit = tool[`budget${period}`]
    if (limit === null) return []
    const spent = use?.[`spent${period}`] ?? '0'
    const share = exact(limit) === 0n ? 1 : Number((exact(spent) * 10_000n) / exact(limit)) / 10_000
    return [{ period, spent, limit, used: exact(spent) >= exact(limit), share }]
  })
}
