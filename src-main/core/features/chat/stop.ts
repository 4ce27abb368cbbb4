import type { ChatFeature } from './chat.ts'

/** Stops a running reply and all choices of its request. Its partial text is stored. Does not wait for the service. */
export function stop({ runs }: ChatFeature, { replyId }: { replyId: string }): { stopped: boolean } {
  return { stopped: runs.stop(replyId) }
}

/** Stops all replies on every branch and all running tools of a conversation. */
export function stopAll(
  { runs, neighbours }: ChatFeature,
  { conversationId }: { conversationId: string },
): { stopped: number } {
  const replies = runs.stopConversation(conversationId)
  return { stopped: replies + neighbours.stopCalls(conversationId) }
}
