import { appStore, withApp, withLinkLost } from './stores/app.ts'
import { toolsStore } from './stores/tools.ts'
import type { Studio } from './studio.ts'

const firstDelayMs = 250
const longestDelayMs = 4000

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((done) => {
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      done()
    })
  })

export interface Following<T> {
  /** Opens the stream: its first event is always a whole snapshot. */
  open: (signal: AbortSignal) => Promise<AsyncIterable<T>>
  apply: (event: T) => void
  /** It ended or failed; it is opened again after a growing delay (250 ms to 4 s), unless this answers `stop`. */
  onLost?: (thrown: unknown) => 'again' | 'stop'
  signal: AbortSignal
}

/** Follows one event stream of the core for as long as the signal lets it: a lost link costs a delay, never an event. */
export async function follow<T>({ open, apply, onLost, signal }: Following<T>): Promise<void> {
  let delay = firstDelayMs
  while (!signal.aborted) {
    let lost: unknown
    try {
      for await (const event of await open(signal)) {
        if (signal.aborted) return
        delay = firstDelayMs
        apply(event)
      }
    } catch (thrown) {
      lost = thrown
    }
    if (signal.aborted || onLost?.(lost) === 'stop') return
    await pause(delay, signal)
    delay = Math.min(delay * 2, longestDelayMs)
  }
}

/** Feeds the stores of the window's frame. */
export function goLive(studio: Studio, signal: AbortSignal): void {
  void follow({
    open: (signal) => studio.app.watch(undefined, { signal }),
    apply: (app) => appStore.setState(withApp(appStore.getState(), app)),
    onLost: () => {
      appStore.setState(withLinkLost(appStore.getState()))
      return 'again'
    },
    signal,
  })
  void follow({
    open: (signal) => studio.tools.watch(undefined, { signal }),
    apply: (tools) => toolsStore.setState({ tools }),
    signal,
  })
}
