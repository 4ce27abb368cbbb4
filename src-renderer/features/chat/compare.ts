import { tabStore } from '../../shared/storage.ts'
import { newChat, useChat } from '../../stores/chat.ts'

/** Upper limit of replies side by side. */
export const maxCompared = 4
/** Storage key of the compared models, by chat id or `newChat`. Stored for this tab only, across reloads. */
const key = 'chat.compared'
/** Limit of chats whose models are stored. */
const maxChats = 50

function load(): Map<string, string[]> {
  const stored = Object.entries(tabStore.getJson(key) ?? {})
  return new Map(stored.filter((entry): entry is [string, string[]] => isNames(entry[1])))
}

const isNames = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

function save(chat: string, models: readonly string[]): void {
  const all = load()
  // Skips a write without changes, because a blocked storage would report it as a failure.
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

/** Adds or removes a model. A fifth model replaces the model added last. */
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

/** Moves the models of the new chat to its id, which it gets with its first message. The next new chat starts with one model. */
export function moveCompared(conversationId: string): void {
  save(conversationId, load().get(newChat) ?? [])
  save(newChat, [])
}

/** Removes the models of the new chat, so that it never inherits the comparison of another chat. */
export const forgetCompared = (): void => save(newChat, [])
