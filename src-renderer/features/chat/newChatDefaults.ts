import { type ChatParams, emptySetup } from '../../../src-preload/contract/chat.ts'
import { localStore } from '../../shared/storage.ts'
import { appStore } from '../../stores/app.ts'
import { newChat, useChat } from '../../stores/chat.ts'
import { libraryStore } from '../../stores/library.ts'
import { defaultsIn, useNewChat } from '../../stores/newChat.ts'

/** The defaults applied to the new chat. A later default replaces these values, but never the person's own choice. */
let taken: { model: string | null; instructions: string; params: ChatParams } = {
  model: null,
  instructions: '',
  params: {},
}

/** Storage key of the folder of the new chat, whose draft also survives a reload. */
const folderKey = 'chat.new-folder'

/** Continues the new chat of this browser in its folder, after a reload. */
export function recallNewChat(): void {
  beginNewChat(localStore.get(folderKey))
}

/**
 * Remembers the folder of the new chat, applies the defaults of the folder when they arrive or change, and leaves a folder that was
 * deleted. Returns the function that stops this.
 */
export function followNewFolder(): () => void {
  const stopRemembering = useNewChat.subscribe(({ folderId }) => {
    if (folderId === null) localStore.remove(folderKey)
    else localStore.set(folderKey, folderId)
  })
  const stopFollowing = libraryStore.subscribe(({ state, folders }) => {
    const { folderId } = useNewChat.getState()
    if (state !== 'live' || folderId === null) return
    if (!folders.some(({ id }) => id === folderId)) beginNewChat(null)
    else if (useChat.getState().open === null) takeDefaults()
  })
  return () => {
    stopRemembering()
    stopFollowing()
  }
}

/** Starts a new chat, optionally in a folder, with the default model and instructions of the folder or the settings. */
export function beginNewChat(folderId: string | null): void {
  useNewChat.setState({ folderId })
  const before = taken.model
  taken = { ...taken, model: null }
  takeDefaults()
  // Without a default, the settings mean the model that was picked last, not the default of another project.
  const picked = appStore.getState().app?.settings.chatModel ?? null
  if (taken.model === null && before !== null && picked !== null && useChat.getState().model === before) {
    useChat.setState({ model: picked })
  }
}

/** Applies changed defaults, for example from the settings. The person's own choices for the new chat stay. */
export function takeDefaults(): void {
  const { folderId } = useNewChat.getState()
  const folder = libraryStore.getState().folders.find(({ id }) => id === folderId)
  const { model, instructions } = defaultsIn(folder, appStore.getState().app?.settings)
  takeModel(model?.value ?? null)
  takeInstructions(instructions?.value ?? '')
  takeParams(folder?.params ?? {})
}

function takeModel(model: string | null): void {
  const { models } = useChat.getState().models
  // Skips a model that the service does not list, because its requests would fail.
  const isOffered = models.length === 0 || models.some(({ id }) => id === model)
  if (model !== null && model !== taken.model && isOffered) useChat.setState({ model })
  taken = { ...taken, model }
}

function takeInstructions(instructions: string): void {
  const { [newChat]: setup } = useChat.getState().setups
  if (setup && setup.instructions !== taken.instructions) return
  taken = { ...taken, instructions }
  if ((setup ?? emptySetup).instructions === instructions) return
  const next = { ...(setup ?? emptySetup), instructions }
  useChat.setState(({ setups }) => ({ setups: { ...setups, [newChat]: next } }))
}

function takeParams(params: ChatParams): void {
  const { [newChat]: setup } = useChat.getState().setups
  if (JSON.stringify((setup ?? emptySetup).params) !== JSON.stringify(taken.params)) return
  taken = { ...taken, params }
  if (JSON.stringify((setup ?? emptySetup).params) === JSON.stringify(params)) return
  const next = { ...(setup ?? emptySetup), params }
  useChat.setState(({ setups }) => ({ setups: { ...setups, [newChat]: next } }))
}
