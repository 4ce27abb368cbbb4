import { problemOf } from '../../api/problem.ts'
import { showToast } from '../toasts.ts'

/** Runs an action and shows a failure as a toast. False after a failure. */
export async function attempt(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (thrown) {
    showToast({ id: 'waiting', text: problemOf(thrown).message })
    return false
  }
}
