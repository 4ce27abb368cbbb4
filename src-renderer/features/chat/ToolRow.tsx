import type { Message } from '../../../src-preload/contract/chat.ts'
import { plainText } from '../../shared/ui/plainText.ts'
import { useChat } from '../../stores/chat.ts'
import { messageAttributes } from './focus.ts'
import { useChatTranslate } from './messages.ts'

/**
 * A message of role tool, within the reply. Results of this program's own calls are not shown here, because the lines of the calls above show
 * them. Other results, for example imported ones, are shown as text.
 */
export function ToolRow({ row }: { row: Message }) {
  const t = useChatTranslate()
  const shown = useChat(({ open }) => row.run !== null && isUnderReply(row, open?.messages ?? []))
  if (shown) return null
  return (
    <div {...messageAttributes(row)} className="chat-body">
      <div className="chat-tool">
        <header>
          <span>{t('roleTool')}</span>
          {(row.name ?? row.run?.name) && <code>{plainText(row.name ?? row.run?.name ?? '')}</code>}
        </header>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard (WCAG 2.1.1) */}
        <pre tabIndex={0} data-part="text">
          {plainText(row.text)}
        </pre>
      </div>
    </div>
  )
}

/** Rows directly follow the reply whose calls they answer. */
function isUnderReply(row: Message, messages: readonly Message[]): boolean {
  let at = messages.findLastIndex(({ id }) => id === row.id)
  while (at >= 0 && messages[at]?.role === 'tool' && messages[at]?.run) at -= 1
  return (messages[at]?.toolCalls.length ?? 0) > 0
}
