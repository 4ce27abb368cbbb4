import type { Problem } from '../../../../src-preload/contract/problem.ts'
import { StudioError } from '../../errors.ts'
import type { Store } from '../../store/store.ts'
import { statusOfRun, timed } from './toolRounds.ts'

/**
 * Call once at start. Restores replies that were running when the program stopped, from their journal, and marks them
 * as ended early. Running tool calls become `failed`, because the tool may have completed. Calls that wait for the
 * person stay open. Queued messages are held, so that nothing is sent at a start. Returns the number of replies.
 */
export function recoverReplies(store: Store): number {
  const cut = store.messages.unfinished()
  store.transaction(() => {
    for (const row of cut) {
      const came = store.replyJournal.gather(row.id)
      const hasOutput =
        row.firstTokenMs !== null || came.text + came.reasoning + came.refusal !== '' || came.toolCalls.length > 0
      store.messages.settle(row.id, {
        ...row,
        ...came,
        status: hasOutput ? 'incomplete' : 'failed',
        problem: programEnded(hasOutput),
        finishedAt: new Date().toISOString(),
      })
      store.replyJournal.clear(row.id)
    }
    store.queuedMessages.holdAll()
    for (const { id, run } of store.messages.openCalls()) {
      if (run.state !== 'running') continue
      const failed = timed({ ...run, state: 'failed' })
      const words = 'Inference Studio stopped while this tool was running. The tool may have completed.'
      store.messages.setRun(id, { ...failed, notes: [...run.notes, words] }, words, statusOfRun(failed))
    }
  })
  return cut.length
}

/** `workPossible` stays unset: a missing response proves nothing about work or charges (specification, Errors). */
export function programEnded(outputStarted: boolean): Problem {
  const words = 'Inference Studio stopped while this reply was running.'
  return new StudioError('cancelled', words, { outputStarted }).toProblem()
}
