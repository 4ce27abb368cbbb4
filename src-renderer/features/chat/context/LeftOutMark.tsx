import { EyeOff, Undo2 } from 'lucide-react'
import type { Message } from '../../../../src-preload/contract/chat.ts'
import { useChat } from '../../../stores/chat.ts'
import { partsOf } from '../../../stores/openChat.ts'
import { SmallButton } from '../actionButtons.tsx'
import { leaveOutParts } from './actions.ts'
import { useContextTexts } from './texts.ts'

/** Says that a message is shown and not sent, with the way back. A reply is included again with all its parts. */
export function LeftOutMark({ message: { id, leftOut } }: { message: Pick<Message, 'id' | 'leftOut'> }) {
  const t = useContextTexts()
  if (!leftOut) return null
  return (
    <p className="context-start-out">
      <EyeOff aria-hidden /> {t('notSent')}
      <SmallButton
        icon={Undo2}
        label={t('include')}
        action="include"
        onClick={() => void leaveOutParts(partsOf(useChat.getState().open, id), false)}
      />
    </p>
  )
}
