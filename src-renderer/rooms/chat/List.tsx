import { Ellipsis, Pencil, Plus, Search, Trash2 } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { type KeyboardEvent, memo, useEffect, useMemo, useRef, useState } from 'react'
import { VList, type VListHandle } from 'virtua'
import type { Conversation } from '../../../src-preload/contract/chat.ts'
import { useChat } from '../../stores/chat.ts'
import { listRows } from '../../stores/chat-list.ts'
import { openChat, remove, rename, undoRemove } from './actions.ts'
import { useNow } from './hooks.ts'
import { useWords } from './words.ts'

/** How long a deleted chat can be brought back from its notice, in ms. */
const undoFor = 10_000

/** The list region: search, new chat, and the conversations by age. */
export function ChatList() {
  const words = useWords()
  const search = useChat((state) => state.search)
  return (
    <nav className="chat-list" aria-label={words('conversations')}>
      <label className="chat-search">
        <Search aria-hidden />
        <input
          type="search"
          aria-label={words('search')}
          placeholder={words('search')}
          value={search}
          onChange={(event) => useChat.setState({ search: event.target.value })}
        />
      </label>
      <button type="button" className="chat-btn chat-new" onClick={() => openChat(null)}>
        <Plus aria-hidden /> {words('newChat')}
      </button>
      <Conversations search={search} />
      <RemovedNotice />
    </nav>
  )
}

function Conversations({ search }: { search: string }) {
  const words = useWords()
  const list = useChat((state) => state.list)
  const openId = useChat((state) => state.open?.id ?? null)
  const day = new Date(useNow(true, 60_000)).toDateString()
  // The day is what the headings depend on: the rows are made again when it changes, not every minute.
  const rows = useMemo(() => listRows(list.conversations, search, new Date(day)), [list, search, day])
  const handle = useRef<VListHandle>(null)
  const box = useRef<HTMLDivElement>(null)
  const [editing, setEditing] = useState<string | null>(null)

  if (list.state === 'loading') return <p className="chat-list-note">{words('listLoading')}</p>
  if (list.conversations.length === 0) return <p className="chat-list-note">{words('listEmpty')}</p>
  if (rows.length === 0) return <p className="chat-list-note">{words('listNoMatch', { search })}</p>

  const move = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    const key =
      event.target instanceof HTMLElement ? event.target.closest('[data-row]')?.getAttribute('data-row') : null
    if (step === 0 || key === null || key === undefined) return
    event.preventDefault()
    let at = Number(key) + step
    while (rows[at]?.row === 'heading') at += step
    if (!rows[at]) return
    handle.current?.scrollToIndex(at, { align: 'nearest' })
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>(`[data-row="${at}"] .chat-row-open`)?.focus())
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys move between the buttons inside
    <div className="chat-rows" ref={box} onKeyDown={move}>
      <VList ref={handle}>
        {rows.map((row, at) =>
          row.row === 'heading' ? (
            <h2 className="chat-age" key={row.age}>
              {words(row.age)}
            </h2>
          ) : (
            <Row
              key={row.conversation.id}
              at={at}
              conversation={row.conversation}
              current={row.conversation.id === openId}
              editing={row.conversation.id === editing}
              onEdit={setEditing}
            />
          ),
        )}
      </VList>
    </div>
  )
}

interface RowProps {
  at: number
  conversation: Conversation
  current: boolean
  editing: boolean
  onEdit: (id: string | null) => void
}

const Row = memo(function Row({ at, conversation, current, editing, onEdit }: RowProps) {
  const words = useWords()
  const title = conversation.title ?? words('untitled')
  const byKey = (event: KeyboardEvent): void => {
    if (event.key === 'F2') onEdit(conversation.id)
    else if (event.key === 'Delete') void remove(conversation.id)
    else return
    event.preventDefault()
  }
  return (
    <div className="chat-row" data-row={at} data-current={current}>
      {editing ? (
        <TitleField id={conversation.id} title={conversation.title ?? ''} onEnd={() => onEdit(null)} />
      ) : (
        <button
          type="button"
          className="chat-row-open"
          aria-current={current ? 'true' : undefined}
          onClick={() => openChat(conversation.id)}
          onKeyDown={byKey}
        >
          <b>{title}</b>
          <span>{conversation.model ?? words('noModel')}</span>
        </button>
      )}
      {conversation.running && <i className="chat-live" role="img" aria-label={words('running')} />}
      <DropdownMenu.Root>
        <DropdownMenu.Trigger className="chat-icon chat-row-more" aria-label={words('more', { title })}>
          <Ellipsis aria-hidden />
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className="chat-menu" align="end" onCloseAutoFocus={(event) => event.preventDefault()}>
            <DropdownMenu.Item className="chat-menu-item" onSelect={() => onEdit(conversation.id)}>
              <Pencil aria-hidden /> {words('rename')}
            </DropdownMenu.Item>
            <DropdownMenu.Item className="chat-menu-item chat-bad" onSelect={() => void remove(conversation.id)}>
              <Trash2 aria-hidden /> {words('remove')}
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
    </div>
  )
})

/** Enter or leaving keeps the new title, Esc doesn't. */
export function TitleField({ id, title, onEnd }: { id: string; title: string; onEnd: () => void }) {
  const words = useWords()
  const field = useRef<HTMLInputElement>(null)
  const ended = useRef(false)
  useEffect(() => {
    field.current?.focus()
    field.current?.select()
  }, [])
  const end = (keep: boolean): void => {
    if (ended.current) return
    ended.current = true
    const text = field.current?.value.trim() ?? ''
    if (keep && text !== '' && text !== title) void rename(id, text)
    onEnd()
  }
  return (
    <input
      ref={field}
      className="chat-title-field"
      aria-label={words('title')}
      defaultValue={title}
      maxLength={200}
      onBlur={() => end(true)}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (event.nativeEvent.isComposing) return
        if (event.key === 'Enter') end(true)
        else if (event.key === 'Escape') end(false)
      }}
    />
  )
}

function RemovedNotice() {
  const words = useWords()
  const removed = useChat((state) => state.removed)
  useEffect(() => {
    if (!removed) return
    const timer = setTimeout(() => useChat.setState({ removed: null }), undoFor)
    return () => clearTimeout(timer)
  }, [removed])
  if (!removed) return null
  return (
    <div className="chat-toast" role="status">
      <span>{words('removed', { title: removed.title ?? words('untitled') })}</span>
      <button type="button" className="chat-btn chat-small" onClick={() => void undoRemove()}>
        {words('undo')}
      </button>
    </div>
  )
}
