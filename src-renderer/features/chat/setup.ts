import { type ChatParams, type ChatSetup, chatSetup, emptySetup } from '../../../src-preload/contract/chat.ts'
import { intentsChanged } from '../../shared/requestIds.ts'
import { localStore } from '../../shared/storage.ts'
import { type ChatState, newChat, useChat } from '../../stores/chat.ts'
import { attempt } from './client.ts'
import { placeIn } from './drafts.ts'

/** How long after the last change it is saved, in ms. */
const savePause = 400
/** Where the setup of a chat that has no conversation yet is kept in this browser. */
const newSetupKey = 'chat.new-setup'

const timers = new Map<string, ReturnType<typeof setTimeout>>()

/** What is set for the conversation on the stage, or for the new one that is not there yet: changes of this window first. */
export function setupOf({ open, setups }: ChatState): ChatSetup {
  if (!open) return setups[newChat] ?? emptySetup
  return setups[open.id] ?? open.setup ?? emptySetup
}

export const useSetup = (): ChatSetup => useChat(setupOf)

/** Shown at once, and saved a moment after the last change. */
export function changeSetup(change: Partial<ChatSetup>): void {
  const state = useChat.getState()
  // What stands in a conversation that is still being opened is not known: a change would put it back to nothing.
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

/** A parameter set, or with undefined taken out again: then it is not sent. */
export function changeParam<K extends keyof ChatParams>(name: K, value: ChatParams[K] | undefined): void {
  const { [name]: _before, ...rest } = setupOf(useChat.getState()).params
  changeSetup({ params: value === undefined ? rest : { ...rest, [name]: value } })
}

/** Saves everything that waits; what is sent next is asked with it. */
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
  // A refused one stays here, and is saved with the next change.
  if (!saved || useChat.getState().setups[key] !== setup) return
  useChat.setState(({ open, setups: { [key]: _saved, ...setups } }) => ({
    setups,
    open: open?.id === key ? { ...open, setup } : open,
  }))
}

/** What a chat without a conversation was set to before the window was closed. */
export function recallNewSetup(): void {
  const kept = chatSetup.safeParse(localStore.getJson(newSetupKey))
  if (kept.success) useChat.setState(({ setups }) => ({ setups: { ...setups, [newChat]: kept.data } }))
  // Of another version, or damaged: nothing is set.
  else localStore.remove(newSetupKey)
}

/** The new chat's setup went with its first message. */
export function forgetNewSetup(): void {
  localStore.remove(newSetupKey)
  useChat.setState(({ setups: { [newChat]: _sent, ...setups } }) => ({ setups }))
}
