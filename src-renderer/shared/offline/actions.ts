import { problemOf } from '../../api/problem.ts'
import { showToast } from '../toasts.ts'

/** What fails is said in a note that goes by itself; false then. */
export async function attempt(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (thrown) {
    showToast({ id: 'waiting', text: problemOf(thrown).message })
    return false
  }
}
