type Log = (level: 'error', line: string) => void

/**
 * The last resort of a running studio: what nobody caught is logged, and the process goes on.
 *
 * Node ends a process for an unhandled rejection or an uncaught exception. Here that would cut every stream of every app, with nobody
 * to start the process again. Going on is safe for the data: each change is one SQLite transaction, which a throw rolls back, and a
 * request or a reply has no state beside its own. Electron's own answer to an uncaught exception in its main process is a dialog, after
 * which the process goes on too. Nothing may rely on this: each timer and background task reports its own failures.
 */
export function logUncaught(log: Log): void {
  process.on('unhandledRejection', (reason) => say(log, 'A promise failed and nobody waited for it', reason))
  process.on('uncaughtException', (error) => say(log, 'Something failed and nobody caught it', error))
}

function say(log: Log, what: string, thrown: unknown): void {
  try {
    log('error', `${what}: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`)
  } catch {
    // Standard error may be gone; there is nobody else to tell.
  }
}
