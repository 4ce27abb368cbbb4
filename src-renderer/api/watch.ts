import { ORPCError } from '@orpc/client'
import type { CoreLink } from './link.ts'

const pauseAfterFault = 500

/**
 * Follows a stream of the core for as long as it is wanted. A stream starts by its snapshot, so after a lost connection it
 * is opened anew and nothing is missed. `onEnd` is told once: with null when the core ended it, with what was thrown when
 * the core refused it. Returns the function that stops watching, after which neither is called again.
 */
export function subscribeThrough<T>(
  link: CoreLink,
  open: (signal: AbortSignal) => Promise<AsyncIterable<T>>,
  onEvent: (event: T) => void,
  onEnd: (thrown: unknown) => void,
): () => void {
  const wanted = new AbortController()
  const { signal } = wanted
  void follow(link, open, (event) => signal.aborted || onEvent(event), signal).then(
    () => signal.aborted || onEnd(null),
    (thrown: unknown) => signal.aborted || onEnd(thrown),
  )
  return () => wanted.abort()
}

async function follow<T>(
  link: CoreLink,
  open: (signal: AbortSignal) => Promise<AsyncIterable<T>>,
  onEvent: (event: T) => void,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    await link.opened(signal)
    const round = new AbortController()
    const stopRound = () => round.abort(signal.reason)
    signal.addEventListener('abort', stopRound)
    let lost = false
    const stopListening = link.subscribe(() => {
      if (link.get() === 'open') return
      lost = true
      round.abort()
    })
    try {
      for await (const event of await open(round.signal)) onEvent(event)
      if (!lost) return
    } catch (thrown) {
      // The core's own word stands. A connection's end is sometimes seen by the stream before the link: then a moment decides.
      if (!lost && (thrown instanceof ORPCError || !(await lostWithin(link, pauseAfterFault)))) throw thrown
    } finally {
      stopListening()
      signal.removeEventListener('abort', stopRound)
    }
    if (signal.aborted) throw signal.reason
  }
}

function lostWithin(link: CoreLink, ms: number): Promise<boolean> {
  if (link.get() !== 'open') return Promise.resolve(true)
  return new Promise((resolve) => {
    const settle = (lost: boolean) => {
      clearTimeout(timer)
      stop()
      resolve(lost)
    }
    const stop = link.subscribe(() => settle(true))
    const timer = setTimeout(settle, ms, false)
  })
}
