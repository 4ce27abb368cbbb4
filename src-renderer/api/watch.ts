import { linkOf } from './link.ts'
import { problemOf } from './problem.ts'

const firstPauseMs = 500
const longestPauseMs = 30_000

/**
 * Runs `watch` again each time it ends, until `signal` aborts. Each watch starts with a snapshot, so no event is lost between two watches.
 *
 * Starts only while the link of `client` is open, and aborts `watch` when the link is lost. After a refusal by the core the pause doubles,
 * from 500 ms to 30 s. The pause returns to 500 ms after a lost connection, a regular end, or a watch that lasted longer than 30 s.
 * A watch of one item is not restarted when the item no longer exists.
 *
 * @param onRefused called at each refusal by the core, never for a lost connection
 */
export async function watchWithRetry(
  client: object,
  signal: AbortSignal,
  watch: (signal: AbortSignal) => Promise<void>,
  onRefused: (thrown: unknown) => void = () => undefined,
): Promise<void> {
  let refusals = 0
  while (!signal.aborted) {
    const startedAt = performance.now()
    try {
      await watchWhileOpen(client, signal, watch)
      refusals = 0
    } catch (thrown) {
      if (signal.aborted) return
      const { kind } = problemOf(thrown)
      if (kind === 'no_such_item') return
      if (kind === 'connection_lost' || kind === 'cancelled') refusals = 0
      else {
        refusals = performance.now() - startedAt > longestPauseMs ? 1 : refusals + 1
        onRefused(thrown)
      }
    }
    await pause(Math.min(longestPauseMs, firstPauseMs * 2 ** Math.max(0, refusals - 1)), signal)
  }
}

/**
 * Subscribes to a stream of the core with the retries of `watchWithRetry`. Returns the unsubscribe function, after which `onEvent` and
 * `onRefused` are never called again.
 *
 *     subscribe(client, (signal) => client.app.watch(undefined, { signal }), setState, showProblem)
 */
export function subscribe<T>(
  client: object,
  open: (signal: AbortSignal) => Promise<AsyncIterable<T>>,
  onEvent: (event: T) => void,
  onRefused?: (thrown: unknown) => void,
): () => void {
  const stopped = new AbortController()
  const watch = async (signal: AbortSignal): Promise<void> => {
    for await (const event of await open(signal)) if (!signal.aborted) onEvent(event)
  }
  void watchWithRetry(client, stopped.signal, watch, onRefused)
  return () => stopped.abort()
}

async function watchWhileOpen(
  client: object,
  signal: AbortSignal,
  watch: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const link = linkOf(client)
  if (!link) return watch(signal)
  await link.opened(signal)
  const lost = new AbortController()
  const stopListening = link.subscribe(() => link.get() === 'open' || lost.abort())
  try {
    await watch(AbortSignal.any([signal, lost.signal]))
  } finally {
    stopListening()
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })
}
