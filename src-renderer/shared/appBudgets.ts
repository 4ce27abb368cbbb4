import { exact } from '../../src-preload/contract/amountText.ts'
import type { App, AppUse } from '../../src-preload/contract/apps.ts'
import { sumSc } from './money/sc.ts'

const periods = ['Day', 'Month', 'Total'] as const
const windows = { Day: 'day', Month: 'month', Total: 'total' } as const

export interface BudgetView {
  period: (typeof periods)[number]
  spent: string
  /** With what a person has added for this day or month. */
  limit: string
  /** `used`: used up. `asks`: used up, and a person is asked about further requests. `open`: used up, and allowed until midnight UTC. */
  state: 'left' | 'used' | 'asks' | 'open'
  share: number
}

/** The budgets that are set, with their spent amounts. Amounts reserved for running requests count only towards "used up", not as spent. */
export function budgetsOf(app: App, use: AppUse | null): BudgetView[] {
  return periods.flatMap((period) => {
    const set = app[`budget${period}`]
    if (set === null) return []
    const limit = period === 'Total' || use === null ? set : sumSc([set, use.allowed[windows[period]]])
    const spent = use?.[`spent${period}`] ?? '0'
    const share = exact(limit) === 0n ? 1 : Number((exact(spent) * 10_000n) / exact(limit)) / 10_000
    const isOpen = use?.allowed.open.includes(windows[period]) === true
    const over = isOpen ? 'open' : app.atBudget === 'ask' ? 'asks' : 'used'
    return [{ period, spent, limit, state: exact(spent) >= exact(limit) ? over : 'left', share }]
  })
}
