import { Pencil } from 'lucide-react'
import type { Message } from '../../../src-preload/contract/chat.ts'
import { Pieces } from '../../shared/markdown/CodeBlock.tsx'
import { useStage } from '../../stores/chatPage.ts'
import { ActionButton } from './actionButtons.tsx'
import { CopyMessage } from './CopyMessage.tsx'
import { Pictures } from './composer/Pictures.tsx'
import { LeftOutMark } from './context/LeftOutMark.tsx'
import { SentDocuments } from './documents/SentDocuments.tsx'
import { EditMessage } from './EditMessage.tsx'
import { MessageMenu } from './MessageMenu.tsx'
import { startEdit } from './messageActions.ts'
import { useChatTranslate } from './messages.ts'
import { SentPassages } from './projects/Passages.tsx'
import { Siblings } from './Siblings.tsx'
import { textPieces } from './textPieces.ts'
import { Who } from './Who.tsx'

/** A message of the person, or instructions: the text as typed, never as Markdown. */
export function TurnView({ turn }: { turn: Message }) {
  const t = useChatTranslate()
  const editing = useStage((state) => state.editing === turn.id)
  const names = {
    user: 'you',
    system: 'roleSystem',
    developer: 'roleDeveloper',
    tool: 'roleTool',
    assistant: 'assistant',
  } as const
  const who = t(names[turn.role])
  return (
    <article
      className="chat-turn"
      aria-label={turn.name ? `${who}, ${turn.name}` : who}
      data-message-id={turn.id}
      data-parent={turn.parentId ?? ''}
      data-sibling={turn.sibling}
      data-role={turn.role}
      data-left-out={turn.leftOut}
    >
      <Who name={who} as={turn.name} mine instant={turn.createdAt} />
      <div className="chat-body">
        <Pictures attachments={turn.attachments} />
        <SentDocuments documents={turn.documents} />
        <SentPassages passages={turn.passages} />
        {editing ? (
          <EditMessage message={turn} />
        ) : (
          <div className="chat-typed" data-part="text" dir="auto">
            <Pieces pieces={textPieces(turn.text)} />
          </div>
        )}
      </div>
      <LeftOutMark message={turn} />
      <footer className="chat-under">
        {!editing && (
          <span className="chat-actions">
            <ActionButton icon={Pencil} label={t('edit')} action="edit" onClick={() => startEdit(turn)} />
            <CopyMessage message={turn} />
            <MessageMenu message={turn} />
          </span>
        )}
        <Siblings message={turn} />
      </footer>
    </article>
  )
}
