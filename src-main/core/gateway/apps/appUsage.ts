import type { App, AppUse } from '../../../../src-preload/contract/apps.ts'
import { fromNano, type Nano } from '../../shared/money.ts'

interface Spent {
  day: Nano
  month: Nano
  total: Nano
  estimated: boolean
  unpricedToday: number
  requestsToday: number
  tokensToday: number
  perMinute: number[]
}

/** Where the parts of a tool's use are known: its keys, the books, its limits. */
export interface UseParts {
  tools(): App[]
  spent(toolId: string): Spent
  /** Requests under way, and those of them that wait in the queue. */
  live(toolId: string): { active: number; waiting: number }
  reserved(toolId: string): Nano
}

/** What each tool whose key is not revoked does now and has spent. */
export function appUses(parts: UseParts): AppUse[] {
  return parts.tools().flatMap((tool) => (tool.revokedAt === null ? [readUse(parts, tool)] : []))
}

function readUse(parts: UseParts, { id }: App): AppUse {
  const { day, month, total, ...facts } = parts.spent(id)
  return {
    id,
    ...parts.live(id),
    spentDay: fromNano(day),
    spentMonth: fromNano(month),
    spentTotal: fromNano(total),
    reserved: fromNano(parts.reserved(id)),
    ...facts,
  }
}
