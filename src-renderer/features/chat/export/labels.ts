import { isPartOfReply } from '../../../../src-preload/contract/chat.ts'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import { joinFacts, showFull } from '../../../i18n/format.ts'
import { i18n } from '../../../i18n/index.ts'
import type { ExportedConversation, ExportedMessage, MessageVersion } from './conversation.ts'
import { documentKey } from './documentTexts.ts'

/** What to export, and how the work is followed. */
export interface ExportTask {
  conversation: ExportedConversation
  messages: readonly ExportedMessage[]
  /** Position among the versions of a message. Null for the only version. */
  versionOf(message: ExportedMessage): MessageVersion | null
  /** Whether to include the reasoning of replies. */
  reasoning: boolean
  /** The text of attached files by `documentKey`. Null to name the files only. */
  documentTexts: ReadonlyMap<string, string> | null
  signal: AbortSignal
  /** Called with the number of finished messages. */
  onProgress(done: number): void
}

const t = i18n.getFixedT(null, 'exporting')

/** The title without the ellipsis of one that was cut: it looks like an unfinished document, and makes awkward file names. */
export const titleOf = ({ title }: Pick<ExportedConversation, 'title'>): string =>
  title?.replace(/\s*…$/u, '') || t('untitled')

/** The line below the title: date and model. */
export const factsOf = ({ createdAt, model }: ExportedConversation): string => joinFacts([showFull(createdAt), model])

/** Author of a message: the person, a role or a model. */
export function authorOf({ role, name, model }: Pick<ExportedMessage, 'role' | 'name' | 'model'>): string {
  const roles = {
    user: t('you'),
    assistant: model ?? t('assistant'),
    system: t('system'),
    developer: t('developer'),
    tool: t('tool'),
  }
  return name === null ? roles[role] : t('named', { role: roles[role], name })
}

/**
 * Whether a message continues the reply of the message exported `before` it, so that it has no heading of its own. A version among several
 * has one, because it names the version.
 */
export const continuesReply = (
  message: ExportedMessage,
  before: ExportedMessage | undefined,
  version: MessageVersion | null,
): boolean =>
  before !== undefined && message.parentId === before.id && version === null && isPartOfReply(message, before)

/** Why a message ended early, or null. */
export function endOf({ status, problem, role }: ExportedMessage): string | null {
  if (role === 'tool' || status === 'complete' || status === 'pending' || status === 'streaming') return null
  const ends = { stopped: t('stopped'), incomplete: t('incomplete'), failed: t('failedReply') }
  return withReason(ends[status], problem)
}

const withReason = (end: string, problem: Problem | null): string => (problem ? `${end}: ${problem.message}` : end)

/** What is written about the text of an attached file: null for nothing. `isText` is false for a note that the text no longer exists. */
export function documentTextOf(
  { documentTexts }: Pick<ExportTask, 'documentTexts'>,
  document: ExportedMessage['documents'][number],
): { text: string; isText: boolean } | null {
  if (documentTexts === null) return null
  const text = documentTexts.get(documentKey(document))
  return text === undefined ? { text: t('noDocumentText'), isText: false } : { text, isText: true }
}
