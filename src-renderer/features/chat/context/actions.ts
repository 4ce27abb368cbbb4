import type { Message } from '../../../../src-preload/contract/chat.ts'
import { askOnce } from '../../../shared/requestIds.ts'
import { localStore } from '../../../shared/storage.ts'
import { useChat } from '../../../stores/chat.ts'
import { useStage } from '../../../stores/chatPage.ts'
import { loadModelFacts } from '../actions.ts'
import { attempt, client } from '../client.ts'
import { placeIn } from '../drafts.ts'
import { focusComposer } from '../focus.ts'

/** Leaves a message out of requests, or includes it again; with `andEarlier`, all above it too. */
export async function leaveOut(messageId: string, leftOut: boolean, andEarlier = false): Promise<void> {
  await attempt((core) => core.context.leaveOut({ messageId, leftOut, andEarlier }))
}

/** Leaves a whole reply out of requests, or includes it again. The results of its tool calls go with the calls. */
export async function leaveOutParts(parts: readonly Message[], leftOut: boolean): Promise<void> {
  for (const { id, role, leftOut: isLeftOut } of parts)
    if (role !== 'tool' && isLeftOut !== leftOut) await leaveOut(id, leftOut)
}

/** Sends all messages of the open branch again. */
export async function includeAll(): Promise<void> {
  const last = useChat.getState().open?.ids.at(-1)
  if (last !== undefined) await leaveOut(last, false, true)
}

/** Sets the context length of a model in tokens; null: unknown, or what the service stated. */
export async function setContextLength(model: string, tokens: number | null): Promise<boolean> {
  const done = await attempt((core) => core.models.setContextLength({ model, tokens }))
  if (!done) return false
  await loadModelFacts()
  return true
}

export const showContext = (): void => useStage.setState({ dialog: { kind: 'context' } })

export const askToSummarise = (upTo: string): void =>
  useStage.setState({ dialog: { kind: 'summary', upTo, text: null } })

export const editNote = ({ id, text }: Pick<Message, 'id' | 'text'>): void =>
  useStage.setState({ dialog: { kind: 'summary', upTo: id, text } })

const editKey = (summaryId: string): string => `chat.summary.${summaryId}`

/** Stores the edited text of a summary that is not used yet, so that a reload does not lose it. */
export const rememberSummary = (summaryId: string, text: string): void => localStore.set(editKey(summaryId), text)
export const editedSummary = (summaryId: string): string | null => localStore.get(editKey(summaryId))

/** Cancels a summary that is being written, or deletes a written one. */
export async function discardSummary(summaryId: string | null): Promise<void> {
  if (summaryId === null) return
  localStore.remove(editKey(summaryId))
  await attempt((core) => core.context.discardSummary({ summaryId }))
}

/** Makes the branch with this note. @throws any error of the core */
export async function applySummary(upTo: string, text: string, summaryId: string | null): Promise<void> {
  const core = client()
  const { open } = useChat.getState()
  if (!core || !open) return
  const input = { upTo, text, summaryId }
  await askOnce(placeIn(open.id, `summary ${upTo}`), input, (requestId) =>
    core.context.useSummary({ requestId, ...input }),
  )
  if (summaryId !== null) localStore.remove(editKey(summaryId))
  useStage.setState({ dialog: null })
  focusComposer()
}
