import { problemOf } from '../../api/problem.ts'
import { appStore, withToast } from '../../stores/app.ts'

/** What fails is said in a note that goes by itself; false then. */
export async function attempt(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (thrown) {
    appStore.setState((store) => withToast(store, { id: 'waiting', text: problemOf(thrown).message }))
    return false
  }
}
