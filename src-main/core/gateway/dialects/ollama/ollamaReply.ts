import { StudioError } from '../../../errors.ts'
import { JsonScan, parseText } from '../../../upstream/json/jsonScan.ts'
import { isFields } from '../../../upstream/json/values.ts'
import { estimateTokens } from '../../../upstream/reply/tokens.ts'
import type { ChatStreamEvent, TokenUsage } from '../../../upstream/types.ts'
import { failedFinish, finishKindOf, shownFinishReason } from '../finishReason.ts'
import type { DialectProblem, JsonObject, ReplyContext, ReplyDetails, StreamTranslator } from '../types.ts'
import { wholeCharacters } from '../wholeCharacters.ts'

/** What the translation of a reply needs of its request. */
export interface OllamaContext extends ReplyContext {
  kind: 'ollama'
  /** `/api/generate` has the text in `response`, `/api/chat` in `message`. */
  isGenerate: boolean
  /** Leave out the reasoning, because the program turned thinking off. */
  hideReasoning: boolean
  /** Names of tools that the service knows by another name, by that name. */
  toolNames: ReadonlyMap<string, string>
}

/** Maximum length of a reply, UTF-16 units. The reply is in memory until its end, and a hostile service could send without an end. */
const maxLength = 64 * 1024 * 1024
/** Memory of a call without text, so that many empty ones reach the maximum too. */
const lengthOfCall = 256
/** Most values of the arguments of all calls of a reply. Further arguments are passed as text. About 20 ms of parsing. */
const maxArgumentValues = 100_000
/** For a call without a name. The program then replies that it has no such tool, and the model sees the reply. */
const unnamedTool = 'unnamed_tool'
/** A hidden piece of reasoning becomes an empty piece of text this often, so that a program that watches for idle streams does not give up. */
const hiddenPiecesEachLine = 32
const nanoseconds = 1_000_000

type Piece = 'content' | 'thinking'

interface Call {
  id: string
  name: string
  arguments: string
  /** Counts the values of the arguments as they arrive. Null when all calls have too many. */
  scan: JsonScan | null
}

/**
 * Translates the events of one chat reply to the lines of `/api/chat` or `/api/generate`. Text and thinking are sent as they arrive. Calls
 * are sent whole in one line when the reply has finished, as Ollama sends them, so that no program runs a call of a reply that breaks off.
 */
export class OllamaReply implements StreamTranslator {
  readonly #details: ReplyDetails
  readonly #context: OllamaContext
  readonly #isSilent: boolean
  #model: string
  readonly #texts: Record<Piece, string> = { content: '', thinking: '' }
  /** Half of a surrogate pair that waits for its other half. */
  readonly #halves: Record<Piece, string> = { content: '', thinking: '' }
  readonly #calls = new Map<number, Call>()
  #areCallsSent = false
  #hidden = ''
  #hiddenPieces = 0
  #finishReason: string | null = null
  #usage: TokenUsage | null = null
  #length = 0
  #argumentValues = 0
  /** The start of the last line, and its time, ms since 1970. */
  #startText = ''
  #startMs = 0
  /** When the first output came, ms since the request began. */
  #firstMs: number | null = null
  #isEnded = false
  #failed: DialectProblem | null = null
  readonly #notes = new Set<string>()

  failure: string | null = null

  constructor(details: ReplyDetails, context: OllamaContext, isSilent = false) {
    this.#details = details
    this.#context = context
    this.#isSilent = isSilent
    this.#model = details.model
  }

  push(event: ChatStreamEvent): string {
    if (this.#isEnded) return ''
    switch (event.type) {
      // The end comes by `end()` or `fail()`.
      case 'open':
      case 'done':
      case 'error':
        return ''
      case 'meta':
        if (event.model !== null && event.model !== '') this.#model = event.model
        this.#startText = ''
        return ''
      case 'usage':
        this.#usage = event.usage
        return ''
      default:
        if (event.choice === 0) return this.#output(event)
        this.#report('The service sent more than one choice. Only the first was used.')
        return ''
    }
  }

  end(): string {
    if (this.#isEnded) return ''
    // A service that sends no finish reason has marked the end otherwise.
    this.#finishReason ??= 'stop'
    if (finishKindOf(this.#finishReason) === 'failed') return this.fail(problem(failedFinish(this.#finishReason)))
    const rest = this.#rest('thinking') + this.#rest('content') + this.#sendCalls()
    this.#isEnded = true
    return this.#isSilent ? '' : rest + lineOf({ ...this.#head(), ...this.#body('', '', []), ...this.#last() })
  }

  fail(failure: DialectProblem): string {
    if (this.#isEnded) return ''
    this.#isEnded = true
    this.#failed = failure
    return lineOf({ error: failure.message })
  }

  /** @throws StudioError `incomplete_stream` for a failed reply */
  result(): JsonObject {
    if (this.#failed !== null) throw new StudioError('incomplete_stream', this.#failed.message)
    const { content, thinking } = this.#texts
    return { ...this.#head(), ...this.#body(content, thinking, this.#callList()), ...this.#last() }
  }

  #output(event: Extract<ChatStreamEvent, { choice: number }>): string {
    if (event.type === 'finish') {
      this.#finishReason = event.reason
      return ''
    }
    this.#length += lengthOf(event)
    if (this.#length > maxLength) {
      this.#report('The reply of the service is too large. The rest was dropped.')
      this.failure = 'The reply of the service is too large to be translated.'
      return this.fail(problem(this.failure))
    }
    this.#firstMs ??= this.#elapsedMs()
    switch (event.type) {
      case 'content':
      case 'refusal':
        return this.#text('content', event.text)
      case 'reasoning':
        return this.#context.hideReasoning ? this.#hide(event.text) : this.#text('thinking', event.text)
      case 'tool_call':
        this.#call(event)
        return ''
    }
  }

  #hide(text: string): string {
    this.#hidden += text
    this.#hiddenPieces += 1
    return this.#hiddenPieces % hiddenPiecesEachLine === 1 ? this.#line([]) : ''
  }

  #text(kind: Piece, piece: string): string {
    const { text, half } = wholeCharacters(this.#halves[kind] + piece)
    this.#halves[kind] = half
    return this.#add(kind, text)
  }

  /** The half of a character that never got its other half. */
  #rest(kind: Piece): string {
    const rest = this.#halves[kind].toWellFormed()
    this.#halves[kind] = ''
    return this.#add(kind, rest)
  }

  #add(kind: Piece, text: string): string {
    if (text === '') return ''
    this.#texts[kind] += text
    if (this.#isSilent) return ''
    const [before, after] = frames[this.#context.isGenerate ? 'generate' : 'chat'][kind]
    return `${this.#start()}${before}${JSON.stringify(text)}${after}`
  }

  /** The start of a line, as text: a reply may have thousands of lines in a second. */
  #start(): string {
    const ms = this.#nowMs()
    if (ms !== this.#startMs || this.#startText === '') {
      this.#startMs = ms
      this.#startText = JSON.stringify(this.#head()).slice(0, -1)
    }
    return this.#startText
  }

  #call({ id, index, name, arguments: piece }: Extract<ChatStreamEvent, { type: 'tool_call' }>): void {
    let call = this.#calls.get(index)
    if (call === undefined) {
      call = { id: '', name: '', arguments: '', scan: new JsonScan({ maxValues: maxArgumentValues }) }
      this.#calls.set(index, call)
      this.#length += lengthOfCall
    }
    if (call.id === '' && id !== null) call.id = id
    call.name += name ?? ''
    call.arguments += piece
    if (call.scan === null || piece === '') return
    const before = call.scan.values
    if (this.#argumentValues <= maxArgumentValues) call.scan.push(Buffer.from(piece))
    this.#argumentValues += call.scan.values - before
    if (this.#argumentValues > maxArgumentValues) call.scan = null
  }

  #sendCalls(): string {
    if (this.#areCallsSent || this.#calls.size === 0) return ''
    this.#areCallsSent = true
    return this.#line(this.#callList())
  }

  #callList(): JsonObject[] {
    const ids = new Set<string>()
    return [...this.#calls.values()].map((call, index) => {
      let id = call.id.toWellFormed()
      // Programs send the result of a call with its id, so two calls never have the same.
      if (id === '' || ids.has(id)) id = `${this.#details.id}_${index}`
      ids.add(id)
      const name = call.name.toWellFormed()
      if (name === '') this.#report('The service sent a tool call without a name.')
      return {
        id,
        function: {
          index,
          name: name === '' ? unnamedTool : (this.#context.toolNames.get(name) ?? name),
          arguments: this.#argumentsOf(call),
        },
      }
    })
  }

  /**
   * The arguments as an object, which this API requires. Other text is wrapped in an object that no tool accepts, so that the program refuses
   * the call and the model sees its own text again.
   */
  #argumentsOf(call: Call): JsonObject {
    const { scan } = call
    const text = call.arguments.toWellFormed()
    if (text.trim() === '') return {}
    const value = scan?.isWhole === true ? parseText(text) : null
    if (isFields(value)) return value
    this.#report('The arguments of a tool call are not a JSON object.')
    return { INVALID_JSON: text }
  }

  /** A line without text. */
  #line(calls: JsonObject[]): string {
    if (this.#isSilent) return ''
    return lineOf({ ...this.#head(), ...this.#body('', '', calls), done: false })
  }

  #head(): JsonObject {
    return { model: this.#model, created_at: new Date(this.#nowMs()).toISOString() }
  }

  #body(content: string, thinking: string, calls: JsonObject[]): JsonObject {
    const more = { ...(thinking !== '' && { thinking }), ...(calls.length > 0 && { tool_calls: calls }) }
    if (this.#context.isGenerate) return { response: content, ...more }
    return { message: { role: 'assistant', content, ...more } }
  }

  /** The members of the last line. Durations are those that this computer saw, in nanoseconds. */
  #last(): JsonObject {
    const total = this.#elapsedMs()
    const first = Math.min(this.#firstMs ?? total, total)
    return {
      done: true,
      done_reason: this.#doneReason(),
      total_duration: Math.round(total * nanoseconds),
      load_duration: 0,
      prompt_eval_count: this.#usage?.promptTokens ?? this.#details.tokensIn,
      prompt_eval_duration: Math.round(first * nanoseconds),
      eval_count: this.#usage?.completionTokens ?? this.#estimate(),
      eval_duration: Math.round((total - first) * nanoseconds),
    }
  }

  #doneReason(): string {
    switch (finishKindOf(this.#finishReason ?? 'stop')) {
      case 'cut_by_length':
        return 'length'
      case 'filtered':
        return 'content_filter'
      case 'unknown':
        this.#report('The service ended its reply for a reason that the API does not have.')
        return shownFinishReason(this.#finishReason ?? '')
      default:
        return 'stop'
    }
  }

  #estimate(): number {
    const { content, thinking } = this.#texts
    const calls = [...this.#calls.values()].flatMap((call) => [call.name, call.arguments])
    return estimateTokens([content, thinking, this.#hidden, ...calls])
  }

  #nowMs(): number {
    const { createdAt, clock } = this.#details
    return clock?.nowMs() ?? createdAt * 1000
  }

  #elapsedMs(): number {
    const { clock } = this.#details
    return clock ? Math.max(0, clock.nowMs() - clock.startedMs) : 0
  }

  /** Reports each note once. */
  #report(note: string): void {
    if (this.#notes.has(note)) return
    this.#notes.add(note)
    this.#details.report?.(note)
  }
}

/** What surrounds the text of a line, behind its start. */
const frames: Record<'chat' | 'generate', Record<Piece, readonly [before: string, after: string]>> = {
  chat: {
    content: [',"message":{"role":"assistant","content":', '},"done":false}\n'],
    thinking: [',"message":{"role":"assistant","content":"","thinking":', '},"done":false}\n'],
  },
  generate: {
    content: [',"response":', ',"done":false}\n'],
    thinking: [',"response":"","thinking":', ',"done":false}\n'],
  },
}

const lineOf = (fields: JsonObject): string => `${JSON.stringify(fields)}\n`

function lengthOf(event: Exclude<Extract<ChatStreamEvent, { choice: number }>, { type: 'finish' }>): number {
  if (event.type !== 'tool_call') return event.text.length
  return event.arguments.length + (event.name?.length ?? 0) + (event.id?.length ?? 0)
}

const problem = (message: string): DialectProblem => ({ status: 502, message, type: null, code: null, param: null })
