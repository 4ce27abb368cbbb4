import type { Problem } from '../../../../src-preload/contract/problem.ts'
import { showFull } from '../../../i18n/format.ts'
import { i18n } from '../../../i18n/index.ts'
import type { ExportedConversation, ExportedMessage } from './conversation.ts'

/** What to export, and how the work is followed. */
export interface ExportTask {
  conversation: ExportedConversation
  messages: readonly ExportedMessage[]
  /** Whether to include the reasoning of replies. */
  reasoning: boolean
  signal: AbortSignal
  /** Called with the number of finished messages. */
  onProgress(done: number): void
}

const t = i18n.getFixedT(null, 'exporting')

export const titleOf = ({ title }: ExportedConversation): string => title ?? t('untitled')

export const factsOf = ({ createdAt, model }: ExportedConversation): string =>
  [showFull(createdAt), ...(model === null ? [] : [model])].join(' · ')

/** Author of a message: the person, a role or a model. */
export function authorOf({ role, name, model }: Pick<ExportedMessage, 'role' | 'name' | 'model'>): string {
  const roles = {
    user: t('you'),
    assistant: model ?? t('assistant'),
    system: t('system'),
    developer: t('developer'),
    tool: t('tool'),
  }
  return name === null ? roles[role] : `${roles[role]} (${name})`
}

/** Why a message ended early, or null. */
export function endOf({ status, problem, role }: ExportedMessage): string | null {
  if (role === 'tool' || status === 'complete' || status === 'pending' || status === 'streaming') return null
  const ends = { stopped: t('stopped'), incomplete: t('incomplete'), failed: t('failedReply') }
  return withReason(ends[status], problem)
}

const withReason = (end: string, problem: Problem | null): string => (problem ? `${end}: ${problem.message}` : end)
