import { tabStore } from '../../shared/storage.ts'
import { newChat, useChat } from '../../stores/chat.ts'

/** Upper limit of replies side by side. */
export const maxCompared = 4
/** The compared models by chat id, or `newChat`. Stored for this tab only. Survives a reload. */
const key = 'chat.compared'
/** Chats whose models are stored. */
const maxChats = 50

function load(): Map<string, string[]> {
  const stored = Object.entries(tabStore.getJson(key) ?? {})
  return new Map(stored.filter((entry): entry is [string, string[]] => isNames(entry[1])))
}

const isNames = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

function save(chat: string, models: readonly string[]): void {
  const all = load()
  // A write that changes nothing could be the first one that a blocked storage refuses, with a message about nothing.
  if (models.length === 0 && !all.has(chat)) return
  all.delete(chat)
  if (models.length > 0) all.set(chat, [...models])
  tabStore.setJson(key, Object.fromEntries([...all].slice(-maxChats)))
}

/** Sets the models whose replies appear side by side. With one or none, only the picked model is used. */
export function setCompared(models: readonly string[]): void {
  const compared = models.slice(0, maxCompared)
  useChat.setState({ compared })
  save(useChat.getState().open?.id ?? newChat, compared)
}

/** Adds or removes a model. A fifth replaces the one added last. */
export function toggleCompared(model: string): void {
  const { compared } = useChat.getState()
  setCompared(
    compared.includes(model) ? compared.filter((one) => one !== model) : [...compared.slice(0, maxCompared - 1), model],
  )
}

/** Restores the models of the chat that is open now. */
export function recallCompared(): void {
  const kept = load().get(useChat.getState().open?.id ?? newChat) ?? []
  useChat.setState({ compared: kept.slice(0, maxCompared) })
}

/** The new chat got an id with its first message: its models move there. A later new chat starts with one model. */
export function moveCompared(conversationId: string): void {
  save(conversationId, load().get(newChat) ?? [])
  save(newChat, [])
}

/** A new chat never inherits the comparison of another one. */
export const forgetCompared = (): void => save(newChat, [])
