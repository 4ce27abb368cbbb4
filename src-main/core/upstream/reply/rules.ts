import { StudioError } from '../../errors.ts'
import type { TokenUsage } from '../../ports/requests.ts'
import { maxReplyValues, parseText } from '../json/jsonScan.ts'
import { countOrNull, type Fields, isFields, textOrNull } from '../json/values.ts'
import { plainWords, words, wordsIn } from './errorBody.ts'
import { errorOfFrame } from './errors.ts'
import type { ChatStreamEvent } from './events.ts'
import type { Mask } from './mask.ts'
import { ThinkTags } from './thinkTags.ts'
import { type HeldArguments, ToolCalls } from './toolCalls.ts'
import { readUsage } from './usage.ts'

/** Maximum number of choices that are followed to their end. Real requests ask for fewer. */
const maxChoices = 256

/**
 * What a chat reply says: the only code that decides what a chunk, an end and an error are. The studio's chat, the log and the translators
 * of other APIs take its events. Fields that are missing, null or of another type are skipped.
 *
 * | arrives | is |
 * |---|---|
 * | an event whose data is no JSON object: empty, `null`, a number, a string, words | skipped, and counted (`skipped`) |
 * | `data:` twice before the JSON | read as once |
 * | an event that begins as a JSON object or list and is not JSON, or is too deep or large | a failure: text may be missing |
 * | `error` with content, also of a choice; a list `errors`; `object` or `type` or the name of the event is `error`, or `success` is false; a list of such | a failure, with the service's words |
 * | an object without choices that has words, as the last of a stream in which a choice has not finished | a failure, with these words |
 * | `[DONE]` | the end: complete, also without a finish reason |
 * | the end of the bytes when each choice has finished | complete, also without `[DONE]` |
 * | the end of the bytes before, also of a stream without any event | incomplete |
 * | a whole JSON reply with choices | complete, also without a finish reason |
 * | a reply without any choice, streamed or whole | a failure, with the service's words if there are any |
 * | more than 64 MB of texts, when the events are kept | a failure |
 * | `[DONE]` or chunks after a failure | the failure stays; their usage counts |
 * | `content` as a text, as a part or as parts: `text`, `thinking`, `reasoning`, `refusal` | content, reasoning, refusal |
 * | `<think>…</think>` at the start of the content of a choice without other reasoning | reasoning, when asked for (`ThinkTags`) |
 * | `reasoning_content` and `reasoning` | the same text twice: the first counts |
 * | `arguments` as JSON text, as an object, encoded twice; blank | the JSON text of the object; `{}` (`ToolCalls`) |
 * | other `arguments`, such as a comma after the last member or words after the object | as they are: a part may have been passed on. The call never runs |
 * | the name of a call once, in pieces, whole with each piece, or longer with each piece | the name once (`ToolCalls`) |
 * | tool calls without an index, or all with the same | distinguished by id (`ToolCalls`) |
 * | one tool call instead of a list; without `function` around its members; `function_call` | a tool call |
 * | numbers as text | the numbers |
 * | `usage`, also in a choice | the last with figures counts |
 */
export class ReplyReader {
  model: string | null = null
  output = false
  /** `finish_reason` of the first choice that has finished. */
  finishReason: string | null = null
  usage: TokenUsage | null = null
  /** Events that were no JSON object. */
  skipped = 0
  /** Why the reply failed, or null. */
  failure: StudioError | null = null
  readonly #mask: Mask
  readonly #status: number
  #events: ChatStreamEvent[] = []
  #isDone = false
  #isEnded = false
  #metaSent = false
  readonly #open = new Set<number>()
  readonly #finished = new Set<number>()
  readonly #calls = new Map<number, ToolCalls>()
  readonly #held: HeldArguments = { length: 0 }
  /** Memory that a reader of the events needs to keep them all, and its maximum. */
  #size = 0
  readonly #maxSize: number
  /** By choice. Null when tags are text. */
  readonly #thinking: Map<number, ThinkTags> | null
  /** What the last object without choices says, until a choice follows. */
  #said: StudioError | null = null

  /**
   * @param mask for the texts of failures
   * @param options `thinkTags`: whether `<think>` at the start of the content is reasoning. `isKept`: whether somebody keeps the events,
   * so that their total is bounded
   */
  constructor(mask: Mask, status: number, { thinkTags = false, isKept = false } = {}) {
    this.#maxSize = isKept ? maxKept : Number.POSITIVE_INFINITY
    this.#thinking = thinkTags ? new Map() : null
    this.#mask = mask
    this.#status = status
  }

  /** Whether later bytes have no effect on the verdict. */
  get isOver(): boolean {
    return this.#isDone || this.failure !== null
  }

  /** Whether the service itself has ended the stream: it sent `[DONE]`, or an error. */
  get isEnded(): boolean {
    return this.#isEnded
  }

  /** Whether the reply is complete, although its bytes may not have ended. */
  get isComplete(): boolean {
    return this.failure === null && (this.#isDone || this.#hasFinished)
  }

  get #hasFinished(): boolean {
    return this.#open.size === 0 && this.#finished.size > 0
  }

  /** The events since the last call. After `done` or `error` there are no more. */
  take(): ChatStreamEvent[] {
    if (this.#events.length === 0) return none
    const events = this.#events
    this.#events = []
    return events
  }

  /**
   * Reads the data of one event of a stream.
   * @param name the event's `event` field
   * @returns whether the event has nothing but the usage: an empty `choices` and a usage object
   */
  readEvent(data: string, name = ''): boolean {
    const trimmed = data.trim()
    const text = trimmed.startsWith('data:') ? trimmed.replace(/^(?:data:\s*)+/, '') : trimmed
    if (text === '[DONE]') {
      this.#isEnded = true
      this.#complete()
      return false
    }
    const first = text[0]
    if (first !== '{' && first !== '[') {
      if (name === 'error' && text !== '') this.#failWith(text)
      else this.skipped++
      return false
    }
    try {
      return this.#readValue(parseText(text, maxReplyValues), name)
    } catch (thrown) {
      if (thrown instanceof SyntaxError)
        this.fail(malformed('The service sent an event that is not JSON.', this.#masked(text)))
      else throw thrown
      return false
    }
  }

  /**
   * Call when the bytes of a stream have ended.
   * @param rest data of an event without a blank line. The standard drops it. It is read when it is whole, because some services omit the
   * line, and it shows otherwise that the stream was cut
   * @returns as `readEvent`
   */
  endStream(rest: string | null, name = ''): boolean {
    const isUsage = rest !== null && isWholeData(rest) && this.readEvent(rest, name)
    if (this.#hasFinished) this.#complete()
    else this.fail(this.#said ?? incomplete())
    return isUsage
  }

  /**
   * Call at the end of a stream without any event.
   * @param body its bytes: a whole reply, words of the service, or something else
   * @param type what the service said that it is. Null for a stream
   */
  readInstead(body: string, type: string | null): void {
    const text = body.trim()
    try {
      const value = parseText(text, maxReplyValues)
      if (typeof value === 'object' && value !== null) {
        this.readWhole(value)
        return
      }
    } catch {
      // No JSON.
    }
    const said = isField.test(text) ? null : plainWords(text)
    if (said !== null) this.#failWith(said)
    else if (type !== null) {
      const message = `The service answered with ${type} instead of a stream.`
      this.fail(malformed(message, this.#masked(text)))
    }
  }

  /** Reads a whole reply. */
  readWhole(value: unknown): void {
    this.#readValue(value, '')
    if (this.isOver) return
    if (isFields(value)) this.#complete()
    else this.fail(malformed('The service sent a reply that is not a chat completion.'))
  }

  /** Ends the reply with a failure, unless it is over. */
  fail(failure: StudioError): void {
    if (this.isOver) return
    this.#flushAll()
    this.failure = failure
    this.#events.push({ type: 'error', error: failure })
  }

  #complete(): void {
    // An object without choices that has words is an error in a form of its own.
    if (this.#said !== null && !this.#hasFinished) this.fail(this.#said)
    else if (this.#open.size + this.#finished.size === 0 && !this.output) {
      this.fail(malformed('The service sent a reply without choices.'))
    }
    if (this.isOver) return
    this.#flushAll()
    for (const calls of this.#calls.values()) this.#add(...calls.end())
    this.#isDone = true
    this.#events.push({ type: 'done' })
  }

  #readValue(value: unknown, name: string): boolean {
    if (!isFields(value)) {
      if (isErrorList(value)) this.#failWith(value)
      else this.skipped++
      return false
    }
    if (isFields(value.usage)) this.#takeUsage(value.usage)
    this.model ??= textOrNull(value.model)
    const { choices } = value
    const hasChoices = Array.isArray(choices)
    if (saysError(value) || (!hasChoices && isNamedError(value, name))) {
      this.#failWith(value)
      return false
    }
    if (!this.#metaSent) this.#readMeta(value)
    if (hasChoices) for (let i = 0; i < choices.length; i++) this.#readChoice(choices[i], i)
    else if (!isFields(value.usage) && wordsIn(value) !== null) {
      this.#said = errorOfFrame(value, this.#status, this.#mask)
    }
    if (isFields(value.usage) && this.usage !== null) this.#add({ type: 'usage', usage: this.usage })
    return hasChoices && choices.length === 0 && isFields(value.usage)
  }

  /** @param body what the service sent instead of a reply: a value or words */
  #failWith(body: unknown): void {
    this.#isEnded = true
    this.fail(errorOfFrame(body, this.#status, this.#mask))
  }

  #takeUsage(usage: Fields): void {
    this.usage = readUsage(usage) ?? this.usage
  }

  #readMeta({ id, model, created }: Fields): void {
    const meta = { id: textOrNull(id), model: textOrNull(model), created: typeof created === 'number' ? created : null }
    if (meta.id === null && meta.model === null && meta.created === null) return
    this.#metaSent = true
    this.#add({ type: 'meta', ...meta })
  }

  #readChoice(choice: unknown, position: number): void {
    if (!isFields(choice)) return
    this.#said = null
    if (saysError(choice)) {
      this.#failWith(choice)
      return
    }
    if (isFields(choice.usage)) {
      this.#takeUsage(choice.usage)
      if (this.usage !== null) this.#add({ type: 'usage', usage: this.usage })
    }
    const index = countOrNull(choice.index) ?? position
    if (!this.#finished.has(index) && this.#open.size < maxChoices) this.#open.add(index)
    const isChunk = isFields(choice.delta)
    const part = isChunk ? choice.delta : choice.message
    if (isFields(part)) this.#readPart(index, part, isChunk)
    // Legacy completions have their text here.
    else this.#text(index, 'content', choice.text)
    const reason = choice.finish_reason
    if (typeof reason !== 'string' || reason === '') return
    this.finishReason ??= reason
    this.#open.delete(index)
    this.#flush(index)
    if (this.#finished.size < maxChoices) this.#finished.add(index)
    this.#add(...(this.#calls.get(index)?.end() ?? none), { type: 'finish', choice: index, reason })
  }

  #readPart(choice: number, part: Fields, isChunk: boolean): void {
    if (!this.#reasoning(choice, textIn(part.reasoning_content))) this.#reasoning(choice, textIn(part.reasoning))
    for (const item of listOf(part.content)) this.#readContentPart(choice, item)
    this.#text(choice, 'refusal', part.refusal)
    const calls = listOf(part.tool_calls)
    for (let at = 0; at < calls.length; at++) this.#readCall(choice, calls[at], at, isChunk)
    // Some services send the old form beside the new one.
    if (calls.length === 0 && isFields(part.function_call)) {
      this.#readCall(choice, { function: part.function_call }, 0, isChunk)
    }
    if (isFields(part.audio) || (Array.isArray(part.images) && part.images.length > 0)) this.output = true
  }

  #readContentPart(choice: number, item: unknown): void {
    if (!isFields(item)) this.#content(choice, item)
    else if (item.type === 'thinking' || item.type === 'reasoning') {
      this.#reasoning(choice, textIn(item.thinking ?? item.reasoning ?? item.text ?? item.content))
    } else if (item.type === 'refusal') this.#text(choice, 'refusal', item.refusal)
    else this.#content(choice, textIn(item.text))
  }

  #readCall(choice: number, call: unknown, position: number, isChunk: boolean): void {
    if (!isFields(call)) return
    this.output = true
    this.#flush(choice)
    let calls = this.#calls.get(choice)
    if (calls === undefined) {
      if (this.#calls.size >= maxChoices) return
      calls = new ToolCalls(choice, this.#held)
      this.#calls.set(choice, calls)
    }
    const called = isFields(call.function) ? call.function : call
    // In a whole reply each entry is a call of its own.
    const index = isChunk ? countOrNull(call.index) : position
    const [id, name] = [textOrNull(call.id), textOrNull(called.name)]
    const event = calls.read({ index, position, id, name, arguments: called.arguments })
    if (event) this.#add(event)
  }

  #content(choice: number, text: unknown): void {
    const tags = this.#tagsOf(choice)
    if (tags === null || tags.isOver || typeof text !== 'string' || text === '') this.#text(choice, 'content', text)
    else {
      this.output = true
      for (const part of tags.push(text)) this.#text(choice, part.type, part.text)
    }
  }

  /** Reasoning with a field of its own. The content of its choice then has none. */
  #reasoning(choice: number, text: unknown): boolean {
    if (typeof text !== 'string' || text === '') return false
    for (const part of this.#tagsOf(choice)?.flush() ?? []) this.#text(choice, part.type, part.text)
    return this.#text(choice, 'reasoning', text)
  }

  #tagsOf(choice: number): ThinkTags | null {
    const known = this.#thinking?.get(choice)
    if (known || this.#thinking === null || this.#thinking.size >= maxChoices) return known ?? null
    const tags = new ThinkTags()
    this.#thinking.set(choice, tags)
    return tags
  }

  #flush(choice: number): void {
    for (const part of this.#thinking?.get(choice)?.flush() ?? []) this.#text(choice, part.type, part.text)
  }

  #flushAll(): void {
    for (const choice of this.#thinking?.keys() ?? []) this.#flush(choice)
  }

  #text(choice: number, type: 'content' | 'reasoning' | 'refusal', text: unknown): boolean {
    if (typeof text !== 'string' || text === '') return false
    this.output = true
    this.#add({ type, choice, text })
    return true
  }

  #add(...events: readonly ChatStreamEvent[]): void {
    if (this.isOver) return
    this.#events.push(...events)
    for (const event of events) this.#size += sizeOf(event)
    if (this.#size > this.#maxSize) this.#tooLarge()
  }

  #tooLarge(): void {
    // The failure adds what is held back.
    this.#size = Number.NEGATIVE_INFINITY
    this.fail(malformed('The service sent a reply that is too large.'))
  }

  #masked(text: string): string {
    return this.#mask.text(text).slice(0, maxSaid)
  }
}

const none: ChatStreamEvent[] = []
/** The beginning of a line of an event stream. */
const isField = /^(?::|(?:data|event|id|retry)(?::|$))/m
/** Largest total of the texts of a reply whose events are kept, UTF-16 units, and what each event adds to it. */
const maxKept = 64 * 1024 * 1024
const eventSize = 64

const sizeOf = (event: ChatStreamEvent): number =>
  eventSize +
  ('text' in event
    ? event.text.length
    : event.type === 'tool_call'
      ? event.arguments.length + (event.name ?? '').length
      : 0)

/** Longest start of what the service said that is stored with a failure. */
const maxSaid = 4096

/** The bytes of a reply ended before the reply was complete. */
export const incomplete = (): StudioError =>
  new StudioError('incomplete_stream', 'The reply broke off before its end.', { workPossible: true })

export const malformed = (message: string, raw?: string): StudioError =>
  new StudioError('malformed_reply', message, { workPossible: true, ...(raw !== undefined && { raw }) })

/** Whether an object reports an error instead of a reply. Some services send an empty `error` with each good reply. */
const saysError = ({ error, errors }: Fields): boolean =>
  (Array.isArray(errors) && errors.length > 0) ||
  (typeof error === 'object' && error !== null ? Object.values(error).some(hasContent) : hasContent(error))

/** Whether a member of an error, or an error, says anything. */
const hasContent = (value: unknown): boolean =>
  value === true || (value !== 0 && words(value) !== null) || (typeof value === 'object' && value !== null)

const isErrorList = (value: unknown): boolean => Array.isArray(value) && isFields(value[0]) && saysError(value[0])

/** Errors that are marked otherwise: by the name of the event, or as vLLM and others do by `object`, `type` or `success`. */
const isNamedError = ({ object, type, success }: Fields, name: string): boolean =>
  name === 'error' || object === 'error' || type === 'error' || success === false

/** A value that should be a list, and is one entry or none at some services. */
const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? none : [value]

/** The text of a part: a text, an object with one, or a list of text parts. */
function textIn(value: unknown): string {
  if (typeof value === 'string') return value
  if (isFields(value)) return textOrNull(value.value) ?? textOrNull(value.text) ?? textOrNull(value.content) ?? ''
  if (!Array.isArray(value)) return ''
  return value
    .map((part: unknown) => (typeof part === 'string' ? part : isFields(part) ? (textOrNull(part.text) ?? '') : ''))
    .join('')
}

/** Whether the data of the last event is whole. The data of a cut stream is not. */
export function isWholeData(data: string): boolean {
  if (data.trim() === '[DONE]') return true
  try {
    parseText(data)
    return true
  } catch {
    return false
  }
}

/**
 * The error of a reply with status 200 that reports an error and nothing that was asked for, or null.
 * @param content the member that was asked for. Null when it is not known, and words alone are then no error
 */
export function errorInstead(value: unknown, content: string | null, status: number, mask: Mask): StudioError | null {
  const isError =
    isErrorList(value) ||
    (isFields(value) &&
      (value[content ?? 'data'] ?? null) === null &&
      (saysError(value) || isNamedError(value, '') || (content !== null && wordsIn(value) !== null)))
  return isError ? errorOfFrame(value, status, mask) : null
}
