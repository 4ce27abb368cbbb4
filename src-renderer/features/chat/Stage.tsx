import { Ellipsis, FileOutput, FolderInput, Pencil, Trash2, X } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { openOwnLink, readOwnLink } from '../../shared/help/ownLink.ts'
import { collapseListForNow } from '../../shared/listRegion.ts'
import { CitationsContext, MarkdownContext, type MarkdownHost } from '../../shared/markdown/context.ts'
import { IconButton } from '../../shared/ui/Button.tsx'
import { Menu, MenuItem, MenuLine } from '../../shared/ui/Menu.tsx'
import { InspectorToggle, ListToggle } from '../../shared/ui/StageBar.tsx'
import { useChat } from '../../stores/chat.ts'
import { listStore } from '../../stores/chatList.ts'
import { useStage } from '../../stores/chatPage.ts'
import { useLibrary } from '../../stores/library.ts'
import { useNewChat } from '../../stores/newChat.ts'
import { hrefOf, projectOf, projectRoute, useRoute } from '../../stores/route.ts'
import { Announcer } from './Announcer.tsx'
import { ActionButton } from './actionButtons.tsx'
import { addToDraft, copyText, typeText } from './actions.ts'
import { Composer } from './Composer.tsx'
import { openExport } from './export/exports.ts'
import { followJumps } from './find/actions.ts'
import { FindBar } from './find/FindBar.tsx'
import { focusComposer } from './focus.ts'
import { BusyProvider } from './hooks.ts'
import { LinkDialog } from './LinkDialog.tsx'
import { TitleField } from './List.tsx'
import { removeChats } from './list/actions.ts'
import { NewChatFolder } from './list/DefaultSource.tsx'
import { Messages } from './Messages.tsx'
import { useChatTranslate } from './messages.ts'
import { openPreview } from './preview/actions.ts'
import { kindOf } from './preview/kinds.ts'
import { PreviewSplit } from './preview/PreviewSplit.tsx'
import { useCitationsOfChat } from './projects/citations.ts'
import { ProjectPage } from './projects/ProjectPage.tsx'
import { StageDialogs } from './StageDialogs.tsx'

/** The stage: the open chat, or the page of a project. */
export function ChatStage() {
  const projectId = projectOf(useRoute())
  return projectId === null ? <Conversation /> : <ProjectPage key={projectId} id={projectId} />
}

/** Title and model, messages, composer. */
function Conversation() {
  const [link, setLink] = useState<string | null>(null)
  const host = useMemo(
    (): MarkdownHost => ({
      openLink: setLink,
      own: { read: readOwnLink, open: (to) => openOwnLink(to, addToDraft) },
      copy: copyText,
      preview: { kindOf, open: openPreview },
    }),
    [],
  )
  const citations = useCitationsOfChat()
  useEffect(followJumps, [])
  useWidthForColumns()
  return (
    <MarkdownContext value={host}>
      <CitationsContext value={citations}>
        <BusyProvider>
          <div className="chat-stage">
            <PreviewSplit host={host}>
              <div className="chat-stage">
                <Header />
                <Body />
                <PageNotice />
                <Composer />
              </div>
            </PreviewSplit>
            <LinkDialog address={link} onClose={() => setLink(null)} />
            <StageDialogs />
            <Announcer />
          </div>
        </BusyProvider>
      </CitationsContext>
    </MarkdownContext>
  )
}

/** Width of the rail, the list, the margins of the messages and `count` columns at a width that reads well, px. Without space, they shrink a little further. */
const widthWithList = (count: number): number => 68 + 268 + 66 + count * 264 + (count - 1) * 12

/** Collapses the list while replies beside one another do not fit next to the list. Ctrl+B shows the list all the same. */
function useWidthForColumns(): void {
  const count = useChat(({ open }) => open?.besideIds.length ?? 0)
  useEffect(() => (count > 1 && innerWidth < widthWithList(count) ? collapseListForNow() : undefined), [count])
}

function endRename(): void {
  useStage.setState({ renaming: false })
  focusComposer()
}

function Header() {
  const t = useChatTranslate()
  const id = useChat((state) => state.open?.id ?? null)
  const title = useChat((state) => state.open?.conversation?.title ?? null)
  const editing = useStage((state) => state.renaming)
  const shown = title ?? t('untitled')
  return (
    <header className="chat-bar">
      <ListToggle />
      {id !== null && editing ? (
        <TitleField id={id} title={title ?? ''} onEnd={endRename} />
      ) : (
        <>
          <ProjectCrumb />
          <h1 dir="auto" title={id === null ? undefined : shown}>
            {id === null ? t('newChat') : shown}
          </h1>
          {id !== null && <ChatMenu id={id} />}
          <span className="flex-1" />
        </>
      )}
      <FindBar />
      <InspectorToggle />
    </header>
  )
}

/** The project of the chat, before its title. Opens the page of the project. */
function ProjectCrumb() {
  const next = useNewChat((state) => state.folderId)
  const folderId = useChat(({ open }) => (open ? (open.conversation?.folderId ?? null) : next))
  const folder = useLibrary(({ folders }) => folders.find(({ id }) => id === folderId))
  if (!folder) return null
  return (
    <>
      <a href={hrefOf(projectRoute(folder.id))} className="chat-project" dir="auto">
        {folder.name}
      </a>
      <span aria-hidden className="chat-faint">
        /
      </span>
    </>
  )
}

function ChatMenu({ id }: { id: string }) {
  const { t } = useTranslation(['chat', 'library', 'exporting'])
  return (
    <Menu
      align="start"
      trigger={<IconButton icon={Ellipsis} size="small" label={t('chat:chatMenu')} />}
      onCloseAutoFocus={(event) => {
        // The field of the title has the focus.
        if (useStage.getState().renaming) event.preventDefault()
      }}
    >
      <MenuItem icon={FileOutput} label={t('exporting:menu')} onSelect={() => void openExport(id)} />
      <MenuItem
        icon={FolderInput}
        label={t('library:move')}
        onSelect={() => listStore.setState({ dialog: { show: 'move', ids: [id] } })}
      />
      <MenuItem icon={Pencil} label={t('chat:rename')} onSelect={() => useStage.setState({ renaming: true })} />
      <MenuLine />
      <MenuItem icon={Trash2} danger label={t('library:remove')} onSelect={() => void removeChats([id])} />
    </Menu>
  )
}

function Body() {
  const t = useChatTranslate()
  const id = useChat((state) => state.open?.id ?? null)
  const state = useChat((chat) => chat.open?.state ?? null)
  const any = useChat((chat) => (chat.open?.ids.length ?? 0) > 0)
  if (id === null) return <Welcome />
  if (state === 'gone') return <p className="chat-stage-note">{t('chatDeleted')}</p>
  if (any) return <Messages key={id} />
  return state === 'loading' ? <p className="chat-stage-note chat-late">{t('loading')}</p> : <Welcome />
}

/** The sandbox's own model answers other questions than a language model. */
const guideExamples = ['guideExample1', 'guideExample2', 'guideExample3'] as const
const modelExamples = ['example1', 'example2', 'example3'] as const

function Welcome() {
  const t = useChatTranslate()
  const asksGuide = useChat(({ model, models }) =>
    models.models.some(({ id, ownedBy }) => id === model && id === 'guide' && ownedBy === 'sandbox'),
  )
  const examples = asksGuide ? guideExamples : modelExamples
  const fill = (text: string): void => {
    typeText(text)
    document.querySelector<HTMLTextAreaElement>('.chat-composer textarea')?.focus()
  }
  return (
    <div className="chat-welcome">
      <h2>{t('emptyTitle')}</h2>
      <NewChatFolder />
      <p>{t('emptyText')}</p>
      <ul>
        {examples.map((key) => (
          <li key={key}>
            <button type="button" onClick={() => fill(t(key))}>
              {t(key)}
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}

function PageNotice() {
  const t = useChatTranslate()
  const notice = useChat((state) => state.notice)
  if (!notice) return null
  return (
    <div className="chat-page-notice">
      <ProblemNotice problem={notice} />
      <ActionButton icon={X} label={t('dismiss')} onClick={() => useChat.setState({ notice: null })} />
    </div>
  )
}
