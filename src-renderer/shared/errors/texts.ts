import type { Problem, ProblemKind } from '../../../src-preload/contract/problem.ts'
import { passingGroups, type StatusGroup, statusGroupOf } from '../../../src-preload/contract/statusGroup.ts'
import { i18n } from '../../i18n/index.ts'
import { type ProblemTarget, problemTargets } from './actions.ts'

type Failed = Pick<Problem, 'kind'> & { status?: number | undefined }

/** What the status of a failure calls for, when the specification does not name the status; else null. */
const groupOf = ({ kind, status }: Failed): StatusGroup | null =>
  kind === 'unexpected_status' && status !== undefined ? statusGroupOf(status) : null

/** What happened, and what it means. Any status has words that fit it. */
export function problemTexts(failed: Failed): { title: string; meaning: string } {
  const { kind, status } = failed
  const group = groupOf(failed)
  if (group === null) {
    return { title: i18n.t(`problems:kinds.${kind}.title`), meaning: i18n.t(`problems:kinds.${kind}.meaning`) }
  }
  return {
    title: i18n.t(`problems:statuses.${group}.title`),
    meaning: i18n.t(`problems:statuses.${group}.meaning`, { status: String(status) }),
  }
}

const addressGroups: ReadonlySet<StatusGroup> = new Set(['redirect', 'method', 'wrongHost', 'upgrade'])

/** The action for a failure, and the kind whose button label fits it. */
export function problemAction(failed: Failed): { target: ProblemTarget; label: ProblemKind } {
  const group = groupOf(failed)
  if (group === null || passingGroups.has(group)) return { target: problemTargets[failed.kind], label: failed.kind }
  // Trying the same again can't succeed.
  return addressGroups.has(group)
    ? { target: 'connection', label: 'not_found' }
    : { target: 'edit', label: 'invalid_request' }
}
