import { ArrowUp, Square } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useRef } from 'react'
import type { ChatText } from '../../i18n/en.chat.ts'
import { ProblemNotice } from '../../problems/ProblemNotice.tsx'
import { draftOf, useChat } from '../../stores/chat.ts'
import { runningReply } from '../../stores/chat-open.ts'
import { send, stop, type } from './actions.ts'
import { useWords } from './words.ts'

const longest = 1_000_000

/** Where a person writes. It never moves; it grows to a third of the window and then scrolls. */
export function Composer() {
  const words = useWords()
  const field = useRef<HTMLTextAreaElement>(null)
  const hint = useId()
  const draft = useChat(draftOf)
  const openId = useChat((state) => state.open?.id ?? null)
  const replyId = useChat((state) => runningReply(state.open)?.id ?? null)
  const stopping = useChat((state) => replyId !== null && state.stopping.has(replyId))
  const blocked = useBlocked(draft)

  // biome-ignore lint/correctness/useExhaustiveDependencies: another conversation on the stage is what takes the focus here
  useEffect(() => field.current?.focus(), [openId])

  const submit = (): void => {
    if (blocked === null) void send(draft)
  }
  const byKey = (event: KeyboardEvent): void => {
    // 229: the key that ends a composition in Safari and some input methods, where isComposing is already false.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing || event.keyCode === 229) return
    event.preventDefault()
    submit()
  }
  const stopReply = (): void => {
    if (replyId !== null) void stop(replyId)
    field.current?.focus()
  }
  return (
    <div className="chat-composer-frame">
      <SendProblem />
      <div className="chat-composer">
        <textarea
          ref={field}
          rows={1}
          aria-label={words('message')}
          aria-describedby={hint}
          placeholder={words('messagePlaceholder')}
          value={draft}
          onChange={(event) => type(event.target.value)}
          onKeyDown={byKey}
        />
        <footer>
          <span className="chat-hint" id={hint}>
            {blocked === null || blocked === 'needText' ? words('hintKeys') : words(blocked)}
          </span>
          {replyId === null ? (
            <button
              type="button"
              className="chat-btn chat-go"
              aria-disabled={blocked !== null}
              title={blocked === null ? undefined : words(blocked)}
              onClick={submit}
            >
              <ArrowUp aria-hidden /> {words('send')}
            </button>
          ) : (
            <>
              <span className="chat-kbd" aria-hidden>
                Esc
              </span>
              <button type="button" className="chat-btn" aria-disabled={stopping} onClick={stopReply}>
                <Square aria-hidden /> {words(stopping ? 'stopping' : 'stop')}
              </button>
            </>
          )}
        </footer>
      </div>
    </div>
  )
}

/** Why nothing can be sent now; null when it can. */
function useBlocked(draft: string): ChatText | null {
  const running = useChat((state) => runningReply(state.open) !== null)
  const sending = useChat((state) => state.sending !== null)
  const model = useChat((state) => state.model)
  if (sending) return 'sendingNow'
  if (running) return 'needEnd'
  if (model === null) return 'needModel'
  if (draft.trim() === '') return 'needText'
  return draft.length > longest ? 'needShorter' : null
}

function SendProblem() {
  const problem = useChat((state) => state.sendProblem)
  return problem && <ProblemNotice problem={problem} className="chat-send-problem" />
}
