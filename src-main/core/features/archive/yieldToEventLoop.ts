import { setImmediate as nextTurn } from 'node:timers/promises'

/** ms of work between two turns of the loop: the local /v1 and streaming replies run on this thread too. */
const sliceMs = 5

/** Called between small pieces of long work: gives way to others when it is time. */
export function pace(): () => Promise<void> {
  let until = performance.now() + sliceMs
  return async () => {
    if (performance.now() < until) return
    await nextTurn()
    until = performance.now() + sliceMs
  }
}
