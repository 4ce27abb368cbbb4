import { exitCodes, log } from './output.ts'

/**
 * Resolves `asked` at the first SIGTERM or SIGINT (Ctrl-C); the next one ends the process at once, for whoever doesn't want
 * to wait for a clean end. The process stays up until then, or until `release`, for a start that failed.
 */
export function listenForEnd(): { asked: Promise<void>; release(): void } {
  // A signal handler alone does not keep a process alive, and `serve --no-web --no-proxy` has no socket that would.
  const stayAlive = setInterval(() => undefined, 2 ** 30)
  const release = () => clearInterval(stayAlive)
  const asked = new Promise<void>((resolve) => {
    let before = false
    const onSignal = () => {
      if (before) {
        log('warn', 'Ended at once.')
        process.exit(exitCodes.failed)
      }
      before = true
      release()
      resolve()
    }
    process.on('SIGTERM', onSignal)
    process.on('SIGINT', onSignal)
  })
  return { asked, release }
}
