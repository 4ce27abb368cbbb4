import { type ChatParams, type ChatSetup, chatSetup, emptySetup } from '../../../src-preload/contract/chat.ts'
import { intentsChanged } from '../../shared/requestIds.ts'
import { localStore } from '../../shared/storage.ts'
import { type ChatState, newChat, useChat } from '../../stores/chat.ts'
import { attempt } from './client.ts'
import { placeIn } from './drafts.ts'

/** ms from the last change until it is saved. */
const savePause = 400
/** Storage key of the setup of a new chat. */
const newSetupKey = 'chat.new-setup'

const timers = new Map<string, ReturnType<typeof setTimeout>>()

/** The setup of the open or new chat. Unsaved changes of this window have priority. */
export function setupOf({ open, setups }: ChatState): ChatSetup {
  if (!open) return setups[newChat] ?? emptySetup
  return setups[open.id] ?? open.setup ?? emptySetup
}

export const useSetup = (): ChatSetup => useChat(setupOf)

/** Changes the setup. The window applies the change immediately, and saves it shortly after the last change. */
export function changeSetup(change: Partial<ChatSetup>): void {
  const state = useChat.getState()
  // The setup of a chat that is still loading is unknown, so a change would overwrite it.
  if (state.open && !state.open.setup) return
  const key = state.open?.id ?? newChat
  const next = { ...setupOf(state), ...change }
  useChat.setState(({ setups }) => ({ setups: { ...setups, [key]: next } }))
  intentsChanged(placeIn(key).scope)
  clearTimeout(timers.get(key))
  timers.set(
    key,
    setTimeout(() => void saveSetup(key), savePause),
  )
}

/** Sets a parameter. Undefined removes it, so that it is not sent. */
export function changeParam<K extends keyof ChatParams>(name: K, value: ChatParams[K] | undefined): void {
  const { [name]: _before, ...rest } = setupOf(useChat.getState()).params
  changeSetup({ params: value === undefined ? rest : { ...rest, [name]: value } })
}

/** Saves all pending changes, so that the next request uses them. */
export async function flushSetups(): Promise<void> {
  await Promise.all([...timers.keys()].map(saveSetup))
}

async function saveSetup(key: string): Promise<void> {
  clearTimeout(timers.get(key))
  timers.delete(key)
  const setup = useChat.getState().setups[key]
  if (!setup) return
  if (key === newChat) {
    localStore.setJson(newSetupKey, setup)
    return
  }
  const saved = await attempt((client) => client.chat.saveSetup({ conversationId: key, setup }))
  // A refused change stays pending, and is saved with the next change.
  if (!saved || useChat.getState().setups[key] !== setup) return
  useChat.setState(({ open, setups: { [key]: _saved, ...setups } }) => ({
    setups,
    open: open?.id === key ? { ...open, setup } : open,
  }))
}

/** Restores the setup of a new chat. */
export function recallNewSetup(): void {
  const kept = chatSetup.safeParse(localStore.getJson(newSetupKey))
  if (kept.success) useChat.setState(({ setups }) => ({ setups: { ...setups, [newChat]: kept.data } }))
  // Removes damaged data and data of another version.
  else localStore.remove(newSetupKey)
}

/** Removes the new chat's setup after its first message. */
export function forgetNewSetup(): void {
  localStore.remove(newSetupKey)
  useChat.setState(({ setups: { [newChat]: _sent, ...setups } }) => ({ setups }))
}
