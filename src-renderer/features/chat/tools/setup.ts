import type { ToolSelection } from '../../../../src-preload/contract/chat.ts'
import { i18n } from '../../../i18n/index.ts'
import { navigate } from '../../../shared/navigation.ts'
import { showToast } from '../../../shared/toasts.ts'
import { plainText } from '../../../shared/ui/plainText.ts'
import { useChat } from '../../../stores/chat.ts'
import { mcpToolId, toolsStore, withoutAdded } from '../../../stores/tools.ts'
import { changeSetup, setupOf, useSetup } from '../setup.ts'
import { switched } from './offers.ts'

/** The tools of the open or new chat. */
export const useToolUse = (): ToolSelection => useSetup().tools

export function saveToolUse(change: Partial<ToolSelection>): void {
  changeSetup({ tools: { ...setupOf(useChat.getState()).tools, ...change } })
}

/**
 * Once a server that was just added is running, turns its tools on in the open or new chat and says so. Each call still needs approval.
 * Returns the function that stops it.
 */
export const followAddedServers = (): (() => void) =>
  toolsStore.subscribe(({ tools, added }) => {
    const { open } = useChat.getState()
    for (const id of added) {
      const server = tools?.servers.find((one) => one.id === id)
      const ids = server?.tools.flatMap((tool) => (tool.fault === null ? [mcpToolId(server, tool)] : [])) ?? []
      // The setup of a chat that is still loading cannot be changed yet.
      if (server?.state !== 'ready' || ids.length === 0 || (open && !open.setup)) continue
      toolsStore.setState((now) => withoutAdded(now, id))
      saveToolUse({ enabled: switched(setupOf(useChat.getState()).tools.enabled, ids, true) })
      const name = plainText(server.name)
      const chat = open?.conversation?.title
      showToast({
        id: `tools-added-${id}`,
        text: chat ? i18n.t('chatTools:pick.addedHere', { name, chat }) : i18n.t('chatTools:pick.addedNew', { name }),
        action: {
          label: i18n.t('chatTools:pick.openChat'),
          onClick: () => navigate({ page: 'chat', id: open?.id ?? null }),
        },
      })
    }
  })
