import { isFields } from '../../../upstream/json/values.ts'
import type { ChatMessage, ContentPart } from '../../../upstream/types.ts'
import { DialectError } from '../dialectError.ts'
import { type IgnoredFields, list, name, object, optionalText } from '../fields.ts'
import type { FunctionNames } from '../functionNames.ts'
import type { JsonObject } from '../types.ts'

const messageKeys = new Set([
  'role',
  'content',
  'images',
  'tool_calls',
  'tool_name',
  'name',
  'tool_call_id',
  'thinking',
])
const callKeys = new Set(['id', 'type', 'function'])
const functionKeys = new Set(['name', 'arguments', 'index'])

/** A tool call of the last assistant message, and the result that the program sent for it. */
interface OpenCall {
  id: string
  name: string
  result: string | null
}

/** The first characters of an image's bytes in base64, by media type. */
const imageTypes: readonly (readonly [start: string, type: string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
]

/** Images of a message: base64 without a media type, or data URLs. @throws DialectError for other formats */
export function imageParts(value: unknown, param: string): ContentPart[] {
  if (value === undefined || value === null) return []
  return list(value, param).map((image, index) => {
    const at = `${param}[${index}]`
    const given = name(image, at)
    if (/^data:image\/[\w.+-]{1,64};base64,/i.test(given)) return { type: 'image_url', image_url: { url: given } }
    const type = imageTypes.find(([start]) => given.startsWith(start))?.[1]
    if (type === undefined) throw new DialectError(at, `${at} must be a PNG, JPEG, GIF or WebP image in base64.`)
    return { type: 'image_url', image_url: { url: `data:${type};base64,${given}` } }
  })
}

/** The content of a user message: plain text, or parts if it has images. */
export function userContent(text: string, images: ContentPart[]): string | ContentPart[] {
  if (images.length === 0) return text
  return text === '' ? images : [{ type: 'text', text }, ...images]
}

/**
 * Translates the messages of a chat. Ollama accepts them in any order. Chat completions require the results of all tool calls directly behind
 * the message that has the calls, so results are sorted by their calls, and what the program left out is said in words.
 * @throws DialectError
 */
export function requestMessages(value: unknown, names: FunctionNames, ignored: IgnoredFields): ChatMessage[] {
  const given = list(value, 'messages')
  const loopStart = given.findLastIndex((message) => isFields(message) && message.role === 'user')
  const messages = new Messages(names, ignored)
  for (const [index, message] of given.entries()) {
    const param = `messages[${index}]`
    messages.add(object(message, param), param, index > loopStart)
  }
  return messages.finish()
}

class Messages {
  readonly #names: FunctionNames
  readonly #ignored: IgnoredFields
  readonly #list: ChatMessage[] = []
  #open: OpenCall[] = []
  /** Calls that have no result yet, by id and by name, in their order. */
  readonly #byId = new Map<string, OpenCall>()
  readonly #byName = new Map<string, OpenCall[]>()
  /** The first call that may be without a result. */
  #firstOpen = 0
  #calls = 0
  /** Images of tool results, for the user message behind the results. */
  #images: ContentPart[] = []

  constructor(names: FunctionNames, ignored: IgnoredFields) {
    this.#names = names
    this.#ignored = ignored
  }

  /** @param isInLoop whether the message is part of the running tool loop, whose thinking is sent */
  add(message: JsonObject, param: string, isInLoop: boolean): void {
    this.#ignored.addUnknown(message, messageKeys, 'messages')
    const content = optionalText(message.content, `${param}.content`) ?? ''
    const images = imageParts(message.images, `${param}.images`)
    const role = name(message.role, `${param}.role`)
    if (role === 'tool') {
      this.#addResult(message, content, images, param)
      return
    }
    this.#close()
    switch (role) {
      case 'user':
        this.#list.push({ role, content: userContent(content, images) })
        return
      case 'system':
        if (images.length > 0) this.#ignored.add('messages.images')
        this.#list.push({ role, content })
        return
      case 'assistant':
        if (images.length > 0) this.#ignored.add('messages.images')
        this.#addAssistant(message, content, param, isInLoop)
        return
      default:
        throw new DialectError(`${param}.role`, `${param}.role must be system, user, assistant or tool.`)
    }
  }

  finish(): ChatMessage[] {
    this.#close()
    return this.#list
  }

  #addAssistant({ tool_calls, thinking }: JsonObject, content: string, param: string, isInLoop: boolean): void {
    const thoughts = optionalText(thinking, `${param}.thinking`) ?? ''
    if (thoughts !== '' && !isInLoop) this.#ignored.add('messages.thinking')
    const reasoning = thoughts !== '' && isInLoop ? { reasoning_content: thoughts } : {}
    const given = tool_calls === undefined || tool_calls === null ? [] : list(tool_calls, `${param}.tool_calls`)
    const ids = new Set<string>()
    const calls = given.map((call, index) => this.#call(call, ids, `${param}.tool_calls[${index}]`))
    if (calls.length === 0) {
      if (content !== '') this.#list.push({ role: 'assistant', content, ...reasoning })
      return
    }
    this.#list.push({ role: 'assistant', content: content === '' ? null : content, ...reasoning, tool_calls: calls })
    this.#open = calls.map(({ id, function: called }) => ({ id, name: called.name, result: null }))
    for (const call of this.#open) {
      this.#byId.set(call.id, call)
      const same = this.#byName.get(call.name)
      if (same) same.push(call)
      else this.#byName.set(call.name, [call])
    }
    // Results without an id answer the first such call.
    for (const same of this.#byName.values()) same.reverse()
  }

  /** @param ids of the calls of this message so far */
  #call(value: unknown, ids: Set<string>, param: string): NonNullable<ChatMessage['tool_calls']>[number] {
    const call = object(value, param)
    this.#ignored.addUnknown(call, callKeys, 'messages.tool_calls')
    const called = object(call.function, `${param}.function`)
    this.#ignored.addUnknown(called, functionKeys, 'messages.tool_calls.function')
    let id = optionalText(call.id, `${param}.id`) ?? ''
    while (id === '' || ids.has(id)) id = `call_${this.#calls++}`
    ids.add(id)
    const tool = name(called.name, `${param}.function.name`)
    return {
      id,
      type: 'function',
      function: { name: this.#names.nameOf(tool, tool), arguments: argumentsOf(called.arguments) },
    }
  }

  #addResult(message: JsonObject, content: string, images: ContentPart[], param: string): void {
    const id = optionalText(message.tool_call_id, `${param}.tool_call_id`)
    const tool = optionalText(message.tool_name ?? message.name, `${param}.tool_name`)
    const call = this.#callOf(id, tool === null ? null : this.#names.nameOf(tool, tool))
    if (call === null) {
      this.#close()
      const text = `Result of the tool ${tool ?? id ?? 'call'}:\n${content}`
      this.#list.push({ role: 'user', content: userContent(text, images) })
      return
    }
    call.result = content
    if (images.length === 0) return
    this.#images.push({ type: 'text', text: `Images of the result of tool call ${call.id}:` })
    for (const image of images) this.#images.push(image)
  }

  /** The call that a result belongs to: the one with its id, else the first open one of its tool, else the first open one. */
  #callOf(id: string | null, tool: string | null): OpenCall | null {
    const byId = id === null ? undefined : this.#byId.get(id)
    if (byId?.result === null) return byId
    const same = tool === null ? undefined : this.#byName.get(tool)
    while (same && same.length > 0) {
      const call = same.pop()
      if (call?.result === null) return call
    }
    if (tool !== null && this.#byName.has(tool)) return null
    for (; this.#firstOpen < this.#open.length; this.#firstOpen++) {
      const call = this.#open[this.#firstOpen]
      if (call?.result === null) return call
    }
    return null
  }

  /** Writes the results of the open calls behind them. */
  #close(): void {
    for (const { id, result } of this.#open) {
      this.#list.push({ role: 'tool', tool_call_id: id, content: result ?? 'The program sent no result of this call.' })
    }
    if (this.#images.length > 0) this.#list.push({ role: 'user', content: this.#images })
    this.#open = []
    this.#images = []
    this.#firstOpen = 0
    this.#byId.clear()
    this.#byName.clear()
  }
}

/** The arguments of a call as JSON text. Some programs send the text. */
const argumentsOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? {}))
