import { tabStore } from '../../shared/storage.ts'
import { useChat } from '../../stores/chat.ts'

/** Upper limit of replies side by side. */
export const maxCompared = 4
/** Stored for this tab only. Survives a reload. */
const key = 'chat.compared'

/** Sets the models whose replies appear side by side. With one or none, only the picked model is used. */
export function setCompared(compared: readonly string[]): void {
  useChat.setState({ compared: compared.slice(0, maxCompared) })
  tabStore.setJson(key, compared)
}

/** Adds or removes a model. A fifth replaces the one added last. */
export function toggleCompared(model: string): void {
  const { compared } = useChat.getState()
  setCompared(
    compared.includes(model) ? compared.filter((one) => one !== model) : [...compared.slice(0, maxCompared - 1), model],
  )
}

export function recallCompared(): void {
  const kept = tabStore.getJson(key)
  if (Array.isArray(kept)) useChat.setState({ compared: kept.filter((one) => typeof one === 'string') })
}
