import type { ToolSelection } from '../../../../src-preload/contract/chat.ts'
import { useChat } from '../../../stores/chat.ts'
import { changeSetup, setupOf, useSetup } from '../setup.ts'

/** The tools of the open or new chat. */
export const useToolUse = (): ToolSelection => useSetup().tools

export function saveToolUse(change: Partial<ToolSelection>): void {
  changeSetup({ tools: { ...setupOf(useChat.getState()).tools, ...change } })
}
