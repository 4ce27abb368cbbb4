import type { ChatStreamEvent, TokenUsage } from '../../../upstream/types.ts'
import type { DialectProblem, JsonObject, ReplyDetails, StreamTranslator } from '../types.ts'
import { CallItem } from './callItem.ts'
import { EventWriter } from './eventWriter.ts'
import { causeOf, endOf, type ReplyEnd, responseBody } from './responseObject.ts'
import { TextItem, type TextItemKind, type TextKind } from './textItem.ts'
import type { ToolNames } from './toolNames.ts'

/** What a reply needs to know of its request. */
export interface ReplyContext {
  /** Members of the Response object that repeat the request. */
  echo: JsonObject
  names: ToolNames
  /** Return reasoning as a summary. Without it reasoning is returned as reasoning text. */
  summarizes: boolean
}

/** A tool call, from its first piece on. Its item is added when its name is complete. */
interface OpenCall {
  id: string | null
  name: string
  item: CallItem | null
}

/**
 * Translates one reply. Only the first choice is read, because a Response has no other. A message ends where a tool call begins. Calls stay
 * open until the end of the reply, because services may interleave their pieces.
 */
export class ResponsesTranslator implements StreamTranslator {
  readonly #context: ReplyContext
  readonly #details: ReplyDetails
  readonly #events: EventWriter
  /** Ids of items are derived from the id of the reply: `msg_SUFFIX_0`. */
  readonly #suffix: string
  readonly #items: (TextItem | CallItem)[] = []
  readonly #calls = new Map<number, OpenCall>()
  readonly #callIds = new Set<string>()
  #text: TextItem | null = null
  #textKind: TextItemKind = 'message'
  /** What got the last piece. A reply that is cut by length cuts this. */
  #last: TextItem | OpenCall | null = null
  /** Calls whose item is not added yet, in order. */
  #waiting: OpenCall[] = []
  #began = false
  #finish: string | null = null
  #end: ReplyEnd | null = null
  #model: string | null = null
  #usage: TokenUsage | null = null
  #completedAt: number | null = null

  /** @param silent write no events, for a reply that is not streamed */
  constructor(context: ReplyContext, details: ReplyDetails, silent = false) {
    this.#context = context
    this.#details = details
    this.#events = new EventWriter(silent)
    this.#suffix = details.id.slice(details.id.indexOf('_') + 1)
  }

  push(event: ChatStreamEvent): string {
    if (this.#end !== null) return ''
    if (event.type === 'meta') this.#model = event.model
    this.#begin()
    this.#take(event)
    return this.#events.take()
  }

  end(): string {
    if (this.#end !== null) return ''
    if (this.#finish === null) {
      const message = 'The reply broke off: the service ended its stream without a finish reason.'
      return this.fail({ status: 502, message, type: null, code: null, param: null })
    }
    this.#begin()
    const end = endOf(this.#finish)
    if (end.status === 'failed') return this.#fail(end, null)
    this.#addWaiting()
    for (const item of this.#items) this.#endItem(item, end.status)
    this.#finishWith(end)
    this.#events.write(end.status === 'completed' ? 'response.completed' : 'response.incomplete', {
      response: this.result(),
    })
    return this.#events.take()
  }

  fail(problem: DialectProblem): string {
    if (this.#end !== null) return ''
    this.#begin()
    const message = problem.message.toWellFormed()
    return this.#fail({ status: 'failed', cause: causeOf(problem), message }, problem.param)
  }

  result(): JsonObject {
    return {
      ...responseBody(this.#context.echo, {
        details: this.#details,
        model: this.#model,
        end: this.#end,
        output: this.#items.map((item) => item.json()),
        usage: this.#usage,
        completedAt: this.#completedAt,
      }),
    }
  }

  #begin(): void {
    if (this.#began) return
    this.#began = true
    const response = this.result()
    this.#events.write('response.created', { response })
    this.#events.write('response.in_progress', { response })
  }

  #take(event: ChatStreamEvent): void {
    if ('choice' in event && event.choice !== 0) return
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
    }
  }

  #pushText(itemKind: TextItemKind, kind: TextKind, text: string): void {
    if (text === '') return
    if (this.#text === null || this.#textKind !== itemKind) {
      this.#endText()
      this.#addWaiting()
      this.#text = new TextItem(itemKind, this.#nextId(), this.#items.length, this.#events)
      this.#textKind = itemKind
      this.#items.push(this.#text)
    }
    this.#last = this.#text
    this.#text.push(kind, text)
  }

  #pushCall({ index, id, name, arguments: args }: Extract<ChatStreamEvent, { type: 'tool_call' }>): void {
    let call = this.#calls.get(index)
    if (call === undefined) {
      this.#endText()
      this.#addWaiting()
      call = { id: null, name: '', item: null }
      this.#calls.set(index, call)
      this.#waiting.push(call)
    }
    this.#last = call
    if (call.item === null) {
      call.id ??= id
      // A name can come in pieces, and some services repeat the whole name with each piece.
      if (name !== null && name !== call.name) call.name += name
      if (args === '') return
      this.#addWaiting()
    }
    call.item?.push(args)
  }

  /** Adds the items of calls that have begun, in their order. */
  #addWaiting(): void {
    for (const call of this.#waiting) {
      const tool = this.#context.names.toolOf(call.name)
      const id = this.#nextId()
      call.item = new CallItem(tool, id, this.#callIdOf(call.id), this.#items.length, this.#events)
      this.#items.push(call.item)
    }
    this.#waiting = []
  }

  /** The service's id of a call, or a derived one when it is missing or not unique. */
  #callIdOf(given: string | null): string {
    const id = given?.toWellFormed() ?? ''
    const unique = id === '' || this.#callIds.has(id) ? `call_${this.#nextId()}` : id
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

  #endItem(item: TextItem | CallItem, status: 'completed' | 'incomplete'): void {
    const last = this.#last instanceof TextItem ? this.#last : (this.#last?.item ?? null)
    const isCut = status === 'incomplete' && item === last
    if (item instanceof TextItem) item.end(isCut ? 'incomplete' : 'completed')
    else if (isCut) item.abandon()
    else item.end()
  }

  #fail(end: Extract<ReplyEnd, { status: 'failed' }>, param: string | null): string {
    this.#addWaiting()
    for (const item of this.#items) item.abandon()
    this.#finishWith(end)
    const { cause: code, message } = end
    // The published type is flat, and the API itself sends a nested object. Clients read either.
    this.#events.write('error', { code, message, param, error: { type: code, code, message, param } })
    this.#events.write('response.failed', { response: this.result() })
    return this.#events.take()
  }

  #finishWith(end: ReplyEnd): void {
    this.#end = end
    this.#completedAt = end.status === 'completed' ? (this.#details.completedAt?.() ?? null) : null
  }
}
