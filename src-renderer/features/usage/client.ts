import type { Client } from '../../api/connect.ts'
import { problemOf } from '../../api/problem.ts'
import { appStore, withToast } from '../../stores/app.ts'

let current: Client | null = null

/** The room's way to the core while it is shown; null otherwise. */
export const client = (): Client | null => current

export function setClient(given: Client | null): void {
  current = given
}

export const say = (name: string, text: string): void =>
  appStore.setState(withToast(appStore.getState(), { id: `usage-${name}`, text }))

/** Does something that a refusal of is said in a note; undefined where it was refused. */
export async function attempt<T>(ask: (client: Client) => Promise<T>): Promise<T | undefined> {
  if (!current) return undefined
  try {
    return await ask(current)
  } catch (thrown) {
    say('refused', problemOf(thrown).message)
    return undefined
  }
}
