import type { ChatFeature } from './chat.ts'

/** Stops a running reply and all choices of its request. Its partial text is stored. Does not wait for the service. */
export function stop({ runs }: ChatFeature, { replyId }: { replyId: string }): { stopped: boolean } {
  return { stopped: runs.stop(replyId) }
}
