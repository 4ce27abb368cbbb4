import * as z from 'zod'
import { instant } from './problem.ts'
import { answerKind, sc } from './requests.ts'

// A request of an app can wait until a person has answered whether it may be sent (`atBudget`, `askNewModel`, `askAbove` of the app).

/** Why a person is asked: a budget would be exceeded (`day`, `month`, `total`), the model is new for the app, or the request is expensive. */
export const askReason = z.enum(['day', 'month', 'total', 'model', 'cost'])
export type AskReason = z.infer<typeof askReason>

/** A request that waits. */
export const askedRequest = z.object({
  /** 1 for the first request of the question. Never used again. */
  number: z.number().int().min(1),
  model: z.string().nullable(),
  /** What it costs at most, SC; null if the price of the model is unknown. */
  cost: sc.nullable(),
  reasons: z.array(askReason).min(1),
})
export type AskedRequest = z.infer<typeof askedRequest>

/** The one open question of an app, about all its requests that wait. */
export const appQuestion = z.object({
  id: z.string(),
  app: z.object({ id: z.string(), name: z.string() }),
  askedAt: instant,
  /** When the last of the requests is refused without an answer. */
  endsAt: instant,
  /** Spent by the app when the question was asked, SC. */
  spentToday: sc,
  /** In order of arrival. */
  requests: z.array(askedRequest),
  /** What all of them cost at most, SC. Null if a price is unknown. */
  cost: sc.nullable(),
  /** A round amount for the answer `more`, SC. Null when no budget is the reason. */
  suggested: sc.nullable(),
})
export type AppQuestion = z.infer<typeof appQuestion>

export const questionAnswer = z.object({
  id: z.string(),
  answer: answerKind,
  /** For `more`, SC; otherwise null. */
  amount: sc.nullable(),
  /** The highest `number` that the person has seen. The answer is not about later requests. */
  seen: z.number().int().min(1),
})
export type QuestionAnswer = z.infer<typeof questionAnswer>

/** `none`: the question ended without an answer. `isFirst`: false when it had an answer already, which holds. */
export const answerOutcome = z.object({ answer: z.enum([...answerKind.options, 'none']), isFirst: z.boolean() })
export type AnswerOutcome = z.infer<typeof answerOutcome>

/** The models of a question, each once. */
export const modelsOf = ({ requests }: Pick<AppQuestion, 'requests'>): string[] => [
  ...new Set(requests.flatMap(({ model }) => model ?? [])),
]

/** The highest number of the requests of a question. */
export const lastSeen = ({ requests }: Pick<AppQuestion, 'requests'>): number =>
  Math.max(1, ...requests.map(({ number }) => number))
