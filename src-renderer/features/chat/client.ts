import type { Client } from '../../api/connect.ts'
import { problemOf } from '../../api/problem.ts'
import { useChat } from '../../stores/chat.ts'

let current: Client | null = null

/** The room's way to the core while it is started; null otherwise. */
export const client = (): Client | null => current

export function setClient(given: Client | null): void {
  current = given
}

/** Asks the core; what fails stands in the room's notice. Answers what came, or null. */
export async function attempt<T>(ask: (client: Client) => Promise<T>): Promise<T | null> {
  if (!current) return null
  try {
    return await ask(current)
  } catch (thrown) {
    useChat.setState({ notice: problemOf(thrown) })
    return null
  }
}
