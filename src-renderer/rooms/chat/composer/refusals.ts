import { create } from 'zustand'
import { modelsToAsk, useChat } from '../../../stores/chat.ts'

/**
 * Models that refused a message with pictures while this window lives. The list of models says nothing of what they take, so what
 * the service answered before is all that is known; it is a hint and holds nobody back.
 */
export const useRefusals = create<{ models: ReadonlySet<string> }>(() => ({ models: new Set() }))

/** Notes refusals of the open conversation's last reply. The answer ends it. */
export function followRefusals(): () => void {
  return useChat.subscribe(({ open }, before) => {
    if (open === before.open || !open) return
    const { messages } = open
    const last = messages.at(-1)
    if (last?.status !== 'failed' || last.problem?.status !== 400 || last.model === null) return
    const turn = messages.at(-2)
    if (turn?.id !== last.parentId || turn.attachments.length === 0) return
    const { models } = useRefusals.getState()
    if (!models.has(last.model)) useRefusals.setState({ models: new Set(models).add(last.model) })
  })
}

/** The first of the models that would be asked now of which a refusal is known. */
export function useKnownRefusal(): string | null {
  const refused = useRefusals(({ models }) => models)
  return useChat((state) => modelsToAsk(state).find((model) => refused.has(model)) ?? null)
}
