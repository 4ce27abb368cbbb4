import type { Store } from '../store/store.ts'
import type { ChatUpstream, Runs } from './runs.ts'

/** What the chat use cases work with. */
export interface ChatRoom {
  store: Store
  runs: Runs
  /** The service to ask. @throws StudioError `not_connected`, or why the connection could not be made */
  upstream(): Promise<ChatUpstream>
}
