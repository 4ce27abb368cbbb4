import type { Endpoint, RequestState } from '../../../../src-preload/contract/requests.ts'

// Words as the database keeps them: small whole numbers, because a million rows hold them. A place in a list is a word's
// number for ever: append, never reorder.

/** How the log sorts a request that has ended; a row under way has none (NULL). */
export const outcomes = ['ok', 'failed', 'refused', 'cancelled'] as const
export type Outcome = (typeof outcomes)[number]

export const endStates = ['done', 'failed', 'refused', 'cancelled', 'cut', 'unknown'] as const
export type EndState = (typeof endStates)[number] & RequestState

export const certainties = ['measured', 'estimated', 'unknown'] as const

export const cancellers = ['app', 'person', 'studio'] as const

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

/** A POST to an endpoint's own path keeps neither method nor path in its row: most rows by far. */
export const usualPath: Partial<Record<Endpoint, string>> = {
  chat: '/v1/chat/completions',
  completions: '/v1/completions',
  speech: '/v1/audio/speech',
  transcription: '/v1/audio/transcriptions',
  images: '/v1/images/generations',
}

/** `failed` is also a reply that came whole and says that it failed. */
export function outcomeOf(state: EndState, status: number | null): Outcome {
  if (state === 'refused' || state === 'cancelled') return state
  return state === 'done' && (status === null || status < 400) ? 'ok' : 'failed'
}

/** A word's number. @throws RangeError for a word that is in no list (a mistake of ours) */
export function codeOf<T extends string>(words: readonly T[], word: T): number {
  const code = words.indexOf(word)
  if (code < 0) throw new RangeError(`No number for ${word}.`)
  return code
}
