import { constants } from 'node:os'
import { t } from '../../../src-renderer/i18n/cli.ts'
import type { StudioError } from '../../core/errors.ts'
import { tell } from './output.ts'
import { ownError } from './ownWords.ts'

/** Signals that ask a program to end. SIGHUP: the terminal closed. SIGBREAK: Ctrl-Break on Windows. */
const endSignals = [
  'SIGINT',
  'SIGTERM',
  'SIGHUP',
  ...(process.platform === 'win32' ? ['SIGBREAK' as const] : []),
] as const
type EndSignal = (typeof endSignals)[number]

/**
 * A terminal sends a signal to every program in it, and the programs that started this one, such as npm, pass it on. The same signal within
 * this time is one request to end, ms.
 */
const sameRequestMs = 300

/** The first end signal of the command that runs, or null. */
let received: { signal: EndSignal; at: number } | null = null
/** How many parts of the command stop their work in order at an end signal. */
let inOrder = 0

/** Forgets the signal of an earlier command. */
export function openSignals(): void {
  received = null
  inOrder = 0
}

/** Whether an end signal makes the command stop its work in order, so that nothing else may end the process. */
export const endsInOrder = (): boolean => inOrder > 0

/** Returns what ends it, once. */
function endInOrder(): () => void {
  inOrder += 1
  let isOver = false
  return () => {
    if (!isOver) inOrder -= 1
    isOver = true
  }
}

/** Exit code of a program that a signal ended, as shells report it: 129 for SIGHUP, 130 for SIGINT, 143 for SIGTERM. */
const codeOf = (signal: EndSignal): number => 128 + constants.signals[signal]

/** Exit code of the end signal that this command received, or null when it received none. */
export const signalCode = (): number | null => received && codeOf(received.signal)

/** Ctrl-C that readline reads as a key, for which the system sends no signal. */
export function cancelledByCtrlC(): StudioError {
  received ??= { signal: 'SIGINT', at: performance.now() }
  return ownError('cancelled', t('cancelled'))
}

/**
 * Calls `onEnd` at the first end signal. The second one ends the process at once.
 * @returns a function that removes the listeners
 */
export function onEndSignals(onEnd: () => void): () => void {
  let isEnding = false
  const onSignal = (signal: EndSignal) => {
    const now = performance.now()
    if (isEnding && received?.signal === signal && now - received.at < sameRequestMs) return
    if (isEnding) {
      tell('warn', t('output.stoppedAtOnce'))
      process.exit(codeOf(signal))
    }
    isEnding = true
    received ??= { signal, at: now }
    onEnd()
  }
  for (const signal of endSignals) process.on(signal, onSignal)
  return () => {
    for (const signal of endSignals) process.off(signal, onSignal)
  }
}

/** Resolves `asked` at the first end signal. Keeps the process alive until then or until `release`. */
export function listenForEnd(): { asked: Promise<void>; signal: AbortSignal; release(): void } {
  // Signal handlers do not keep a process alive, and `requests --follow` has no socket that would.
  const stayAlive = setInterval(() => undefined, 2 ** 30)
  const over = endInOrder()
  const end = new AbortController()
  const asked = new Promise<void>((resolve) => {
    onEndSignals(() => {
      clearInterval(stayAlive)
      end.abort()
      resolve()
    })
  })
  const release = () => {
    clearInterval(stayAlive)
    over()
  }
  return { asked, signal: end.signal, release }
}

/** An abort signal that the end signals trigger. */
export interface Interrupt {
  /** Aborts with a StudioError `cancelled` at the first end signal. */
  readonly signal: AbortSignal
  /** Aborts now. */
  now(): void
  /** Aborts as SIGINT does. */
  byCtrlC(): void
  /** Settles as `work`, or rejects with the abort reason, whichever is first. */
  or<T>(work: Promise<T>): Promise<T>
  release(): void
}

/** For commands that end by themselves and can be interrupted. */
export function listenForInterrupt(): Interrupt {
  const asked = new AbortController()
  const { signal } = asked
  const now = () => asked.abort(ownError('cancelled', t('cancelled')))
  const over = endInOrder()
  const stopListening = onEndSignals(now)
  return {
    signal,
    now,
    byCtrlC: () => asked.abort(cancelledByCtrlC()),
    release() {
      stopListening()
      over()
    },
    or: (work) =>
      new Promise((resolve, reject) => {
        const give = () => reject(signal.reason)
        if (signal.aborted) give()
        signal.addEventListener('abort', give, { once: true })
        work.then(resolve, reject)
      }),
  }
}
