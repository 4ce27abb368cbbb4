import { app, type BrowserWindow } from 'electron'
import { asStudioError } from '../../core/errors.ts'

/** Delays quitting until `stop` has marked the streams and closed the databases. */
export function stopBeforeQuit(stop: () => Promise<void>): { asked(): boolean } {
  let state: 'running' | 'stopping' | 'stopped' = 'running'
  app.on('before-quit', (event) => {
    if (state === 'stopped') return
    event.preventDefault()
    if (state === 'stopping') return
    state = 'stopping'
    stop()
      .catch((thrown: unknown) => process.stderr.write(`error ${asStudioError(thrown).message}\n`))
      .finally(() => {
        state = 'stopped'
        app.quit()
      })
  })
  return { asked: () => state !== 'running' }
}

/**
 * Quits when the session of Windows ends, which ends processes without `before-quit`. Windows waits while the first event is prevented and
 * the program still runs.
 */
export function endWithSession(window: BrowserWindow): void {
  window.on('query-session-end', (event) => {
    event.preventDefault()
    app.quit()
  })
  // A forced end does not wait. The core is stopped as far as the time suffices.
  window.on('session-end', () => app.quit())
}
