/** Longest work without a pause, ms, so that the page answers at 60 frames a second. */
const sliceMs = 10

/** Resolves when the page has had time to draw and to react. */
export const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

/** Joins the texts of steps. Lets the page draw when a time slice has ended. @throws the signal's reason */
export async function joinedInSlices(steps: Iterable<string>, signal = new AbortController().signal): Promise<string> {
  const pause = inSlices(signal)
  let joined = ''
  for (const text of steps) {
    joined += text
    await pause()
  }
  return joined
}

/** Returns a function to await between small steps of long work. It lets the page draw when the time slice has ended. @throws the signal's reason */
export function inSlices(signal: AbortSignal): () => Promise<void> {
  let until = performance.now() + sliceMs
  return async () => {
    signal.throwIfAborted()
    if (performance.now() < until) return
    await nextTask()
    until = performance.now() + sliceMs
  }
}
