// What the model is told of a call that was not answered by its tool: JSON with one member `error`, and what else it needs to do better.

const reported = (error: string, more: Record<string, unknown> = {}): string => JSON.stringify({ error, ...more })

export const invalidWords = (faults: readonly string[]): string =>
  reported('The arguments of this call are not valid, so it was not run.', { faults })

export const unknownWords = (name: string, known: readonly string[]): string =>
  reported(
    name === '' ? 'This call names no tool.' : `There is no tool called ${JSON.stringify(name.slice(0, 100))}.`,
    {
      tools: known,
    },
  )

export const tooManyWords = (most: number): string =>
  reported(
    `This reply calls too many tools at once: only the first ${most} calls were run. Call again what is still needed.`,
  )

export const deniedWords = (why: string): string =>
  reported('The person said no to this call, so it was not run.', why === '' ? {} : { why })

export const stoppedWords = (begun: boolean): string =>
  reported(
    begun
      ? 'The person stopped this call while it ran; it may have done its work.'
      : 'The person stopped this call; it was not run.',
  )

export const timedOutWords = (seconds: number): string =>
  reported(`The tool did not answer within ${seconds} s; it may have done its work.`)

export const failedWords = (why: string): string => reported(why)
export const refusedWords = (why: string): string => reported(`The tool refused this call: ${why}`)

export const endedWithProgram = 'The program ended while this call ran; it may have done its work.'
