import { setImmediate } from 'node:timers/promises'
import { vi } from 'vitest'

/**
 * Fake timers and clocks that a test can move ahead. They also advance by themselves, so sockets and polls work as usual.
 * Real timers return at the end of the scope (`using`).
 */
export function quickClock(): Disposable & { advance: (ms: number) => Promise<void> } {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'], shouldAdvanceTime: true })
  return {
    async advance(ms) {
      await vi.advanceTimersByTimeAsync(ms)
      // Lets the process receive what a timer has sent.
      for (let turn = 0; turn < 50; turn++) await setImmediate()
    },
    [Symbol.dispose]: () => void vi.useRealTimers(),
  }
}
