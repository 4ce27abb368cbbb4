type Report = (line: string) => void

/** Shortest interval between two reports of the same failure, ms: a full disk makes one fail again and again. */
const repeatMs = 60_000
/** Number of different failures that are remembered for that. */
const mostRemembered = 200

const reports = new Set<Report>()
const reportedAt = new Map<string, number>()

/** Adds a receiver of unexpected failures. Returns a function that removes it. */
export function onUnexpected(report: Report): () => void {
  reports.add(report)
  return () => void reports.delete(report)
}

/**
 * Reports a failure that no caller can handle: in a timer, a listener or a background task. Never throws. The same failure is reported once
 * a minute. Without a running core, the report goes to standard error.
 * @param what the part that failed, a clause such as "The last use of an app key could not be written"
 */
export function unexpected(what: string, thrown: unknown): void {
  const line = `${what}: ${wordsOf(thrown)}`
  const now = performance.now()
  if (now - (reportedAt.get(line) ?? Number.NEGATIVE_INFINITY) < repeatMs) return
  if (reportedAt.size >= mostRemembered) reportedAt.clear()
  reportedAt.set(line, now)
  const all: Iterable<Report> = reports.size > 0 ? [...reports] : [(text) => void process.stderr.write(`${text}\n`)]
  for (const report of all) {
    try {
      report(line)
    } catch {
      // A log that cannot be written must not stop anything else.
    }
  }
}

/** Lets `work` run without a caller that waits for it. A failure is reported. */
export function inBackground(what: string, work: Promise<unknown>): void {
  work.catch((thrown: unknown) => unexpected(what, thrown))
}

/** Wraps `work` for a timer or an event, where no caller could catch an error. An error is reported instead. */
export function guarded<A extends unknown[]>(what: string, work: (...args: A) => void): (...args: A) => void {
  return (...args) => {
    try {
      work(...args)
    } catch (thrown) {
      unexpected(what, thrown)
    }
  }
}

/** The message, and the stack for a bug. */
function wordsOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  const isOurs = thrown instanceof TypeError || thrown instanceof ReferenceError || thrown instanceof RangeError
  return isOurs ? (thrown.stack?.split('\n').slice(0, 4).join(' | ') ?? thrown.message) : thrown.message
}
