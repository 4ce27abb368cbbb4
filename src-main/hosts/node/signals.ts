import { StudioError } from '../../core/errors.ts'
import { exitCodes, log } from './output.ts'

/** Calls `asked` at the first SIGTERM or SIGINT (Ctrl-C); the next one ends the process, for whoever doesn't want to wait. */
export function onEndSignals(asked: () => void): () => void {
  let before = false
  const onSignal = () => {
    if (before) {
      log('warn', 'Ended at once.')
      process.exit(exitCodes.failed)
    }
    before = true
    asked()
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  return () => {
    process.off('SIGTERM', onSignal)
    process.off('SIGINT', onSignal)
  }
}

/** Resolves `asked` when the end is asked for. The process stays up until then, or until `release`, for a start that failed. */
export function listenForEnd(): { asked: Promise<void>; signal: AbortSignal; release(): void } {
  // A signal handler alone does not keep a process alive, and `serve --no-web --no-proxy` has no socket that would.
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

export interface Interrupt {
  /** Aborted with a StudioError `cancelled` when the end is asked for. */
  readonly signal: AbortSignal
  now(): void
  /** The outcome of `work`, or the interrupt's reason, whichever comes first. */
  or<T>(work: Promise<T>): Promise<T>
  release(): void
}

/** For a command that ends by itself, and earlier on request. */
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
