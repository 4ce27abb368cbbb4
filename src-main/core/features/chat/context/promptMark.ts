import { createHash } from 'node:crypto'
import type { PromptMark } from '../../../store/countedPrompts.ts'
import type { ChatMessage } from '../../../upstream/types.ts'
import { imagesOf, textOf } from './count.ts'

/** The members of a request that have tokens. */
export interface CountedRequest {
  messages: readonly ChatMessage[]
  tools?: unknown
  response_format?: unknown
}

/** Identifies a request by everything in it that has tokens. Of images, only their number counts. */
export function promptMark({ messages, tools, response_format: format }: CountedRequest): PromptMark {
  const hash = createHash('sha256')
  let characters = 0
  const add = (text: string): void => {
    characters += text.length
    // With its length, so that no two lists of texts are the same.
    hash.update(`${text.length} `).update(text)
  }
  for (const message of messages) for (const text of textsOf(message)) add(text)
  for (const member of [tools, format]) if (member !== undefined) add(JSON.stringify(member))
  return { characters, hash: hash.digest('hex') }
}

function textsOf(message: ChatMessage): string[] {
  const calls = (message.tool_calls ?? []).flatMap(({ id, function: { name, arguments: args } }) => [id, name, args])
  return [message.role, message.name ?? '', String(imagesOf(message)), textOf(message), ...calls]
}
