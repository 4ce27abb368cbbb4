import { emptySetup } from '../../../src-preload/contract/chat.ts'
import { appStore } from '../../stores/app.ts'
import { newChat, useChat } from '../../stores/chat.ts'
import { libraryStore } from '../../stores/library.ts'
import { defaultsIn, useNewChat } from '../../stores/newChat.ts'

/** The defaults that the new chat has taken, so that a later default replaces them and never what the person chose. */
let taken: { model: string | null; instructions: string } = { model: null, instructions: '' }

/** Begins a new chat in a folder, or in none, with the model and the instructions that are the default there. */
export function beginNewChat(folderId: string | null): void {
  useNewChat.setState({ folderId })
  taken = { ...taken, model: null }
  takeDefaults()
}

/** Takes defaults that have changed since, for example in the settings. What the person chose for the new chat stays. */
export function takeDefaults(): void {
  const { folderId } = useNewChat.getState()
  const folder = libraryStore.getState().folders.find(({ id }) => id === folderId)
  const { model, instructions } = defaultsIn(folder, appStore.getState().app?.settings)
  takeModel(model?.value ?? null)
  takeInstructions(instructions?.value ?? '')
}

function takeModel(model: string | null): void {
  const { models } = useChat.getState().models
  // A model that the service does not list would only fail.
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
