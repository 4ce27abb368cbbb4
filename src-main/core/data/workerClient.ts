import type { DataWork } from '../../../src-preload/contract/data.ts'
import { asStudioError, StudioError } from '../errors.ts'
import type { DataJob, DataOutcome, DataWorkerMessage } from './worker.ts'

/** A job on a thread of its own. */
export interface WorkerTask<T> {
  done: Promise<T>
  /** Ends it; `done` is refused with `cancelled`. */
  cancel(): void
}

export function startWorkerTask<K extends DataJob['do']>(
  asked: Extract<DataJob, { do: K }>,
  progress: (work: DataWork) => void,
): WorkerTask<Extract<DataOutcome, { do: K }>> {
  const given = new AbortController()
  return { done: run(asked, progress, given.signal), cancel: () => given.abort() }
}

async function run<K extends DataJob['do']>(
  asked: Extract<DataJob, { do: K }>,
  progress: (work: DataWork) => void,
  signal: AbortSignal,
): Promise<Extract<DataOutcome, { do: K }>> {
  const { startThread } = await import('./worker.ts')
  const { promise, resolve, reject } = Promise.withResolvers<Extract<DataOutcome, { do: K }>>()
  const giveUp = (): void => reject(new StudioError('cancelled', 'Cancelled.'))
  if (signal.aborted) giveUp()
  signal.addEventListener('abort', giveUp)
  const worker = startThread(asked)
  worker.on('message', (said: DataWorkerMessage) => {
    if (signal.aborted) return
    if ('work' in said) progress(said.work)
    else if ('problem' in said) reject(new StudioError(said.problem.kind, said.problem.message))
    else if (isOf(said.outcome, asked.do)) resolve(said.outcome)
  })
  worker.on('error', (error) => reject(asStudioError(error)))
  worker.on('exit', () => reject(new StudioError('bug', 'The thread that works on the data ended without a word.')))
  try {
    return await promise
  } finally {
    // Also where it ended by itself: nothing of it is left when this answers, and what it made can be taken away.
    await worker.terminate()
  }
}

function isOf<K extends DataJob['do']>(outcome: DataOutcome, kind: K): outcome is Extract<DataOutcome, { do: K }> {
  return outcome.do === kind
}
