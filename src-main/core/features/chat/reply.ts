import type { Message, ToolCall, Usage, Wait } from '../../../../src-preload/contract/chat.ts'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import type { JournalEntry } from '../../store/replyJournal.ts'
import type { ChatStreamEvent, WaitNotice } from '../../upstream/types.ts'

/** Fields of a reply that grow while it runs. */
export const textFields = ['text', 'reasoning', 'refusal'] as const
export type TextField = (typeof textFields)[number]

/** How a reply ended. */
export type Ending = 'complete' | 'stopped' | 'incomplete' | 'failed'

/** Effect of an event: a text grew, another visible field changed, or nothing visible changed. */
export type Change = 'grown' | 'changed' | 'none'

/** State of one running reply. Subscribers and the journal read from it. No I/O. */
export class RunningReply {
  readonly id: string
  readonly conversationId: string
  readonly model: string
  readonly #base: Message
  readonly #now: () => number
  readonly #startedAt: number
  readonly #texts = { text: '', reasoning: '', refusal: '' }
  readonly #toolCalls = new Map<number, ToolCall>()
  readonly #journalled = { text: 0, reasoning: 0, refusal: 0 }
  #toolCallsJournalled = true
  #status: Message['status'] = 'pending'
  #wait: Wait | null
  #problem: Problem | null = null
  #finishReason: string | null = null
  #usage: Usage | null = null
  #finishedAt: string | null = null
  #firstTokenMs: number | null = null
  #reasoningSince: number | null = null
  #reasoningMs: number | null = null
  #requestId: string | null = null
  #requestRow: number | null = null
  #cost: string | null = null
  #costIs: Message['costIs'] = 'unknown'
  #jsonFaults: string[] | null = null

  /** `now` is a monotonic clock in ms. */
  constructor(base: Message, model: string, now: () => number) {
    this.id = base.id
    this.conversationId = base.conversationId
    this.model = model
    this.#base = base
    this.#now = now
    this.#startedAt = now()
    this.#wait = { for: 'connection', since: base.createdAt, until: null, attempt: null, problem: null }
  }

  get hasOutput(): boolean {
    return this.#status !== 'pending' && this.#firstTokenMs !== null
  }

  get ended(): boolean {
    return this.#finishedAt !== null
  }

  get firstTokenMs(): number | null {
    return this.#firstTokenMs
  }

  get requestId(): string | null {
    return this.#requestId
  }

  get requestRow(): number | null {
    return this.#requestRow
  }

  get text(): string {
    return this.#texts.text
  }

  /** Whether the service sent a finish reason for this choice. */
  get finished(): boolean {
    return this.#finishReason !== null
  }

  /** Call when the request has its row in the request log. */
  setRequestRow(requestRow: number): void {
    this.#requestRow = requestRow
  }

  /** Call when the request is closed and its cost is known. */
  setCost({ cost, costIs }: Pick<Message, 'cost' | 'costIs'>): void {
    this.#cost = cost
    this.#costIs = costIs
  }

  setJsonFaults(jsonFaults: string[] | null): void {
    this.#jsonFaults = jsonFaults
  }

  length(field: TextField): number {
    return this.#texts[field].length
  }

  since(field: TextField, at: number): string {
    return this.#texts[field].slice(at)
  }

  setWait(notice: WaitNotice): void {
    const since = new Date()
    const retry = notice.for === 'retry' ? notice : null
    this.#wait = {
      for: notice.for,
      since: since.toISOString(),
      until: retry ? new Date(since.getTime() + retry.delayMs).toISOString() : null,
      attempt: retry?.attempt ?? null,
      problem: retry?.problem ?? null,
    }
  }

  apply(event: ChatStreamEvent): Change {
    switch (event.type) {
      case 'open':
        this.#requestId = event.facts.requestId
        return 'none'
      case 'content':
        return this.#grow('text', event.text)
      case 'reasoning':
        return this.#grow('reasoning', event.text)
      case 'refusal':
        return this.#grow('refusal', event.text)
      case 'tool_call':
        this.#addToolCall(event)
        this.#begin()
        return 'changed'
      case 'finish':
        this.#finishReason = event.reason
        return 'none'
      case 'usage':
        this.#usage = event.usage
        return 'none'
      default:
        return 'none'
    }
  }

  end(status: Ending, problem: Problem | null): void {
    this.#closeReasoning()
    this.#status = status
    this.#problem = problem
    this.#wait = null
    this.#finishedAt = new Date().toISOString()
  }

  /** Output since the last call of `journalled`, or null if there is none. */
  unstored(): JournalEntry | null {
    const entry: JournalEntry = { text: '', reasoning: '', refusal: '', toolCalls: null }
    for (const field of textFields) entry[field] = this.since(field, this.#journalled[field])
    if (!this.#toolCallsJournalled) entry.toolCalls = this.#calls()
    return entry.toolCalls !== null || textFields.some((field) => entry[field] !== '') ? entry : null
  }

  /** Call after the result of `unstored` was committed. */
  journalled(): void {
    for (const field of textFields) this.#journalled[field] = this.length(field)
    this.#toolCallsJournalled = true
  }

  /**
   * The current message. `sibling` and `siblings` are as of the start of the reply; the store has the current values.
   */
  message(): Message {
    return {
      ...this.#base,
      ...this.#texts,
      toolCalls: this.#calls(),
      status: this.#status,
      wait: this.#wait,
      problem: this.#problem,
      finishReason: this.#finishReason,
      usage: this.#usage,
      finishedAt: this.#finishedAt,
      firstTokenMs: this.#firstTokenMs,
      reasoningMs: this.#reasoningMs,
      requestId: this.#requestId,
      requestRow: this.#requestRow,
      cost: this.#cost,
      costIs: this.#costIs,
      jsonFaults: this.#jsonFaults,
    }
  }

  #grow(field: TextField, text: string): Change {
    if (text === '') return 'none'
    const first = this.#begin()
    if (field === 'reasoning') this.#reasoningSince ??= this.#now()
    // Text ends the reasoning, whose duration is then known and shown.
    const settled = field === 'text' && this.#closeReasoning()
    this.#texts[field] += text
    return first || settled ? 'changed' : 'grown'
  }

  #begin(): boolean {
    if (this.#firstTokenMs !== null) return false
    this.#firstTokenMs = Math.round(this.#now() - this.#startedAt)
    this.#status = 'streaming'
    this.#wait = null
    return true
  }

  #closeReasoning(): boolean {
    if (this.#reasoningSince === null || this.#reasoningMs !== null) return false
    this.#reasoningMs = Math.round(this.#now() - this.#reasoningSince)
    return true
  }

  #addToolCall(event: Extract<ChatStreamEvent, { type: 'tool_call' }>): void {
    const known = this.#toolCalls.get(event.index)
    this.#toolCalls.set(event.index, {
      index: event.index,
      id: known?.id ?? event.id,
      // The end of a name may arrive in a piece of its own, because it was held back as the possible start of the key.
      name: (known?.name ?? '') + (event.name ?? ''),
      arguments: (known?.arguments ?? '') + event.arguments,
    })
    this.#toolCallsJournalled = false
  }

  #calls(): ToolCall[] {
    return [...this.#toolCalls.values()].sort((a, b) => a.index - b.index)
  }
}
