import type { CallDecision } from '../../../../src-preload/contract/tools.ts'
import { type HandDraft, toolsStore, withDraft, withoutDraft } from '../../../stores/tools.ts'
import { attempt } from '../client.ts'

// Actions of a person on calls. The page's notice shows failures.

export async function decide(messageId: string, allow: CallDecision, why = ''): Promise<void> {
  const reason = why.trim()
  await attempt((client) => client.tools.decideCall({ messageId, allow, ...(reason === '' ? {} : { why: reason }) }))
}

/** Allows calls one after another, in the order of the calls. */
export async function allowAll(messageIds: readonly string[]): Promise<void> {
  for (const messageId of messageIds) await decide(messageId, 'once')
}

export async function answer(messageId: string, { text, isError }: HandDraft): Promise<void> {
  const done = await attempt((client) => client.tools.enterResult({ messageId, text, isError }))
  if (done) toolsStore.setState(withoutDraft(toolsStore.getState(), messageId))
}

export function draftAnswer(messageId: string, change: Partial<HandDraft>): void {
  toolsStore.setState(withDraft(toolsStore.getState(), messageId, change))
}

export async function stopCall(messageId: string): Promise<void> {
  await attempt((client) => client.tools.stopCall({ messageId }))
}

/** Requests the model's next reply with the existing results. */
export async function resume(messageId: string): Promise<void> {
  await attempt((client) => client.tools.continueRounds({ messageId }))
}
