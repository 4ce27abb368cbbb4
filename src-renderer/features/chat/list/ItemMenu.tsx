import {
  Archive,
  ArchiveRestore,
  Braces,
  Copy,
  FileOutput,
  FileText,
  FolderInput,
  Pencil,
  Pin,
  PinOff,
  Plus,
  Settings2,
  Trash2,
} from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { use } from 'react'
import { useTranslation } from 'react-i18next'
import type { Conversation } from '../../../../src-preload/contract/chat.ts'
import { LayerContext } from '../../../shared/ui/layer.ts'
import { MenuItem, MenuLine } from '../../../shared/ui/Menu.tsx'
import { returnFocus } from '../../../shared/ui/returnFocus.ts'
import { useChat } from '../../../stores/chat.ts'
import { listStore } from '../../../stores/chatList.ts'
import { openExport } from '../export/exports.ts'
import { focusComposer } from '../focus.ts'
import { archiveChats, duplicateChat, pinChats, removeChats, removeFolder, showChat } from './actions.ts'
import { exportChat } from './transfers.ts'

/** The target of the list's menu, and its position. */
export interface MenuAt {
  about: { chats: readonly string[] } | { folder: string }
  x: number
  y: number
  /** The element that gets the focus when the menu closes. */
  from: HTMLElement | null
}

/** One menu for all rows: a menu per row would cost 10,000 menus. */
export function ItemMenu({ at, onClose }: { at: MenuAt | null; onClose: () => void }) {
  const { t } = useTranslation('library')
  const layer = use(LayerContext)
  return (
    <DropdownMenu.Root
      modal={false}
      open={at !== null}
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
    >
      <DropdownMenu.Trigger asChild>
        <span aria-hidden className="list-menu-point" style={{ left: at?.x ?? 0, top: at?.y ?? 0 }} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal container={layer}>
        <DropdownMenu.Content
          // The name of the button would be that of the hidden point that opens the menu.
          aria-labelledby={undefined}
          aria-label={t('itemMenu')}
          align="start"
          sideOffset={2}
          collisionPadding={8}
          className="z-40 min-w-48 animate-appear rounded-m bg-raise p-1 text-s shadow-[0_0_0_1px_var(--line-strong),var(--lift-large)]"
          onCloseAutoFocus={(event) => returnFocus(event, () => at?.from)}
        >
          {at && ('folder' in at.about ? <FolderActions id={at.about.folder} /> : <ChatActions ids={at.about.chats} />)}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

const edit = (key: string): void => listStore.setState({ editing: key })

function FolderActions({ id }: { id: string }) {
  const { t } = useTranslation('library')
  return (
    <>
      <MenuItem
        icon={Plus}
        label={t('newChatHere')}
        onSelect={() => {
          showChat(null, id)
          focusComposer()
        }}
      />
      <MenuLine />
      <MenuItem icon={Pencil} label={t('rename')} onSelect={() => edit(id)} />
      <MenuItem
        icon={Settings2}
        label={t('folderSettings')}
        onSelect={() => listStore.setState({ dialog: { show: 'editFolder', id } })}
      />
      <MenuLine />
      <MenuItem icon={Trash2} danger label={t('remove')} onSelect={() => void removeFolder(id)} />
    </>
  )
}

function ChatActions({ ids }: { ids: readonly string[] }) {
  const { t } = useTranslation('library')
  const list = useChat((state) => state.list.conversations)
  const chats = ids.flatMap((id) => list.find((one) => one.id === id) ?? [])
  const [first] = chats
  if (!first) return null
  const one = chats.length === 1 ? first : null
  const pinned = chats.every((chat) => chat.pinned)
  const archived = chats.every((chat) => chat.archived)
  return (
    <>
      {one ? (
        <MenuItem icon={Pencil} label={t('rename')} onSelect={() => edit(one.id)} />
      ) : (
        <DropdownMenu.Label className="px-2 py-1 font-semibold text-faint text-s">
          {t('selected', { count: chats.length })}
        </DropdownMenu.Label>
      )}
      {!archived && (
        <MenuItem
          icon={pinned ? PinOff : Pin}
          label={t(pinned ? 'unpin' : 'pin')}
          onSelect={() => void pinChats(ids, !pinned)}
        />
      )}
      <MenuItem
        icon={FolderInput}
        label={t('move')}
        onSelect={() => listStore.setState({ dialog: { show: 'move', ids } })}
      />
      <MenuItem
        icon={archived ? ArchiveRestore : Archive}
        label={t(archived ? 'unarchive' : 'archive')}
        onSelect={() => void archiveChats(ids, !archived)}
      />
      {one && <OneChat chat={one} />}
      <MenuLine />
      <MenuItem icon={Trash2} danger label={t('remove')} onSelect={() => void removeChats(ids)} />
    </>
  )
}

function OneChat({ chat: { id } }: { chat: Conversation }) {
  const { t } = useTranslation(['library', 'exporting'])
  return (
    <>
      <MenuItem icon={Copy} label={t('duplicate')} onSelect={() => void duplicateChat(id)} />
      <MenuLine />
      <MenuItem icon={FileOutput} label={t('exporting:menu')} onSelect={() => void openExport(id)} />
      <MenuItem icon={FileText} label={t('exportMarkdown')} onSelect={() => void exportChat(id, 'markdown')} />
      <MenuItem icon={Braces} label={t('exportJson')} onSelect={() => void exportChat(id, 'json')} />
    </>
  )
}
