/** A part with `close()`, or a function for one that closes in another way. */
type Step = { close(): unknown } | (() => unknown)

const run = (step: Step): unknown => (typeof step === 'function' ? step() : step.close())

/**
 * Closes the given parts one after another. A part that fails to close does not stop the later ones.
 * @throws AggregateError with every failure, after all parts have closed or failed
 */
export async function closeAll(steps: readonly Step[]): Promise<void> {
  const failures: unknown[] = []
  for (const step of steps) {
    try {
      await run(step)
    } catch (thrown) {
      failures.push(thrown)
    }
  }
  throwAll(failures)
}

/**
 * Closes the given parts at the same time and waits for each of them.
 * @throws AggregateError with every failure, after all parts have closed or failed
 */
export async function closeTogether(steps: readonly Step[]): Promise<void> {
  const results = await Promise.allSettled(steps.map(async (step) => run(step)))
  throwAll(results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : [])))
}

/** Failures of nested calls are listed one by one. */
function throwAll(failures: readonly unknown[]): void {
  const all = failures.flatMap((failure) => (failure instanceof AggregateError ? failure.errors : [failure]))
  if (all.length > 0) throw new AggregateError(all, all.map(String).join('; '))
}
