// Texts that the model receives instead of a tool result: JSON with a member `error` and details that help it to
// correct the call.

const errorResult = (error: string, more: Record<string, unknown> = {}): string => JSON.stringify({ error, ...more })

export const invalidCallText = (faults: readonly string[]): string =>
  errorResult('The arguments of this call are not valid, so it was not run.', { faults })

export const unknownToolText = (name: string, known: readonly string[]): string =>
  errorResult(
    name === '' ? 'This call names no tool.' : `There is no tool called ${JSON.stringify(name.slice(0, 100))}.`,
    {
      tools: known,
    },
  )

export const tooManyCallsText = (most: number): string =>
  errorResult(
    `This reply calls too many tools at once: only the first ${most} calls were run. Repeat the calls that are still needed.`,
  )

export const deniedCallText = (why: string): string =>
  errorResult('The person denied this call, so it was not run.', why === '' ? {} : { why })

export const stoppedCallText = (begun: boolean): string =>
  errorResult(
    begun
      ? 'The person stopped this call while it was running. The tool may have completed.'
      : 'The person stopped this call before it was run.',
  )

export const timedOutCallText = (seconds: number): string =>
  errorResult(`The tool did not answer within ${seconds} s. The tool may have completed.`)

export const failedCallText = (why: string): string => errorResult(why)
export const refusedCallText = (why: string): string => errorResult(`The tool refused this call: ${why}`)

export const endedWithProgram = 'Inference Studio stopped while this call was running. The tool may have completed.'
