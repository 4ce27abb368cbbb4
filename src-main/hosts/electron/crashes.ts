import type { BrowserWindow, Dialog, MessageBoxOptions } from 'electron'
import type { Host } from '../../core/host.ts'
import { t } from './words.ts'

/** A second crash within this time after the first asks the person, ms. */
const closeTogetherMs = 60_000
/** How long a window may hang before its page is ended, ms. */
const hangMs = 10_000

/** Decides what follows a crash: `reload`, or `ask` when a reload has not helped. */
export class CrashPolicy {
  #lastAt = Number.NEGATIVE_INFINITY

  /** @param at now, ms */
  crashed(at: number): 'reload' | 'ask' {
    const isAgain = at - this.#lastAt < closeTogetherMs
    this.#lastAt = at
    return isAgain ? 'ask' : 'reload'
  }
}

interface CrashOptions {
  dialog: Pick<Dialog, 'showMessageBox'>
  log: Host['log']
  quit(): void
  /** Ctrl+C in a terminal, and the end of a session, also end the processes of pages. Those are no crashes. */
  isQuitting(): boolean
}

/**
 * Reloads the page of a window after its process has crashed, or hangs for 10 s. Nothing is lost: the core runs the replies, and stores
 * drafts. A second crash within a minute asks first.
 */
export function recoverFromCrashes(window: BrowserWindow, { dialog, log, quit, isQuitting }: CrashOptions): void {
  const policy = new CrashPolicy()
  const { webContents } = window
  let hang: NodeJS.Timeout | undefined

  webContents.on('render-process-gone', (_event, { reason, exitCode }) => {
    clearTimeout(hang)
    if (reason === 'clean-exit' || window.isDestroyed() || isQuitting()) return
    log('error', `The page of the window ended: ${reason} (exit code ${exitCode}).`)
    if (policy.crashed(performance.now()) === 'reload') webContents.reload()
    else void ask(reason)
  })
  window.on('unresponsive', () => {
    log('warn', 'The page of the window does not respond.')
    clearTimeout(hang)
    // Ends its process, which the listener above reloads.
    hang = setTimeout(() => webContents.forcefullyCrashRenderer(), hangMs)
  })
  window.on('responsive', () => clearTimeout(hang))
  window.once('closed', () => clearTimeout(hang))

  async function ask(reason: string): Promise<void> {
    const { response } = await dialog.showMessageBox(window, crashQuestion(reason))
    if (window.isDestroyed()) return
    if (response === 0) webContents.reload()
    else quit()
  }
}

/** The question after a second crash. The first button reloads. */
const crashQuestion = (reason: string): MessageBoxOptions => ({
  type: 'warning',
  title: 'Inference Studio',
  message: t('desktop:crash.message'),
  detail: t('desktop:crash.detail', { reason }),
  buttons: [t('desktop:crash.reload'), t('desktop:quit')],
  defaultId: 0,
  cancelId: 0,
})
