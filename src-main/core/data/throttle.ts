/** Pause between two progress messages of one step, ms. */
const everyMs = 100

/** Passes progress messages on to `send`: the first of each step at once, further ones at most every 100 ms. */
export function throttled<T>(send: (message: T) => void, stepOf: (message: T) => string): (message: T) => void {
  let sent = { at: 0, step: '' }
  return (message) => {
    const [at, step] = [performance.now(), stepOf(message)]
    if (step === sent.step && at - sent.at < everyMs) return
    sent = { at, step }
    send(message)
  }
}
