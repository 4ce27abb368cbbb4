import type { Problem } from '../../src-preload/contract/problem.ts'
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

/** Of the service's own words no more stands in a notice; all of them are among its details. */
const longestSaid = 400

/** What the service itself wrote, with everything unseen written out; null where it said nothing. */
export function saidBy({ said = '' }: Problem): string | null {
  const words = plainText(said).replace(/\s+/g, ' ').trim()
  if (words === '') return null
  return words.length > longestSaid ? `${words.slice(0, longestSaid)}…` : words
}

/** Whole seconds that the service asked to wait, rounded up: never sooner than it said. */
export const waitSeconds = (problem: Problem): number | null =>
  problem.retryAfterMs === undefined ? null : Math.ceil(problem.retryAfterMs / 1000)
