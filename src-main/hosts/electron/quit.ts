import type { App, BrowserWindow, Dialog, MessageBoxOptions } from 'electron'
import type { Activity } from '../../core/core.ts'
import { asStudioError } from '../../core/errors.ts'
import type { Host } from '../../core/host.ts'
import { workLine } from './trayMenu.ts'
import { t } from './words.ts'

interface QuitOptions {
  app: Pick<App, 'on' | 'quit'>
  dialog: Pick<Dialog, 'showMessageBox'>
  /** What would be cut, or null while the core is starting. */
  activity(): Activity | null
  /** Marks the streams and closes the databases. */
  stop(): Promise<void>
  log: Host['log']
}

/** The end of the program. */
export interface Quit {
  /** Whether the program is ending. */
  asked(): boolean
  /** Ends the program without a question, as at the end of a session. */
  now(): void
}

/** Delays quitting until `stop` is done. Asks first when requests or recordings are running. */
export function stopBeforeQuit({ app, dialog, activity, stop, log }: QuitOptions): Quit {
  let state: 'running' | 'asking' | 'stopping' | 'stopped' = 'running'

  function end(): void {
    if (state === 'stopping' || state === 'stopped') return
    state = 'stopping'
    stop()
      .catch((thrown: unknown) => log('error', asStudioError(thrown).message))
      .finally(() => {
        state = 'stopped'
        app.quit()
      })
  }

  async function ask(running: Activity): Promise<void> {
    state = 'asking'
    const { response } = await dialog.showMessageBox(quitQuestion(running))
    // The session may have ended while the question was open.
    if (state !== 'asking') return
    if (response === 0) end()
    else state = 'running'
  }

  app.on('before-quit', (event) => {
    if (state === 'stopped') return
    event.preventDefault()
    if (state !== 'running') return
    const running = activity()
    if (running !== null && running.requests + running.recordings > 0) {
      ask(running).catch((thrown: unknown) => {
        log('error', asStudioError(thrown).message)
        end()
      })
    } else end()
  })
  return { asked: () => state === 'stopping' || state === 'stopped', now: end }
}

/** The question before running work is cut. The first button quits. */
const quitQuestion = (running: Activity): MessageBoxOptions => ({
  type: 'question',
  title: 'Inference Studio',
  message: t('desktop:quitNow.message', { running: workLine(running) }),
  detail: t('desktop:quitNow.detail'),
  buttons: [t('desktop:quit'), t('desktop:cancel')],
  defaultId: 1,
  cancelId: 1,
})

/**
 * Quits when the session of Windows ends, which ends processes without `before-quit`. Windows waits while the first event is prevented and
 * the program still runs.
 */
export function endWithSession(window: BrowserWindow, quit: () => void): void {
  window.on('query-session-end', (event) => {
    event.preventDefault()
    quit()
  })
  // A forced end does not wait. The core is stopped as far as the time suffices.
  window.on('session-end', quit)
}
