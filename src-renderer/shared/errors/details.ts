import type { Problem } from '../../../src-preload/contract/problem.ts'
import { plainText } from '../ui/plainText.ts'

/** The facts of a failure as text to read or send: the status, the service's own code and type, its request id, the raw body. */
export function detailsOf(problem: Problem): string {
  const facts = [
    problem.status === undefined ? null : `status: ${problem.status}`,
    problem.code ? `code: ${problem.code}` : null,
    problem.type ? `type: ${problem.type}` : null,
    problem.requestId ? `request: ${problem.requestId}` : null,
  ].filter((line) => line !== null)
  return [problem.message, facts.join('\n'), problem.raw ?? ''].filter(Boolean).join('\n\n')
}

/** A notice shows so many characters of the service's words and of a problem's message; all of them are among its details. */
const maxShown = 400

/** What the service itself wrote, with everything unseen written out; null where it said nothing. */
export const serviceMessage = ({ said = '' }: Problem): string | null => inOneLine(said)

/**
 * The sentence that tells what happened in this case, such as which file can't be written, with everything unseen written out. Null where
 * the other words of the notice say the same.
 * @param shown those other words
 */
export function messageBeside({ message, said = '' }: Problem, shown: readonly string[]): string | null {
  const words = inOneLine(message)
  const isRepeated = [...shown, said].some((one) => lettersOf(one).includes(lettersOf(message)))
  return isRepeated ? null : words
}

/** Without case, punctuation and the two kinds of apostrophes. */
const lettersOf = (text: string): string =>
  ` ${text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `

function inOneLine(text: string): string | null {
  const words = plainText(text).replace(/\s+/g, ' ').trim()
  if (words === '') return null
  return words.length > maxShown ? `${words.slice(0, maxShown)}…` : words
}

/** Whole seconds that the service asked to wait, rounded up: never sooner than it said. */
export const waitSeconds = (problem: Problem): number | null =>
  problem.retryAfterMs === undefined ? null : Math.ceil(problem.retryAfterMs / 1000)
