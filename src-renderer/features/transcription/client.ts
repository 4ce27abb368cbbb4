import type { Client } from '../../api/connect.ts'
import { problemOf } from '../../api/problem.ts'
import { appStore, type ToastNote, withToast } from '../../stores/app.ts'

let current: Client | null = null

/** The room's way to the core, from the window's start on: a recording goes on in every room. */
export const client = (): Client | null => current

export function setClient(given: Client | null): void {
  current = given
}

export const say = (id: string, text: string, action?: ToastNote['action']): void =>
  appStore.setState(withToast(appStore.getState(), { id: `transcribe-${id}`, text, ...(action && { action }) }))

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
