import { problemOf } from '../../../api/problem.ts'
import { i18n } from '../../../i18n/index.ts'
import { keysOf } from '../../../shared/commands/bindings.ts'
import { showKeys } from '../../../shared/commands/keys.ts'
import { commandStore } from '../../../shared/commands/registry.ts'
import { showToast } from '../../../shared/toasts.ts'
import { isMac } from '../../../shared/ui/platform.ts'
import { appStore } from '../../../stores/app.ts'
import { useChat } from '../../../stores/chat.ts'
import { type OpenConversation, shownMessages } from '../../../stores/openChat.ts'
import { routeStore } from '../../../stores/route.ts'
import { titleOf } from './labels.ts'
import type { MarkupTask } from './markupDocument.ts'
import { printedAtOnce } from './printedAtOnce.ts'

/** Longest wait for messages before printing, ms. */
const longestWaitMs = 10_000
/** From this number of messages on, a note says that printing is being prepared. */
const manyMessages = 40
/** Delay after the start until the browser's own menu can print a chat, ms. The code for it is not needed to show the window. */
const preloadMs = 3_000

type Printing = typeof import('./printView.ts')

let isRunning = false
let loaded: Printing | null = null

const load = async (): Promise<Printing> => {
  loaded ??= await import('./printView.ts')
  return loaded
}

const toast = (text: string): void => showToast({ id: 'print', text })

/** Prints the whole open chat. While it is being prepared, further calls do nothing. */
export function printChat(): void {
  if (isRunning) return
  isRunning = true
  print()
    .then((reason) => {
      if (reason !== null) toast(i18n.t('chat:printFailed', { reason }))
    })
    .catch((thrown: unknown) => toast(i18n.t('chat:printFailed', { reason: problemOf(thrown).message })))
    .finally(() => {
      isRunning = false
    })
}

async function print(): Promise<string | null> {
  const { open } = useChat.getState()
  if (open === null || open.ids.length === 0) {
    toast(i18n.t('chat:printNothing'))
    return null
  }
  if (open.missing + open.ids.length >= manyMessages) toast(i18n.t('chat:printPreparing'))
  const until = performance.now() + longestWaitMs
  const { documentNodes, printDocument } = await load()
  // Earlier messages of a long chat are still arriving.
  while ((useChat.getState().open?.missing ?? 0) > 0 && performance.now() < until) {
    await new Promise((resolve) => {
      requestAnimationFrame(resolve)
    })
  }
  const task = taskOf(useChat.getState().open ?? open)
  const { signal } = new AbortController()
  const nodes = await documentNodes({ ...task, signal, onProgress: () => undefined })
  return printDocument(nodes, titleOf(task.conversation))
}

/** The messages to print: those that the window shows of an open chat. */
function taskOf(open: OpenConversation): MarkupTask {
  const messages = shownMessages(open)
  const byId = new Map(messages.map((message) => [message.id, message]))
  const { title = null, createdAt = messages[0]?.createdAt ?? new Date().toISOString() } = open.conversation ?? {}
  return {
    conversation: {
      id: open.id,
      title,
      createdAt,
      model: null,
      leafId: null,
      messages,
      instructions: open.setup?.instructions ?? '',
    },
    messages,
    versionOf({ id }) {
      const { sibling: at = 1, siblings: of = 1 } = byId.get(id) ?? {}
      return of < 2 ? null : { at, of }
    },
    reasoning: false,
    documentTexts: null,
  }
}

const isInWindow = (id: string): boolean => document.querySelector(`[data-message-id="${CSS.escape(id)}"]`) !== null

/** Says on paper how to print the whole chat. */
function partNote(): string {
  const command = commandStore.getState().commands.get('chat.print')
  const [keys] = command ? keysOf(command, appStore.getState().app?.settings.shortcuts ?? {}) : []
  return keys === undefined
    ? i18n.t('chat:printPartPalette')
    : i18n.t('chat:printPart', { keys: showKeys(keys, isMac) })
}

/**
 * Prints the open chat also when the browser's own menu prints. That event cannot wait, so a long chat is printed as far as the window
 * shows it, with a line that says how to print the rest. Returns the function that stops it.
 */
export function followBrowserPrint(): () => void {
  let remove: (() => void) | null = null
  const before = (): void => {
    const { open } = useChat.getState()
    if (loaded === null || open === null || open.ids.length === 0 || routeStore.getState().route.page !== 'chat') return
    // The chat is being printed by `printChat`.
    if (document.querySelector('.exported-print') !== null) return
    const { task, isPart } = printedAtOnce(taskOf(open), isInWindow, open.missing === 0)
    remove = loaded.showPrintView(loaded.nodesAtOnce(task, isPart ? partNote() : null))?.remove ?? null
  }
  const after = (): void => {
    remove?.()
    remove = null
  }
  const preload = setTimeout(() => {
    // Without the code, the browser prints the window as it is.
    load().catch(() => undefined)
  }, preloadMs)
  addEventListener('beforeprint', before)
  addEventListener('afterprint', after)
  return () => {
    clearTimeout(preload)
    removeEventListener('beforeprint', before)
    removeEventListener('afterprint', after)
    after()
  }
}
