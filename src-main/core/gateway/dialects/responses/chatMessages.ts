import { sendableArguments } from '../../../upstream/reply/toolCalls.ts'
import type { ChatMessage, ContentPart } from '../../../upstream/types.ts'
import { DialectError } from '../dialectError.ts'
import { hasValue, type IgnoredFields, list, name, object, optionalText, text } from '../fields.ts'
import type { RequestFiles } from '../requestFiles.ts'
import type { JsonObject } from '../types.ts'
import { argumentsOf, clientToolOf, clientTools, runsAtApp } from './clientTools.ts'
import { summaryOf } from './compactionContent.ts'
import { customArgument } from './customInput.ts'
import { type ContentReading, contentParts, leftOut, shownType } from './inputContent.ts'
import type { InputEntry } from './inputItems.ts'
import { openedReasoning, type Sealing } from './sealedReasoning.ts'
import type { ToolNames } from './toolNames.ts'

type ToolCall = NonNullable<ChatMessage['tool_calls']>[number]

/** Members without an effect of their own: `status` says nothing new, and ids belong to the list of items. */
const itemFields = new Set([
  'id',
  'type',
  'status',
  'role',
  'content',
  'call_id',
  'name',
  'namespace',
  'arguments',
  'input',
  'output',
])
const reasoningFields = new Set(['id', 'type', 'status', 'summary', 'content', 'encrypted_content'])
const clientFields = new Set([
  ...['id', 'type', 'status', 'call_id', 'action', 'operation', 'environment', 'output', 'max_output_length'],
  ...['execution', 'arguments', 'tools'],
])
const compactionFields = new Set(['id', 'type', 'encrypted_content'])
/** Comes before the summary of a compacted conversation. */
const summaryHeading =
  'Summary of the conversation so far. Your replies and the results of your tools were replaced by it:'

/** Items of tools that OpenAI runs. The messages after them repeat the results as text. */
const hostedItems = new Set([
  'file_search_call',
  'web_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'mcp_list_tools',
  'mcp_approval_request',
  'mcp_call',
  'program',
  'program_output',
])
const isHosted = ({ type, item }: InputEntry): boolean =>
  hostedItems.has(type) || (clientToolOf(type)?.kind === 'tool_search' && !runsAtApp(item))
/** Items that other code reads: tools.ts the tools, settings.ts the configuration, responses.ts the trigger. */
const readElsewhere = new Set(['additional_tools', 'configuration_update', 'compaction_trigger'])

/** What a translation reads besides the request. */
export interface RequestReading {
  /** With what reasoning of the app was sealed. Without it sealed reasoning is ignored. */
  sealing?: Sealing | undefined
  /** The files of the request. The translation is without effect when it leaves some unread. */
  files?: RequestFiles | undefined
}

/** Options of `chatMessages`. */
export interface MessageOptions extends RequestReading {
  instructions: string | null
  /** Whether reasoning of earlier turns is sent too. The API's default is the current turn. */
  allReasoning: boolean
  files: RequestFiles
}

/**
 * Translates items to messages. The calls of one turn become one assistant message, and their results follow it directly in the order
 * of the calls, as the service demands. What came between them follows.
 * A note replaces an item of a type that no chat completion can have.
 * @throws DialectError for values of the wrong type, and for calls without result or results without call
 */
export function chatMessages(
  entries: readonly InputEntry[],
  names: ToolNames,
  ignored: IgnoredFields,
  options: MessageOptions,
): ChatMessage[] {
  const builder = new MessageBuilder(names, { ignored, files: options.files }, resultsOf(entries), options.sealing)
  // Some services refuse messages without text.
  if (options.instructions !== null && options.instructions !== '')
    builder.messages.push({ role: 'system', content: options.instructions })
  const turnStart = options.allReasoning ? 0 : entries.findLastIndex(({ item }) => item.role === 'user')
  for (const [at, entry] of entries.entries()) builder.add(entry, at > turnStart || options.allReasoning)
  builder.flush()
  return builder.messages
}

const isCall = (type: string): boolean =>
  type === 'function_call' || type === 'custom_tool_call' || clientToolOf(type)?.part === 'call'
const isResult = (type: string): boolean =>
  type === 'function_call_output' || type === 'custom_tool_call_output' || clientToolOf(type)?.part === 'output'

/** The id that connects a call with its result. The result of a local shell has it as its own id. @throws DialectError */
function callIdOf({ item, type, param }: InputEntry): string {
  const id = type === 'local_shell_call_output' ? (item.call_id ?? item.id) : item.call_id
  return name(id, `${param}.call_id`)
}

/**
 * Finds the result of each call. Some services use the same ids in each turn, so a result belongs to the last call with its id before it.
 * @throws DialectError
 */
function resultsOf(entries: readonly InputEntry[]): Map<InputEntry, InputEntry> {
  const results = new Map<InputEntry, InputEntry>()
  const open = new Map<string, InputEntry>()
  for (const entry of entries) {
    if (isHosted(entry)) continue
    if (isCall(entry.type)) {
      const id = callIdOf(entry)
      const unanswered = open.get(id)
      if (unanswered !== undefined) throw noResult(unanswered)
      open.set(id, entry)
    } else if (isResult(entry.type)) {
      const id = callIdOf(entry)
      const call = open.get(id)
      if (call === undefined) throw noCall(entry, id)
      open.delete(id)
      results.set(call, entry)
    }
  }
  for (const call of open.values()) throw noResult(call)
  return results
}

const quoted = (value: unknown): string => JSON.stringify(String(value).slice(0, 64))

function noResult({ item, param }: InputEntry): DialectError {
  const message = `No tool output found for the call ${quoted(item.call_id)}. The service refuses calls without results.`
  return new DialectError(param === 'previous_response_id' ? 'input' : `${param}.call_id`, message)
}

function noCall({ param }: InputEntry, id: string): DialectError {
  return new DialectError(
    `${param}.call_id`,
    `No open tool call with the call_id ${quoted(id)} comes before this output.`,
  )
}

/** One assistant message that is not complete yet. */
interface Turn {
  message: ChatMessage
  /** Joined when the turn ends, because a join with each piece would be quadratic. */
  reasoning: string[]
  calls: { call: ToolCall; entry: InputEntry }[]
  /** True once a result came: later calls belong to a new turn. */
  answered: boolean
}

class MessageBuilder {
  readonly messages: ChatMessage[] = []
  readonly #names: ToolNames
  readonly #reading: ContentReading
  readonly #ignored: IgnoredFields
  readonly #results: Map<InputEntry, InputEntry>
  readonly #sealing: Sealing | undefined
  #turn: Turn | null = null
  /** Reasoning whose message or call has not come yet. */
  #reasoning: string[] = []

  constructor(
    names: ToolNames,
    reading: ContentReading,
    results: Map<InputEntry, InputEntry>,
    sealing: Sealing | undefined,
  ) {
    this.#sealing = sealing
    this.#names = names
    this.#reading = reading
    this.#ignored = reading.ignored
    this.#results = results
  }

  add(entry: InputEntry, isCurrent: boolean): void {
    const { type, item, param } = entry
    if (readElsewhere.has(type)) return
    if (isHosted(entry)) {
      this.#ignored.add(`input.${type}`)
      return
    }
    if (type === 'reasoning') this.#addReasoning(item, param, isCurrent)
    else if (type === 'message') this.#addMessage(item, param)
    else if (type === 'compaction') this.#addSummary(item)
    else if (isCall(type)) this.#addCall(entry)
    else if (!isResult(type)) {
      this.#addNote(leftOut(`An item of the type ${shownType(type)}`, type, this.#ignored))
      return
    } else if (this.#turn !== null) this.#turn.answered = true
    this.#ignored.addUnknown(item, fieldsOf(type), 'input')
  }

  /** Ends the open turn: its message, the results of its calls, then the images of the results. */
  flush(): void {
    if (this.#reasoning.length > 0) this.#ignored.add('input.reasoning')
    this.#reasoning = []
    const turn = this.#turn
    if (turn === null) return
    this.#turn = null
    const { message, calls, reasoning } = turn
    if (reasoning.length > 0) message.reasoning_content = reasoning.join('\n\n')
    if (calls.length > 0) message.tool_calls = calls.map(({ call }) => call)
    this.messages.push(message)
    const images: ContentPart[] = []
    for (const { call, entry } of calls) {
      const result = this.#results.get(entry)
      if (result !== undefined) this.#addResult(call, result, images)
    }
    if (images.length > 0) this.messages.push({ role: 'user', content: images })
  }

  #addSummary(item: JsonObject): void {
    const summary = summaryOf(item.encrypted_content)
    if (summary === null) {
      const what = 'A summary of the conversation so far, which is damaged or was written by another program,'
      this.#addNote(leftOut(what, 'compaction', this.#ignored))
    } else this.#addNote(`${summaryHeading}\n\n${summary}`)
  }

  /** As a message of the user, because many models' templates accept a system message only at the start. */
  #addNote(note: string): void {
    this.flush()
    this.messages.push({ role: 'user', content: note })
  }

  #addMessage(item: JsonObject, param: string): void {
    const role = text(item.role, `${param}.role`)
    if (role === 'assistant') {
      this.#addAssistantText(item, param)
      return
    }
    if (role !== 'user' && role !== 'system' && role !== 'developer') {
      throw new DialectError(`${param}.role`, `${param}.role must be user, assistant, system or developer.`)
    }
    this.flush()
    this.messages.push({ role, content: contentOf(item.content, `${param}.content`, this.#reading) })
  }

  #addAssistantText(item: JsonObject, param: string): void {
    const said = assistantText(item.content, `${param}.content`, this.#reading)
    const turn = this.#turn
    if (turn === null || turn.answered || turn.calls.length === 0) {
      this.#open().message.content = said
      return
    }
    // Text between a call and its result: the message of the turn has room for both.
    const { content } = turn.message
    turn.message.content = typeof content === 'string' && content !== '' ? `${content}\n\n${said}` : said
    this.#takeReasoning(turn)
  }

  #addCall(entry: InputEntry): void {
    const { item, param, type } = entry
    const turn = this.#turn === null || this.#turn.answered ? this.#open() : this.#turn
    this.#takeReasoning(turn)
    const client = clientToolOf(type)
    const called = client
      ? { name: this.#names.nameOfClient(client.kind), arguments: argumentsOf(client.kind, item) }
      : { name: this.#nameOf(item, param), arguments: argumentsIn(entry) }
    turn.calls.push({ call: { id: callIdOf(entry), type: 'function', function: called }, entry })
  }

  #nameOf(item: JsonObject, param: string): string {
    return this.#names.nameOf(optionalText(item.namespace, `${param}.namespace`), name(item.name, `${param}.name`))
  }

  #addReasoning(item: JsonObject, param: string, isCurrent: boolean): void {
    const parts = [
      ...list(item.content ?? [], `${param}.content`).map((part, at) => partText(part, `${param}.content[${at}]`)),
      ...list(item.summary ?? [], `${param}.summary`).map((part, at) => partText(part, `${param}.summary[${at}]`)),
    ]
    const { encrypted_content: sealed } = item
    const opened = this.#sealing ? openedReasoning(sealed, this.#sealing) : null
    if (opened === null && hasValue(sealed)) this.#ignored.add('input.encrypted_content')
    // The sealed text is the whole one. Summary and content repeat it.
    const said = opened ?? parts.filter((part) => part !== '').join('\n\n')
    if (isCurrent && said !== '') this.#reasoning.push(said)
  }

  #addResult(call: ToolCall, { item, type, param }: InputEntry, images: ContentPart[]): void {
    const { output } = item
    const client = clientToolOf(type)
    if (client) {
      this.messages.push({ role: 'tool', tool_call_id: call.id, content: clientTools[client.kind].result(item) })
      return
    }
    const result: ChatMessage = { role: 'tool', tool_call_id: call.id, content: '' }
    this.messages.push(result)
    if (typeof output === 'string') {
      result.content = output
      return
    }
    const parts = contentParts(output, `${param}.output`, this.#reading)
    const pictures = parts.filter(({ type }) => type === 'image_url')
    const texts = parts.flatMap((part) => (part.text === undefined ? [] : [part.text]))
    if (pictures.length > 0) {
      // Results have only text in chat completions, and nothing may come between the results of one turn.
      texts.push(
        pictures.length === 1 ? 'The image is in the next user message.' : 'The images are in the next user message.',
      )
      images.push({ type: 'text', text: `Result of the call ${call.id} of ${call.function.name}:` })
      for (const picture of pictures) images.push(picture)
    }
    result.content = texts.join('\n')
  }

  #open(): Turn {
    const reasoning = this.#reasoning
    this.#reasoning = []
    this.flush()
    const turn: Turn = { message: { role: 'assistant', content: null }, reasoning: [], calls: [], answered: false }
    this.#turn = turn
    this.#reasoning = reasoning
    this.#takeReasoning(turn)
    return turn
  }

  #takeReasoning({ reasoning }: Turn): void {
    for (const piece of this.#reasoning) reasoning.push(piece)
    this.#reasoning = []
  }
}

/** The arguments of a function or custom call. @throws DialectError */
function argumentsIn({ item, type, param }: InputEntry): string {
  if (type === 'function_call') return sendableArguments(text(item.arguments, `${param}.arguments`))
  return JSON.stringify({ [customArgument]: text(item.input, `${param}.input`) })
}

function fieldsOf(type: string): ReadonlySet<string> {
  if (type === 'reasoning') return reasoningFields
  if (clientToolOf(type)) return clientFields
  return type === 'compaction' ? compactionFields : itemFields
}

function partText(value: unknown, param: string): string {
  const part = object(value, param)
  return text(part.text, `${param}.text`)
}

/** One text becomes a plain string, which every model's template accepts. */
function contentOf(content: unknown, param: string, reading: ContentReading): string | ContentPart[] {
  if (typeof content === 'string') return content
  const parts = contentParts(content, param, reading)
  const [only] = parts
  return parts.length === 1 && only?.text !== undefined ? only.text : parts
}

function assistantText(content: unknown, param: string, reading: ContentReading): string {
  if (typeof content === 'string') return content
  const parts = contentParts(content, param, reading)
  return parts.map((part) => part.text ?? leftOut('An image of the assistant', 'input_image', reading.ignored)).join('')
}
