import { type Fields, isFields } from '../../../upstream/json/values.ts'
import type { ChatMessage, ContentPart } from '../../../upstream/types.ts'
import { DialectError } from '../dialectError.ts'
import { ChatMessages, type SentToolCall } from './chatMessages.ts'
import {
  type BlockReading,
  blocksOf,
  leftOut,
  partsOfBlock,
  plainText,
  type ToolResultContent,
  textAt,
  textOfBlock,
  toolResultContent,
  unknownBlock,
} from './contentParts.ts'
import type { IgnoredMessagesFields } from './ignoredFields.ts'
import type { ToolDefinitions } from './toolDefinitions.ts'

const messageKeys = new Set(['role', 'content'])
const systemMessageKeys = new Set(['role', 'content', 'clear_at'])
const summaryKeys = new Set(['type', 'content', 'tool_changes'])
const thinkingKeys = new Set(['type', 'thinking', 'signature'])
const toolUseKeys = new Set(['type', 'id', 'name', 'input', 'caller'])

/**
 * Blocks of an assistant message that are left out. Redacted thinking is encrypted for the vendor's models. The rest are calls that the
 * vendor's servers made and their results: without the server tools they can't be continued, and the assistant's own text says what it found.
 */
const droppedBlocks: ReadonlySet<string> = new Set([
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
export function requestMessages(body: Fields, tools: ToolDefinitions, reading: BlockReading): ChatMessage[] {
  const { ignored } = reading
  if (!Array.isArray(body.messages)) throw new DialectError('messages', 'Must be an array of messages.')
  const messages: unknown[] = body.messages
  if (messages.length === 0) throw new DialectError('messages', 'At least one message is required.')
  const translation = new MessageTranslation(tools, reading, messages)
  const { system } = body
  if (system !== undefined && system !== null)
    translation.instructions('system', plainText(system, 'system', '\n\n', ignored))
  for (const [index, message] of messages.entries()) translation.message(message, index)
  if (isFields(messages.at(-1)) && (messages.at(-1) as Fields).role === 'assistant') ignored.add('prefill')
  return translation.chat.finish()
}

const isOfUser = (message: unknown): message is Fields => isFields(message) && message.role === 'user'

/** Whether a message only continues a running tool loop: it has results of tools, perhaps with notes of the agent beside them. */
const hasResults = ({ content }: Fields): boolean =>
  Array.isArray(content) && content.some((block: unknown) => isFields(block) && block.type === 'tool_result')

class MessageTranslation {
  readonly chat = new ChatMessages()
  readonly #tools: ToolDefinitions
  readonly #reading: BlockReading
  readonly #ignored: IgnoredMessagesFields
  readonly #lastUser: number
  /** Index of the message of the user that began the running tool loop. Thinking of earlier messages is not sent. */
  readonly #loopStart: number

  constructor(tools: ToolDefinitions, reading: BlockReading, messages: readonly unknown[]) {
    this.#tools = tools
    this.#reading = reading
    this.#ignored = reading.ignored
    this.#lastUser = messages.findLastIndex(isOfUser)
    this.#loopStart = messages.findLastIndex((message) => isOfUser(message) && !hasResults(message))
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
        this.#assistant(content, `${path}.content`, index)
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
        else texts.push(unknownBlock(type, this.#ignored).text ?? '')
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
        this.chat.addResult(textAt(block, 'tool_use_id', at), this.#result(block, at), at)
      } else for (const part of this.#userParts(block, type, at)) parts.push(part)
    }
    this.chat.addUser(parts.filter((part) => part.text !== ''))
  }

  #result(block: Fields, path: string): ToolResultContent {
    return toolResultContent(block, path, this.#reading, (name) => {
      this.#tools.find(name)
      return this.#tools.functionName(name)
    })
  }

  #userParts(block: Fields, type: string, path: string): ContentPart[] {
    if (type === 'container_upload') return [leftOut('A file in a container', type, this.#ignored)]
    const parts = partsOfBlock(block, type, path, this.#reading) ?? this.#either(block, type, path)
    return parts ?? [unknownBlock(type, this.#ignored)]
  }

  #assistant(content: unknown, path: string, index: number): void {
    if (typeof content === 'string') {
      this.chat.addAssistant(content, [], '')
      return
    }
    let text = ''
    const thoughts: string[] = []
    const calls: SentToolCall[] = []
    for (const { block, type, path: at } of blocksOf(content, path)) {
      if (type === 'text') text += textOfBlock(block, at, this.#ignored)
      else if (type === 'tool_use') calls.push(this.#toolUse(block, at))
      else if (type === 'thinking' && index > this.#loopStart) thoughts.push(this.#thinking(block, at))
      else for (const part of this.#other(block, type, at)) text += part.text ?? ''
    }
    this.chat.addAssistant(text, calls, thoughts.filter((thought) => thought !== '').join('\n\n'))
  }

  #other(block: Fields, type: string, path: string): ContentPart[] {
    return this.#either(block, type, path) ?? [unknownBlock(type, this.#ignored)]
  }

  /** The signature of thinking is for the vendor's models. */
  #thinking(block: Fields, path: string): string {
    this.#ignored.addUnknown(block, thinkingKeys, 'messages.thinking.')
    return textAt(block, 'thinking', path)
  }

  /** Blocks that the API accepts in messages of both roles. Null for other types. */
  #either(block: Fields, type: string, path: string): ContentPart[] | null {
    if (type === 'tool_search_tool_result') this.#findTools(block)
    if (type === 'thinking' || droppedBlocks.has(type)) {
      this.#ignored.add(`messages.${type}`)
      return []
    }
    if (type === 'tool_addition' || type === 'tool_removal') {
      this.#tools.change(block, type, path)
      return []
    }
    return type === 'compaction' ? [this.#summary(block, path)] : null
  }

  /** Tools that a search on the vendor's servers found earlier in the conversation. */
  #findTools({ content }: Fields): void {
    const references: unknown = isFields(content) ? content.tool_references : null
    if (!Array.isArray(references)) return
    for (const reference of references as unknown[]) {
      if (isFields(reference) && typeof reference.tool_name === 'string') this.#tools.find(reference.tool_name)
    }
  }

  /** The summary of earlier messages that a `compaction` block replaces. */
  #summary(block: Fields, path: string): ContentPart {
    this.#ignored.addUnknown(block, summaryKeys, 'messages.compaction.')
    for (const [index, change] of (Array.isArray(block.tool_changes) ? block.tool_changes : []).entries()) {
      const at = `${path}.tool_changes[${index}]`
      if (!isFields(change) || (change.type !== 'tool_addition' && change.type !== 'tool_removal')) {
        throw new DialectError(at, 'Must be a tool_addition or tool_removal block.')
      }
      this.#tools.change(change, change.type, at)
    }
    if (typeof block.content === 'string' && block.content !== '') return { type: 'text', text: block.content }
    return leftOut('A summary of earlier messages that only its own service can read', 'compaction', this.#ignored)
  }

  #toolUse(block: Fields, path: string): SentToolCall {
    this.#ignored.addUnknown(block, toolUseKeys, 'messages.tool_use.')
    if (isFields(block.caller) && block.caller.type !== 'direct') this.#ignored.add('messages.tool_use.caller')
    const id = textAt(block, 'id', path)
    const name = textAt(block, 'name', path)
    if (id === '') throw new DialectError(`${path}.id`, 'Must not be empty.')
    if (name === '') throw new DialectError(`${path}.name`, 'Must not be empty.')
    // A model that has called a tool knows it.
    this.#tools.find(name)
    return { id, name: this.#tools.functionName(name), arguments: JSON.stringify(block.input ?? {}), path }
  }
}
