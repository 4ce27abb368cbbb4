import type { ChatFeature } from './chat.ts'

/** Ends a reply that is being made, with all choices of its request, and keeps what came. It does not wait for the service. */
export function stop({ runs }: ChatFeature, { replyId }: { replyId: string }): { stopped: boolean } {
  return { stopped: runs.stop(replyId) }
}

/** Ends everything that is going on in a conversation: replies on every branch, and running tools. */
export function stopAll(
  { runs, neighbours }: ChatFeature,
  { conversationId }: { conversationId: string },
): { stopped: number } {
  const replies = runs.stopConversation(conversationId)
  return { stopped: replies + neighbours.stopCalls(conversationId) }
}
