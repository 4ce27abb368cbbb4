import type { App, AppUse } from '../../../src-preload/contract/apps.ts'
import { budgetsOf } from '../../shared/appBudgets.ts'

export type ToolState =
  | { is: 'revoked' | 'expired' | 'paused' | 'overBudget' | 'idle' }
  | { is: 'streaming' | 'waiting'; count: number }

/** The main state of a card: what blocks the app, otherwise what the app does. */
export function stateOf(tool: App, use: AppUse | null, now: number): ToolState {
  if (tool.revokedAt !== null) return { is: 'revoked' }
  if (tool.expiresAt !== null && Date.parse(tool.expiresAt) <= now) return { is: 'expired' }
  if (tool.pausedAt !== null) return { is: 'paused' }
  const { active = 0, waiting = 0 } = use ?? {}
  if (active > waiting) return { is: 'streaming', count: active - waiting }
  if (waiting > 0) return { is: 'waiting', count: waiting }
  return { is: budgetsOf(tool, use).some(({ used }) => used) ? 'overBudget' : 'idle' }
}
