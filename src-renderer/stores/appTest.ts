import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { RequestRow, RequestsEvent } from '../../src-preload/contract/requests.ts'
import { isOpen } from './requests.ts'

/** A test of a newly connected app: waits for its first request. */
export interface AppTest {
  app: { id: string; name: string }
  /** `stopped`: the person cancelled the wait. */
  state: 'waiting' | 'running' | 'ended' | 'stopped'
  /** The first request of the app. Null while waiting. */
  row: RequestRow | null
  /** The newest request without a valid app key, which may come from a mistyped key. Null once the app's own request has arrived. */
  stranger: RequestRow | null
}

/** At most one test at a time. The test continues after its dialog is closed. */
export const appTestStore = createStore<{ test: AppTest | null }>(() => ({ test: null }))
export const useAppTest = (id: string): AppTest | null =>
  useStore(appTestStore, ({ test }) => (test?.app.id === id ? test : null))

export const isWaiting = ({ state }: AppTest): boolean => state === 'waiting' || state === 'running'

/** Applies rows of the request log that are not older than the test. Tracks the oldest request of the app. */
export function withTestEvent(test: AppTest, event: RequestsEvent): AppTest {
  if (event.type === 'erased' || !isWaiting(test)) return test
  const own = event.rows.filter(({ who }) => who.kind === 'app' && who.id === test.app.id).sort((a, b) => a.id - b.id)
  const row = own.find(({ id }) => test.row === null || id === test.row.id) ?? test.row
  if (row) return { ...test, row, stranger: null, state: isOpen(row) ? 'running' : 'ended' }
  const [stranger = test.stranger] = event.rows.filter(({ who }) => who.kind === 'stranger')
  return { ...test, stranger }
}
