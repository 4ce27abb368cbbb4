import { isComposing } from '../../shared/isComposing.ts'
import { SearchField } from '../../shared/ui/SearchField.tsx'
import './list/list.css'
import './list/hits.css'
import './list/dialogs.css'
import './list/prompts.css'
import { Archive, ArrowLeft, BookText, Download, Ellipsis, FileUp, Plus, Trash2 } from 'lucide-react'
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useKeysOf } from '../../shared/commands/useKeys.ts'
import { IconButton } from '../../shared/ui/Button.tsx'
import { InlineNameField } from '../../shared/ui/InlineNameField.tsx'
import { Kbd } from '../../shared/ui/Kbd.tsx'
import { Menu, MenuItem, MenuLine } from '../../shared/ui/Menu.tsx'
import { listStore, useList, withView } from '../../stores/chatList.ts'
import { focusComposer } from './focus.ts'
import { endSearch, renameChat, showChat } from './list/actions.ts'
import { Chats } from './list/Chats.tsx'
import { Removed } from './list/Removed.tsx'
import { openHit, type Results, resultId, SearchResults, useSearch } from './list/SearchResults.tsx'
import { chooseImport, exportAll } from './list/transfers.ts'
import { UndoNote } from './list/undo.tsx'

/** The list region: search, new chat, and the chats. Or the search results, the archive, or deleted chats. */
export function ChatList() {
  const { t } = useTranslation('library')
  const view = useList((store) => store.view)
  const text = useList((store) => store.search)
  const field = useRef<HTMLInputElement>(null)
  const [at, setAt] = useState(0)
  const results = useSearch(text)
  useDrawn(field)
  const searching = text.trim() !== ''
  return (
    <nav className="chat-list" aria-label={t('list')}>
      <ListSearch field={field} results={results} at={at} onAt={setAt} />
      {searching || view === 'chats' ? <Head /> : <Away view={view} />}
      {!searching && view === 'chats' && <ProjectsHead />}
      {searching ? (
        <SearchResults
          results={results}
          at={at}
          onAt={setAt}
          onOpen={(hit) => void openHit(hit, text)}
          onEnd={() => {
            endSearch()
            field.current?.focus()
          }}
        />
      ) : view === 'removed' ? (
        <Removed />
      ) : (
        <Chats searchField={field} />
      )}
      <UndoNote />
    </nav>
  )
}

/** Counts the mounted lists, and focuses the search field on request. */
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

function ListSearch(props: {
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
    if (isComposing(event)) return
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
    <SearchField
      className="chat-search"
      inputRef={field}
      type="text"
      role="combobox"
      label={t('search')}
      aria-expanded={searching}
      aria-controls={searching ? 'list-hits' : undefined}
      aria-activedescendant={searching && hits[at] ? resultId(at) : undefined}
      maxLength={500}
      value={text}
      onValue={set}
      clearLabel={t('clearSearch')}
      onKeyDown={byKey}
    >
      {text === '' && keys !== '' && <Kbd>{keys}</Kbd>}
    </SearchField>
  )
}

function Head() {
  const { t } = useTranslation('library')
  return (
    <div className="list-head">
      <button
        type="button"
        className="chat-btn chat-new"
        onClick={() => {
          showChat(null)
          // An open new chat stays, so its field does not take the focus by itself.
          focusComposer()
        }}
      >
        <Plus aria-hidden /> <span className="chat-clip">{t('newChat')}</span>
      </button>
      <Menu trigger={<IconButton icon={Ellipsis} label={t('listMenu')} />}>
        <MenuItem
          icon={BookText}
          label={t('promptsMenu')}
          onSelect={() => listStore.setState({ dialog: { show: 'prompts' } })}
        />
        <MenuLine />
        <MenuItem icon={FileUp} label={t('importMenu')} onSelect={chooseImport} />
        <MenuItem icon={Download} label={t('exportAllMenu')} onSelect={() => void exportAll()} />
        <MenuLine />
        <MenuItem icon={Archive} label={t('showArchived')} onSelect={() => listStore.setState(withView('archived'))} />
        <MenuItem icon={Trash2} label={t('showRemoved')} onSelect={() => listStore.setState(withView('removed'))} />
      </Menu>
    </div>
  )
}

/** The row above the projects, with the button for another one. */
function ProjectsHead() {
  const { t } = useTranslation('library')
  return (
    <div className="list-head list-projects">
      <h2 className="chat-clip">{t('folders')}</h2>
      <IconButton
        icon={Plus}
        size="small"
        label={t('newFolder')}
        onClick={() => listStore.setState({ dialog: { show: 'folder', ids: [] } })}
      />
    </div>
  )
}

/** The title of the archive or of deleted chats, with a back button. */
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

/** Edits a chat's title in place, in the header of the stage. */
export function TitleField({ id, title, onEnd }: { id: string; title: string; onEnd: () => void }) {
  const { t } = useTranslation('library')
  return (
    <InlineNameField
      name={title}
      label={t('name')}
      maxLength={200}
      className="chat-title-field"
      onName={(name) => void renameChat(id, name)}
      onEnd={onEnd}
    />
  )
}
