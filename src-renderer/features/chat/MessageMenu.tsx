import {
  Braces,
  Copy,
  CopyPlus,
  Ellipsis,
  Eye,
  EyeOff,
  Info,
  NotebookText,
  Pencil,
  Quote,
  RotateCw,
  Trash2,
  Type,
} from 'lucide-react'
import { useRef } from 'react'
import { canRetry, type Message } from '../../../src-preload/contract/chat.ts'
import { Menu, MenuItem, MenuLine } from '../../shared/ui/Menu.tsx'
import { appStore } from '../../stores/app.ts'
import { useChat } from '../../stores/chat.ts'
import { useStage } from '../../stores/chatPage.ts'
import { ActionButton } from './actionButtons.tsx'
import { copyText } from './actions.ts'
import { asText } from './asText.ts'
import { askToSummarise, leaveOut } from './context/actions.ts'
import { useContextTexts } from './context/texts.ts'
import { selectedIn } from './focus.ts'
import { useBusy } from './hooks.ts'
import { askToRemoveMessage, duplicate, quote, startEdit } from './messageActions.ts'
import { useChatTranslate } from './messages.ts'

/** Less frequent actions of a message. */
export function MessageMenu({ message }: { message: Message }) {
  const t = useChatTranslate()
  /** The selection when the menu opened, because opening the menu clears it. */
  const selected = useRef('')
  const reply = message.role === 'assistant'
  const busy = useBusy()
  const text = message.text || message.refusal
  const { requestRow } = message
  const trigger = (
    <ActionButton
      icon={Ellipsis}
      label={t('moreActions')}
      action="more"
      onPointerDownCapture={() => {
        selected.current = selectedIn(message.id)
      }}
      onKeyDownCapture={() => {
        selected.current = selectedIn(message.id)
      }}
    />
  )
  return (
    <Menu trigger={trigger}>
      {reply && text !== '' && (
        <>
          <MenuItem icon={Copy} onSelect={() => void copyText(text)}>
            {t('copyMarkdown')}
          </MenuItem>
          <MenuItem icon={Type} onSelect={() => void copyText(asText(text))}>
            {t('copyPlain')}
          </MenuItem>
        </>
      )}
      {text !== '' && (
        <MenuItem icon={Quote} onSelect={() => quote(selected.current || text)}>
          {t('quote')}
        </MenuItem>
      )}
      {canRetry(message) && !busy && (
        <MenuItem
          icon={RotateCw}
          onSelect={() => useStage.setState({ dialog: { kind: 'retryWith', replyId: message.id } })}
        >
          {t('retryWith')}
        </MenuItem>
      )}
      {reply && message.text !== '' && (
        <MenuItem icon={Pencil} onSelect={() => startEdit(message)}>
          {t('editReply')}
        </MenuItem>
      )}
      <MenuItem icon={CopyPlus} onSelect={() => void duplicate(message.conversationId, message.id)}>
        {t('duplicateHere')}
      </MenuItem>
      <ContextItems message={message} />
      {reply && (
        <>
          <MenuLine />
          <MenuItem icon={Info} onSelect={() => showFacts(message.id)}>
            {t('replyDetails')}
          </MenuItem>
          {requestRow !== null && (
            <MenuItem icon={Braces} onSelect={() => useStage.setState({ dialog: { kind: 'raw', requestRow } })}>
              {t('raw')}
            </MenuItem>
          )}
        </>
      )}
      {!busy && (
        <>
          <MenuLine />
          <MenuItem icon={Trash2} danger onSelect={() => void askToRemoveMessage(message)}>
            {t('remove')}
          </MenuItem>
        </>
      )}
    </Menu>
  )
}

/** Leaves the message out of requests, or summarises the messages up to it. */
function ContextItems({ message: { id, leftOut: isLeftOut, parentId, toolCalls } }: { message: Message }) {
  const t = useContextTexts()
  const busy = useBusy()
  return (
    <>
      <MenuLine />
      <MenuItem icon={isLeftOut ? Eye : EyeOff} onSelect={() => void leaveOut(id, !isLeftOut)}>
        {t(isLeftOut ? 'include' : 'leaveOut')}
      </MenuItem>
      {parentId !== null && !isLeftOut && (
        <MenuItem icon={EyeOff} onSelect={() => void leaveOut(id, true, true)}>
          {t('leaveOutEarlier')}
        </MenuItem>
      )}
      {parentId !== null && !busy && toolCalls.length === 0 && (
        <MenuItem icon={NotebookText} onSelect={() => askToSummarise(id)}>
          {t('summariseUpTo')}
        </MenuItem>
      )}
    </>
  )
}

/** Shows a reply's facts in the inspector, and opens the inspector. */
export function showFacts(replyId: string): void {
  useChat.setState({ inspected: replyId })
  appStore.setState({ inspectorShown: true })
}
