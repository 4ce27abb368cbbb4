import { ArrowUp } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import type { Message } from '../../../src-preload/contract/chat.ts'
import type { ChatText } from '../../i18n/en/chat.ts'
import { isComposing } from '../../shared/isComposing.ts'
import { isSendKey, useSendKey } from '../../shared/sendKey.ts'
import { modelsToAsk, useChat } from '../../stores/chat.ts'
import { useStage } from '../../stores/chatPage.ts'
import { askIfImagesRefused, holdsImages } from './composer/refusals.ts'
import { useBusy } from './hooks.ts'
import { leaveEdit, saveEdit, typeEdit } from './messageActions.ts'
import { useChatTranslate } from './messages.ts'

/** Space between the editor and the edges of the view, px. */
const edge = 8

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
    current?.focus({ preventScroll: true })
    current?.setSelectionRange(current.value.length, current.value.length)
    return current?.parentElement ? followSize(current.parentElement) : undefined
  }, [])

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
    if (isComposing(event)) return
    if (event.key === 'Escape') leaveEdit()
    else if (isSendKey(event)) save(asks)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div className="chat-edit">
      <textarea
        dir="auto"
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
        <button type="button" className="chat-btn chat-small" onClick={() => leaveEdit()}>
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

/** Frames in which the list may still move a new editor: it measures the editor, and the messages above when it was far away. */
const movedIn = 12

/**
 * Scrolls the editor into view with its buttons, when it opens and when it grows. Its end has priority, because it may be higher than
 * the view. Returns the function that stops this.
 */
function followSize(editor: HTMLElement): () => void {
  let left = 0
  let frame = 0
  const show = (): void => {
    const view = editor.closest('.chat-talk')
    if (!view) return
    const [own, box] = [editor.getBoundingClientRect(), view.getBoundingClientRect()]
    const below = own.bottom + edge - box.bottom
    const above = box.top + edge - own.top
    if (below > 0) view.scrollTop += below
    else if (above > 0) view.scrollTop -= Math.min(above, -below)
    left -= 1
    frame = left > 0 ? requestAnimationFrame(show) : 0
  }
  const again = (): void => {
    left = movedIn
    if (frame === 0) frame = requestAnimationFrame(show)
  }
  const stop = (): void => {
    left = 0
  }
  const sizes = new ResizeObserver(again)
  sizes.observe(editor)
  // The person scrolls.
  addEventListener('wheel', stop, { passive: true })
  return () => {
    sizes.disconnect()
    cancelAnimationFrame(frame)
    removeEventListener('wheel', stop)
  }
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
