import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { Prompt } from '../../../../src-preload/contract/library.ts'
import { i18n } from '../../../i18n/index.ts'
import { composerField, insertInto } from '../../../shared/composerField.ts'
import { containsWords } from '../../../shared/looseText.ts'
import { navigate } from '../../../shared/navigation.ts'
import { listStore } from '../../../stores/chatList.ts'
import { libraryStore } from '../../../stores/library.ts'
import { routeStore } from '../../../stores/route.ts'
import { attempt } from '../client.ts'
import { offerUndo } from './undo.tsx'
import { filled, variablesOf } from './variables.ts'

/** The page of the prompts dialog. */
export type PromptPage = { page: 'list' } | { page: 'edit'; prompt: Prompt | null } | { page: 'fill'; prompt: Prompt }

export const promptStore = createStore<{ shown: PromptPage }>(() => ({ shown: { page: 'list' } }))
export const usePromptPage = (): PromptPage => useStore(promptStore, ({ shown }) => shown)
export const showPage = (shown: PromptPage): void => promptStore.setState({ shown })

export function openPrompts(shown: PromptPage = { page: 'list' }): void {
  showPage(shown)
  listStore.setState({ dialog: { show: 'prompts' } })
}

export function closePrompts(): void {
  // The close event of a dialog can arrive when the next dialog is already open.
  if (listStore.getState().dialog?.show !== 'prompts') return
  listStore.setState({ dialog: null })
  showPage({ page: 'list' })
}

/** Inserts a prompt into the composer, after asking for its variables. */
export function takePrompt(prompt: Prompt): void {
  if (variablesOf(prompt.text).length > 0) openPrompts({ page: 'fill', prompt })
  else insertPrompt(prompt, {})
}

/** Closes the dialog and inserts the text at the composer's caret. */
export function insertPrompt(prompt: Prompt, values: Readonly<Record<string, string>>): void {
  closePrompts()
  const { route } = routeStore.getState()
  if (route.page !== 'chat') navigate({ page: 'chat', id: null })
  // Waits until the dialog has restored the focus and the Chat page is rendered.
  const write = (tries: number): void => {
    const field = composerField()
    if (field) insertInto(field, filled(prompt.text, values))
    else if (tries > 0) requestAnimationFrame(() => write(tries - 1))
  }
  requestAnimationFrame(() => write(60))
}

export async function savePrompt(prompt: { id?: string; name: string; text: string }): Promise<boolean> {
  return (await attempt((client) => client.library.savePrompt(prompt))) !== null
}

export async function removePrompt(id: string): Promise<void> {
  const prompt = libraryStore.getState().prompts.find((one) => one.id === id)
  const done = await attempt((client) => client.library.removePrompt({ id }))
  if (!done || !prompt) return
  const { name, text } = prompt
  offerUndo(i18n.t('library:promptRemoved', { name }), () => void savePrompt({ name, text }))
}

/** Prompts whose name or text contains every search term. Matches by name are first. */
export function matchingPrompts(prompts: readonly Prompt[], typed: string): Prompt[] {
  const byName = prompts.filter(({ name }) => containsWords(name, typed))
  const others = prompts.filter((one) => !byName.includes(one) && containsWords(`${one.name}\n${one.text}`, typed))
  return [...byName, ...others]
}
