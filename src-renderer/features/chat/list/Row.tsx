import { ChevronRight, Ellipsis, Folder as FolderIcon, FolderOpen, Pin } from 'lucide-react'
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Conversation } from '../../../../src-preload/contract/chat.ts'
import { showCount } from '../../../i18n/format.ts'
import { InlineNameField, type InlineNameFieldProps } from '../../../shared/ui/InlineNameField.tsx'
import { useList } from '../../../stores/chatList.ts'
import type { ListRow } from '../../../stores/chatListRows.ts'
import { renameChat, renameFolder } from './actions.ts'

/** Titles have at most 200 characters, folder names 100 (the contract). */
const longestTitle = 200
const longestFolder = 100

interface Parts {
  /** Whether the row is in the tab order. */
  reached: boolean
  onEditEnd: () => void
}

export const HeadingRow = memo(function HeadingRow({ name }: { name: Extract<ListRow, { row: 'heading' }>['key'] }) {
  const { t } = useTranslation('library')
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: a heading is skipped
    // biome-ignore lint/a11y/useSemanticElements: a virtual list has no table
    <div role="row" className="list-heading">
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: as above */}
      <span role="gridcell">{t(name)}</span>
    </div>
  )
})

export const FolderRow = memo(function FolderRow({
  row: { folder, count, open },
  current,
  reached,
  onEditEnd,
}: { row: Extract<ListRow, { row: 'folder' }>; current: boolean } & Parts) {
  const { t } = useTranslation('library')
  const editing = useList((list) => list.editing === folder.id)
  const Icon = open ? FolderOpen : FolderIcon
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: its button has the focus
    // biome-ignore lint/a11y/useSemanticElements: a virtual list has no table
    <div
      role="row"
      aria-level={1}
      aria-expanded={open}
      className="chat-row list-folder"
      data-key={folder.id}
      data-folder={folder.id}
      data-current={current}
    >
      {editing ? (
        <NameCell
          name={folder.name}
          maxLength={longestFolder}
          onName={(name) => void renameFolder(folder.id, name)}
          onEnd={onEditEnd}
        />
      ) : (
        <>
          <Cell wide>
            <button
              type="button"
              className="chat-row-open"
              tabIndex={reached ? 0 : -1}
              aria-current={current ? 'true' : undefined}
            >
              <span aria-hidden className="list-fold">
                <ChevronRight data-open={open} className="list-twist" />
              </span>
              <Icon aria-hidden />
              <b dir="auto">{folder.name}</b>
              <span aria-hidden className="num">
                {showCount(count)}
              </span>
              <span className="sr-only">{t('folderHolds', { count })}</span>
            </button>
          </Cell>
          <More title={folder.name} reached={reached} />
        </>
      )}
    </div>
  )
})

export const ChatRow = memo(function ChatRow({
  conversation,
  level,
  current,
  picked,
  reached,
  onEditEnd,
}: { conversation: Conversation; level: 1 | 2; current: boolean; picked: boolean } & Parts) {
  const { t } = useTranslation('library')
  const editing = useList((list) => list.editing === conversation.id)
  const title = conversation.title ?? t('untitled')
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: its button has the focus
    // biome-ignore lint/a11y/useSemanticElements: a virtual list has no table
    <div
      role="row"
      aria-level={level}
      aria-selected={picked}
      className="chat-row"
      draggable={!editing}
      data-key={conversation.id}
      data-folder={conversation.folderId ?? ''}
      data-current={current}
      data-picked={picked}
      data-inside={level === 2}
    >
      {editing ? (
        <NameCell
          name={conversation.title ?? ''}
          maxLength={longestTitle}
          onName={(name) => void renameChat(conversation.id, name)}
          onEnd={onEditEnd}
        />
      ) : (
        <>
          <Cell wide>
            <button
              type="button"
              className="chat-row-open"
              tabIndex={reached ? 0 : -1}
              aria-current={current ? 'true' : undefined}
            >
              <b dir="auto">{title}</b>
              <Under conversation={conversation} current={current} />
            </button>
          </Cell>
          <State conversation={conversation} />
          <More title={title} reached={reached} />
        </>
      )}
    </div>
  )
})

/** The most important state of a chat: a tool call that waits for the person, a draft, otherwise the model. */
function Under({ conversation, current }: { conversation: Conversation; current: boolean }) {
  const { t } = useTranslation('library')
  const { waiting, draft, model } = conversation
  if (waiting) return <span className="list-waits">{t('waiting')}</span>
  const text = draft.trim()
  if (text !== '' && !current) return <span dir="auto">{t('draft', { text: text.slice(0, 120) })}</span>
  return <span>{model ?? t('noModel')}</span>
}

function State({ conversation: { running, waiting, draft, pinned, archived } }: { conversation: Conversation }) {
  const { t } = useTranslation('library')
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: nothing in it is focusable
    // biome-ignore lint/a11y/useSemanticElements: a virtual list has no table
    <span role="gridcell" className="list-state">
      {pinned && !archived && <Pin role="img" aria-label={t('pinned')} />}
      {waiting ? (
        <i className="list-dot" data-state="waiting" role="img" aria-label={t('waiting')} />
      ) : running ? (
        <i className="chat-live list-dot" data-state="running" role="img" aria-label={t('running')} />
      ) : (
        draft.trim() !== '' && <i className="list-dot" data-state="draft" aria-hidden />
      )}
    </span>
  )
}

type NameCellProps = Pick<InlineNameFieldProps, 'name' | 'maxLength' | 'onName' | 'onEnd'>

/** The field for another name of a folder or a chat, in place of its row. */
function NameCell(props: NameCellProps) {
  const { t } = useTranslation('library')
  return (
    <Cell wide>
      <InlineNameField {...props} label={t('name')} className="chat-title-field" />
    </Cell>
  )
}

function Cell({ wide, children }: { wide?: boolean; children: React.ReactNode }) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: its content has the focus
    // biome-ignore lint/a11y/useSemanticElements: a virtual list has no table
    <div role="gridcell" className={wide ? 'list-cell' : undefined}>
      {children}
    </div>
  )
}

function More({ title, reached }: { title: string; reached: boolean }) {
  const { t } = useTranslation('library')
  return (
    <Cell>
      <button
        type="button"
        className="chat-icon chat-row-more"
        aria-label={t('more', { title })}
        aria-haspopup="menu"
        tabIndex={reached ? 0 : -1}
      >
        <Ellipsis aria-hidden />
      </button>
    </Cell>
  )
}
