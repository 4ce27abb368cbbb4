import { Pencil } from 'lucide-react'
import type { Message } from '../../../src-preload/contract/chat.ts'
import { ActionButton } from './actionButtons.tsx'
import { CopyMessage } from './CopyMessage.tsx'
import { MessageMenu } from './MessageMenu.tsx'
import { Siblings } from './Siblings.tsx'

interface TurnFooterProps {
  message: Message
  editLabel: string
  onEdit: () => void
  /** Whether the message is being edited. Then only its siblings are shown. */
  isEditing?: boolean
}

/** The actions and siblings below a message of the person or a note. */
export function TurnFooter({ message, editLabel, onEdit, isEditing = false }: TurnFooterProps) {
  return (
    <footer className="chat-under">
      {!isEditing && (
        <span className="chat-actions">
          <ActionButton icon={Pencil} label={editLabel} action="edit" onClick={onEdit} />
          <CopyMessage message={message} />
          <MessageMenu message={message} parts={[message]} />
        </span>
      )}
      <Siblings message={message} />
    </footer>
  )
}
