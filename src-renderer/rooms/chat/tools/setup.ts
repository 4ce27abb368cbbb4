import { emptySetup, type ToolUseOfChat } from '../../../../src-preload/contract/chat.ts'
import { useChat } from '../../../stores/chat.ts'
import { attempt } from '../client.ts'

/** The tools of the conversation on the stage, or of the new one that is not there yet. */
export const useToolUse = (): ToolUseOfChat => useChat(({ open }) => open?.setup?.tools ?? emptySetup.tools)

export async function saveToolUse(change: Partial<ToolUseOfChat>): Promise<void> {
  const { open } = useChat.getState()
  const setup = open?.setup
  if (!open || !setup) return
  const next = { ...setup, tools: { ...setup.tools, ...change } }
  await attempt((client) => client.chat.saveSetup({ conversationId: open.id, setup: next }))
}
