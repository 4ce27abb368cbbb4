import type { Client } from '../../api/connect.ts'
import { askOnce } from '../../shared/requestIds.ts'

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
  // The first one answers questions about this program.
  const model = models[0]?.id
  if (model === undefined) return null
  await studio.app.updateSettings({ chatModel: model })
  const message = { conversationId: null, text, models: [model] }
  const sent = await askOnce({ scope: 'welcome', name: 'send' }, message, (requestId) =>
    studio.chat.send({ requestId, ...message }),
  )
  return sent.conversationId
}
