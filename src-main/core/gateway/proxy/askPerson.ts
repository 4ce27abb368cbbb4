import type { App } from '../../../../src-preload/contract/apps.ts'
import type { AskReason } from '../../../../src-preload/contract/questions.ts'
import type { AnswerKind } from '../../../../src-preload/contract/requests.ts'
import type { AllowanceReservation, Expectation, LimitRefusal } from '../../ports/requests.ts'
import { fromNano } from '../../shared/money.ts'
import { flattened, type HeaderPairs, header, isEventStream } from '../../upstream/headers.ts'
import { mostAsking } from '../apps/questions.ts'
import type { AppReply } from './appReply.ts'
import type { AskTimes, RelayDependencies } from './relayDependencies.ts'

export const askTimes: AskTimes = { silentMs: 20_000, streamedMs: 120_000, otherMs: 60_000, commentMs: 10_000 }

/** The request about which a person is asked. */
interface AskedRequest {
  app: App
  reservation: AllowanceReservation
  expected: Expectation
  /** Aborts when the app has disconnected. */
  gone: AbortSignal
  response: AppReply
  /** The head of its stream. Null for a request that is not streamed. */
  head: HeaderPairs | null
  /** Called when the head was sent. */
  headSent(): void
}

/** `refused`: the final refusal; `answer` is then `refuse` or null. Otherwise the request may be sent. */
type Verdict = { refused: LimitRefusal | null; answer: AnswerKind | null }

/**
 * Asks a person whether a request may be sent, until there is an answer or the time is over. Nothing is reserved meanwhile.
 * @throws StudioError `cancelled` when the app disconnects; those of the database when the question can't be stored
 */
export async function askPerson(
  {
    allowance,
    questions,
    currentApp,
    askTimes: times,
  }: Pick<RelayDependencies, 'allowance' | 'questions' | 'currentApp' | 'askTimes'>,
  { app, reservation, expected, gone, response, head, headSent }: AskedRequest,
  over: LimitRefusal,
): Promise<Verdict> {
  const { silentMs, streamedMs, otherMs } = times
  const endsAt = Date.now() + (head === null ? otherMs : silentMs + streamedMs)
  const stop = head === null ? () => undefined : keepOpen(response, head, times, headSent)
  const { model, cost } = expected
  let answer: AnswerKind | null = null
  let refused: LimitRefusal | null = over
  try {
    while (refused?.asks) {
      const { asks, overspent }: LimitRefusal = refused
      const wish = { model, cost: cost === null ? null : fromNano(cost), reasons: [...(asks ?? [])] }
      const asked = await questions.ask(app, wish, { signal: gone, endsAt, overspent })
      if (asked === 'none' || asked === 'full' || asked === 'refuse') {
        const message = `${refused.message} ${outcomes[asked]}`
        return { refused: { ...refused, message }, answer: asked === 'refuse' ? asked : null }
      }
      if (asked !== 'again') answer = asked
      if (asked === 'once') allowance.permit(reservation, wish.reasons)
      if (asked === 'more') allowance.permit(reservation, wish.reasons.filter(isNoBudget))
      // The answer may have changed the budgets of the app.
      refused = allowance.expect(currentApp(app), reservation, expected)
    }
    return { refused, answer }
  } finally {
    stop()
  }
}

const outcomes = {
  none: 'A person was asked in Inference Studio, but nobody answered in time.',
  full: `${mostAsking} requests of this app already wait for the answer of a person.`,
  refuse: 'A person refused it in Inference Studio.',
}

const isNoBudget = (reason: AskReason): boolean => reason === 'model' || reason === 'cost'

/** Sends the head after a while, and then comments where the API has them, until the returned function is called. */
function keepOpen(
  response: AppReply,
  head: HeaderPairs,
  { silentMs, commentMs }: AskTimes,
  headSent: () => void,
): () => void {
  const comment = (): void => {
    // An app that does not read must not fill the memory.
    if (!response.destroyed && response.writableLength === 0)
      response.write(': waiting for an answer in Inference Studio\n\n')
  }
  let comments: NodeJS.Timeout | null = null
  const begin = setTimeout(() => {
    if (response.destroyed || response.headersSent) return
    response.writeHead(200, 'OK', flattened(head))
    response.flushHeaders()
    headSent()
    if (!isEventStream(header(head, 'content-type'))) return
    comment()
    comments = setInterval(comment, commentMs)
  }, silentMs)
  return () => {
    clearTimeout(begin)
    if (comments) clearInterval(comments)
  }
}
