import type { Tool, ToolUse } from '../../../src-preload/contract/tools.ts'
import { fromNano, type Nano } from '../money.ts'

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

/** Where the parts of a tool's use are known: its keys, the books, its limits, the desk. */
export interface UseParts {
  tools(): Tool[]
  spent(toolId: string): Spent
  use(toolId: string): { active: number; reserved: Nano }
  /** How many requests of each tool wait at the desk. */
  waiting(): ReadonlyMap<string, number>
}

/** What each tool whose key is not revoked does now and has spent. */
export function toolUses(parts: UseParts): ToolUse[] {
  const waiting = parts.waiting()
  return parts
    .tools()
    .flatMap((tool) => (tool.revokedAt === null ? [countUse(parts, tool, waiting.get(tool.id) ?? 0)] : []))
}

function countUse(parts: UseParts, { id }: Tool, waiting: number): ToolUse {
  const { day, month, total, ...facts } = parts.spent(id)
  const { active, reserved } = parts.use(id)
  return {
    id,
    active,
    waiting,
    spentDay: fromNano(day),
    spentMonth: fromNano(month),
    spentTotal: fromNano(total),
    reserved: fromNano(reserved),
    ...facts,
  }
}

export function countBy(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}
