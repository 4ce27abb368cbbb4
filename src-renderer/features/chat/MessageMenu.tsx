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
import { asTextInSteps } from './asText.ts'
import { askToSummarise, leaveOut, leaveOutParts } from './context/actions.ts'
import { useContextTexts } from './context/texts.ts'
import { selectedIn } from './focus.ts'
import { useBusy } from './hooks.ts'
import { askToRemoveMessage, duplicate, quote, startEdit } from './messageActions.ts'
import { useChatTranslate } from './messages.ts'
import { joinedInSlices } from './slices.ts'
import { requestRowsOf } from './wholeReply.ts'

/** Less frequent actions of a message. A whole reply has several stored `parts`. */
export function MessageMenu({ message, parts }: { message: Message; parts: readonly Message[] }) {
  const t = useChatTranslate()
  /** The selection when the menu opened, because opening the menu clears it. */
  const selected = useRef('')
  const reply = message.role === 'assistant'
  const busy = useBusy()
  const text = message.text || message.refusal
  const last = parts.at(-1) ?? message
  const written = parts.findLast((part) => part.role !== 'tool' && part.text !== '')
  const requestRows = requestRowsOf(parts)
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
    <Menu trigger={trigger} align={reply ? 'start' : 'end'}>
      {reply && text !== '' && (
        <>
          <MenuItem icon={Copy} label={t('copyMarkdown')} onSelect={() => void copyText(text)} />
          <MenuItem
            icon={Type}
            label={t('copyPlain')}
            onSelect={() => void joinedInSlices(asTextInSteps(text)).then(copyText)}
          />
        </>
      )}
      {text !== '' && <MenuItem icon={Quote} label={t('quote')} onSelect={() => quote(selected.current || text)} />}
      {canRetry(message) && !busy && (
        <MenuItem
          icon={RotateCw}
          label={t('retryWith')}
          onSelect={() => useStage.setState({ dialog: { kind: 'retryWith', replyId: message.id } })}
        />
      )}
      {reply && written && <MenuItem icon={Pencil} label={t('editReply')} onSelect={() => startEdit(written)} />}
      <MenuItem
        icon={CopyPlus}
        label={t('duplicateHere')}
        onSelect={() => void duplicate(message.conversationId, last.id)}
      />
      <ContextItems message={message} parts={parts} />
      {reply && (
        <>
          <MenuLine />
          <MenuItem icon={Info} label={t('replyDetails')} onSelect={() => showFacts(message.id)} />
          {requestRows.length > 0 && (
            <MenuItem
              icon={Braces}
              label={t('raw')}
              onSelect={() => useStage.setState({ dialog: { kind: 'raw', requestRows } })}
            />
          )}
        </>
      )}
      {!busy && (
        <>
          <MenuLine />
          <MenuItem icon={Trash2} danger label={t('remove')} onSelect={() => void askToRemoveMessage(parts)} />
        </>
      )}
    </Menu>
  )
}

/** Stops sending the message, or summarises the messages up to it. */
function ContextItems({ message, parts }: { message: Message; parts: readonly Message[] }) {
  const { leftOut: isLeftOut, parentId } = message
  const t = useContextTexts()
  const busy = useBusy()
  const last = parts.at(-1) ?? message
  return (
    <>
      <MenuLine />
      <MenuItem
        icon={isLeftOut ? Eye : EyeOff}
        label={t(isLeftOut ? 'include' : 'leaveOut')}
        onSelect={() => void leaveOutParts(parts, !isLeftOut)}
      />
      {parentId !== null && !isLeftOut && (
        <MenuItem icon={EyeOff} label={t('leaveOutEarlier')} onSelect={() => void leaveOut(last.id, true, true)} />
      )}
      {parentId !== null && !busy && last.role !== 'tool' && last.toolCalls.length === 0 && (
        <MenuItem icon={NotebookText} label={t('summariseUpTo')} onSelect={() => askToSummarise(last.id)} />
      )}
    </>
  )
}

/** Shows a reply's facts in the inspector, and opens the inspector. */
export function showFacts(replyId: string): void {
  useChat.setState({ inspected: replyId })
  appStore.setState({ inspectorShown: true })
}
