import type { Model } from '../../../src-preload/contract/models.ts'
import type { Client } from '../../api/connect.ts'
import { askOnce } from '../../shared/requestIds.ts'

/** Chooses the model for a first message: the last picked model if it is listed, otherwise a text model, otherwise the first model. */
export function firstModel(models: readonly Model[], picked: string | null): string | null {
  const known = models.find(({ id }) => id === picked) ?? models.find(({ id }) => /writer/i.test(id)) ?? models[0]
  return known?.id ?? null
}

/**
 * Starts the sandbox, connects to it and sends a first message.
 * @returns the id of the new chat, or null when the sandbox lists no model
 * @throws TransportError; ORPCError `PROBLEM` when the core refuses a call
 */
export async function trySandbox(studio: Client, text: string, onStep: (step: 'starting' | 'asking') => void) {
  onStep('starting')
  // biome-ignore lint/correctness/useHookAtTopLevel: a procedure whose name starts like a hook's
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
