import { setImmediate as nextTurn } from 'node:timers/promises'

/** Longest work without yielding, ms. The local API and streaming replies run on this thread too. */
const sliceMs = 5

/** Returns a function to call between small steps of long work. The function yields to the event loop when the time slice has ended. */
export function yieldRegularly(): () => Promise<void> {
  let until = performance.now() + sliceMs
  return async () => {
    if (performance.now() < until) return
    await nextTurn()
    until = performance.now() + sliceMs
  }
}
