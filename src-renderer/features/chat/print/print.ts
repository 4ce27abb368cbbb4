import { flushSync } from 'react-dom'
import { create } from 'zustand'
import { problemOf } from '../../../api/problem.ts'
import { i18n } from '../../../i18n/index.ts'
import { desktopStore } from '../../../shared/desktop.ts'
import { showToast } from '../../../shared/toasts.ts'
import { useChat } from '../../../stores/chat.ts'

/** Longest wait for messages, formulas and images before printing, ms. */
const longestWaitMs = 10_000
/** From this number of messages on, a note says that printing is being prepared. */
const manyMessages = 40

/** Whether the print view of the open chat is in the page. */
export const usePrint = create<{ isShown: boolean }>(() => ({ isShown: false }))

let running: Promise<void> | null = null

/** Prints the whole open chat. While it is being prepared, further calls do nothing. */
export function printChat(): void {
  running ??= print()
    .catch((thrown: unknown) => toast(i18n.t('chat:printFailed', { reason: problemOf(thrown).message })))
    .finally(() => {
      running = null
      usePrint.setState({ isShown: false })
    })
}

const toast = (text: string): void => showToast({ id: 'print', text })

async function print(): Promise<void> {
  const { open } = useChat.getState()
  if (open === null || open.ids.length === 0) return toast(i18n.t('chat:printNothing'))
  if (open.missing + open.ids.length >= manyMessages) toast(i18n.t('chat:printPreparing'))
  const until = performance.now() + longestWaitMs
  // Earlier messages of a long chat are still arriving.
  await waitFor(() => (useChat.getState().open?.missing ?? 0) === 0, until)
  usePrint.setState({ isShown: true })
  await waitFor(() => isReady(document.querySelector('.chat-print')), until)
  const { client } = desktopStore.getState()
  if (!client) return window.print()
  const { reason } = await client.print()
  if (reason !== null) toast(i18n.t('chat:printFailed', { reason }))
}

/** Whether all formulas are built and all images are loaded. */
function isReady(view: Element | null): boolean {
  if (!view) return false
  const hasOpenFormula = view.querySelector('.md-tex[data-failed="false"]') !== null
  return !hasOpenFormula && [...view.querySelectorAll('img')].every(({ complete }) => complete)
}

/** Checks once per frame. Gives up at `until` (performance.now, ms): a missing image must not prevent printing. */
async function waitFor(condition: () => boolean, until: number): Promise<void> {
  while (!condition() && performance.now() < until) {
    await new Promise((resolve) => {
      requestAnimationFrame(resolve)
    })
  }
}

/**
 * Shows the print view also when the browser's own menu prints. Its formulas may still be TeX then, because nothing can wait there.
 * Returns the function that stops it.
 */
export function followBrowserPrint(): () => void {
  const before = (): void => {
    if (running === null) flushSync(() => usePrint.setState({ isShown: true }))
  }
  const after = (): void => {
    if (running === null) usePrint.setState({ isShown: false })
  }
  addEventListener('beforeprint', before)
  addEventListener('afterprint', after)
  return () => {
    removeEventListener('beforeprint', before)
    removeEventListener('afterprint', after)
  }
}
