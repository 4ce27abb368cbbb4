import type { Model } from '../../../src-preload/contract/models.ts'
import type { Client } from '../../api/connect.ts'
import { askOnce } from '../../shared/requestIds.ts'

/** The model for a first message: the one picked last if the list still has it, else a writer, else the list's first. */
export function firstModel(models: readonly Model[], picked: string | null): string | null {
  const known = models.find(({ id }) => id === picked) ?? models.find(({ id }) => /writer/i.test(id)) ?? models[0]
  return known?.id ?? null
}

/**
 * Starts the sandbox, makes it the connection and sends a first message.
 * @returns the new conversation's id, or null where the sandbox lists no model
 * @throws what the client throws; `problemOf` has the words
 */
export async function trySandbox(studio: Client, text: string, onStep: (step: 'starting' | 'asking') => void) {
  onStep('starting')
  // biome-ignore lint/correctness/useHookAtTopLevel: a procedure whose name begins as a hook's does
  await studio.connection.useSandbox()
  onStep('asking')
  const { models } = await studio.models.list({ refresh: true })
  const model = firstModel(models, null)
  if (model === null) return null
  await studio.app.updateSettings({ chatModel: model })
  const message = { conversationId: null, text, models: [model] }
  const sent = await askOnce({ scope: 'welcome', name: 'send' }, message, (requestId) =>
    studio.chat.send({ requestId, ...message }),
  )
  return sent.conversationId
}
