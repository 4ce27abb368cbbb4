import { Archive, FolderInput, Trash2, X } from 'lucide-react'
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { VList, type VListHandle } from 'virtua'
import { Button, IconButton } from '../../../shared/ui/Button.tsx'
import { useNow } from '../../../shared/useNow.ts'
import { useChat } from '../../../stores/chat.ts'
import { listStore, useList } from '../../../stores/chatList.ts'
import { type ListRow, listRows } from '../../../stores/chatListRows.ts'
import { useLibrary } from '../../../stores/library.ts'
import { projectOf, useRoute } from '../../../stores/route.ts'
import { archiveChats, removeChats } from './actions.ts'
import { ItemMenu, type MenuAt } from './ItemMenu.tsx'
import { ChatRow, FolderRow, HeadingRow } from './Row.tsx'
import { transfersStore } from './transfers.ts'
import { useWalk } from './walk.ts'

/** The chats as a tree of rows: folders, pinned, ages. Or the archive, by age. */
export function Chats({ searchField }: { searchField: RefObject<HTMLInputElement | null> }) {
  const { t } = useTranslation('library')
  const list = useChat((state) => state.list)
  const folders = useLibrary((store) => store.folders)
  const closed = useList((store) => store.closed)
  const archived = useList((store) => store.view === 'archived')
  const day = new Date(useNow(60_000)).toDateString()
  // Headings depend on the day, so rows are computed again when the day changes, not every minute.
  const rows = useMemo(
    () => listRows({ conversations: list.conversations, folders, closed, archived, now: new Date(day) }),
    [list.conversations, folders, closed, archived, day],
  )
  if (list.state === 'loading') return <p className="chat-list-note">{t('loading')}</p>
  if (rows.length > 0) return <Rows rows={rows} searchField={searchField} />
  if (archived) return <p className="chat-list-note">{t('archivedEmpty')}</p>
  return (
    <div className="chat-list-note">
      <p>{t('empty')}</p>
      <Button className="mt-3" onClick={() => transfersStore.setState({ work: { kind: 'import', state: 'choose' } })}>
        {t('emptyImport')}
      </Button>
    </div>
  )
}

function Rows({ rows, searchField }: { rows: readonly ListRow[]; searchField: RefObject<HTMLInputElement | null> }) {
  const { t } = useTranslation('library')
  const openId = useChat((state) => state.open?.id ?? null)
  const projectId = projectOf(useRoute())
  const picked = useList((store) => store.picked)
  const wanted = useList((store) => store.cursor)
  const [menu, setMenu] = useState<MenuAt | null>(null)
  const handle = useRef<VListHandle>(null)
  const box = useRef<HTMLDivElement>(null)
  const at = reachedLine(rows, wanted, openId)
  const { walk, drawn } = useWalk({ rows, at, box, handle, searchField, openMenu: setMenu })
  useEffect(() => {
    const element = box.current
    return element ? walk.follow(element) : undefined
  }, [walk])
  return (
    <>
      <div
        ref={box}
        role="treegrid"
        tabIndex={-1}
        aria-label={t('list')}
        aria-multiselectable
        aria-rowcount={rows.length}
        className="chat-rows"
      >
        <VList ref={handle} role="rowgroup" data={rows} keepMounted={drawn} tabIndex={-1}>
          {(row: ListRow, index) =>
            row.row === 'heading' ? (
              <HeadingRow key={row.key} name={row.key} />
            ) : row.row === 'folder' ? (
              <FolderRow
                key={row.key}
                row={row}
                current={row.key === projectId}
                reached={index === at}
                onEditEnd={walk.editEnded}
              />
            ) : (
              <ChatRow
                key={row.key}
                conversation={row.conversation}
                level={row.level}
                current={row.key === openId}
                picked={picked.has(row.key)}
                reached={index === at}
                onEditEnd={walk.editEnded}
              />
            )
          }
        </VList>
      </div>
      <Picked rows={rows} />
      <ItemMenu at={menu} onClose={() => setMenu(null)} />
    </>
  )
}

/** The row in the tab order: at the keyboard cursor, otherwise the open chat's, otherwise the first. */
function reachedLine(rows: readonly ListRow[], wanted: string | null, openId: string | null): number {
  for (const key of [wanted, openId]) {
    const at = key === null ? -1 : rows.findIndex((row) => row.key === key && row.row !== 'heading')
    if (at >= 0) return at
  }
  return rows.findIndex((row) => row.row !== 'heading')
}

/** Actions for several selected chats. */
function Picked({ rows }: { rows: readonly ListRow[] }) {
  const { t } = useTranslation('library')
  const picked = useList((store) => store.picked)
  const archived = useList((store) => store.view === 'archived')
  const ids = rows.flatMap((row) => (row.row === 'chat' && picked.has(row.key) ? [row.key] : []))
  if (ids.length < 2) return null
  return (
    <div className="list-picked" role="toolbar" aria-label={t('selected', { count: ids.length })}>
      <span aria-live="polite">{t('selected', { count: ids.length })}</span>
      <IconButton
        icon={FolderInput}
        label={t('move')}
        onClick={() => listStore.setState({ dialog: { show: 'move', ids } })}
      />
      <IconButton
        icon={Archive}
        label={t(archived ? 'unarchive' : 'archive')}
        onClick={() => void archiveChats(ids, !archived)}
      />
      <IconButton icon={Trash2} label={t('remove')} onClick={() => void removeChats(ids)} />
      <IconButton icon={X} label={t('unselect')} onClick={() => listStore.setState({ picked: new Set() })} />
    </div>
  )
}
