import type { Figures } from '../../../../src-preload/contract/usage.ts'
import { dayText } from '../../shared/days.ts'
import type { ConversationCost } from '../../store/conversationCosts.ts'
import type { RowRange } from '../../store/requestLog/links.ts'
import { Sum } from './totals.ts'
import { rangeOf } from './view.ts'

interface Parts {
  /** The conversations with the highest cost from `from` (included) to `before` (excluded), over requests in these rows. */
  top(from: string, before: string, rows: readonly RowRange[], limit: number): ConversationCost[]
  /** The rows of the request log that belong to an account. */
  rowRangesOf(accountId: string): readonly RowRange[]
}

export interface TopConversation {
  conversationId: string
  title: string | null
  total: Figures
}

/** Local conversations by their cost for one account in these days (UTC). All costs are estimates. @throws StudioError `bad_input` */
export function topConversations(
  { top, rowRangesOf }: Parts,
  query: { accountId: string; from: string; to: string; limit: number },
): TopConversation[] {
  const { from, to } = rangeOf(query)
  const rows = rowRangesOf(query.accountId)
  return top(dayText(from), dayText(to + 1), rows, query.limit).map(({ conversationId, title, ...row }) => {
    const sum = new Sum()
    const use = { day: from, who: 'studio:chat', model: null, estimated: row.requests - row.unpriced, ...row }
    sum.addLocal(use)
    return { conversationId, title, total: sum.figures() }
  })
}
