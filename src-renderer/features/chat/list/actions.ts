import type { Folder } from '../../../../src-preload/contract/library.ts'
import type { Client } from '../../../api/connect.ts'
import { i18n } from '../../../i18n/index.ts'
import { composerField } from '../../../shared/composerField.ts'
import { openList } from '../../../shared/listRegion.ts'
import { navigate } from '../../../shared/navigation.ts'
import { appStore } from '../../../stores/app.ts'
import { findConversation, useChat } from '../../../stores/chat.ts'
import { listStore } from '../../../stores/chatList.ts'
import { libraryStore } from '../../../stores/library.ts'
import { projectOf, projectRoute, routeStore } from '../../../stores/route.ts'
import { attempt } from '../client.ts'
import { beginNewChat } from '../newChatDefaults.ts'
import { offerUndo } from './undo.tsx'

type Change = Omit<Parameters<Client['chat']['update']>[0], 'conversationId'>

/** Limit of concurrent calls when many chats are changed. */
const atOnce = 8

async function each(ids: readonly string[], ask: (client: Client, id: string) => Promise<unknown>): Promise<string[]> {
  const left = [...ids]
  const done: string[] = []
  const one = async (): Promise<void> => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      const its = id
      if ((await attempt((client) => ask(client, its))) !== null) done.push(its)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, ids.length) }, one))
  return done
}

const change = (ids: readonly string[], what: Change): Promise<string[]> =>
  each(ids, (client, conversationId) => client.chat.update({ conversationId, ...what }))

export const titleOf = (id: string): string =>
  findConversation(useChat.getState(), id)?.title ?? i18n.t('library:untitled')

const unselect = (): void => listStore.setState({ picked: new Set() })

/** Clears the search, so that the list shows the chats again. */
export const endSearch = (): void => listStore.setState({ search: '' })

/** Opens a chat, or with null an empty new chat, optionally in a folder. Closes the drawer. A new chat ends the search. */
export function showChat(id: string | null, folderId: string | null = null): void {
  if (id === null) {
    beginNewChat(folderId)
    endSearch()
  }
  const { route } = routeStore.getState()
  if (route.page === 'chat' && route.id === id) {
    // Closes the drawer here, because an unchanged address does not.
    appStore.setState({ listDrawerOpen: false })
    return
  }
  navigate({ page: 'chat', id })
}

/** Opens the page of a project. Closes the drawer. */
export function showProject(folderId: string): void {
  if (projectOf(routeStore.getState().route) === folderId) appStore.setState({ listDrawerOpen: false })
  else navigate(projectRoute(folderId))
}

/** Focuses the search field, from any page. */
export function focusSearch(): void {
  const ask = (): void => listStore.setState(({ searchAsked }) => ({ searchAsked: searchAsked + 1 }))
  const { route } = routeStore.getState()
  if (listStore.getState().drawn === 0) openList()
  if (route.page === 'chat') {
    ask()
    return
  }
  navigate({ page: 'chat', id: null })
  // The message field takes the focus when the page appears. The search field takes the focus afterwards.
  const askAfterField = (frames: number): void => {
    const field = composerField()
    if ((field !== null && field === document.activeElement) || frames === 0) ask()
    else requestAnimationFrame(() => askAfterField(frames - 1))
  }
  askAfterField(60)
}

export async function renameChat(id: string, title: string): Promise<void> {
  await change([id], { title: title.slice(0, 200) })
}

export async function pinChats(ids: readonly string[], pinned: boolean): Promise<void> {
  await change(ids, { pinned })
}

export async function moveChats(ids: readonly string[], folderId: string | null): Promise<void> {
  unselect()
  await change(ids, { folderId })
}

export async function archiveChats(ids: readonly string[], archived: boolean): Promise<void> {
  const text =
    ids.length === 1
      ? i18n.t('library:archivedOne', { title: titleOf(ids[0] ?? '') })
      : i18n.t('library:archivedMany', { count: ids.length })
  unselect()
  const done = await change(ids, { archived })
  if (archived && done.length > 0) offerUndo(text, () => void change(done, { archived: false }))
}

/** Deletes chats. Undo restores them immediately, and the list of deleted chats for 30 days. */
export async function removeChats(ids: readonly string[]): Promise<void> {
  const first = titleOf(ids[0] ?? '')
  const openId = useChat.getState().open?.id
  const wasOpen = openId !== undefined && ids.includes(openId)
  unselect()
  if (wasOpen) showChat(null)
  const done = await each(ids, (client, conversationId) => client.chat.remove({ conversationId }))
  if (done.length === 0) return
  const text =
    done.length === 1
      ? i18n.t('library:removedOne', { title: first })
      : i18n.t('library:removedMany', { count: done.length })
  const undo = (): void => {
    void restoreChats(done).then(() => {
      if (wasOpen) showChat(openId)
    })
  }
  offerUndo(text, undo, done)
}

export async function restoreChats(ids: readonly string[]): Promise<void> {
  await each(ids, (client, removedId) => client.chat.restore({ removedId }))
}

export async function duplicateChat(conversationId: string): Promise<void> {
  const made = await attempt((client) => client.chat.duplicate({ conversationId }))
  if (made) showChat(made.conversationId)
}

/** The defaults of new chats in a folder. */
export type FolderDefaults = Pick<Folder, 'model' | 'instructions' | 'params' | 'wholeTokens'>

/** Creates a folder, moves chats into it and pins files. Returns its id, or null when the core refused. */
export async function makeFolder(
  name: string,
  ids: readonly string[],
  defaults?: FolderDefaults,
  files: Folder['files'] = [],
): Promise<string | null> {
  const made = await attempt((client) => client.library.saveFolder({ name, ...defaults }))
  if (!made) return null
  for (const { mediaId, name } of files) {
    await attempt((client) => client.projects.pin({ folderId: made.id, mediaId, name }))
  }
  if (ids.length > 0) await moveChats(ids, made.id)
  return made.id
}

/** Stores the name and the defaults of a folder. False when the core refused. */
export async function saveFolder(id: string, name: string, defaults: FolderDefaults): Promise<boolean> {
  return (await attempt((client) => client.library.saveFolder({ id, name, ...defaults }))) !== null
}

export async function renameFolder(id: string, name: string): Promise<void> {
  await attempt((client) => client.library.saveFolder({ id, name }))
}

/** Deletes a folder. Its chats stay, without a folder. Undo creates the folder again and moves them back. */
export async function removeFolder(id: string): Promise<void> {
  const folder = libraryStore.getState().folders.find((one) => one.id === id)
  if (!folder) return
  const inside = useChat.getState().list.conversations.flatMap((one) => (one.folderId === id ? [one.id] : []))
  const done = await attempt((client) => client.library.removeFolder({ id }))
  if (done && projectOf(routeStore.getState().route) === id) showChat(null)
  const { name, model, instructions, params, wholeTokens, files } = folder
  const defaults = { model, instructions, params, wholeTokens }
  if (done) offerUndo(i18n.t('library:folderRemoved', { name }), () => void makeFolder(name, inside, defaults, files))
}

/** Closes only the named dialogs: the close event can arrive when the next dialog is already open. */
export function closeListDialog(...mine: string[]): void {
  const { dialog } = listStore.getState()
  if (dialog && mine.includes(dialog.show)) listStore.setState({ dialog: null })
}
