import { problemOf } from './problem.ts'

const rewatchPause = 500

/**
 * Watches again, after a short pause, until `signal` ends it; the snapshot at the start of each watch makes that safe. `onRefused` is
 * told what the core itself said no to: a lost link is not that.
 */
export async function keepWatching(
  signal: AbortSignal,
  watch: (signal: AbortSignal) => Promise<void>,
  onRefused: (thrown: unknown) => void = () => undefined,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await watch(signal)
    } catch (thrown) {
      if (signal.aborted) return
      const { kind } = problemOf(thrown)
      if (kind === 'no_such_item') return
      if (kind !== 'connection_lost' && kind !== 'cancelled') onRefused(thrown)
    }
    if (!signal.aborted) await pause(rewatchPause, signal)
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const ended = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', ended)
      resolve()
    }
    const timer = setTimeout(ended, ms)
    signal.addEventListener('abort', ended)
  })
}
