import type { MeterReading, TokenUsage } from '../../ports/requests.ts'
import type { ChatStreamEvent } from '../types.ts'
import { type Lane, type LaneKind, OutputText } from './outputText.ts'
import { readUsage, totalTokens } from './usage.ts'
import { countOrNull, type Fields, isFields, textOrNull } from './values.ts'

/** Choices that are followed to their end; no real request asks for more. */
const mostChoices = 256

/** The only piece of text of a chunk that brought no usage: what else it says (its choice, an end) can be said again unchanged. */
export interface LonePiece {
  /** The name it stood under. */
  key: string
  text: string
  lane: Lane
}

/**
 * The one reader of chat replies, of whole ones and of the chunks of a stream. The meter reads usage, model, output and ends; the studio's own
 * chat also takes the events. Any value may be missing, null or of another type: it is then passed over.
 */
export class ReplyReader {
  model: string | null = null
  output = false
  /** Set by `read`. */
  lone: LonePiece | null = null
  #usage: TokenUsage | null = null
  // Made when first needed: most replies are whole and tell their usage.
  #text: OutputText | null = null
  #open: Set<number> | null = null
  #finished: Set<number> | null = null
  #pieces = 0
  #events: ChatStreamEvent[] | null = null
  #metaSent = false

  get text(): OutputText {
    this.#text ??= new OutputText()
    return this.#text
  }

  /** A whole reply, of which there is only one: where it tells its usage, nothing else of it need be looked at. */
  readWhole(value: unknown): void {
    if (isFields(value) && isFields(value.usage)) this.takeUsage(value.usage)
    if (this.#measured === null || !isFields(value)) {
      this.read(value)
      return
    }
    this.model = textOrNull(value.model)
    this.output = Array.isArray(value.choices) && value.choices.length > 0
  }

  /**
   * Reads a chunk or a whole reply. Returns true for a chunk that only brings the usage: an empty `choices` and a usage object.
   * @param events receives what the chunk brings, in its order. Its texts are then not copied for a token count.
   */
  read(value: unknown, events: ChatStreamEvent[] | null = null): boolean {
    this.lone = null
    this.#pieces = 0
    this.#events = events
    if (!isFields(value)) return false
    this.model ??= textOrNull(value.model)
    if (events !== null && !this.#metaSent) this.#readMeta(value, events)
    const usage = value.usage
    const choices = value.choices
    if (Array.isArray(choices)) for (let i = 0; i < choices.length; i++) this.#readChoice(choices[i], i)
    if (isFields(usage)) {
      this.takeUsage(usage)
      this.lone = null
      return Array.isArray(choices) && choices.length === 0
    }
    if (this.#pieces !== 1) this.lone = null
    return false
  }

  /** The last figures count, but an object without any takes nothing back. */
  takeUsage(usage: Fields): void {
    const read = readUsage(usage)
    if (read === null) return
    this.#usage = read
    this.#events?.push({ type: 'usage', usage: read })
  }

  /** Whether every choice that began has finished, and any did. */
  get finished(): boolean {
    return this.#finished !== null && this.#finished.size > 0 && this.#open?.size === 0
  }

  /** Figures of the service where it told both; what is missing is counted from the text or taken from the request's estimate. */
  reading(tokensIn: number | null): MeterReading {
    const measured = this.#measured
    if (measured !== null) return { usage: measured, measured: true, output: this.output }
    const reported = this.#usage
    const promptTokens = reported?.promptTokens ?? tokensIn
    const completionTokens = reported?.completionTokens ?? this.text.tokens()
    const cachedTokens = reported?.cachedTokens ?? null
    const usage = { promptTokens, completionTokens, totalTokens: reported?.totalTokens ?? null, cachedTokens }
    return { usage: { ...usage, totalTokens: totalTokens(usage) }, measured: false, output: this.output }
  }

  get #measured(): TokenUsage | null {
    const reported = this.#usage
    return reported !== null && reported.promptTokens !== null && reported.completionTokens !== null ? reported : null
  }

  #readMeta({ id, model, created }: Fields, events: ChatStreamEvent[]): void {
    const meta = { id: textOrNull(id), model: textOrNull(model), created: typeof created === 'number' ? created : null }
    if (meta.id === null && meta.model === null && meta.created === null) return
    this.#metaSent = true
    events.push({ type: 'meta', ...meta })
  }

  #readChoice(choice: unknown, position: number): void {
    if (!isFields(choice)) return
    const index = countOrNull(choice.index) ?? position
    this.#open ??= new Set()
    this.#finished ??= new Set()
    if (!this.#finished.has(index) && this.#open.size < mostChoices) this.#open.add(index)
    const part = isFields(choice.delta) ? choice.delta : choice.message
    if (isFields(part)) this.#readPart(index, part)
    // The legacy completions' own shape.
    else this.#piece(index, 'content', 'text', choice.text)
    const reason = choice.finish_reason
    if (typeof reason !== 'string' || reason === '') return
    this.#open.delete(index)
    if (this.#finished.size < mostChoices) this.#finished.add(index)
    this.#events?.push({ type: 'finish', choice: index, reason })
  }

  #readPart(choice: number, part: Fields): void {
    // Services that send both names of the reasoning mean the same text.
    if (!this.#piece(choice, 'reasoning', 'reasoning_content', part.reasoning_content)) {
      this.#piece(choice, 'reasoning', 'reasoning', part.reasoning)
    }
    const content = part.content
    if (Array.isArray(content)) {
      for (const item of content) {
        if (isFields(item)) this.#piece(choice, 'content', '', item.text)
      }
    } else {
      this.#piece(choice, 'content', 'content', content)
    }
    this.#piece(choice, 'refusal', 'refusal', part.refusal)
    const calls = part.tool_calls
    if (Array.isArray(calls)) for (let i = 0; i < calls.length; i++) this.#readCall(choice, calls[i], i)
    const images = part.images
    if (isFields(part.audio) || (Array.isArray(images) && images.length > 0)) {
      this.output = true
      this.#pieces++
    }
  }

  #readCall(choice: number, call: unknown, position: number): void {
    if (!isFields(call)) return
    this.output = true
    const index = countOrNull(call.index) ?? position
    const called = isFields(call.function) ? call.function : {}
    if (this.#events !== null) {
      const id = textOrNull(call.id)
      const args = textOrNull(called.arguments) ?? ''
      this.#events.push({ type: 'tool_call', choice, index, id, name: textOrNull(called.name), arguments: args })
      return
    }
    this.#piece(choice, 'call', 'name', called.name, index)
    this.#piece(choice, 'call', 'arguments', called.arguments, index)
  }

  #piece(choice: number, kind: LaneKind, key: string, text: unknown, call = 0): boolean {
    if (typeof text !== 'string' || text === '') return false
    this.output = true
    this.#pieces++
    if (this.#events !== null && kind !== 'call') {
      this.#events.push({ type: kind, choice, text })
      return true
    }
    const lane = this.text.lane(choice, kind, call)
    lane.appendText(text)
    this.lone = { key, text, lane }
    return true
  }
}
