import type { ChatMessage, ContentPart } from '../../../upstream/types.ts'
import { afterCalls } from '../answeredCalls.ts'
import { DialectError } from '../dialectError.ts'
import type { ToolResultContent } from './contentParts.ts'
import { serviceToolId } from './toolCallIds.ts'

/** A tool call of an assistant message, with the ids of the client. */
export interface SentToolCall {
  id: string
  name: string
  /** JSON text. */
  arguments: string
  path: string
}

/** The tool calls of the last assistant message, until the next one. */
interface OpenCalls {
  calls: Map<string, { path: string; result: ToolResultContent | null }>
  /** Messages since the assistant message. They follow the results. */
  held: ChatMessage[]
}

/**
 * Collects the messages of a chat request in the order that chat completions require: the results of all tool calls of an assistant message
 * follow it directly, before anything else.
 */
export class ChatMessages {
  readonly #list: ChatMessage[] = []
  #open: OpenCalls | null = null

  addInstructions(role: 'system' | 'developer', text: string): void {
    this.#add({ role, content: text })
  }

  addUser(parts: ContentPart[]): void {
    const only = parts[0]
    if (only === undefined) return
    this.#add({ role: 'user', content: parts.length === 1 && only.type === 'text' ? (only.text ?? '') : parts })
  }

  /**
   * @param reasoning thinking of the running tool loop, or empty. Some services demand it with the calls that it led to
   * @throws DialectError for a call of the message before that has no result, and for two calls with one id
   */
  addAssistant(text: string, calls: readonly SentToolCall[], reasoning: string): void {
    this.#close()
    if (text === '' && calls.length === 0) return
    const message: ChatMessage = { role: 'assistant', content: text === '' ? null : text }
    if (reasoning !== '') message.reasoning_content = reasoning
    this.#list.push(message)
    if (calls.length === 0) return
    const open: OpenCalls = { calls: new Map(), held: [] }
    for (const { id, path } of calls) {
      if (open.calls.has(id)) throw new DialectError(`${path}.id`, 'Another tool call of this message has the same id.')
      open.calls.set(id, { path, result: null })
    }
    message.tool_calls = calls.map(({ id, name, arguments: args }) => ({
      id: serviceToolId(id),
      type: 'function',
      function: { name, arguments: args },
    }))
    this.#open = open
  }

  /** @throws DialectError for a result without its call, and for a second result of one call */
  addResult(id: string, result: ToolResultContent, path: string): void {
    const call = this.#open?.calls.get(id)
    if (call === undefined) {
      throw new DialectError(
        `${path}.tool_use_id`,
        'The assistant message before it has no tool_use block with this id.',
      )
    }
    if (call.result !== null) throw new DialectError(`${path}.tool_use_id`, 'This tool call already has a result.')
    call.result = result
  }

  /** @throws DialectError for a call without a result, and if there is no message */
  finish(): ChatMessage[] {
    this.#close()
    if (this.#list.length === 0) throw new DialectError('messages', 'At least one message with content is required.')
    return this.#list
  }

  #add(message: ChatMessage): void {
    if (this.#open === null) this.#list.push(message)
    else this.#open.held.push(message)
  }

  #close(): void {
    const open = this.#open
    if (open === null) return
    this.#open = null
    const answered = [...open.calls].map(([id, { path, result }]) => {
      if (result === null) {
        throw new DialectError(path, 'The messages after this tool_use block have no tool_result for it.')
      }
      return { id: serviceToolId(id), result }
    })
    for (const message of afterCalls(answered, open.held)) this.#list.push(message)
  }
}
