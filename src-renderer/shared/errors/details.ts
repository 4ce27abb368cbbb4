import type { Problem } from '../../../src-preload/contract/problem.ts'
import { plainText } from '../ui/plainText.ts'

/** The facts of a failure as text to read or send: status, the service's code and type, request id, raw body. */
export function detailsOf(problem: Problem): string {
  const facts = [
    problem.status === undefined ? null : `status: ${problem.status}`,
    problem.code ? `code: ${problem.code}` : null,
    problem.type ? `type: ${problem.type}` : null,
    problem.requestId ? `request: ${problem.requestId}` : null,
  ].filter((line) => line !== null)
  return [problem.message, facts.join('\n'), problem.raw ?? ''].filter(Boolean).join('\n\n')
}

/** Upper limit of characters per message in a notice. The details contain the whole message. */
export const maxShown = 200

/** The service's own message, with hidden characters made visible. Null without a message. */
export const serviceMessage = ({ said = '' }: Problem): string | null => inOneLine(said)

/**
 * The message of this case, for example which file cannot be written, with hidden characters made visible. Null when the other texts of the
 * notice say the same.
 * @param shown those other texts
 */
export function messageBeside({ message, said = '' }: Problem, shown: readonly string[]): string | null {
  // The service's own message is quoted separately, so only what follows it is left, such as "Gave up after 4 attempts."
  const words = inOneLine(said !== '' && message.startsWith(said) ? message.slice(said.length) : message)
  const isRepeated = [...shown, said].some((one) => lettersOf(one).includes(lettersOf(message)))
  return isRepeated ? null : words
}

/** Removes case, punctuation and both kinds of apostrophes. */
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

/** Whole seconds that the service asked to wait, rounded up. */
export const waitSeconds = (problem: Problem): number | null =>
  problem.retryAfterMs === undefined ? null : Math.ceil(problem.retryAfterMs / 1000)
