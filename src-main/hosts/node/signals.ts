import { StudioError } from '../../core/errors.ts'
import { exitCodes, log } from './output.ts'

/**
 * Calls `onEnd` at the first SIGTERM or SIGINT (Ctrl-C). The second one ends the process at once.
 * @returns a function that removes the listeners
 */
export function onEndSignals(onEnd: () => void): () => void {
  let before = false
  const onSignal = () => {
    if (before) {
      log('warn', 'Stopped at once.')
      process.exit(exitCodes.failed)
    }
    before = true
    onEnd()
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  return () => {
    process.off('SIGTERM', onSignal)
    process.off('SIGINT', onSignal)
  }
}

/** Resolves `asked` at the first end signal. Keeps the process alive until then or until `release`. */
export function listenForEnd(): { asked: Promise<void>; signal: AbortSignal; release(): void } {
  // Signal handlers do not keep a process alive, and `serve --no-web --no-api` has no socket that would.
  const stayAlive = setInterval(() => undefined, 2 ** 30)
  const release = () => clearInterval(stayAlive)
  const end = new AbortController()
  const asked = new Promise<void>((resolve) => {
    onEndSignals(() => {
      release()
      end.abort()
      resolve()
    })
  })
  return { asked, signal: end.signal, release }
}

/** An abort signal that the end signals trigger. */
export interface Interrupt {
  /** Aborts with a StudioError `cancelled` at the first end signal. */
  readonly signal: AbortSignal
  /** Aborts now. */
  now(): void
  /** Settles as `work`, or rejects with the abort reason, whichever is first. */
  or<T>(work: Promise<T>): Promise<T>
  release(): void
}

/** For commands that end by themselves and can be interrupted. */
export function listenForInterrupt(): Interrupt {
  const asked = new AbortController()
  const { signal } = asked
  const now = () => asked.abort(new StudioError('cancelled', 'Cancelled.'))
  const release = onEndSignals(now)
  return {
    signal,
    now,
    release,
    or: (work) =>
      new Promise((resolve, reject) => {
        const give = () => reject(signal.reason)
        if (signal.aborted) give()
        signal.addEventListener('abort', give, { once: true })
        work.then(resolve, reject)
      }),
  }
}
