type Step = () => unknown

/**
 * Runs the steps that close something, one after another. A step that fails does not stop the later ones.
 * @throws AggregateError with every failure, after all steps have run
 */
export async function closeAll(steps: readonly Step[]): Promise<void> {
  const failures: unknown[] = []
  for (const step of steps) {
    try {
      await step()
    } catch (thrown) {
      failures.push(thrown)
    }
  }
  throwAll(failures)
}

/**
 * Starts all steps at once and waits for each of them.
 * @throws AggregateError with every failure, after all steps have settled
 */
export async function closeTogether(steps: readonly Step[]): Promise<void> {
  const results = await Promise.allSettled(steps.map(async (step) => step()))
  throwAll(results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : [])))
}

/** Failures of nested calls are listed one by one. */
function throwAll(failures: readonly unknown[]): void {
  const all = failures.flatMap((failure) => (failure instanceof AggregateError ? failure.errors : [failure]))
  if (all.length > 0) throw new AggregateError(all, all.map(String).join('; '))
}
