import type { ExportedMessage } from './conversation.ts'
import type { MarkupTask } from './markupDocument.ts'

/** Text that the browser's own print builds at once, characters. It takes about 30 ms. Longer chats are built in slices by `printChat`. */
export const maxCharsAtOnce = 100_000

/** Characters of a message that are printed. */
function lengthOf({ text, refusal, toolCalls, run }: ExportedMessage): number {
  const calls = toolCalls.reduce((sum, call) => sum + call.arguments.length, 0)
  return text.length + refusal.length + calls + (run?.arguments.length ?? 0)
}

/** What the browser's own print contains of a chat. */
export interface PrintedAtOnce {
  task: MarkupTask
  /** Whether messages, or the end of a very long one, are missing. */
  isPart: boolean
}

/**
 * The whole chat when it can be built within one event, otherwise the messages that the window shows, up to the same length. A message
 * that is longer by itself is cut. @param isComplete whether the task has all messages of the branch
 */
export function printedAtOnce(task: MarkupTask, isShown: (id: string) => boolean, isComplete: boolean): PrintedAtOnce {
  const { conversation, messages } = task
  const total = messages.reduce((sum, message) => sum + lengthOf(message), conversation.instructions.length)
  if (total <= maxCharsAtOnce) return { task, isPart: !isComplete }
  const taken: ExportedMessage[] = []
  let left = maxCharsAtOnce
  for (const message of messages.filter(({ id }) => isShown(id))) {
    left -= lengthOf(message)
    if (left < 0) {
      if (taken.length === 0) taken.push(beginningOf(message))
      break
    }
    taken.push(message)
  }
  return { task: { ...task, conversation: { ...conversation, instructions: '' }, messages: taken }, isPart: true }
}

function beginningOf(message: ExportedMessage): ExportedMessage {
  const text = message.text.slice(0, maxCharsAtOnce).toWellFormed()
  return { ...message, text: `${text}…`, toolCalls: [], run: null, refusal: '' }
}
