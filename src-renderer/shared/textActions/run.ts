import type { TextAction } from '../../../src-preload/contract/app.ts'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import { longestActionText, type TextActionEvent } from '../../../src-preload/contract/textActions.ts'
import type { Client } from '../../api/connect.ts'
import { perFrame } from '../../api/frames.ts'
import { problemOf } from '../../api/problem.ts'
import { i18n } from '../../i18n/index.ts'
import { appStore } from '../../stores/app.ts'
import { useChat } from '../../stores/chat.ts'
import { composerField, insertInto } from '../composerField.ts'
import { navigate } from '../navigation.ts'
import { offerNewChat } from '../newChatDraft.ts'
import { showToast } from '../toasts.ts'
import { modelOfActions } from './builtIn.ts'
import { fillPrompt, languageName } from './fillPrompt.ts'
import type { TextSelection } from './selection.ts'
import { type ActionRun, useTextActions } from './state.ts'

let running: AbortController | null = null

/** The models that a window knows. */
export interface KnownModels {
  /** Ids of the models of the service; empty while they are not known. */
  listed: readonly string[]
  /** The model for a person who has no model of new chats, or null. */
  other: string | null
}

const modelsOfChat = (): KnownModels => {
  const { models, model } = useChat.getState()
  return { listed: models.models.map(({ id }) => id), other: model }
}

/**
 * Runs an action on a selected text, which sends one request. A running action is stopped first.
 * @param models default: those of the main window
 */
export async function runAction(
  client: Client,
  action: TextAction,
  selection: TextSelection,
  { listed, other }: KnownModels = modelsOfChat(),
): Promise<void> {
  running?.abort()
  const mine = new AbortController()
  running = mine
  const model = modelOfActions(appStore.getState().app?.settings, listed, other)
  const text = fillPrompt(action.prompt, { selection: selection.text, language: languageName(navigator.language) })
  const begun: ActionRun = {
    action,
    selection,
    model,
    status: 'running',
    text: '',
    isCut: false,
    cost: null,
    costIs: 'unknown',
    problem: null,
  }
  useTextActions.setState({ run: begun, isToolbarShown: false, isMenuOpen: false })
  const change = (part: (run: ActionRun) => Partial<ActionRun>): void => {
    const { run } = useTextActions.getState()
    if (run && running === mine) useTextActions.setState({ run: { ...run, ...part(run) } })
  }
  const fail = (problem: Problem): void => change(() => ({ status: 'failed', problem }))
  if (model === null) return fail({ kind: 'bad_input', message: i18n.t('textActions:noModel') })
  if (text.length > longestActionText) {
    return fail({ kind: 'bad_input', message: i18n.t('textActions:tooLong', { count: longestActionText }) })
  }
  const events = perFrame((all: readonly TextActionEvent[]) => {
    const added = all.map((event) => (event.type === 'text' ? event.text : '')).join('')
    const end = all.find((event) => event.type === 'end')
    change((run) => ({
      text: run.text + added,
      ...(end && { status: 'done', isCut: end.isCut, cost: end.cost, costIs: end.costIs }),
    }))
  })
  try {
    for await (const event of await client.textActions.run({ model, text }, { signal: mine.signal })) {
      if (event.type === 'end') events.now(event)
      else events.push(event)
    }
  } catch (thrown) {
    if (!mine.signal.aborted) fail(problemOf(thrown))
  }
}

/** Stops the running action. The text that has arrived stays. */
export function stopAction(): void {
  const { run } = useTextActions.getState()
  if (run?.status !== 'running') return
  useTextActions.setState({ run: { ...run, status: 'stopped' } })
  running?.abort()
}

/** Ends a running action and closes its result. */
export function closeResult(): void {
  running?.abort()
  running = null
  useTextActions.setState({ run: null })
}

/** Replaces the selected text of a field. A text that has changed since the start of the action stays, and a message says so. */
export function replaceSelection({ selection: { field, text }, text: result }: ActionRun): void {
  if (!field) return
  const { element, from, to } = field
  if (!element.isConnected || element.value.slice(from, to) !== text) {
    showToast({ id: 'text-action', text: i18n.t('textActions:changed') })
    return
  }
  closeResult()
  element.focus()
  element.setSelectionRange(from, to)
  insertInto(element, result)
}

/** Adds a result to the composer of the open chat, otherwise to that of a new chat. */
export function insertIntoChat({ text }: ActionRun): void {
  // Fields behind a modal dialog can't have the focus.
  for (const dialog of document.querySelectorAll<HTMLDialogElement>('dialog[open]')) dialog.close()
  closeResult()
  const field = composerField()
  if (field) {
    field.focus()
    field.setSelectionRange(field.value.length, field.value.length)
    insertInto(field, field.value.trim() === '' ? text : `\n\n${text}`)
    return
  }
  offerNewChat(text)
  navigate({ page: 'chat', id: null })
}
