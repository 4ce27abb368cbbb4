import type { Message } from '../../../src-preload/contract/chat.ts'
import { ToolCallCard } from './ReplyParts.tsx'
import { useWords } from './words.ts'

/** A call of a tool and its result: it stands under the reply that made the call, as a part of it. */
export function ToolRow({ row }: { row: Message }) {
  const words = useWords()
  const { run } = row
  return (
    <article
      className="chat-turn chat-tool-row"
      aria-label={run ? `${words('roleTool')} ${run.name}` : words('roleTool')}
      data-message-id={row.id}
      data-parent={row.parentId ?? ''}
      data-sibling={row.sibling}
      data-role="tool"
    >
      <div className="chat-body">
        {run && (
          <ToolCallCard call={{ index: 0, id: run.callId, name: run.name, arguments: run.arguments }} writing={false} />
        )}
        {row.text !== '' && (
          <div className="chat-typed" data-part="text">
            {row.text}
          </div>
        )}
      </div>
    </article>
  )
}
