import { create } from 'zustand'
import type { Message } from '../../../../src-preload/contract/chat.ts'
import { type Passage, type ProjectContext, samePlace } from '../../../../src-preload/contract/projects.ts'
import type { Client } from '../../../api/connect.ts'
import { type ChatState, newChat, useChat } from '../../../stores/chat.ts'
import { libraryStore } from '../../../stores/library.ts'
import { useNewChat } from '../../../stores/newChat.ts'
import { client } from '../client.ts'
import { addRemovedPassage, removedPassages } from './removedPassages.ts'

export const emptyContext: ProjectContext = { documents: [], passages: [], indexing: 0 }

/** What the project adds to the message in the composer, as it is shown. */
interface NextContext {
  /** The message and the state of the project for which `context` is. Null: none yet. */
  key: string | null
  /** The message that the one in the composer follows. Null: it is the first. */
  leaf: string | null
  context: ProjectContext
  state: 'ready' | 'loading' | 'failed'
}

export const useNextContext = create<NextContext>(() => ({
  key: null,
  leaf: null,
  context: emptyContext,
  state: 'ready',
}))

/** Id of the last message of the open chat. */
export const leafOf = (open: ChatState['open']): string | null => open?.ids.at(-1) ?? null

/** The context to show for a message that follows `leaf`: that of an earlier message, which was sent, is none. */
export const contextAfter = (next: Pick<NextContext, 'leaf' | 'context'>, leaf: string | null): ProjectContext =>
  next.leaf === leaf ? next.context : emptyContext

/** The id of the project of the open or new chat. */
export const projectIdOf = (open: ChatState['open'], next: string | null): string | null =>
  open ? (open.conversation?.folderId ?? null) : next

/** Everything on which the context of a message depends. Null when its project has no files. */
function keyOf(text: string): string | null {
  const { open } = useChat.getState()
  const folderId = projectIdOf(open, useNewChat.getState().folderId)
  const folder = libraryStore.getState().folders.find(({ id }) => id === folderId)
  if (!folder || folder.files.length === 0) return null
  const files = folder.files.map(({ mediaId, name, isWhole, isIndexed }) => [mediaId, name, isWhole, isIndexed])
  return JSON.stringify([open?.id ?? null, folderId, leafOf(open), text, files, removedPassages(draftId())])
}

const draftId = (): string => useChat.getState().open?.id ?? newChat

/** Where the context belongs: the open or new chat. */
function place() {
  const { open } = useChat.getState()
  return { conversationId: open?.id ?? null, folderId: open ? null : useNewChat.getState().folderId }
}

/** The context of the message in the composer. @throws as `projects.context` */
const loadContext = (core: Client, text: string, signal?: AbortSignal): Promise<ProjectContext> =>
  core.projects.context({ ...place(), text, without: [...removedPassages(draftId())] }, signal ? { signal } : {})

/** Removes a passage from the message in the composer. The others get their numbers when `lookAhead` has loaded them. */
export function removePassage(passage: Passage): void {
  addRemovedPassage(draftId(), passage)
  useNextContext.setState(({ context }) => ({
    context: { ...context, passages: context.passages.filter((one) => !samePlace(one, passage)) },
  }))
}

/**
 * What the project adds to a message: the shown context, if it belongs to this text, otherwise a new one, which is then shown.
 * @param edited a message of the path that the text replaces
 * @throws as `projects.context`
 */
export async function contextFor(text: string, edited?: Message): Promise<ProjectContext> {
  const core = client()
  const key = keyOf(text)
  if (!core || key === null || (edited && edited.role !== 'user')) return emptyContext
  if (edited) return core.projects.context({ ...place(), parentId: edited.parentId, text })
  const shown = useNextContext.getState()
  if (shown.key === key && shown.state === 'ready') return shown.context
  const context = await loadContext(core, text)
  useNextContext.setState({ key, leaf: leafOf(useChat.getState().open), context, state: 'ready' })
  return context
}

/** Loads the context of the typed text, to show it before it is sent. */
export async function lookAhead(text: string, signal: AbortSignal): Promise<void> {
  const core = client()
  const key = keyOf(text)
  if (key === null) {
    useNextContext.setState({ key: null, leaf: null, context: emptyContext, state: 'ready' })
    return
  }
  const shown = useNextContext.getState()
  if (!core || (shown.key === key && shown.state === 'ready')) return
  const leaf = leafOf(useChat.getState().open)
  useNextContext.setState({ key, leaf, context: contextAfter(shown, leaf), state: 'loading' })
  try {
    const context = await loadContext(core, text, signal)
    if (!signal.aborted) useNextContext.setState({ key, context, state: 'ready' })
  } catch {
    // Shown when the message is sent, which asks again.
    if (!signal.aborted) useNextContext.setState({ context: emptyContext, state: 'failed' })
  }
}
