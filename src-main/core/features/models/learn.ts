import { readContextError } from '../../../../src-preload/contract/contextError.ts'
import type { ReplyOutcome } from '../../ports/toolCalls.ts'
import type { ListPlace } from '../../store/modelLists.ts'
import type { ModelFinding } from '../../store/modelNotes.ts'
import type { Store } from '../../store/store.ts'

/** Statuses of a refusal because of the request's content (specification, Errors), and 422, the usual status for invalid content. */
const refusals: ReadonlySet<number> = new Set([400, 404, 422])

/**
 * Returns what a reply shows about its model, or null if it shows nothing. A refusal counts only if the service's own message names the
 * refused content.
 */
export function findingOf(outcome: ReplyOutcome): ModelFinding | null {
  const { sent, calledTools, replied, problem, endedAt } = outcome
  if (problem === null) {
    if (!replied) return null
    return { repliedAt: endedAt, ...(sent.images && { images: 'works' }), ...(calledTools && { tools: 'works' }) }
  }
  const limit = readContextError(problem)?.limit
  if (limit) return { contextLearned: limit }
  if (problem.status === undefined || !refusals.has(problem.status)) return null
  const said = problem.said ?? ''
  const images = sent.images && /\b(?:images?|image_url|pictures?|vision|multi-?modal)\b/i.test(said)
  const tools = sent.tools && /\b(?:tools?|tool_choice|functions?|function calling)\b/i.test(said)
  if (!images && !tools) return null
  return { ...(images && { images: 'refused' }), ...(tools && { tools: 'refused' }) }
}

/** Stores what a reply showed about its model, in the background. */
export function learn({ modelNotes, pending }: Store, place: ListPlace, outcome: ReplyOutcome): void {
  const found = findingOf(outcome)
  if (!found) return
  const key = `model ${place.profile} ${outcome.model} ${Object.keys(found).join(' ')}`
  pending.write(key, 'What a reply showed about its model', () => modelNotes.learn(place, outcome.model, found))
}
