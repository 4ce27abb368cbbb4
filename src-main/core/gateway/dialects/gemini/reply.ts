import { StudioError } from '../../../errors.ts'
import { JsonScan } from '../../../upstream/json/jsonScan.ts'
import { estimateTokens } from '../../../upstream/reply/tokens.ts'
import type { ChatStreamEvent, TokenUsage } from '../../../upstream/types.ts'
import { failedFinish, finishKindOf } from '../finishReason.ts'
import type { DialectProblem, JsonObject, ReplyContext, ReplyDetails, StreamTranslator } from '../types.ts'
import { wholeCharacters } from '../wholeCharacters.ts'
import { problemOfStream } from './problemBody.ts'
import type { ReplySettings } from './settings.ts'

export interface GeminiContext extends ReplyContext, ReplySettings {
  kind: 'gemini'
  /** Whether the stream has server-sent events. Otherwise it is one JSON array. */
  events: boolean
  /** Names of functions that the service knows by another name, by that name. */
  toolNames: ReadonlyMap<string, string>
}

/** Maximum length of a reply, UTF-16 units. The reply is in memory until its end, and a hostile service could send without an end. */
const maxLength = 64 * 1024 * 1024
/** Memory of a call without arguments, so that many empty ones reach the maximum too. */
const lengthOfCall = 256
/** Most values of the arguments of all calls of a reply. About 20 ms of parsing. */
const maxArgumentValues = 100_000
/** For a call without a name. The client then replies that it has no such function, and the model sees the reply. */
const unnamed = 'unnamed_tool'

interface Call {
  id: string
  name: string
  arguments: string
  /** Reads the arguments as they arrive, so that no long text is read at once. */
  scan: JsonScan
}

/** One of the replies of a request. */
interface Candidate {
  /** In the order of arrival; neighbours of one kind are one. */
  texts: { text: string; isThought: boolean }[]
  /** Half of a surrogate pair that waits for its other half. */
  half: string
  calls: Map<number, Call>
  finish: string | null
  isRefused: boolean
}

interface Part {
  text?: string
  thought?: true
  functionCall?: { id: string; name: string; args: unknown }
}

/**
 * Translates the events of one chat reply to the stream of this API. Texts are sent as they arrive. Calls are sent whole at the end of the
 * reply, because programs run them when they arrive and services mix the pieces of several calls.
 */
export class GeminiReply implements StreamTranslator {
  readonly #details: ReplyDetails
  readonly #context: GeminiContext
  /** Whether nothing is written, for `result`. */
  readonly #isSilent: boolean
  #model: string
  #usage: TokenUsage | null = null
  readonly #candidates: Candidate[] = []
  readonly #ids = new Set<string>()
  readonly #notes = new Set<string>()
  #length = 0
  /** Values of the arguments of all calls so far. */
  #argumentValues = 0
  #isEnded = false
  #failed: DialectProblem | null = null
  /** Whether the stream has an element. */
  #hasBegun = false
  /** JSON between the parts of a candidate and the end of an element. Set with the first. */
  #suffix = ''

  failure: string | null = null

  constructor(details: ReplyDetails, context: GeminiContext, isSilent = false) {
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
        if (!this.#hasBegun && event.model !== null && event.model !== '') this.#model = event.model
        return ''
      case 'usage':
        this.#usage = event.usage
        return ''
      default:
        if (event.choice < this.#context.candidates) return this.#output(event, this.#candidate(event.choice))
        this.#report('The service sent more choices than candidates were asked for. The rest was dropped.')
        return ''
    }
  }

  #candidate(index: number): Candidate {
    while (this.#candidates.length <= index)
      this.#candidates.push({ texts: [], half: '', calls: new Map(), finish: null, isRefused: false })
    return this.#candidates[index] as Candidate
  }

  #output(event: Extract<ChatStreamEvent, { choice: number }>, candidate: Candidate): string {
    if (event.type === 'finish') {
      candidate.finish = event.reason
      return ''
    }
    this.#length += event.type === 'tool_call' ? lengthOf(event) : event.text.length
    if (this.#length > maxLength) {
      this.#report('The reply of the service is too large. The rest was dropped.')
      this.failure = 'The reply of the service is too large to be translated.'
      return this.fail({ status: 502, message: this.failure, type: null, code: null, param: null })
    }
    switch (event.type) {
      case 'tool_call':
        this.#call(event, candidate)
        return ''
      case 'refusal':
        candidate.isRefused = true
        return this.#text(event.text, false, event.choice, candidate)
      case 'content':
        return this.#text(event.text, false, event.choice, candidate)
      case 'reasoning':
        return this.#text(event.text, true, event.choice, candidate)
    }
  }

  #text(piece: string, isThought: boolean, index: number, candidate: Candidate): string {
    if (piece === '') return ''
    const last = candidate.texts.at(-1)
    const before = last !== undefined && last.isThought !== isThought ? this.#endText(index, candidate) : ''
    const { text, half } = wholeCharacters(candidate.half + piece)
    candidate.half = half
    return before + this.#append(text, isThought, index, candidate)
  }

  /** Writes what remained of a text. */
  #endText(index: number, candidate: Candidate): string {
    const rest = candidate.half.toWellFormed()
    candidate.half = ''
    return this.#append(rest, candidate.texts.at(-1)?.isThought === true, index, candidate)
  }

  #append(text: string, isThought: boolean, index: number, candidate: Candidate): string {
    const last = candidate.texts.at(-1)
    if (last?.isThought === isThought) last.text += text
    else candidate.texts.push({ text, isThought })
    if (this.#isSilent || text === '' || (isThought && this.#context.hideThoughts)) return ''
    this.#suffix ||= `],"role":"model"},"index":0}],"modelVersion":${JSON.stringify(this.#model)},"responseId":${JSON.stringify(this.#details.id)}}`
    const part = `{"text":${JSON.stringify(text)}${isThought ? ',"thought":true' : ''}}`
    const suffix = index === 0 ? this.#suffix : this.#suffix.replace('"index":0', `"index":${index}`)
    return this.#element(`{"candidates":[{"content":{"parts":[${part}${suffix}`)
  }

  #call(event: Extract<ChatStreamEvent, { type: 'tool_call' }>, { calls }: Candidate): void {
    let call = calls.get(event.index)
    if (call === undefined) {
      this.#length += lengthOfCall
      call = { id: '', name: '', arguments: '', scan: new JsonScan() }
      calls.set(event.index, call)
    }
    if (call.id === '') call.id = event.id ?? ''
    call.name += event.name ?? ''
    call.arguments += event.arguments
    const before = call.scan.values
    if (this.#argumentValues <= maxArgumentValues) call.scan.push(Buffer.from(event.arguments))
    this.#argumentValues += call.scan.values - before
  }

  end(): string {
    if (this.#isEnded) return ''
    this.#candidate(0)
    for (const candidate of this.#candidates) {
      // A service that sends no finish reason has marked the end otherwise.
      candidate.finish ??= 'stop'
      if (finishKindOf(candidate.finish) === 'failed')
        return this.fail({ status: 502, message: failedFinish(candidate.finish), type: null, code: null, param: null })
    }
    const rest = this.#candidates.map((candidate, index) => this.#endText(index, candidate)).join('')
    this.#isEnded = true
    if (this.#isSilent) return ''
    const last = this.#body(() => [])
    return rest + this.#element(JSON.stringify(last)) + (this.#context.events ? '' : '\n]')
  }

  fail(problem: DialectProblem): string {
    if (this.#isEnded) return ''
    this.#isEnded = true
    this.#failed = problem
    if (this.#isSilent) return ''
    return this.#element(JSON.stringify(problemOfStream(problem))) + (this.#context.events ? '' : '\n]')
  }

  /**
   * The error again, without `data:`, as the official API sends it. Versions of the official package until 1.30, which Gemini CLI has, look for
   * an error only in such a piece. Readers of server-sent events skip the line.
   */
  get afterFailure(): string {
    if (this.#failed === null || this.#isSilent || !this.#context.events) return ''
    return `${JSON.stringify(problemOfStream(this.#failed))}\n\n`
  }

  /** @throws StudioError `incomplete_stream` for a failed reply, which this API has no object for */
  result(): JsonObject {
    if (this.#failed !== null) throw new StudioError('incomplete_stream', this.#failed.message)
    return this.#body(({ texts }) =>
      texts.flatMap(({ text, isThought }): Part[] => {
        if (text === '' || (isThought && this.#context.hideThoughts)) return []
        return [isThought ? { text, thought: true } : { text }]
      }),
    )
  }

  #element(json: string): string {
    const separator = this.#hasBegun ? ',\n' : '['
    this.#hasBegun = true
    return this.#context.events ? `data: ${json}\n\n` : separator + json
  }

  /** The object of a whole reply, or the last one of a stream. @param partsOf the parts besides the calls */
  #body(partsOf: (candidate: Candidate) => Part[]): JsonObject {
    const candidates = this.#candidates.map((candidate, index) => {
      const parts = [...partsOf(candidate), ...this.#callsOf(candidate)]
      return {
        // Programs read the first part without a look at the number.
        content: { parts: parts.length === 0 ? [{ text: '' }] : parts, role: 'model' },
        finishReason: this.#finishReason(candidate),
        index,
      }
    })
    return { candidates, usageMetadata: this.#tokens(), modelVersion: this.#model, responseId: this.#details.id }
  }

  #callsOf({ calls }: Candidate): Part[] {
    return [...calls.values()].map((call) => {
      if (call.name === '') this.#report('The service sent a tool call without a name.')
      const name = call.name === '' ? unnamed : call.name.toWellFormed()
      return {
        functionCall: {
          id: this.#idOf(call),
          name: this.#context.toolNames.get(name) ?? name,
          args: this.#argsOf(call),
        },
      }
    })
  }

  /**
   * The arguments of a call: `{}` if there are none. Text that is no object, or too deep or too long to be read, is wrapped in one, so that the
   * function of the client refuses it and the model sees its own text again.
   */
  #argsOf({ arguments: given, scan }: Call): JsonObject {
    const text = given.trim()
    if (text === '') return {}
    if (scan.isWhole && text.startsWith('{') && this.#argumentValues <= maxArgumentValues)
      return JSON.parse(text) as JsonObject
    this.#report('The arguments of a tool call are not a JSON object, or have too many values.')
    return { INVALID_JSON: given.toWellFormed() }
  }

  /** The service's id of a call, or a derived one where it is missing or not unique. */
  #idOf(call: Call): string {
    let id = call.id.toWellFormed()
    for (let number = this.#ids.size; id === '' || this.#ids.has(id); number++)
      id = `call_${this.#details.id}_${number}`
    this.#ids.add(id)
    call.id = id
    return id
  }

  #finishReason({ finish, isRefused }: Candidate): string {
    const kind = finishKindOf(finish ?? '')
    if (isRefused || kind === 'filtered') return 'SAFETY'
    if (kind === 'completed') return 'STOP'
    if (kind === 'cut_by_length') return 'MAX_TOKENS'
    this.#report('The service ended its reply for a reason that the API does not have.')
    return 'OTHER'
  }

  /** A figure that the service did not report is an estimate. */
  #tokens(): JsonObject {
    const { promptTokens, completionTokens, totalTokens, cachedTokens } = this.#usage ?? {}
    const promptTokenCount = promptTokens ?? this.#details.tokensIn
    const candidatesTokenCount = completionTokens ?? this.#estimate()
    return {
      promptTokenCount,
      candidatesTokenCount,
      totalTokenCount: totalTokens ?? promptTokenCount + candidatesTokenCount,
      ...((cachedTokens ?? 0) > 0 && { cachedContentTokenCount: cachedTokens }),
    }
  }

  #estimate(): number {
    return estimateTokens(
      this.#candidates.flatMap(({ texts, calls }) => [
        ...texts.map(({ text }) => text),
        ...[...calls.values()].flatMap((call) => [call.name, call.arguments]),
      ]),
    )
  }

  /** Reports each note once. */
  #report(note: string): void {
    if (this.#notes.has(note)) return
    this.#notes.add(note)
    this.#details.report?.(note)
  }
}

const lengthOf = (event: Extract<ChatStreamEvent, { type: 'tool_call' }>): number =>
  event.arguments.length + (event.name?.length ?? 0) + (event.id?.length ?? 0)
