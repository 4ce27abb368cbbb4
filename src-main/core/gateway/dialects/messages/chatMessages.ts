import type { ChatMessage, ContentPart } from '../../../upstream/types.ts'
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
    const images: ContentPart[] = []
    for (const [id, { path, result }] of open.calls) {
      if (result === null) {
        throw new DialectError(path, 'The messages after this tool_use block have no tool_result for it.')
      }
      const tool_call_id = serviceToolId(id)
      this.#list.push({ role: 'tool', tool_call_id, content: result.text })
      if (result.images.length > 0) {
        images.push({ type: 'text', text: `Images of the result of tool call ${tool_call_id}:` })
        for (const image of result.images) images.push(image)
      }
    }
    if (images.length > 0) this.#addImages(images, open.held)
    for (const message of open.held) this.#list.push(message)
  }

  /** Puts the images into the user message that follows, if it follows directly. */
  #addImages(images: ContentPart[], held: ChatMessage[]): void {
    const next = held[0]
    if (next?.role !== 'user') {
      this.#list.push({ role: 'user', content: images })
      return
    }
    const own = typeof next.content === 'string' ? [{ type: 'text', text: next.content }] : (next.content ?? [])
    held[0] = { role: 'user', content: images.concat(own) }
  }
}
