import { estimateTokens } from '../../../upstream/reply/tokens.ts'
import type { ChatStreamEvent, TokenUsage } from '../../../upstream/types.ts'
import type { DialectProblem, JsonObject, ReplyDetails, ResponsesContext, StreamTranslator } from '../types.ts'
import { CallItem } from './callItem.ts'
import { CompactionItem } from './compactionItem.ts'
import { type EventType, EventWriter } from './eventWriter.ts'
import { causeOf, endOf, type ResponseBody, type ResponseEnd, responseBody } from './responseObject.ts'
import { TextItem, type TextItemKind, type TextKind } from './textItem.ts'

/** Largest reply, UTF-16 units, as it is and as JSON. The last events repeat the whole text four times, in one turn of the event loop. */
const maxReplySize = 8 * 1024 * 1024
/** Size that each item adds to the limit, besides its text. */
const itemSize = 1024

const knownReasons = new Set(['max_output_tokens', 'content_filter'])

/** A tool call, from its first piece on. Its item is added when its name is complete. */
interface OpenCall {
  id: string | null
  name: string
  /** Arguments that arrived before the name. */
  early: string
  item: CallItem | null
}

/**
 * Translates one reply. Only the first choice is read, because a Response has no other. A message ends where a tool call begins. Calls stay
 * open until the end of the reply, because services may interleave their pieces.
 */
export class ResponsesTranslator implements StreamTranslator {
  readonly #context: ResponsesContext
  readonly #details: ReplyDetails
  readonly #events: EventWriter
  readonly #silent: boolean
  /** Ids of items are derived from the id of the reply: `msg_SUFFIX_0`. */
  readonly #suffix: string
  readonly #seal: ((text: string) => string | null) | null
  readonly #items: (TextItem | CallItem | CompactionItem)[] = []
  readonly #calls = new Map<number, OpenCall>()
  readonly #callIds = new Set<string>()
  #text: TextItem | null = null
  #textKind: TextItemKind = 'message'
  /** The item that received the last piece. A cut at the length limit cuts this item. */
  #last: TextItem | OpenCall | null = null
  /** Calls whose item is not added yet, in order. */
  #waiting: OpenCall[] = []
  #began = false
  /** JSON of the members that repeat the request. */
  #echo: string
  /** The last event, once it was written. */
  #lastEvent: { type: EventType; sequence: number; length: number } | null = null
  #finish: string | null = null
  #end: ResponseEnd | null = null
  #model: string | null = null
  #usage: TokenUsage | null = null
  #completedAt: number | null = null
  #size = 0
  readonly #reported = new Set<string>()

  failure: string | null = null

  /** @param silent write no events, for a reply that is not streamed */
  constructor(context: ResponsesContext, details: ReplyDetails, silent = false) {
    this.#context = context
    this.#echo = context.echo
    this.#details = details
    this.#silent = silent
    this.#events = new EventWriter(silent)
    const { seal } = details
    this.#seal = context.seals && seal ? (text) => this.#sealed(seal(text)) : null
    this.#suffix = details.id.slice(details.id.indexOf('_') + 1)
  }

  push(event: ChatStreamEvent): string {
    if (this.#end !== null) return ''
    if (event.type === 'meta') this.#model = event.model
    this.#begin()
    this.#take(event)
    const size = Math.max(this.#size, this.#events.jsonLength)
    if (size + this.#items.length * itemSize <= maxReplySize) return this.#events.take()
    const message = 'The reply of the service is too large to be translated.'
    this.failure = message
    // A reply of this size cannot be stored either.
    this.notStored('')
    return this.fail({ status: 502, message, type: null, code: null, param: null })
  }

  end(): string {
    if (this.#end !== null) return ''
    this.#begin()
    // A service that sends no finish reason has marked the end otherwise.
    const end = endOf(this.#finish ?? 'stop')
    if (end.status === 'failed') return this.#fail(end, null)
    this.#addWaiting()
    if (end.status === 'incomplete' && !knownReasons.has(end.reason)) {
      this.#report('The service ended its reply for a reason that the API does not have.')
    }
    for (const item of this.#items) this.#endItem(item, end.status)
    this.#finishWith(end)
    this.#writeLast(end.status === 'completed' ? 'response.completed' : 'response.incomplete')
    return this.#events.take()
  }

  /** Ends a reply without items by a whole compaction. @param content the summary as it is returned */
  endWithCompaction(summary: string, content: string): string {
    if (this.#end !== null) return ''
    this.#begin()
    const item = new CompactionItem(this.#nextId(), summary, content, this.#events)
    this.#items.push(item)
    return this.end()
  }

  fail(problem: DialectProblem): string {
    if (this.#end !== null) return ''
    this.#begin()
    const message = problem.message.toWellFormed()
    return this.#fail({ status: 'failed', cause: causeOf(problem), message }, problem.param)
  }

  result(): JsonObject {
    return { ...this.#body(), ...(JSON.parse(this.#echo) as JsonObject) }
  }

  notStored(last: string): string {
    this.#echo = JSON.stringify({ ...(JSON.parse(this.#echo) as JsonObject), store: false })
    const event = this.#lastEvent
    if (event === null || last === '') return last
    this.#events.writeResponse(event.type, this.#responseText(), event.sequence)
    return last.slice(0, last.length - event.length) + this.#events.take()
  }

  #body(): ResponseBody {
    return responseBody({
      details: this.#details,
      model: this.#model,
      end: this.#end,
      output: this.#items.map((item) => item.json()),
      usage: this.#usage,
      completedAt: this.#completedAt,
    })
  }

  #begin(): void {
    if (this.#began) return
    this.#began = true
    if (this.#silent) return
    const response = this.#responseText()
    this.#events.writeResponse('response.created', response)
    this.#events.writeResponse('response.in_progress', response)
  }

  /** JSON of the Response object. */
  #responseText(): string {
    return `${JSON.stringify(this.#body()).slice(0, -1)},${this.#echo.slice(1)}`
  }

  #writeLast(type: EventType): void {
    if (this.#silent) return
    this.#lastEvent = { type, ...this.#events.writeResponse(type, this.#responseText()) }
  }

  #take(event: ChatStreamEvent): void {
    if ('choice' in event && event.choice !== 0) {
      this.#report('The service sent more than one choice. Only the first was used.')
      return
    }
    switch (event.type) {
      case 'content':
        this.#pushText('message', 'output_text', event.text)
        break
      case 'refusal':
        this.#pushText('message', 'refusal', event.text)
        break
      case 'reasoning':
        if (this.#context.summarizes) this.#pushText('summary', 'summary_text', event.text)
        else this.#pushText('reasoning', 'reasoning_text', event.text)
        break
      case 'tool_call':
        this.#pushCall(event)
        break
      case 'finish':
        this.#finish = event.reason
        break
      case 'usage':
        this.#usage = event.usage
        break
      // `meta` was read before, and the end comes by `end()` or `fail()`.
      case 'open':
      case 'meta':
      case 'done':
      case 'error':
    }
  }

  #pushText(itemKind: TextItemKind, kind: TextKind, text: string): void {
    if (text === '') return
    this.#size += text.length
    if (this.#text === null || this.#textKind !== itemKind) {
      this.#endText()
      this.#addWaiting()
      this.#text = new TextItem(itemKind, this.#nextId(), this.#items.length, this.#events, this.#seal)
      this.#textKind = itemKind
      this.#items.push(this.#text)
    }
    this.#last = this.#text
    this.#text.push(kind, text)
  }

  /** Sealed reasoning counts for the size of the reply. */
  #sealed(content: string | null): string | null {
    if (content === null) this.#report('The reasoning is too long to be returned sealed.')
    else this.#size += content.length
    return content
  }

  #pushCall(piece: Extract<ChatStreamEvent, { type: 'tool_call' }>): void {
    const { id, index, name, arguments: args } = piece
    this.#size += args.length + (name?.length ?? 0) + (id?.length ?? 0)
    let call = this.#calls.get(index)
    if (call === undefined) {
      this.#endText()
      this.#addWaiting()
      call = { id: null, name: '', early: '', item: null }
      this.#calls.set(index, call)
      this.#waiting.push(call)
    }
    if (piece.late !== true) this.#last = call
    if (call.item !== null) {
      call.item.push(args)
      return
    }
    call.id ??= id
    call.name += name ?? ''
    call.early += args
    if (call.name !== '' && call.early !== '') this.#addWaiting()
  }

  /** Adds the items of calls that have begun, in their order. */
  #addWaiting(): void {
    for (const call of this.#waiting) {
      if (call.name === '') this.#report('The service sent a tool call without a name.')
      const tool = this.#context.tools.get(call.name) ?? { kind: 'function', name: call.name, namespace: null }
      const id = this.#nextId()
      call.item = new CallItem(tool, id, this.#callIdOf(call.id), this.#items.length, this.#events)
      this.#items.push(call.item)
      call.item.push(call.early)
      call.early = ''
    }
    this.#waiting = []
  }

  /** The service's id of a call, or a derived one when it is missing or not unique. */
  #callIdOf(given: string | null): string {
    const id = given?.toWellFormed() ?? ''
    const isUsable = id !== '' && !this.#callIds.has(id)
    if (!isUsable) this.#report('The service sent a tool call without an id, or two with the same. It got an id here.')
    const unique = isUsable ? id : `call_${this.#nextId()}`
    this.#callIds.add(unique)
    return unique
  }

  #nextId(): string {
    return `${this.#suffix}_${this.#items.length}`
  }

  #endText(): void {
    this.#text?.end('completed')
    this.#text = null
  }

  #endItem(item: TextItem | CallItem | CompactionItem, status: 'completed' | 'incomplete'): void {
    const last = this.#last instanceof TextItem ? this.#last : (this.#last?.item ?? null)
    const isCut = status === 'incomplete' && item === last
    if (item instanceof TextItem) item.end(isCut ? 'incomplete' : 'completed')
    else if (item instanceof CompactionItem) item.end()
    else if (isCut) item.abandon()
    else if (!item.end()) this.#report('The arguments of a tool call can’t be read. The call has nothing to run.')
  }

  #fail(end: Extract<ResponseEnd, { status: 'failed' }>, param: string | null): string {
    this.#addWaiting()
    // A compaction is whole, and ends its reply.
    for (const item of this.#items) if (!(item instanceof CompactionItem)) item.abandon()
    this.#finishWith(end)
    const { cause: code, message } = end
    // The published type is flat, and the API itself sends a nested object. Clients read either.
    this.#events.write('error', { code, message, param, error: { type: code, code, message, param } })
    this.#writeLast('response.failed')
    return this.#events.take()
  }

  /** Adds a note to the log's detail, each once. */
  #report(note: string): void {
    if (this.#reported.has(note)) return
    this.#reported.add(note)
    this.#details.report?.(note)
  }

  /** The service's figures. A missing one is estimated, as the request log does: a response that ended well always has its usage. */
  #wholeUsage(): TokenUsage {
    const { promptTokens = null, completionTokens = null, totalTokens = null, cachedTokens = null } = this.#usage ?? {}
    return {
      promptTokens: promptTokens ?? this.#details.tokensIn,
      completionTokens: completionTokens ?? estimateTokens(this.#items.flatMap((item) => item.texts())),
      totalTokens: promptTokens === null || completionTokens === null ? null : totalTokens,
      cachedTokens,
    }
  }

  #finishWith(end: ResponseEnd): void {
    this.#end = end
    if (end.status !== 'failed') this.#usage = this.#wholeUsage()
    this.#completedAt = end.status === 'completed' ? (this.#details.completedAt?.() ?? null) : null
  }
}
