import { X } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { MarkdownContext, type MarkdownHost } from '../../markdown/context.ts'
import { ProblemNotice } from '../../problems/ProblemNotice.tsx'
import { useChat } from '../../stores/chat.ts'
import { isRunning } from '../../stores/chat-open.ts'
import { InspectorToggle, ListToggle } from '../../ui/StageBar.tsx'
import { copyText, openChat, stopHere } from './actions.ts'
import { Composer } from './Composer.tsx'
import { LinkDialog } from './LinkDialog.tsx'
import { TitleField } from './List.tsx'
import { Messages } from './Messages.tsx'
import { ModelPicker } from './ModelPicker.tsx'
import { StageDialogs } from './StageDialogs.tsx'
import { useWords } from './words.ts'

/** The stage region: title and model above, the messages, the composer below. */
export function ChatStage() {
  const [link, setLink] = useState<string | null>(null)
  const host = useMemo((): MarkdownHost => ({ openLink: setLink, copy: copyText }), [])
  useKeys()
  return (
    <MarkdownContext value={host}>
      <div className="chat-stage">
        <Header />
        <Body />
        <RoomNotice />
        <Composer />
        <LinkDialog address={link} onClose={() => setLink(null)} />
        <StageDialogs />
        <Announcer />
      </div>
    </MarkdownContext>
  )
}

/** Esc stops the running reply, wherever the focus is, unless something that Esc closes took it. Mod+N is a new chat. */
function useKeys(): void {
  useEffect(() => {
    const byKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing) return
      if (event.key === 'Escape') {
        void stopHere()
      } else if (event.key === 'n' && (event.metaKey || event.ctrlKey) && !event.shiftKey && !event.altKey) {
        event.preventDefault()
        openChat(null)
      }
    }
    addEventListener('keydown', byKey)
    return () => removeEventListener('keydown', byKey)
  }, [])
}

function Header() {
  const words = useWords()
  const id = useChat((state) => state.open?.id ?? null)
  const title = useChat((state) => state.open?.conversation?.title ?? null)
  const [editing, setEditing] = useState<string | null>(null)
  const shown = title ?? words('untitled')
  return (
    <header className="chat-bar">
      <ListToggle />
      {id !== null && editing === id ? (
        <TitleField id={id} title={title ?? ''} onEnd={() => setEditing(null)} />
      ) : (
        <h1>
          {id === null ? (
            words('newChat')
          ) : (
            <button type="button" aria-label={words('editTitle', { title: shown })} onClick={() => setEditing(id)}>
              {shown}
            </button>
          )}
        </h1>
      )}
      <ModelPicker />
      <InspectorToggle />
    </header>
  )
}

function Body() {
  const words = useWords()
  const id = useChat((state) => state.open?.id ?? null)
  const state = useChat((chat) => chat.open?.state ?? null)
  const any = useChat((chat) => (chat.open?.ids.length ?? 0) > 0)
  if (id === null) return <Welcome />
  if (state === 'gone') return <p className="chat-stage-note">{words('gone')}</p>
  if (any) return <Messages key={id} />
  return state === 'loading' ? <p className="chat-stage-note chat-late">{words('loading')}</p> : <Welcome />
}

function Welcome() {
  const words = useWords()
  const fill = (text: string): void => {
    const { open } = useChat.getState()
    useChat.setState((state) => ({ drafts: { ...state.drafts, [open?.id ?? 'new']: text } }))
    document.querySelector<HTMLTextAreaElement>('.chat-composer textarea')?.focus()
  }
  return (
    <div className="chat-welcome">
      <h2>{words('emptyTitle')}</h2>
      <p>{words('emptyText')}</p>
      <ul>
        {(['example1', 'example2', 'example3'] as const).map((key) => (
          <li key={key}>
            <button type="button" onClick={() => fill(words(key))}>
              {words(key)}
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}

function RoomNotice() {
  const words = useWords()
  const notice = useChat((state) => state.notice)
  if (!notice) return null
  return (
    <div className="chat-room-notice">
      <ProblemNotice problem={notice} />
      <button
        type="button"
        className="chat-icon"
        aria-label={words('dismiss')}
        onClick={() => useChat.setState({ notice: null })}
      >
        <X aria-hidden />
      </button>
    </div>
  )
}

const spokenChars = 1_500

/** Says a reply once, when it settles; one that was already settled when its conversation was opened stays silent. */
function Announcer() {
  const words = useWords()
  const last = useChat((state) => state.open?.messages.findLast((message) => message.role === 'assistant'))
  const [awaited, setAwaited] = useState<string | null>(null)
  const [said, setSaid] = useState('')
  const running = last !== undefined && isRunning(last)
  if (last && running && awaited !== last.id) setAwaited(last.id)
  if (last && !running && awaited === last.id) {
    setAwaited(null)
    const model = last.model ?? words('assistant')
    const text = (last.text || last.refusal || (last.problem?.message ?? '')).slice(0, spokenChars)
    if (last.status === 'stopped') setSaid(words('settledStopped', { text }))
    else if (last.status === 'complete') setSaid(words('settled', { model, text }))
    else setSaid(words('settledFailed', { text: last.problem?.message ?? text }))
  }
  return (
    <div className="chat-sr" aria-live="polite" role="log">
      {said}
    </div>
  )
}
