import type { MeterReading, TokenUsage } from '../../ports/requests.ts'
import type { ChatStreamEvent } from '../types.ts'
import { type Lane, type LaneKind, OutputText } from './outputText.ts'
import { readUsage, totalTokens } from './usage.ts'
import { countOrNull, type Fields, isFields, textOrNull } from './values.ts'

/** Maximum number of choices that are followed to their end. Real requests ask for fewer. */
const maxChoices = 256

/** The only text of a chunk without a usage. Later chunks can be the same except for this text, choice and finish reason included. */
export interface LonePiece {
  /** Key of the text in the chunk. */
  key: string
  text: string
  /** Where the text is copied for a token count. Null for a reader of events. */
  lane: Lane | null
}

/**
 * The one reader of chat replies, whole ones and chunks of a stream. The meter takes usage, model, output and ends from it; the studio's
 * own chat also takes the events. Fields that are missing, null or of another type are skipped.
 */
export class ReplyReader {
  model: string | null = null
  output = false
  /** `finish_reason` of the first choice that has finished. */
  finishReason: string | null = null
  /** Set by `read`. */
  lone: LonePiece | null = null
  #usage: TokenUsage | null = null
  // Created on demand: most replies are whole and report their usage.
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

  /** Reads a whole reply. If it reports a usage, nothing else needs to be read. */
  readWhole(value: unknown): void {
    if (isFields(value) && isFields(value.usage)) this.takeUsage(value.usage)
    if (this.#measured === null || !isFields(value)) {
      this.read(value)
      return
    }
    this.model = textOrNull(value.model)
    const { choices } = value
    this.output = Array.isArray(choices) && choices.length > 0
    const first: unknown = Array.isArray(choices) ? choices[0] : null
    if (isFields(first)) this.finishReason = textOrNull(first.finish_reason)
  }

  /**
   * Reads a chunk or a whole reply. Returns true for a chunk that only has the usage: an empty `choices` and a usage object.
   * @param events receives the chunk's events in order; their texts are then not copied for a token count
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

  /** Takes the figures of a usage object. The last object with figures wins. */
  takeUsage(usage: Fields): void {
    const read = readUsage(usage)
    if (read === null) return
    this.#usage = read
    this.#events?.push({ type: 'usage', usage: read })
  }

  /** Whether at least one choice began and all have finished. */
  get finished(): boolean {
    return this.#finished !== null && this.#finished.size > 0 && this.#open?.size === 0
  }

  /**
   * The service's figures if it reported prompt and completion. A missing figure is counted from the text, or is the request's estimate.
   */
  reading(tokensIn: number | null): MeterReading {
    const measured = this.#measured
    const { output, model, finishReason } = this
    if (measured !== null) return { usage: measured, measured: true, output, model, finishReason }
    const reported = this.#usage
    const promptTokens = reported?.promptTokens ?? tokensIn
    const completionTokens = reported?.completionTokens ?? this.text.tokens()
    const cachedTokens = reported?.cachedTokens ?? null
    const usage = { promptTokens, completionTokens, totalTokens: reported?.totalTokens ?? null, cachedTokens }
    return { usage: { ...usage, totalTokens: totalTokens(usage) }, measured: false, output, model, finishReason }
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
    if (!this.#finished.has(index) && this.#open.size < maxChoices) this.#open.add(index)
    const part = isFields(choice.delta) ? choice.delta : choice.message
    if (isFields(part)) this.#readPart(index, part)
    // Legacy completions have their text here.
    else this.#piece(index, 'content', 'text', choice.text)
    const reason = choice.finish_reason
    if (typeof reason !== 'string' || reason === '') return
    this.finishReason ??= reason
    this.#open.delete(index)
    if (this.#finished.size < maxChoices) this.#finished.add(index)
    this.#events?.push({ type: 'finish', choice: index, reason })
  }

  #readPart(choice: number, part: Fields): void {
    // Services that send both names of the reasoning send the same text twice.
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
      if (args !== '') this.lone = { key: 'arguments', text: args, lane: null }
      this.#pieces++
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
      this.lone = { key, text, lane: null }
      return true
    }
    const lane = this.text.lane(choice, kind, call)
    lane.appendText(text)
    this.lone = { key, text, lane }
    return true
  }
}
