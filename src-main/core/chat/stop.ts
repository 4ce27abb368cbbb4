import type { ChatRoom } from './chat.ts'

/** Ends a reply that is being made and keeps what came. It does not wait for the service. */
export function stop({ runs }: ChatRoom, { replyId }: { replyId: string }): { stopped: boolean } {
  return { stopped: runs.stop(replyId) }
}
