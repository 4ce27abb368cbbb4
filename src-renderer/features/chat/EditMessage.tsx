import { ArrowUp } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import type { Message } from '../../../src-preload/contract/chat.ts'
import type { ChatText } from '../../i18n/en.chat.ts'
import { isSendKey, useSendKey } from '../../shared/sendKey.ts'
import { modelsToAsk, useChat } from '../../stores/chat.ts'
import { useStage } from '../../stores/chatPage.ts'
import { askIfImagesRefused, holdsImages } from './composer/refusals.ts'
import { useBusy } from './hooks.ts'
import { leaveEdit, saveEdit, typeEdit } from './messageActions.ts'
import { useChatTranslate } from './messages.ts'
import { scrollToMessage } from './reveal.ts'

/** Edits a message in place. Sending creates a branch, and the original remains beside it. */
export function EditMessage({ message }: { message: Message }) {
  const t = useChatTranslate()
  const hint = useId()
  const { keys } = useSendKey()
  const field = useRef<HTMLTextAreaElement>(null)
  const text = useStage((state) => state.edits[message.id] ?? message.text)
  const [saving, setSaving] = useState(false)
  const asks = message.role === 'user'
  const blocked = useBlocked(message, text, saving)

  useEffect(() => {
    const { current } = field
    current?.focus()
    current?.setSelectionRange(current.value.length, current.value.length)
    // The editor is higher than the message was. A chat that follows its end would push the editor out of view in the frame after its
    // layout.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => {
        const top = current?.closest('.chat-talk')?.getBoundingClientRect().top ?? 0
        if (current && current.getBoundingClientRect().top < top) scrollToMessage(message.id)
      })
    })
    return () => cancelAnimationFrame(frame)
  }, [message.id])

  const save = (ask: boolean): void => {
    if (blocked !== null && (ask || blocked !== 'needModel')) return
    const state = useChat.getState()
    const hasImages = holdsImages(state.open?.messages ?? [], message.id)
    askIfImagesRefused(modelsToAsk(state), ask && hasImages, () => {
      setSaving(true)
      void saveEdit(message, text, ask).then((isSaved) => {
        if (!isSaved) setSaving(false)
      })
    })
  }
  const byKey = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing || event.keyCode === 229) return
    if (event.key === 'Escape') leaveEdit(message.id)
    else if (isSendKey(event)) save(asks)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div className="chat-edit">
      <textarea
        ref={field}
        aria-label={t('editText')}
        aria-describedby={hint}
        value={text}
        onChange={(event) => typeEdit(message, event.target.value)}
        onKeyDown={byKey}
      />
      <footer>
        <span className="chat-hint" id={hint}>
          {blocked === null || blocked === 'needText' ? t(asks ? 'editHint' : 'editHintSave', { keys }) : t(blocked)}
        </span>
        <button type="button" className="chat-btn chat-small" onClick={() => leaveEdit(message.id)}>
          {t('cancel')}
        </button>
        <button
          type="button"
          className={asks ? 'chat-btn chat-small' : 'chat-btn chat-small chat-go'}
          aria-disabled={blocked !== null}
          title={t('saveOnlyTitle')}
          onClick={() => save(false)}
        >
          {t('saveOnly')}
        </button>
        {asks && (
          <button
            type="button"
            className="chat-btn chat-small chat-go"
            aria-disabled={blocked !== null}
            onClick={() => save(true)}
          >
            <ArrowUp aria-hidden /> {t('saveAndSend')}
          </button>
        )}
      </footer>
    </div>
  )
}

/** Why the edit cannot be sent now. Null when it can be sent. */
function useBlocked(message: Message, text: string, saving: boolean): ChatText | null {
  const running = useBusy()
  const noModel = useChat((state) => modelsToAsk(state).length === 0)
  if (saving) return 'sendingNow'
  if (running) return 'needEnd'
  if (noModel) return 'needModel'
  const hasFiles = message.attachments.length + message.documents.length > 0
  if (text.trim() === '' && !hasFiles) return 'needText'
  return text.length > 1_000_000 ? 'needShorter' : null
}
