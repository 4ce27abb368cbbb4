type Log = (level: 'error', line: string) => void

/**
 * Logs uncaught exceptions and unhandled rejections, and keeps the process running.
 *
 * By default Node would exit, which would cut every stream of every app with no supervisor to restart the process.
 * Continuing is safe for the data: each change is one SQLite transaction, which a throw rolls back, and requests and
 * replies share no state. Electron's default is a dialog, after which its process continues too.
 * No code may rely on this handler: each timer and background task reports its own failures.
 */
export function logUncaught(log: Log): void {
  // Without a listener, each failed write to standard error is an uncaught exception. Logging it would be the next failed write, for ever.
  process.stderr.on('error', () => undefined)
  process.on('unhandledRejection', (reason) => say(log, 'Unhandled rejection', reason))
  process.on('uncaughtException', (error) => say(log, 'Uncaught exception', error))
}

function say(log: Log, what: string, thrown: unknown): void {
  try {
    log('error', `${what}: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`)
  } catch {
    // Standard error may be closed; there is no other log.
  }
}
