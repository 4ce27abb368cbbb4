import './list/list.css'
import {
  Archive,
  ArrowLeft,
  BookText,
  Download,
  Ellipsis,
  FileUp,
  FolderPlus,
  Plus,
  Search,
  Trash2,
  X,
} from 'lucide-react'
import { type DragEvent, type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useKeysOf } from '../../shared/commands/useKeys.ts'
import { IconButton } from '../../shared/ui/Button.tsx'
import { Kbd } from '../../shared/ui/Kbd.tsx'
import { Menu, MenuItem, MenuLine } from '../../shared/ui/Menu.tsx'
import { listStore, useList, withView } from '../../stores/chatList.ts'
import { renameChat, showChat } from './list/actions.ts'
import { Chats } from './list/Chats.tsx'
import { NameField } from './list/NameField.tsx'
import { Removed } from './list/Removed.tsx'
import { openHit, type Results, resultId, SearchResults, useSearch } from './list/SearchResults.tsx'
import { chooseImport, exportAll, importFiles } from './list/transfers.ts'
import { UndoNote } from './list/undo.tsx'

/** The list region: search, new chat, and the conversations; or what was found, archived, or deleted. */
export function ChatList() {
  const { t } = useTranslation('library')
  const view = useList((store) => store.view)
  const text = useList((store) => store.search)
  const field = useRef<HTMLInputElement>(null)
  const [at, setAt] = useState(0)
  const results = useSearch(text)
  const drop = useFileDrop()
  useDrawn(field)
  const searching = text.trim() !== ''
  return (
    <nav className="chat-list" aria-label={t('list')} {...drop.handlers}>
      <SearchField field={field} results={results} at={at} onAt={setAt} />
      {!searching && (view === 'chats' ? <Head /> : <Away view={view} />)}
      {searching ? (
        <SearchResults results={results} at={at} onAt={setAt} onOpen={(hit) => void openHit(hit, text)} />
      ) : view === 'removed' ? (
        <Removed />
      ) : (
        <Chats searchField={field} />
      )}
      <UndoNote />
      {drop.over && <div className="list-drop-over">{t('importDropList')}</div>}
    </nav>
  )
}

/** Tells that a list stands in the window, and takes the focus when the search is asked for. */
function useDrawn(field: RefObject<HTMLInputElement | null>): void {
  const asked = useList((store) => store.searchAsked)
  useEffect(() => {
    listStore.setState(({ drawn }) => ({ drawn: drawn + 1 }))
    return () => listStore.setState(({ drawn }) => ({ drawn: drawn - 1 }))
  }, [])
  useEffect(() => {
    if (asked === 0) return
    field.current?.focus()
    field.current?.select()
  }, [asked, field])
}

function SearchField(props: {
  field: RefObject<HTMLInputElement | null>
  results: Results
  at: number
  onAt: (at: number) => void
}) {
  const { t } = useTranslation('library')
  const { field, results, at, onAt } = props
  const text = useList((store) => store.search)
  const keys = useKeysOf('chat.search')
  const { hits } = results
  const set = (search: string): void => {
    listStore.setState({ search })
    onAt(0)
  }
  const byKey = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    const hit = hits[at]
    if (event.key === 'Escape' && text !== '') set('')
    else if (event.key === 'Enter' && hit) void openHit(hit, results.state.found?.text ?? text)
    else if (event.key === 'ArrowDown' && text.trim() === '') {
      event.currentTarget.closest('nav')?.querySelector<HTMLElement>('.chat-row-open[tabindex="0"]')?.focus()
    } else if (event.key === 'ArrowDown') onAt(Math.min(hits.length - 1, at + 1))
    else if (event.key === 'ArrowUp') onAt(Math.max(0, at - 1))
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const searching = text.trim() !== ''
  return (
    <div className="chat-search">
      <Search aria-hidden />
      <input
        ref={field}
        type="text"
        role="combobox"
        aria-label={t('search')}
        aria-expanded={searching}
        aria-controls={searching ? 'list-hits' : undefined}
        aria-activedescendant={searching && hits[at] ? resultId(at) : undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder={t('search')}
        maxLength={500}
        value={text}
        onChange={(event) => set(event.target.value)}
        onKeyDown={byKey}
      />
      {text === '' ? (
        keys !== '' && <Kbd>{keys}</Kbd>
      ) : (
        <button
          type="button"
          className="chat-icon"
          aria-label={t('clearSearch')}
          onClick={() => {
            set('')
            field.current?.focus()
          }}
        >
          <X aria-hidden />
        </button>
      )}
    </div>
  )
}

function Head() {
  const { t } = useTranslation('library')
  return (
    <div className="list-head">
      <button type="button" className="chat-btn chat-new" onClick={() => showChat(null)}>
        <Plus aria-hidden /> <span className="chat-clip">{t('newChat')}</span>
      </button>
      <Menu trigger={<IconButton icon={Ellipsis} label={t('listMenu')} />}>
        <MenuItem icon={FolderPlus} onSelect={() => listStore.setState({ dialog: { show: 'folder', ids: [] } })}>
          {t('newFolder')}
        </MenuItem>
        <MenuItem icon={BookText} onSelect={() => listStore.setState({ dialog: { show: 'prompts' } })}>
          {t('promptsMenu')}
        </MenuItem>
        <MenuLine />
        <MenuItem icon={FileUp} onSelect={chooseImport}>
          {t('importMenu')}
        </MenuItem>
        <MenuItem icon={Download} onSelect={() => void exportAll()}>
          {t('exportAllMenu')}
        </MenuItem>
        <MenuLine />
        <MenuItem icon={Archive} onSelect={() => listStore.setState(withView('archived'))}>
          {t('showArchived')}
        </MenuItem>
        <MenuItem icon={Trash2} onSelect={() => listStore.setState(withView('removed'))}>
          {t('showRemoved')}
        </MenuItem>
      </Menu>
    </div>
  )
}

/** Which other list stands here, and the way back. */
function Away({ view }: { view: 'archived' | 'removed' }) {
  const { t } = useTranslation('library')
  return (
    <div className="list-head">
      <IconButton
        icon={ArrowLeft}
        label={t('back')}
        onClick={() => listStore.setState(withView('chats'))}
        className="list-back"
      />
      <h2 className="chat-clip">{t(view === 'archived' ? 'archived' : 'removedTitle')}</h2>
    </div>
  )
}

/** Files that are dropped on the list are read in. */
function useFileDrop() {
  const [over, setOver] = useState(false)
  const hasFiles = (event: DragEvent): boolean => event.dataTransfer.types.includes('Files')
  return {
    over,
    handlers: {
      onDragOver: (event: DragEvent) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        event.dataTransfer.dropEffect = 'copy'
        setOver(true)
      },
      onDragLeave: (event: DragEvent) => {
        const inside = event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget)
        if (!inside) setOver(false)
      },
      onDrop: (event: DragEvent) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        setOver(false)
        void importFiles([...event.dataTransfer.files])
      },
    },
  }
}

/** A conversation's title being changed in its place, here and in the head of the stage. */
export function TitleField({ id, title, onEnd }: { id: string; title: string; onEnd: () => void }) {
  return <NameField name={title} longest={200} onName={(name) => void renameChat(id, name)} onEnd={onEnd} />
}
