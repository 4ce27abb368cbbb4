import { performance } from 'node:perf_hooks'
import type { Message } from '../../../../src-preload/contract/chat.ts'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import { asStudioError, type StudioError } from '../../errors.ts'
import type { ChatNeighbours, JsonFormat, NewToolRow, ReplyOutcome } from '../../ports/toolCalls.ts'
import { unexpected } from '../../shared/unexpected.ts'
import { asStoreError, mayPass } from '../../store/databaseErrors.ts'
import type { Store } from '../../store/store.ts'
import type { CallOptions, ChatRequest, ChatStreamEvent } from '../../upstream/types.ts'
import { promptMark } from './context/promptMark.ts'
import { ChatView } from './listWatcher.ts'
import { prepareRequest } from './prepareRequest.ts'
import { programEnded } from './recover.ts'
import { type Ending, RunningReply } from './reply.ts'
import { storeCalls, storeTitle } from './storeReplyEnd.ts'

/** The part of the service client that chat uses. */
export interface ChatUpstream {
  streamChatCompletion(request: ChatRequest, options: CallOptions): AsyncIterable<ChatStreamEvent>
}

/** What sending needs of the chat feature. */
export interface ChatParts {
  store: Store
  runs: ReplyRuns
  neighbours: ChatNeighbours
  /** Client of the service. @throws StudioError `not_connected`, or the reason why connecting failed */
  upstream(): Promise<ChatUpstream>
}

export interface RunsOptions {
  store: Store
  log(line: string): void
  neighbours: ChatNeighbours
  logBodies(): boolean
  /** Called before a request is sent. */
  starting(): void
  /** Called when the end of a reply is stored. */
  stored(reply: Message): void
}

/** Maximum age of unwritten output, ms, plus scheduling delay. The requirement is 500 ms. */
const journalEveryMs = 200
/** Retry interval while the database rejects writes, ms: another process holds its lock, or the disk is full. */
const journalAgainMs = 500

/** One request with one reply per choice. */
interface Run {
  replies: RunningReply[]
  abort: AbortController
  journalTimer: NodeJS.Timeout | null
  /** Ids of replies whose first output is recorded in the database. */
  begun: Set<string>
  /** Id of the request's row in the request log; null before the row exists. `closed` resolves when the row is complete. */
  row: number | null
  closed: PromiseWithResolvers<void>
  /** Null until it is prepared. */
  request: ChatRequest | null
  done: Promise<void>
}

/** All running replies. The core owns them, so closing or reloading a window does not affect them. */
export class ReplyRuns {
  readonly view: ChatView
  readonly #store: Store
  readonly #log: (line: string) => void
  readonly #neighbours: ChatNeighbours
  readonly #logBodies: () => boolean
  readonly #starting: () => void
  readonly #stored: (reply: Message) => void
  readonly #runs = new Set<Run>()
  /** Running checks of replies whose format is JSON. */
  readonly #checks = new Set<Promise<void>>()
  /** Replies that have not ended or whose end is not stored yet. */
  readonly #live = new Map<string, RunningReply>()
  readonly #runOf = new Map<string, Run>()

  constructor({ store, log, neighbours, logBodies, starting, stored }: RunsOptions) {
    this.#store = store
    this.#log = log
    this.#neighbours = neighbours
    this.#logBodies = logBodies
    this.#starting = starting
    this.#stored = stored
    this.view = new ChatView(store, this.#live)
  }

  /** Number of open requests, including those that are closing. */
  get size(): number {
    return this.#runs.size
  }

  /**
   * Starts one request for stored `pending` replies, one per choice. Returns at once. Does not notify subscribers, because the caller
   * that stored the rows does.
   */
  start(rows: readonly Message[], upstream: ChatUpstream): void {
    const [first] = rows
    if (!first) return
    this.#starting()
    const replies = rows.map((row) => new RunningReply(row, row.model ?? '', () => performance.now()))
    const run: Run = {
      replies,
      abort: new AbortController(),
      journalTimer: null,
      begun: new Set(),
      row: null,
      closed: Promise.withResolvers(),
      request: null,
      done: Promise.resolve(),
    }
    this.#runs.add(run)
    for (const reply of replies) {
      this.#live.set(reply.id, reply)
      this.#runOf.set(reply.id, run)
    }
    // Reads the database now. A change made a moment later applies to the next request.
    const request = prepareRequest(this.#store, this.#neighbours, first, rows.length)
    run.done = this.#drive(run, upstream, request)
      .catch((thrown: unknown) => {
        // After a programming error too, every reply must end.
        for (const reply of replies) if (!reply.ended) this.#fail(run, reply, asStudioError(thrown))
      })
      .finally(() => this.#runs.delete(run))
  }

  /**
   * Ends a reply and all choices of its request at once, then closes the request. Returns false if the reply had
   * already ended.
   */
  stop(replyId: string): boolean {
    const run = this.#runOf.get(replyId)
    const running = run?.replies.filter((reply) => !reply.ended) ?? []
    if (!run || running.length === 0) return false
    for (const reply of running) this.#end(run, reply, 'stopped', null)
    run.abort.abort()
    return true
  }

  /** Stops all replies of a conversation, on every branch. Returns their number. */
  stopConversation(conversationId: string): number {
    const replies = [...this.#live.values()].filter((reply) => reply.conversationId === conversationId && !reply.ended)
    for (const { id } of replies) this.stop(id)
    return replies.length
  }

  /** Ends every reply with its partial output and the reason. Resolves when all requests are closed. */
  async shutDown(): Promise<void> {
    const runs = [...this.#runs]
    for (const run of runs) {
      for (const reply of run.replies) {
        if (reply.ended) continue
        this.#end(run, reply, reply.hasOutput ? 'incomplete' : 'failed', programEnded(reply.hasOutput))
      }
      run.abort.abort()
    }
    await Promise.all([...runs.map((run) => run.done), ...this.#checks])
  }

  async #drive(run: Run, upstream: ChatUpstream, prepared: Promise<ChatRequest>): Promise<void> {
    let failure: StudioError | null = null
    let request: ChatRequest | null = null
    try {
      request = await prepared
      run.request = request
      for await (const event of upstream.streamChatCompletion(request, this.#options(run))) {
        if (run.replies.every((reply) => reply.ended)) break
        this.#apply(run, event)
      }
    } catch (thrown) {
      failure = asStudioError(thrown)
    }
    // The cost is known shortly after the last byte, when the connection is released.
    if (run.row !== null) await run.closed.promise
    for (const reply of run.replies) this.#close(run, reply, failure)
    if (request) this.#neighbours.ended(outcomeOf(request, run.replies, upstream, failure))
  }

  /** Ends a reply with the result of its request. A reply that had already ended only receives its cost. */
  #close(run: Run, reply: RunningReply, failure: StudioError | null): void {
    const known = reply.ended
    if (run.row !== null) reply.setCost(this.#costOf(run.row))
    if (known) this.#storeCost(run, reply)
    else if (failure) this.#fail(run, reply, failure)
    else if (run.replies.length > 1 && !reply.hasOutput && !reply.finished)
      this.#end(run, reply, 'failed', tooFewChoices())
    else this.#complete(run, reply)
  }

  #costOf(row: number): ReturnType<ChatNeighbours['costOf']> {
    try {
      return this.#neighbours.costOf(row)
    } catch (thrown) {
      this.#log(`The cost of a reply could not be read: ${asStudioError(thrown).message}`)
      return { cost: null, costIs: 'unknown' }
    }
  }

  #storeCost(run: Run, reply: RunningReply): void {
    // If the end of the reply is not stored yet, it will include the cost.
    if (run.row === null || this.#live.has(reply.id)) return
    const message = reply.message()
    this.#store.pending.write(`use ${reply.id}`, 'The cost of a reply', () => {
      this.#store.journal(() => this.#store.messages.setUse(reply.id, message))
      this.#notify(reply, 'message')
    })
  }

  #complete(run: Run, reply: RunningReply): void {
    const { toolCalls, params } = reply.message()
    const isAnswer = toolCalls.length === 0 || reply.length('text') > 0
    this.#end(run, reply, 'complete', null)
    const format = params?.responseFormat
    if (isAnswer && format && format.type !== 'text') this.#check(reply, format)
  }

  /** Adds the faults of a reply whose format is JSON. The reply has ended already, because a hostile schema may take seconds. */
  #check(reply: RunningReply, format: JsonFormat): void {
    const check = this.#neighbours.jsonFaults(reply.text, format).then((faults) => {
      this.#checks.delete(check)
      reply.setJsonFaults(faults)
      // If the end of the reply is not stored yet, it will include the faults.
      if (this.#live.has(reply.id)) return
      this.#store.pending.write(`faults ${reply.id}`, 'The check of a reply', () => {
        this.#store.journal(() => this.#store.messages.setJsonFaults(reply.id, faults))
        this.#notify(reply, 'message')
      })
    })
    this.#checks.add(check)
  }

  #options(run: Run): CallOptions {
    return {
      feature: 'chat',
      signal: run.abort.signal,
      logBodies: this.#logBodies(),
      onRow: (row) => {
        run.row = row
        for (const reply of run.replies) reply.setRequestRow(row)
      },
      onClosed: () => run.closed.resolve(),
      onWait: (notice) => {
        for (const reply of run.replies) {
          if (reply.ended || reply.hasOutput) continue
          reply.setWait(notice)
          this.#notify(reply, 'message')
        }
      },
    }
  }

  #fail(run: Run, reply: RunningReply, failure: StudioError): void {
    if (failure.kind === 'bug') this.#log(failure.message)
    // The person stopped the request in the request log.
    if (failure.kind === 'cancelled') this.#end(run, reply, 'stopped', null)
    else this.#end(run, reply, reply.hasOutput ? 'incomplete' : 'failed', failure.toProblem())
  }

  #apply(run: Run, event: ChatStreamEvent): void {
    // Ignores choices beyond the requested number.
    const replies = 'choice' in event ? run.replies.slice(event.choice, event.choice + 1) : run.replies
    for (const reply of replies) {
      if (event.type === 'usage' || !reply.ended) this.#applyTo(run, reply, event)
      // A choice is complete at its finish reason, whatever happens to the other choices.
      if (event.type === 'finish' && run.replies.length > 1 && !reply.ended) this.#complete(run, reply)
    }
  }

  #applyTo(run: Run, reply: RunningReply, event: ChatStreamEvent): void {
    const before = reply.hasOutput
    const change = reply.apply(event)
    if (change === 'none') return
    if (!before && reply.hasOutput) this.#begin(run, reply)
    run.journalTimer ??= setTimeout(() => this.#journal(run), journalEveryMs)
    this.#notify(reply, change === 'grown' ? 'text' : 'message')
  }

  /**
   * Stores the time of the first output at once. If that fails, the stream continues and the journal stores it later.
   */
  #begin(run: Run, { id, firstTokenMs, requestId, requestRow }: RunningReply): void {
    try {
      this.#store.journal(() => this.#store.messages.begin(id, firstTokenMs, requestId, requestRow))
      run.begun.add(id)
    } catch (thrown) {
      unexpected('The start of a reply could not be stored and will be retried', asStoreError(thrown))
    }
  }

  #journal(run: Run): void {
    run.journalTimer = null
    const tails = run.replies.flatMap((reply) => {
      const tail = reply.ended ? null : reply.unstored()
      return tail ? [{ reply, tail }] : []
    })
    if (tails.length === 0) return
    try {
      this.#store.journal(() => {
        for (const { reply, tail } of tails) {
          const { id, firstTokenMs, requestId, requestRow } = reply
          if (!run.begun.has(id)) this.#store.messages.begin(id, firstTokenMs, requestId, requestRow)
          this.#store.replyJournal.append(id, tail)
        }
      })
    } catch (thrown) {
      unexpected('The tail of a reply could not be stored and will be retried', asStoreError(thrown))
      run.journalTimer = setTimeout(() => this.#journal(run), journalAgainMs)
      return
    }
    for (const { reply } of tails) {
      reply.journalled()
      run.begun.add(reply.id)
    }
  }

  /** Ends a reply for all subscribers. It stays live until its end is stored. */
  #end(run: Run, reply: RunningReply, status: Ending, problem: Problem | null): void {
    reply.end(status, problem)
    if (run.journalTimer && run.replies.every(({ ended }) => ended)) {
      clearTimeout(run.journalTimer)
      run.journalTimer = null
    }
    const { id, conversationId } = reply
    this.#store.pending.write(`reply ${id}`, 'The end of a reply', () => this.#writeEnd(reply, status))
    if (!this.#live.has(id)) return
    this.#notify(reply, 'message')
    this.view.changes.notify({ what: 'conversation', conversationId })
  }

  #writeEnd(reply: RunningReply, status: Ending): void {
    const message = reply.message()
    const { conversationId } = reply
    let calls: Message[] = []
    try {
      calls = this.#store.transaction(() => {
        this.#store.messages.settle(reply.id, message)
        const { request = null } = this.#runOf.get(reply.id) ?? {}
        if (request && reply.hasOutput) this.#store.countedPrompts.put(reply.id, promptMark(request))
        this.#store.replyJournal.clear(reply.id)
        this.#store.conversations.touch(conversationId, message.finishedAt ?? new Date().toISOString())
        storeTitle(this.#store, message)
        return status === 'complete' ? storeCalls(this.#store, message, this.#callsOf(message)) : []
      })
    } catch (thrown) {
      // For example, the conversation was deleted permanently. Temporary failures are retried.
      if (!mayPass(thrown)) this.#forget(reply)
      throw thrown
    }
    this.#forget(reply)
    this.#notify(reply, 'message')
    if (calls.length > 0) this.view.changes.notify({ what: 'path', conversationId })
    this.view.changes.notify({ what: 'conversation', conversationId })
    if (calls.length > 0) this.#called(message, calls)
    this.#stored(message)
  }

  /** A failure in the tools feature must not prevent the reply from being stored. */
  #callsOf(reply: Message): NewToolRow[] {
    if (reply.toolCalls.length === 0) return []
    try {
      return this.#neighbours.callsOf(reply)
    } catch (thrown) {
      this.#log(`The tool calls of a reply could not be read: ${asStudioError(thrown).message}`)
      return []
    }
  }

  #called(reply: Message, rows: readonly Message[]): void {
    try {
      this.#neighbours.called(reply, rows)
    } catch (thrown) {
      this.#log(`The tool calls of a reply could not be started: ${asStudioError(thrown).message}`)
    }
  }

  #forget(reply: RunningReply): void {
    this.#live.delete(reply.id)
    this.#runOf.delete(reply.id)
  }

  #notify({ conversationId, id: messageId }: RunningReply, what: 'text' | 'message'): void {
    this.view.changes.notify({ what, conversationId, messageId })
  }
}

function outcomeOf(
  request: ChatRequest,
  replies: readonly RunningReply[],
  upstream: ChatUpstream,
  failure: StudioError | null,
): ReplyOutcome {
  const { model, messages, tools = [] } = request
  const hasImage = ({ content }: ChatRequest['messages'][number]): boolean =>
    Array.isArray(content) && content.some((part) => 'image_url' in part)
  return {
    upstream,
    model,
    sent: { images: messages.some(hasImage), tools: tools.length > 0 },
    replied: replies.some((reply) => reply.hasOutput),
    calledTools: replies.some((reply) => reply.message().toolCalls.length > 0),
    problem: failure?.toProblem() ?? null,
    endedAt: new Date().toISOString(),
  }
}

function tooFewChoices(): Problem {
  const words = 'The service returned fewer choices than requested.'
  return { kind: 'malformed_reply', message: words, workPossible: true }
}
