import './projects.css'
import { Ellipsis, Plus, Settings2, Trash2 } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Folder } from '../../../../src-preload/contract/library.ts'
import type { ProjectCost } from '../../../../src-preload/contract/projects.ts'
import { showFull, showSc } from '../../../i18n/format.ts'
import { Button, IconButton } from '../../../shared/ui/Button.tsx'
import { Menu, MenuItem } from '../../../shared/ui/Menu.tsx'
import { StageBar } from '../../../shared/ui/StageBar.tsx'
import { WithSc } from '../../../shared/ui/WithSc.tsx'
import { useChat } from '../../../stores/chat.ts'
import { listStore } from '../../../stores/chatList.ts'
import { useLibrary } from '../../../stores/library.ts'
import { attempt } from '../client.ts'
import { focusComposer } from '../focus.ts'
import { removeFolder, showChat } from '../list/actions.ts'
import { ProjectFiles } from './ProjectFiles.tsx'

/** Chats on the page. The list of chats has all of them. */
const maxChats = 100

/** The page of a project: instructions, files, chats and cost. */
export function ProjectPage({ id }: { id: string }) {
  const { t } = useTranslation('projects')
  const folder = useLibrary(({ folders }) => folders.find((one) => one.id === id))
  const isLoading = useLibrary(({ state }) => state !== 'live')
  if (!folder) {
    return (
      <div className="chat-stage">
        <StageBar title={t('project')} />
        <p className="chat-stage-note">{isLoading ? null : t('gone')}</p>
      </div>
    )
  }
  return (
    <div className="chat-stage">
      <StageBar title={<span dir="auto">{folder.name}</span>} actions={<Actions folder={folder} />} />
      <div className="project-page">
        <div>
          <Instructions folder={folder} />
          <ProjectFiles folder={folder} />
          <Chats folder={folder} />
          <Cost folder={folder} />
        </div>
      </div>
    </div>
  )
}

const edit = (id: string): void => listStore.setState({ dialog: { show: 'editFolder', id } })

function Actions({ folder: { id } }: { folder: Folder }) {
  const { t } = useTranslation(['projects', 'library'])
  return (
    <>
      <Button
        variant="primary"
        onClick={() => {
          showChat(null, id)
          focusComposer()
        }}
      >
        <Plus aria-hidden size={15} /> {t('library:newChatHere')}
      </Button>
      <Menu trigger={<IconButton icon={Ellipsis} label={t('menu')} />}>
        <MenuItem icon={Settings2} label={t('library:folderSettings')} onSelect={() => edit(id)} />
        <MenuItem icon={Trash2} danger label={t('library:remove')} onSelect={() => void removeFolder(id)} />
      </Menu>
    </>
  )
}

function Instructions({ folder: { id, instructions } }: { folder: Folder }) {
  const { t } = useTranslation('projects')
  return (
    <section aria-label={t('instructions')}>
      <header>
        <h2>{t('instructions')}</h2>
        <Button size="small" onClick={() => edit(id)}>
          {t('edit')}
        </Button>
      </header>
      {instructions === null ? (
        <p className="text-soft">{t('noInstructions')}</p>
      ) : (
        <p className="project-instructions" dir="auto">
          {instructions}
        </p>
      )}
    </section>
  )
}

function useChatsOf(folderId: string) {
  const all = useChat(({ list }) => list.conversations)
  return useMemo(() => all.filter((one) => one.folderId === folderId && !one.archived), [all, folderId])
}

function Chats({ folder: { id } }: { folder: Folder }) {
  const { t } = useTranslation(['projects', 'library'])
  const chats = useChatsOf(id)
  return (
    <section aria-label={t('chats')}>
      <h2>{t('chats')}</h2>
      {chats.length === 0 && <p className="text-soft">{t('noChats')}</p>}
      <ul className="project-chats">
        {chats.slice(0, maxChats).map((chat) => (
          <li key={chat.id}>
            <button type="button" onClick={() => showChat(chat.id)}>
              <b dir="auto">{chat.title ?? t('library:untitled')}</b>
              <time dateTime={chat.updatedAt} className="num">
                {showFull(chat.updatedAt)}
              </time>
            </button>
          </li>
        ))}
      </ul>
      {chats.length > maxChats && <p className="text-soft">{t('moreChats', { count: chats.length - maxChats })}</p>}
    </section>
  )
}

function Cost({ folder: { id } }: { folder: Folder }) {
  const { t } = useTranslation('projects')
  const newest = useChatsOf(id)[0]?.updatedAt
  const [cost, setCost] = useState<ProjectCost | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the cost changes with the chats
  useEffect(() => {
    let isCurrent = true
    void attempt((core) => core.projects.cost({ folderId: id })).then((found) => {
      if (isCurrent) setCost(found)
    })
    return () => {
      isCurrent = false
    }
  }, [id, newest])
  if (!cost) return null
  const amount = showSc(cost.cost)
  return (
    <section aria-label={t('cost')}>
      <h2>{t('cost')}</h2>
      <p className="num">
        {cost.requests === 0 ? (
          t('noCost')
        ) : (
          <WithSc
            text={t(cost.unpriced === cost.requests ? 'costUnknown' : cost.unpriced > 0 ? 'costAtLeast' : 'costOf', {
              amount,
              requests: t('requests', { count: cost.requests }),
            })}
          />
        )}
      </p>
    </section>
  )
}
