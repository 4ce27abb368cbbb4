import { setImmediate } from 'node:timers/promises'
import { vi } from 'vitest'

/**
 * From here on the timers and clocks of this process can be moved ahead. They go on by themselves too: sockets and polls work as ever.
 * Ends with its scope (`using`).
 */
export function quickClock(): Disposable & { advance: (ms: number) => Promise<void> } {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'], shouldAdvanceTime: true })
  return {
    async advance(ms) {
      await vi.advanceTimersByTimeAsync(ms)
      // What a timer sent has been received.
      for (let turn = 0; turn < 50; turn++) await setImmediate()
    },
    [Symbol.dispose]: () => void vi.useRealTimers(),
  }
}
