/** Longest work without a pause, ms, so that the page answers at 60 frames a second. */
const sliceMs = 10

/** Returns a function to await between small steps of long work. It lets the page draw when the time slice has ended. @throws the signal's reason */
export function inSlices(signal: AbortSignal): () => Promise<void> {
  let until = performance.now() + sliceMs
  return async () => {
    signal.throwIfAborted()
    if (performance.now() < until) return
    await new Promise((resolve) => setTimeout(resolve))
    until = performance.now() + sliceMs
  }
}
