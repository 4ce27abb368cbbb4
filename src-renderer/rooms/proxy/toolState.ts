import type { Tool, ToolUse } from '../../../src-preload/contract/tools.ts'
import { exact } from './figures.ts'

export type ToolState =
  | { is: 'revoked' | 'expired' | 'paused' | 'overBudget' | 'idle' }
  | { is: 'streaming' | 'waiting'; count: number }

export const periods = ['Day', 'Month', 'Total'] as const
export type Period = (typeof periods)[number]

export interface BudgetView {
  period: Period
  spent: string
  limit: string
  /** Nothing more may be spent. */
  used: boolean
  share: number
}

/** The budgets that are set, with what is spent of each. What is held for requests under way counts only as used up, not as spent. */
export function budgetsOf(tool: Tool, use: ToolUse | null): BudgetView[] {
  return periods.flatMap((period) => {
    const limit = tool[`budget${period}`]
    if (limit === null) return []
    const spent = use?.[`spent${period}`] ?? '0'
    const share = exact(limit) === 0n ? 1 : Number((exact(spent) * 10_000n) / exact(limit)) / 10_000
    return [{ period, spent, limit, used: exact(spent) >= exact(limit), share }]
  })
}

/** The one word that a card says first: what stops the tool, else what it does. */
export function stateOf(tool: Tool, use: ToolUse | null, now: number): ToolState {
  if (tool.revokedAt !== null) return { is: 'revoked' }
  if (tool.expiresAt !== null && Date.parse(tool.expiresAt) <= now) return { is: 'expired' }
  if (tool.pausedAt !== null) return { is: 'paused' }
  const { active = 0, waiting = 0 } = use ?? {}
  if (active > waiting) return { is: 'streaming', count: active - waiting }
  if (waiting > 0) return { is: 'waiting', count: waiting }
  return { is: budgetsOf(tool, use).some(({ used }) => used) ? 'overBudget' : 'idle' }
}
