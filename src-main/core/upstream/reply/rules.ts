import { StudioError } from '../../errors.ts'
import type { TokenUsage } from '../../ports/requests.ts'
import { maxReplyValues, parseText } from '../json/jsonScan.ts'
import { countOrNull, type Fields, isFields, textOrNull } from '../json/values.ts'
import { asRecord, words } from './errorBody.ts'
import { errorOfFrame } from './errors.ts'
import type { ChatStreamEvent } from './events.ts'
import type { Mask } from './mask.ts'
import { ToolCalls } from './toolCalls.ts'
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
 * | an event that begins as a JSON object or list and is not JSON, or is too deep or large | a failure: text may be missing |
 * | `error` with words or an object; `object` or `type` or the name of the event is `error`; a list of such | a failure, with the service's words |
 * | `[DONE]` | the end: complete, also without a finish reason |
 * | the end of the bytes when each choice has finished | complete, also without `[DONE]` |
 * | the end of the bytes before, also of a stream without any event | incomplete |
 * | a whole JSON reply with choices | complete, also without a finish reason |
 * | a reply without any choice, streamed or whole | a failure, with the service's words if there are any |
 * | `[DONE]` or chunks after a failure | the failure stays; their usage counts |
 * | `content` as a text, or as parts: `text`, `thinking`, `reasoning`, `refusal` | content, reasoning, refusal |
 * | `reasoning_content` and `reasoning` | the same text twice: the first counts |
 * | `arguments` as JSON text, as an object, encoded twice; blank | the JSON text of the object; `{}` (`ToolCalls`) |
 * | tool calls without an index, or all with the same | distinguished by id (`ToolCalls`) |
 * | `usage` | the last with figures counts |
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
  #metaSent = false
  readonly #open = new Set<number>()
  readonly #finished = new Set<number>()
  readonly #calls = new Map<number, ToolCalls>()
  /** What the first object without choices says, in case that no choice follows. Undefined before such an object. */
  #said: StudioError | null | undefined

  /** @param mask for the texts of failures */
  constructor(mask: Mask, status: number) {
    this.#mask = mask
    this.#status = status
  }

  /** Whether later bytes have no effect on the verdict. */
  get isOver(): boolean {
    return this.#isDone || this.failure !== null
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
    const text = data.trim()
    if (text === '[DONE]') {
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
    const isUsage = rest !== null && isWhole(rest) && this.readEvent(rest, name)
    if (this.#hasFinished) this.#complete()
    else this.fail(incomplete())
    return isUsage
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
    this.failure = failure
    this.#events.push({ type: 'error', error: failure })
  }

  #complete(): void {
    if (this.#open.size + this.#finished.size === 0 && !this.output) {
      // An object without choices that has words is an error in a form of its own.
      this.fail(this.#said ?? malformed('The service sent a reply without choices.'))
    }
    if (this.isOver) return
    for (const calls of this.#calls.values()) this.#add(...calls.end())
    this.#isDone = true
    this.#events.push({ type: 'done' })
  }

  #readValue(value: unknown, name: string): boolean {
    if (!isFields(value)) {
      if (isErrorList(value)) this.#failWith(JSON.stringify(value))
      else this.skipped++
      return false
    }
    if (isFields(value.usage)) this.#takeUsage(value.usage)
    this.model ??= textOrNull(value.model)
    const { choices } = value
    const hasChoices = Array.isArray(choices)
    if (saysError(value) || (!hasChoices && isNamedError(value, name))) {
      this.#failWith(JSON.stringify(value))
      return false
    }
    if (!this.#metaSent) this.#readMeta(value)
    if (hasChoices) for (let i = 0; i < choices.length; i++) this.#readChoice(choices[i], i)
    else if (!isFields(value.usage) && this.#said === undefined) this.#said = this.#wordsIn(value)
    if (isFields(value.usage) && this.usage !== null) this.#add({ type: 'usage', usage: this.usage })
    return hasChoices && choices.length === 0 && isFields(value.usage)
  }

  /** @param body what the service sent instead of a reply: JSON or words */
  #failWith(body: string): void {
    this.fail(errorOfFrame(body, this.#status, this.#mask))
  }

  #wordsIn(value: Fields): StudioError | null {
    const failure = errorOfFrame(JSON.stringify(value), this.#status, this.#mask)
    return failure.facts.said === undefined ? null : failure
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
    if (this.#finished.size < maxChoices) this.#finished.add(index)
    this.#add(...(this.#calls.get(index)?.end() ?? none), { type: 'finish', choice: index, reason })
  }

  #readPart(choice: number, part: Fields, isChunk: boolean): void {
    if (!this.#text(choice, 'reasoning', part.reasoning_content)) this.#text(choice, 'reasoning', part.reasoning)
    if (Array.isArray(part.content)) for (const item of part.content) this.#readContentPart(choice, item)
    else this.#text(choice, 'content', part.content)
    this.#text(choice, 'refusal', part.refusal)
    const calls = part.tool_calls
    if (Array.isArray(calls)) for (let i = 0; i < calls.length; i++) this.#readCall(choice, calls[i], i, isChunk)
    if (isFields(part.audio) || (Array.isArray(part.images) && part.images.length > 0)) this.output = true
  }

  #readContentPart(choice: number, item: unknown): void {
    if (!isFields(item)) this.#text(choice, 'content', item)
    else if (item.type === 'thinking' || item.type === 'reasoning') {
      this.#text(choice, 'reasoning', textIn(item.thinking ?? item.reasoning ?? item.text ?? item.content))
    } else if (item.type === 'refusal') this.#text(choice, 'refusal', item.refusal)
    else this.#text(choice, 'content', item.text)
  }

  #readCall(choice: number, call: unknown, position: number, isChunk: boolean): void {
    if (!isFields(call)) return
    this.output = true
    let calls = this.#calls.get(choice)
    if (calls === undefined) {
      if (this.#calls.size >= maxChoices) return
      calls = new ToolCalls(choice)
      this.#calls.set(choice, calls)
    }
    const called = isFields(call.function) ? call.function : noFields
    // In a whole reply each entry is a call of its own.
    const index = isChunk ? countOrNull(call.index) : position
    const [id, name] = [textOrNull(call.id), textOrNull(called.name)]
    const event = calls.read({ index, position, id, name, arguments: called.arguments })
    if (event) this.#add(event)
  }

  #text(choice: number, type: 'content' | 'reasoning' | 'refusal', text: unknown): boolean {
    if (typeof text !== 'string' || text === '') return false
    this.output = true
    this.#add({ type, choice, text })
    return true
  }

  #add(...events: readonly ChatStreamEvent[]): void {
    if (!this.isOver) this.#events.push(...events)
  }

  #masked(text: string): string {
    return this.#mask.text(text).slice(0, maxSaid)
  }
}

const none: ChatStreamEvent[] = []
const noFields: Fields = {}
/** Longest start of what the service said that is stored with a failure. */
const maxSaid = 4096

/** The bytes of a reply ended before the reply was complete. */
export const incomplete = (): StudioError =>
  new StudioError('incomplete_stream', 'The reply broke off before its end.', { workPossible: true })

export const malformed = (message: string, raw?: string): StudioError =>
  new StudioError('malformed_reply', message, { workPossible: true, ...(raw !== undefined && { raw }) })

/** Whether an object reports an error instead of a reply. Some services send an empty `error` with each good reply. */
export const saysError = ({ error }: Fields): boolean => asRecord(error) !== null || words(error) !== null

const isErrorList = (value: unknown): boolean => Array.isArray(value) && isFields(value[0]) && saysError(value[0])

/** Errors that are marked otherwise: by the name of the event, or as vLLM and others do by `object` or `type`. */
const isNamedError = ({ object, type }: Fields, name: string): boolean =>
  name === 'error' || object === 'error' || type === 'error'

/** The text of a thinking part: a text, or a list of text parts. */
function textIn(value: unknown): string {
  if (typeof value === 'string') return value
  if (!Array.isArray(value)) return ''
  return value
    .map((part: unknown) => (typeof part === 'string' ? part : isFields(part) ? (textOrNull(part.text) ?? '') : ''))
    .join('')
}

/** Whether the data of the last event is whole. The data of a cut stream is not. */
function isWhole(data: string): boolean {
  if (data.trim() === '[DONE]') return true
  try {
    parseText(data)
    return true
  } catch {
    return false
  }
}

/** The error of a reply with status 200 that reports an error and nothing that was asked for, or null. */
export function errorInstead(value: unknown, content: string, status: number, mask: Mask): StudioError | null {
  const isError =
    isErrorList(value) ||
    (isFields(value) && (value[content] ?? null) === null && (saysError(value) || isNamedError(value, '')))
  return isError ? errorOfFrame(JSON.stringify(value), status, mask) : null
}
