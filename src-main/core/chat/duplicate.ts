import type { ChatRoom } from './chat.ts'

/** Being written. */
export function duplicate(_room: ChatRoom, { conversationId }: { conversationId: string; upTo?: string | undefined }) {
  return { conversationId }
}
