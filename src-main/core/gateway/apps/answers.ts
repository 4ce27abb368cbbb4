import type {
  AnswerOutcome,
  AskedRequest,
  AskReason,
  QuestionAnswer,
} from '../../../../src-preload/contract/questions.ts'
import { StudioError } from '../../errors.ts'
import type { BudgetWindow } from '../../ports/requests.ts'
import { fromNano, type Nano, toNano } from '../../shared/money.ts'
import type { StoredQuestion } from '../../store/appQuestions.ts'
import type { Store } from '../../store/store.ts'

// Answers to questions about requests, and what they allow. The running core and the command line use the same functions.

/**
 * Stores the answer of a person. The first answer holds: a later one returns it.
 * @param now milliseconds since 1970
 * @throws StudioError `no_such_item`; `bad_input` for an amount that is missing, zero or not asked for
 */
export function answerQuestion(
  { appQuestions, appKeys, transaction }: Store,
  { id, answer, amount, seen }: QuestionAnswer,
  now = Date.now(),
): AnswerOutcome {
  return transaction(() => {
    const question = appQuestions.find(id)
    if (!question) throw new StudioError('no_such_item', 'This question no longer exists.')
    if (question.answer !== null) return { answer: question.answer, isFirst: false }
    const raise = answer === 'more' ? checkedRaise(question, amount, seen) : null
    const stored = raise === null ? null : fromNano(raise)
    appQuestions.answer({ id, answer, amount: stored, seen, at: new Date(now).toISOString() })
    const app = appKeys.find(question.appId)?.app
    // A total budget has no end at which the raise could lapse, so the budget itself changes.
    if (raise !== null && app?.budgetTotal && reasonsOf(question.requests, seen).has('total'))
      appKeys.save(app.id, { ...app, budgetTotal: fromNano(toNano(app.budgetTotal) + raise) })
    return { answer, isFirst: true }
  })
}

function checkedRaise({ requests }: StoredQuestion, amount: string | null, seen: number): Nano {
  const raise = amount === null ? 0n : toNano(amount)
  if (raise <= 0n) throw new StudioError('bad_input', 'Give the amount in SC by which the budget is raised.')
  const reasons = reasonsOf(requests, seen)
  if (!windows.some((window) => reasons.has(window)))
    throw new StudioError('bad_input', 'No budget is the reason of this question, so there is none to raise.')
  return raise
}

const windows: readonly BudgetWindow[] = ['day', 'month', 'total']

const reasonsOf = (requests: readonly AskedRequest[], seen: number): Set<AskReason> =>
  new Set(requests.flatMap(({ number, reasons }) => (number <= seen ? reasons : [])))

/** What earlier answers allow an app now. */
export interface Grants {
  /** Amount by which a budget is raised, nano-SC. A raise of the total budget is in the app's settings. */
  extra: Readonly<Record<BudgetWindow, Nano>>
  /** Reasons for which nobody is asked until midnight UTC. */
  open: ReadonlySet<AskReason>
}

/** @param since `granted` of the store, from the beginning of the month; `now`: an ISO instant */
export function grantsOf(granted: readonly StoredQuestion[], now: string): Grants {
  const extra = { day: 0n, month: 0n, total: 0n }
  const open = new Set<AskReason>()
  for (const { requests, answer, amount, seen, answeredAt } of granted) {
    const isToday = answeredAt?.slice(0, 10) === now.slice(0, 10)
    const reasons = reasonsOf(requests, seen ?? 0)
    if (answer === 'tomorrow') {
      if (isToday) for (const reason of reasons) open.add(reason)
      continue
    }
    const raise = toNano(amount ?? '0')
    if (isToday && reasons.has('day')) extra.day += raise
    if (answeredAt?.slice(0, 7) === now.slice(0, 7) && reasons.has('month')) extra.month += raise
  }
  return { extra, open }
}

/** A round amount (1, 2 or 5 with zeros) that suffices for a few more requests of this cost, also from an overspent budget. Nano-SC. */
export function roundRaise(cost: Nano, overspent: Nano = 0n): Nano {
  const wanted = cost * 4n + overspent
  for (let unit = 10_000_000n; ; unit *= 10n)
    for (const step of [1n, 2n, 5n]) if (unit * step >= wanted || unit > 10n ** 20n) return unit * step
}
