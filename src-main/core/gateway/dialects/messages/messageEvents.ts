import type { ContentBlock } from '@anthropic-ai/sdk/resources/messages'
import { StudioError } from '../../../errors.ts'
import { JsonScan } from '../../../upstream/json/jsonScan.ts'
import { estimateTokens } from '../../../upstream/reply/tokens.ts'
import type { ChatStreamEvent, TokenUsage } from '../../../upstream/types.ts'
import { failedFinish, finishKindOf } from '../finishReason.ts'
import type { DialectProblem, JsonObject, MessagesContext, ReplyDetails, StreamTranslator } from '../types.ts'
import { wholeCharacters } from '../wholeCharacters.ts'
import {
  deltaUsage,
  invalidInput,
  type MessageTokens,
  messageEnd,
  messageObject,
  messageTokens,
  objectOrNull,
  stopReasonOf,
  toolInput,
} from './messageShape.ts'
import { problemOfStream } from './problemBody.ts'
import { clientToolId, derivedToolId } from './toolCallIds.ts'

/** Maximum length of a reply, UTF-16 units. The reply is in memory until its end, and a hostile service could send without an end. */
const maxLength = 64 * 1024 * 1024
/** Memory of a block without text, so that many empty ones reach the maximum too. */
const lengthOfBlock = 256
/**
 * Most values of the arguments of all calls of a reply that are scanned, and that a whole reply has as objects. Further arguments are text.
 * About 20 ms of parsing.
 */
const maxArgumentValues = 100_000
/** For a tool call without a name. The client then replies that it has no such tool, and the model sees the reply. */
const unnamedTool = 'unnamed_tool'
/** A hidden piece of reasoning becomes a `ping` this often, so that a client that watches for idle streams does not give up. */
const hiddenPiecesEachPing = 32

const unknownEnd = 'The service ended its reply for a reason that the API does not have.'
const ping = 'event: ping\ndata: {"type":"ping"}\n\n'
const messageStop = 'event: message_stop\ndata: {"type":"message_stop"}\n\n'

/** A content block of the reply. */
interface Block {
  kind: 'text' | 'thinking' | 'tool'
  /** Text, or the arguments of the call. */
  text: string
  /** Half of a surrogate pair that waits for its other half. */
  half: string
  id: string
  name: string
  isStarted: boolean
  isClosed: boolean
  /**
   * Reads the arguments of a call as they arrive. Parsing them again and again to find their end would be quadratic. Null for text, and when
   * the calls have more than `maxArgumentValues`.
   */
  scan: JsonScan | null
  /** Event text up to the value of the delta. Set when the block starts. */
  prefix: string
}

/**
 * Translates the events of one chat stream to events of the Messages API. Content blocks of this API are strictly sequential. The current
 * block is sent as it arrives. Blocks that begin before it is complete wait, as services may mix the pieces of several tool calls.
 */
export class MessageEvents implements StreamTranslator {
  readonly #details: ReplyDetails
  readonly #hideReasoning: boolean
  readonly #toolNames: ReadonlyMap<string, string>
  /** Whether the events are only collected, for `result`. */
  readonly #isSilent: boolean
  #model: string
  #isStarted = false
  #isEnded = false
  #failed: DialectProblem | null = null
  /** In the order in which they are sent. */
  readonly #blocks: Block[] = []
  readonly #calls = new Map<number, Block>()
  readonly #ids = new Set<string>()
  #current: Block | null = null
  /** Index in `#blocks` of the first waiting block. */
  #waiting = 0
  #sent = 0
  #hidden = ''
  #hiddenPieces = 0
  #isRefused = false
  #finishReason: string | null = null
  #usage: TokenUsage | null = null
  #length = 0
  /** Values of the arguments of all calls so far. */
  #argumentValues = 0
  readonly #notes = new Set<string>()

  failure: string | null = null

  constructor(details: ReplyDetails, options: Omit<MessagesContext, 'kind'>, isSilent = false) {
    this.#details = details
    this.#toolNames = options.toolNames
    this.#hideReasoning = options.hideReasoning
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
        if (!this.#isStarted && event.model !== null && event.model !== '') this.#model = event.model
        return this.#start()
      case 'usage':
        this.#usage = event.usage
        return this.#start()
      default:
        if (event.choice === 0) return this.#output(event)
        this.#report('The service sent more than one choice. Only the first was used.')
        return ''
    }
  }

  #output(event: Extract<ChatStreamEvent, { choice: number }>): string {
    if (event.type === 'finish') {
      this.#finishReason = event.reason
      // Agents may run a tool call as soon as its block ends.
      return finishKindOf(event.reason) === 'failed' ? this.#start() : this.#start() + this.#flush()
    }
    this.#length += lengthOf(event)
    if (this.#length > maxLength) {
      this.#report('The reply of the service is too large. The rest was dropped.')
      this.failure = 'The reply of the service is too large to be translated.'
      return this.fail(problem(this.failure))
    }
    switch (event.type) {
      case 'content':
        return this.#text('text', event.text)
      case 'refusal':
        this.#isRefused = true
        return this.#text('text', event.text)
      case 'reasoning':
        return this.#hideReasoning ? this.#hide(event.text) : this.#text('thinking', event.text)
      case 'tool_call':
        return this.#start() + this.#call(event)
    }
  }

  end(): string {
    if (this.#isEnded) return ''
    // A service that sends no finish reason has marked the end otherwise.
    this.#finishReason ??= 'stop'
    if (finishKindOf(this.#finishReason) === 'failed') return this.fail(problem(failedFinish(this.#finishReason)))
    const out = this.#start() + this.#flush()
    this.#isEnded = true
    for (const block of this.#blocks) this.#reportInput(block)
    const delta = messageEnd(this.#stopReason())
    if (delta.stop_reason === null) this.#report(unknownEnd)
    return out + eventText('message_delta', { delta, usage: deltaUsage(this.#tokens()) }) + messageStop
  }

  fail(failure: DialectProblem): string {
    if (this.#isEnded) return ''
    this.#isEnded = true
    this.#failed = failure
    return `event: error\ndata: ${JSON.stringify(problemOfStream(failure))}\n\n`
  }

  /** @throws StudioError `incomplete_stream` for a failed reply */
  result(): JsonObject {
    if (this.#failed !== null) throw new StudioError('incomplete_stream', this.#failed.message)
    const content = this.#blocks.map((block, index) => this.#contentBlock(block, index))
    return messageObject(this.#details.id, this.#model, content, messageEnd(this.#stopReason()), this.#tokens())
  }

  #start(): string {
    if (this.#isStarted) return ''
    this.#isStarted = true
    if (this.#isSilent) return ''
    const tokens: MessageTokens = {
      input_tokens: this.#details.tokensIn,
      cache_read_input_tokens: 0,
      output_tokens: 0,
    }
    const message = messageObject(this.#details.id, this.#model, [], messageEnd(null), tokens)
    return eventText('message_start', { message }) + ping
  }

  #hide(text: string): string {
    this.#hidden += text
    this.#hiddenPieces++
    return this.#start() + (this.#hiddenPieces % hiddenPiecesEachPing === 1 ? ping : '')
  }

  #text(kind: 'text' | 'thinking', text: string): string {
    if (text === '') return ''
    const current = this.#current
    if (current?.kind === kind) return this.#append(current, text)
    const out = this.#start()
    const last = this.#blocks.at(-1)
    if (last?.kind === kind && !last.isClosed) return out + this.#append(last, text)
    this.#append(this.#newBlock(kind), text)
    return out + this.#advance()
  }

  #call(event: Extract<ChatStreamEvent, { type: 'tool_call' }>): string {
    const { id, index, name, arguments: piece } = event
    let block = this.#calls.get(index)
    if (block === undefined) {
      block = this.#newBlock('tool')
      this.#calls.set(index, block)
    }
    if (block.isClosed) {
      if (piece.trim() !== '')
        this.#report('The service sent more arguments for a tool call whose arguments were complete.')
      return ''
    }
    if (!block.isStarted) {
      if (block.id === '' && id !== null) block.id = id
      block.name += name ?? ''
    }
    const delta = this.#append(block, piece)
    if (block !== this.#current) return this.#advance()
    const out = block.isStarted ? delta : this.#startCall(block)
    return this.#waiting < this.#blocks.length ? out + this.#advance() : out
  }

  /** Adds a piece to a block. Returns its event when the block has started. */
  #append(block: Block, piece: string): string {
    const { text: whole, half } = wholeCharacters(block.half + piece)
    // Blanks alone are not JSON, so clients fail at arguments that have nothing else.
    const text = block.kind === 'tool' && block.text === '' ? whole.replace(/^[ \t\r\n]+/, '') : whole
    block.half = half
    block.text += text
    this.#scan(block, text)
    return block.isStarted ? this.#delta(block, text) : ''
  }

  /** One bound for all calls, since a service can send many at once. */
  #scan(block: Block, text: string): void {
    const { scan } = block
    if (scan === null || text === '') return
    if (this.#argumentValues <= maxArgumentValues) {
      const before = scan.values
      scan.push(Buffer.from(text))
      this.#argumentValues += scan.values - before
    }
    if (this.#argumentValues > maxArgumentValues) block.scan = null
  }

  /** Ends the text of a block. Returns the event of what remained. */
  #endText(block: Block): string {
    const rest = block.half.toWellFormed()
    block.half = ''
    block.text += rest
    this.#scan(block, rest)
    return block.isStarted ? this.#delta(block, rest) : ''
  }

  #newBlock(kind: Block['kind']): Block {
    const block = {
      kind,
      text: '',
      half: '',
      id: '',
      name: '',
      isStarted: false,
      isClosed: false,
      scan: kind === 'tool' ? new JsonScan({ maxValues: maxArgumentValues }) : null,
      prefix: '',
    }
    this.#length += lengthOfBlock
    this.#blocks.push(block)
    return block
  }

  /** Closes the current block while it is complete and another one waits, and starts the next. */
  #advance(): string {
    let out = ''
    for (;;) {
      const next = this.#blocks[this.#waiting]
      if (next === undefined) return out
      if (this.#current !== null) {
        if (!isComplete(this.#current)) return out
        out += this.#close(this.#current)
      }
      this.#waiting++
      this.#current = next
      out += next.kind === 'tool' ? this.#startCall(next) : this.#startBlock(next)
    }
  }

  /** Closes the current block and all that wait, whether they are complete or not. */
  #flush(): string {
    let out = ''
    if (this.#current !== null) out += this.#close(this.#current)
    this.#current = null
    for (; this.#waiting < this.#blocks.length; this.#waiting++) {
      const block = this.#blocks[this.#waiting]
      if (block !== undefined) out += this.#close(block)
    }
    return out
  }

  #close(block: Block): string {
    const rest = this.#endText(block)
    const start = block.isStarted ? '' : this.#startBlock(block)
    const index = this.#sent - 1
    block.isClosed = true
    if (this.#isSilent) return ''
    // Clients such as `@ai-sdk/anthropic` expect a signature after thinking. Only the vendor's models can sign, so it is empty.
    const delta = { type: 'signature_delta', signature: '' }
    const signature = block.kind === 'thinking' ? eventText('content_block_delta', { index, delta }) : ''
    return `${rest}${start}${signature}event: content_block_stop\ndata: {"type":"content_block_stop","index":${index}}\n\n`
  }

  /** A call starts with its first arguments, because its name may arrive in several pieces before them. */
  #startCall(block: Block): string {
    return block.name !== '' && block.text !== '' ? this.#startBlock(block) : ''
  }

  #startBlock(block: Block): string {
    block.isStarted = true
    const index = this.#sent++
    const [deltaType, key] = deltaTypes[block.kind]
    block.prefix = `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":{"type":"${deltaType}","${key}":`
    if (block.kind === 'tool') this.#nameCall(block, index)
    if (this.#isSilent) return ''
    const start = eventText('content_block_start', { index, content_block: contentBlock(block, '', {}) })
    return block.text === '' ? start : start + this.#delta(block, block.text)
  }

  /** Gives a call its id and name for the client. Two calls of one reply never have the same id. */
  #nameCall(block: Block, index: number): void {
    block.id = this.#clientId(block, index)
    this.#ids.add(block.id)
    if (block.name === '') this.#report('The service sent a tool call without a name.')
    block.name = this.#clientName(block.name)
  }

  /** The name that the app gave the tool. */
  #clientName(name: string): string {
    return name === '' ? unnamedTool : (this.#toolNames.get(name) ?? name.toWellFormed())
  }

  #clientId(block: Block, index: number): string {
    const id = block.id === '' ? '' : clientToolId(block.id)
    // Ids of the derived form are never taken from the service, so derived ones are unique.
    const isUsable = id !== '' && !this.#ids.has(id) && !id.startsWith(derivedToolId(this.#details.id, ''))
    return isUsable ? id : derivedToolId(this.#details.id, index)
  }

  #delta(block: Block, text: string): string {
    return this.#isSilent || text === '' ? '' : `${block.prefix}${JSON.stringify(text)}}}\n\n`
  }

  #contentBlock(block: Block, index: number): ContentBlock {
    if (block.kind !== 'tool') return contentBlock(block, block.text, {})
    const input = block.scan === null ? invalidInput(block.text) : toolInput(block.text)
    if (block.isStarted) return contentBlock(block, '', input)
    const name = this.#clientName(block.name)
    return contentBlock({ kind: 'tool', id: this.#clientId(block, index), name }, '', input)
  }

  #reportInput(block: Block): void {
    if (block.kind !== 'tool' || isBlank(block) || isWholeObject(block)) return
    if (block.scan === null) this.#report('The arguments of the tool calls have too many values to be checked.')
    // `result` accepts deeper levels in a short text.
    else if (block.scan.problem !== 'depth' || objectOrNull(block.text) === null)
      this.#report('The arguments of a tool call are not a JSON object.')
  }

  /** Reports each note once. */
  #report(note: string): void {
    if (this.#notes.has(note)) return
    this.#notes.add(note)
    this.#details.report?.(note)
  }

  #stopReason(): ReturnType<typeof stopReasonOf> {
    return this.#finishReason === null ? null : stopReasonOf(this.#finishReason, this.#calls.size > 0, this.#isRefused)
  }

  #tokens(): MessageTokens {
    return messageTokens(this.#usage, this.#details.tokensIn, () =>
      estimateTokens([this.#hidden, ...this.#blocks.flatMap(({ name, text }) => [name, text])]),
    )
  }
}

const deltaTypes: Record<Block['kind'], readonly [type: string, key: string]> = {
  text: ['text_delta', 'text'],
  thinking: ['thinking_delta', 'thinking'],
  tool: ['input_json_delta', 'partial_json'],
}

function contentBlock(
  { kind, id, name }: Pick<Block, 'kind' | 'id' | 'name'>,
  text: string,
  input: unknown,
): ContentBlock {
  if (kind === 'text') return { type: 'text', text, citations: null }
  if (kind === 'thinking') return { type: 'thinking', thinking: text, signature: '' }
  return { type: 'tool_use', id, name, input, caller: { type: 'direct' } }
}

function lengthOf(event: Exclude<Extract<ChatStreamEvent, { choice: number }>, { type: 'finish' }>): number {
  if (event.type !== 'tool_call') return event.text.length
  return event.arguments.length + (event.name?.length ?? 0) + (event.id?.length ?? 0)
}

/** Whether a block may be closed although the reply goes on. */
const isComplete = (block: Block): boolean => block.kind !== 'tool' || isWholeObject(block)

/** Whether the arguments of a call are one JSON object, of at most `maxDepth` levels. */
const isWholeObject = ({ scan, text }: Block): boolean => scan?.isWhole === true && text.startsWith('{')

const isBlank = ({ text }: Block): boolean => !/\S/.test(text)

function eventText(type: string, fields: JsonObject): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
}

function problem(message: string): DialectProblem {
  return { status: 502, message, type: null, code: null, param: null }
}
