import { tabStore } from '../../shared/storage.ts'
import { useChat } from '../../stores/chat.ts'

/** As many stand side by side. */
export const maxCompared = 4
/** Remembered for this window alone, over a reload. */
const key = 'chat.compared'

/** The models whose replies are to stand side by side; one or none: the picked model alone is asked. */
export function setCompared(compared: readonly string[]): void {
  useChat.setState({ compared: compared.slice(0, maxCompared) })
  tabStore.setJson(key, compared)
}

/** In or out; a fifth takes the place of the one picked last. */
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
