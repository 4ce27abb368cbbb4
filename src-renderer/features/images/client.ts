import type { Client } from '../../api/connect.ts'
import { problemOf } from '../../api/problem.ts'
import { appStore, withToast } from '../../stores/app.ts'

let current: Client | null = null

/** The room's way to the core while it is shown; null otherwise. */
export const client = (): Client | null => current

export function setClient(given: Client | null): void {
  current = given
}

export const say = (name: string, text: string, action?: { label: string; onClick: () => void }): void =>
  appStore.setState(withToast(appStore.getState(), { id: `images-${name}`, text, ...(action ? { action } : {}) }))

/** Asks the core; a refusal is said in a note. Answers what came, or null. */
export async function attempt<T>(ask: (client: Client) => Promise<T>): Promise<T | null> {
  if (!current) return null
  try {
    return await ask(current)
  } catch (thrown) {
    say('refused', problemOf(thrown).message)
    return null
  }
}
