import type { Message } from '../../../src-preload/contract/chat.ts'
import type { ChatMessage } from '../upstream/types.ts'

/**
 * The messages of a path as the model gets them. Replies without text are left out (a failure has nothing to say);
 * stopped and incomplete ones go as they are. Reasoning is not sent back: it is the service's own, and models differ in taking it.
 */
export function historyOf(path: Message[]): ChatMessage[] {
  return path.filter((message) => message.text !== '').map(({ role, text }) => ({ role, content: text }))
}
