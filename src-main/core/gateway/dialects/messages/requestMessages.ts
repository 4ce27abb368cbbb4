import { type Fields, isFields } from '../../../upstream/json/values.ts'
import type { ChatMessage, ContentPart } from '../../../upstream/types.ts'
import { DialectError } from '../dialectError.ts'
import { ChatMessages, type SentToolCall } from './chatMessages.ts'
import { blocksOf, partsOfBlock, plainText, textAt, textOfBlock, toolResultContent } from './contentParts.ts'
import type { IgnoredMessagesFields } from './ignoredFields.ts'
import type { ToolDefinitions } from './toolDefinitions.ts'

const messageKeys = new Set(['role', 'content'])
const systemMessageKeys = new Set(['role', 'content', 'clear_at'])
const summaryKeys = new Set(['type', 'content', 'tool_changes'])
const toolUseKeys = new Set(['type', 'id', 'name', 'input', 'caller'])

/**
 * Blocks of an assistant message that are left out. Thinking is signed for the vendor's models and unreadable for others. The rest are calls
 * that the vendor's servers made and their results: without the server tools they can't be continued, and the assistant's own text says what
 * it found.
 */
const droppedBlocks: ReadonlySet<string> = new Set([
  'thinking',
  'redacted_thinking',
  'server_tool_use',
  'web_search_tool_result',
  'web_fetch_tool_result',
  'advisor_tool_result',
  'code_execution_tool_result',
  'bash_code_execution_tool_result',
  'text_editor_code_execution_tool_result',
  'tool_search_tool_result',
  'mcp_tool_use',
  'mcp_tool_result',
  'mcp_tool_listing',
  'fallback',
])

/** Translates `system` and `messages`. Tools that messages add or remove are applied to `tools`. */
export function requestMessages(body: Fields, tools: ToolDefinitions, ignored: IgnoredMessagesFields): ChatMessage[] {
  if (!Array.isArray(body.messages)) throw new DialectError('messages', 'Must be an array of messages.')
  const messages: unknown[] = body.messages
  if (messages.length === 0) throw new DialectError('messages', 'At least one message is required.')
  const translation = new MessageTranslation(tools, ignored, lastUserMessage(messages))
  const { system } = body
  if (system !== undefined && system !== null)
    translation.instructions('system', plainText(system, 'system', '\n\n', ignored))
  for (const [index, message] of messages.entries()) translation.message(message, index)
  if (isFields(messages.at(-1)) && (messages.at(-1) as Fields).role === 'assistant') ignored.add('prefill')
  return translation.chat.finish()
}

function lastUserMessage(messages: readonly unknown[]): number {
  return messages.findLastIndex((message) => isFields(message) && message.role === 'user')
}

class MessageTranslation {
  readonly chat = new ChatMessages()
  readonly #tools: ToolDefinitions
  readonly #ignored: IgnoredMessagesFields
  readonly #lastUser: number

  constructor(tools: ToolDefinitions, ignored: IgnoredMessagesFields, lastUser: number) {
    this.#tools = tools
    this.#ignored = ignored
    this.#lastUser = lastUser
  }

  message(message: unknown, index: number): void {
    const path = `messages[${index}]`
    if (!isFields(message)) throw new DialectError(path, 'Must be a message.')
    const { role, content } = message
    switch (role) {
      case 'user':
        this.#ignored.addUnknown(message, messageKeys, 'messages.')
        this.#user(content, `${path}.content`)
        break
      case 'assistant':
        this.#ignored.addUnknown(message, messageKeys, 'messages.')
        this.#assistant(content, `${path}.content`)
        break
      case 'system':
      case 'developer':
        this.#ignored.addUnknown(message, systemMessageKeys, 'messages.')
        this.#system(role, message, index)
        break
      default:
        throw new DialectError(`${path}.role`, 'Must be user, assistant, system or developer.')
    }
  }

  instructions(role: 'system' | 'developer', text: string): void {
    if (text !== '') this.chat.addInstructions(role, text)
  }

  #system(role: 'system' | 'developer', { content, clear_at }: Fields, index: number): void {
    if (content === undefined || content === null) return
    const path = `messages[${index}].content`
    const texts: string[] = []
    if (typeof content === 'string') texts.push(content)
    else {
      for (const { block, type, path: at } of blocksOf(content, path)) {
        if (type === 'text') texts.push(textOfBlock(block, at, this.#ignored))
        else if (type === 'tool_addition' || type === 'tool_removal') this.#tools.change(block, type, at)
        else throw new DialectError(`${at}.type`, 'This block type is not supported in a system message.')
      }
    }
    // The API no longer shows such a message to the model once a user message follows.
    if (clear_at === 'next_user_message' && index < this.#lastUser) return
    this.instructions(role, texts.join('\n\n'))
  }

  #user(content: unknown, path: string): void {
    if (typeof content === 'string') {
      this.chat.addUser([{ type: 'text', text: content }])
      return
    }
    const parts: ContentPart[] = []
    for (const { block, type, path: at } of blocksOf(content, path)) {
      if (type === 'tool_result') {
        this.chat.addResult(textAt(block, 'tool_use_id', at), toolResultContent(block, at, this.#ignored), at)
      } else for (const part of this.#userParts(block, type, at)) parts.push(part)
    }
    this.chat.addUser(parts.filter((part) => part.text !== ''))
  }

  #userParts(block: Fields, type: string, path: string): ContentPart[] {
    if (type === 'container_upload') {
      throw new DialectError(
        `${path}.type`,
        'The service has no containers, so the model can not see this file. Send its text.',
      )
    }
    const parts = partsOfBlock(block, type, path, this.#ignored) ?? this.#either(block, type, path)
    if (parts === null) throw new DialectError(`${path}.type`, 'This block type is not supported in a user message.')
    return parts
  }

  #assistant(content: unknown, path: string): void {
    if (typeof content === 'string') {
      this.chat.addAssistant(content, [])
      return
    }
    let text = ''
    const calls: SentToolCall[] = []
    for (const { block, type, path: at } of blocksOf(content, path)) {
      if (type === 'text') text += textOfBlock(block, at, this.#ignored)
      else if (type === 'tool_use') calls.push(this.#toolUse(block, at))
      else {
        const parts = this.#either(block, type, at)
        if (parts === null)
          throw new DialectError(`${at}.type`, 'This block type is not supported in an assistant message.')
        for (const part of parts) text += part.text ?? ''
      }
    }
    this.chat.addAssistant(text, calls)
  }

  /** Blocks that the API accepts in messages of both roles. Null for other types. */
  #either(block: Fields, type: string, path: string): ContentPart[] | null {
    if (droppedBlocks.has(type)) {
      this.#ignored.add(`messages.${type}`)
      return []
    }
    if (type === 'tool_addition' || type === 'tool_removal') {
      this.#tools.change(block, type, path)
      return []
    }
    return type === 'compaction' ? [{ type: 'text', text: this.#summary(block, path) }] : null
  }

  /** The summary of earlier messages that a `compaction` block replaces. */
  #summary(block: Fields, path: string): string {
    this.#ignored.addUnknown(block, summaryKeys, 'messages.compaction.')
    if (typeof block.content !== 'string' || block.content === '') {
      throw new DialectError(`${path}.content`, 'This block has no readable summary of the messages that it replaces.')
    }
    for (const [index, change] of (Array.isArray(block.tool_changes) ? block.tool_changes : []).entries()) {
      const at = `${path}.tool_changes[${index}]`
      if (!isFields(change) || (change.type !== 'tool_addition' && change.type !== 'tool_removal')) {
        throw new DialectError(at, 'Must be a tool_addition or tool_removal block.')
      }
      this.#tools.change(change, change.type, at)
    }
    return block.content
  }

  #toolUse(block: Fields, path: string): SentToolCall {
    this.#ignored.addUnknown(block, toolUseKeys, 'messages.tool_use.')
    if (isFields(block.caller) && block.caller.type !== 'direct') this.#ignored.add('messages.tool_use.caller')
    const id = textAt(block, 'id', path)
    const name = textAt(block, 'name', path)
    if (id === '') throw new DialectError(`${path}.id`, 'Must not be empty.')
    if (name === '') throw new DialectError(`${path}.name`, 'Must not be empty.')
    return { id, name, arguments: JSON.stringify(block.input ?? {}), path }
  }
}
