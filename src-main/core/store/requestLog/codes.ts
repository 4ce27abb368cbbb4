import type { AnswerKind, Endpoint, RequestDialect, RequestState } from '../../../../src-preload/contract/requests.ts'
import type { CacheChange } from '../../../../src-preload/contract/sessions.ts'

// Words are stored as small whole numbers, because a million rows contain them. The index in the list is the number of a word, permanently:
// append, never reorder.

/** How the log classifies a request that has ended. A request in progress has none (NULL). */
export const outcomes = ['ok', 'failed', 'refused', 'cancelled'] as const
export type Outcome = (typeof outcomes)[number]

/** How a request ended: the final values of the contract's `RequestState`. */
export const endStates = ['done', 'failed', 'refused', 'cancelled', 'cut', 'unknown'] as const
export type EndState = (typeof endStates)[number] & RequestState

/** Whether the tokens or the cost of a row are measured, estimated or unknown. */
export const certainties = ['measured', 'estimated', 'unknown'] as const

/** Who cancelled a request. */
export const cancellers = ['app', 'person', 'studio'] as const

/** What a person answered to a question about a request. */
export const answers = ['once', 'more', 'tomorrow', 'refuse'] as const satisfies readonly AnswerKind[]

/** APIs that are translated to chat completions. */
export const dialects = ['responses', 'messages', 'gemini', 'ollama'] as const satisfies readonly RequestDialect[]

/** The contract's endpoints. Listed again, because the contract may change their order. */
export const endpoints = [
  'chat',
  'completions',
  'speech',
  'transcription',
  'images',
  'models',
  'account',
  'files',
  'other',
] as const satisfies readonly Endpoint[]

/** Why a request lost the cache of the service, or did not. */
export const cacheChanges = [
  'first',
  'none',
  'model',
  'tool_order',
  'tool_added',
  'tool_removed',
  'tool_changed',
  'tool_time',
  'tool_number',
  'system',
  'system_time',
  'system_number',
  'history',
  'history_shortened',
  'message_time',
  'message_number',
  'pause',
  'service',
  'unread',
] as const satisfies readonly CacheChange[]

/** The method and path of a POST to an endpoint's own path are not stored. That saves space in most rows. */
export const usualPath: Partial<Record<Endpoint, string>> = {
  chat: '/v1/chat/completions',
  completions: '/v1/completions',
  speech: '/v1/audio/speech',
  transcription: '/v1/audio/transcriptions',
  images: '/v1/images/generations',
}

/** `failed` includes a complete reply that reports a failure. */
export function outcomeOf(state: EndState, status: number | null): Outcome {
  if (state === 'refused' || state === 'cancelled') return state
  return state === 'done' && (status === null || status < 400) ? 'ok' : 'failed'
}

const endedUnsent: ReadonlySet<EndState> = new Set(['failed', 'cancelled', 'cut'])

/**
 * Whether a row is of a request that never left: this program refused it, or it ended in the queue, without an attempt. It is no request of
 * any sum, budget or chart. A row that the end of the program left open (`unknown`) may have left.
 */
export function isUnsent({
  outcome,
  state,
  attempts,
}: {
  outcome: number | null
  state: number | null
  attempts: number
}) {
  const [result, end] = [outcomes[outcome ?? -1], endStates[state ?? -1]]
  return result === 'refused' || (attempts === 0 && end !== undefined && endedUnsent.has(end))
}

/** The same as a condition of SQL, for rows of `requests`. */
export const sentCondition = `NOT (coalesce(outcome, -1) = ${outcomes.indexOf('refused')} OR (attempts = 0
  AND coalesce(state, -1) IN (${[...endedUnsent].map((state) => endStates.indexOf(state)).join(', ')})))`

/** The number of a word. @throws RangeError for a word that is not in the list (a bug) */
export function codeOf<T extends string>(words: readonly T[], word: T): number {
  const code = words.indexOf(word)
  if (code < 0) throw new RangeError(`No number for ${word}.`)
  return code
}
