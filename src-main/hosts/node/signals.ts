import { exitCodes, log } from './output.ts'

/**
 * Waits for SIGTERM or SIGINT (Ctrl-C). The next one after that ends the process at once, for whoever doesn't want to wait
 * for a clean end.
 */
export function untilAskedToEnd(): Promise<void> {
  return new Promise((resolve) => {
    let asked = false
    // A signal handler alone does not keep a process alive, and `serve --no-web --no-proxy` has no socket that would.
    const stayAlive = setInterval(() => undefined, 2 ** 30)
    const onSignal = () => {
      if (asked) {
        log('warn', 'Ended at once.')
        process.exit(exitCodes.failed)
      }
      asked = true
      clearInterval(stayAlive)
      resolve()
    }
    process.on('SIGTERM', onSignal)
    process.on('SIGINT', onSignal)
  })
}
