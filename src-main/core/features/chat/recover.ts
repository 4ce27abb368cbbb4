import type { Problem } from '../../../../src-preload/contract/problem.ts'
import { StudioError } from '../../errors.ts'
import type { Store } from '../../store/store.ts'
import { statusOfRun, timed } from './toolRounds.ts'

/**
 * On start: replies that were being made when the program died, put together from their journal and marked; and tools that were running,
 * which may have done their work. Calls that wait for the person still do. Answers how many replies.
 */
export function recoverReplies(store: Store): number {
  const cut = store.messages.unfinished()
  store.transaction(() => {
    for (const row of cut) {
      const came = store.pieces.gather(row.id)
      const hasOutput =
        row.firstTokenMs !== null || came.text + came.reasoning + came.refusal !== '' || came.toolCalls.length > 0
      store.messages.settle(row.id, {
        ...row,
        ...came,
        status: hasOutput ? 'incomplete' : 'failed',
        problem: programEnded(hasOutput),
        finishedAt: new Date().toISOString(),
      })
      store.pieces.clear(row.id)
    }
    for (const { id, run } of store.messages.openCalls()) {
      if (run.state !== 'running') continue
      const failed = timed({ ...run, state: 'failed' })
      const words = 'Inference Studio ended while this tool was running; it may have done its work.'
      store.messages.setRun(id, { ...failed, notes: [...run.notes, words] }, words, statusOfRun(failed))
    }
  })
  return cut.length
}

/** Nothing is said about work or charges upstream: a missing response proves nothing (specification, Errors). */
export function programEnded(outputStarted: boolean): Problem {
  const words = 'Inference Studio ended while this reply was being made.'
  return new StudioError('cancelled', words, { outputStarted }).toProblem()
}
