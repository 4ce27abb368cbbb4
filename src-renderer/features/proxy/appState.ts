import type { App, AppUse } from '../../../src-preload/contract/apps.ts'
import { type BudgetView, budgetsOf } from '../../shared/appBudgets.ts'

/** What an app does now. `count`: number of its running or waiting requests. */
export type AppActivity =
  | { is: 'blocked'; by: BlockedBy }
  | { is: 'idle' }
  | { is: 'streaming' | 'waiting'; count: number }

type Period = BudgetView['period']

/**
 * Why requests of an app are refused, or need an answer of the person (`asks`). `budgetDay` and similar: the used-up budget that renews last. `shortDay` and similar: what is left of the
 * budget was too small for the last request.
 */
export type BlockedBy = 'revoked' | 'expired' | 'paused' | 'asks' | `budget${Period}` | `short${Period}`

const periods = { day: 'Day', month: 'Month', total: 'Total' } as const

/** Why requests of an app are refused or need an answer, or null. */
export function blockedBy(app: App, use: AppUse | null, now: number): BlockedBy | null {
  if (app.revokedAt !== null) return 'revoked'
  if (app.expiresAt !== null && Date.parse(app.expiresAt) <= now) return 'expired'
  if (app.pausedAt !== null) return 'paused'
  // Of several used-up budgets, the last one renews last.
  const used = budgetsOf(app, use).findLast((budget) => budget.used)
  if (app.atBudget === 'ask') return used || use?.short ? 'asks' : null
  if (used) return `budget${used.period}`
  return use?.short ? `short${periods[use.short]}` : null
}

/** What an app does, in one word: blocked, running or idle. */
export function activityOf(app: App, use: AppUse | null, now: number): AppActivity {
  const by = blockedBy(app, use, now)
  if (by !== null) return { is: 'blocked', by }
  const { active = 0, waiting = 0 } = use ?? {}
  if (active > waiting) return { is: 'streaming', count: active - waiting }
  return waiting > 0 ? { is: 'waiting', count: waiting } : { is: 'idle' }
}
