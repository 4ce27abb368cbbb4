import type { Message } from '../../../src-preload/contract/chat.ts'
import { Pieces } from '../../shared/markdown/CodeBlock.tsx'
import { useStage } from '../../stores/chatPage.ts'
import { Pictures } from './composer/Pictures.tsx'
import { LeftOutMark } from './context/LeftOutMark.tsx'
import { SentDocuments } from './documents/SentDocuments.tsx'
import { EditMessage } from './EditMessage.tsx'
import { messageAttributes } from './focus.ts'
import { startEdit } from './messageActions.ts'
import { useChatTranslate } from './messages.ts'
import { SentPassages } from './projects/Passages.tsx'
import { TurnFooter } from './TurnFooter.tsx'
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
      {...messageAttributes(turn)}
      data-role={turn.role}
      data-left-out={turn.leftOut}
    >
      <Who name={who} model={null} as={turn.name} instant={turn.createdAt} />
      <div className="chat-body">
        <Pictures attachments={turn.attachments} />
        <SentDocuments documents={turn.documents} />
        <SentPassages passages={turn.passages} />
        {editing ? (
          <EditMessage message={turn} />
        ) : (
          <div className="chat-typed" data-part="text" dir="auto">
            <Pieces pieces={textPieces(turn.text)} wraps />
          </div>
        )}
      </div>
      <LeftOutMark message={turn} />
      <TurnFooter message={turn} editLabel={t('edit')} onEdit={() => startEdit(turn)} isEditing={editing} />
    </article>
  )
}
