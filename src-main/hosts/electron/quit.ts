import { app } from 'electron'
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
