import type { Figures } from '../../../../src-preload/contract/usage.ts'
import { dayText } from '../../shared/days.ts'
import type { ConversationCost } from '../../store/conversationCosts.ts'
import { Sum } from './totals.ts'
import { rangeOf } from './view.ts'

interface Parts {
  /** The conversations with the highest cost from `from` (included) to `before` (excluded). */
  top(from: string, before: string, limit: number): ConversationCost[]
}

export interface TopConversation {
  conversationId: string
  title: string | null
  total: Figures
}

/** Local conversations by cost in these days (UTC). All costs are estimates. @throws StudioError `bad_input` */
export function topConversations(
  { top }: Parts,
  query: { from: string; to: string; limit: number },
): TopConversation[] {
  const { from, to } = rangeOf(query)
  return top(dayText(from), dayText(to + 1), query.limit).map(({ conversationId, title, ...row }) => {
    const sum = new Sum()
    const use = { day: from, who: 'studio:chat', model: null, estimated: row.requests - row.unpriced, ...row }
    sum.addLocal(use)
    return { conversationId, title, total: sum.figures() }
  })
}
