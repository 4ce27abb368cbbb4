import { Pencil, X } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { openOwnLink, readOwnLink } from '../../shared/help/ownLink.ts'
import { collapseListForNow } from '../../shared/listRegion.ts'
import { CitationsContext, MarkdownContext, type MarkdownHost } from '../../shared/markdown/context.ts'
import { IconButton } from '../../shared/ui/Button.tsx'
import { InspectorToggle, ListToggle } from '../../shared/ui/StageBar.tsx'
import { useChat } from '../../stores/chat.ts'
import { useStage } from '../../stores/chatPage.ts'
import { Announcer } from './Announcer.tsx'
import { ActionButton } from './actionButtons.tsx'
import { addToDraft, copyText, typeText } from './actions.ts'
import { Composer } from './Composer.tsx'
import { followJumps } from './find/actions.ts'
import { FindBar } from './find/FindBar.tsx'
import { focusComposer } from './focus.ts'
import { BusyProvider } from './hooks.ts'
import { LinkDialog } from './LinkDialog.tsx'
import { TitleField } from './List.tsx'
import { NewChatFolder } from './list/DefaultSource.tsx'
import { Messages } from './Messages.tsx'
import { useChatTranslate } from './messages.ts'
import { openPreview } from './preview/actions.ts'
import { kindOf } from './preview/kinds.ts'
import { PreviewSplit } from './preview/PreviewSplit.tsx'
import { useCitationsOfChat } from './projects/citations.ts'
import { StageDialogs } from './StageDialogs.tsx'

/** The stage: title and model, messages, composer. */
export function ChatStage() {
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
          <h1 dir="auto" title={id === null ? undefined : shown}>
            {id === null ? t('newChat') : shown}
          </h1>
          {id !== null && (
            <IconButton
              icon={Pencil}
              size="small"
              label={t('rename')}
              data-action="rename"
              onClick={() => useStage.setState({ renaming: true })}
            />
          )}
          <span className="flex-1" />
        </>
      )}
      <FindBar />
      <InspectorToggle />
    </header>
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
