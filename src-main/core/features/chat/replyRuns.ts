import { performance } from 'node:perf_hooks'
import type { Message } from '../../../../src-preload/contract/chat.ts'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import { asStudioError, type StudioError } from '../../errors.ts'
import type { ChatNeighbours, NewToolRow } from '../../ports/toolCalls.ts'
import { unexpected } from '../../shared/unexpected.ts'
import { asStoreError, mayPass } from '../../store/database.ts'
import type { Store } from '../../store/store.ts'
import type { CallOptions, ChatRequest, ChatStreamEvent } from '../../upstream/types.ts'
import { jsonFaultsOf } from './jsonFaults.ts'
import { ChatView } from './listWatcher.ts'
import { prepareRequest } from './prepareRequest.ts'
import { programEnded } from './recover.ts'
import { type Ending, RunningReply } from './reply.ts'
import { storeCalls, storeTitle } from './storeReplyEnd.ts'

/** The one thing that chat needs of the service. */
export interface ChatUpstream {
  streamChatCompletion(request: ChatRequest, options: CallOptions): AsyncIterable<ChatStreamEvent>
}

export interface RunsOptions {
  store: Store
  log(line: string): void
  neighbours: ChatNeighbours
  keepBodies(): boolean
}

/** A reply's tail is in the database at most this long after it came, and what a busy machine adds. Bar: 500 ms. */
const journalEveryMs = 200
/** The same after the database did not take it: another process holds its lock, or the disk is full. */
const journalAgainMs = 500

/** One request, with a reply for each of its choices. */
interface Run {
  replies: RunningReply[]
  abort: AbortController
  journalTimer: NodeJS.Timeout | null
  /** Replies of which the database says that their output has begun. */
  begun: Set<string>
  /** Its row in the books, once that stands; `closed` resolves when that has its end. */
  row: number | null
  closed: PromiseWithResolvers<void>
  done: Promise<void>
}

/** The replies that are being made, several at once. A window may go and come: the run is the core's. */
export class Runs {
  readonly view: ChatView
  readonly #store: Store
  readonly #log: (line: string) => void
  readonly #neighbours: ChatNeighbours
  readonly #keepBodies: () => boolean
  readonly #runs = new Set<Run>()
  /** Replies that have not ended, or whose end is not written yet, with the request they come from. */
  readonly #live = new Map<string, RunningReply>()
  readonly #runOf = new Map<string, Run>()

  constructor({ store, log, neighbours, keepBodies }: RunsOptions) {
    this.#store = store
    this.#log = log
    this.#neighbours = neighbours
    this.#keepBodies = keepBodies
    this.view = new ChatView(store, this.#live)
  }

  /** Requests under way, those that are being closed among them. */
  get size(): number {
    return this.#runs.size
  }

  /**
   * Asks for replies whose rows stand already (`pending`), the choices of one request, with the path above them. Answers at once, having
   * published nothing: whoever stored the rows says so, once this has made them live.
   */
  start(rows: readonly Message[], upstream: ChatUpstream): void {
    const [first] = rows
    if (!first) return
    const replies = rows.map((row) => new RunningReply(row, row.model ?? '', () => performance.now()))
    const run: Run = {
      replies,
      abort: new AbortController(),
      journalTimer: null,
      begun: new Set(),
      row: null,
      closed: Promise.withResolvers(),
      done: Promise.resolve(),
    }
    this.#runs.add(run)
    for (const reply of replies) {
      this.#live.set(reply.id, reply)
      this.#runOf.set(reply.id, run)
    }
    // Everything that the database says is read now: what is changed a moment later is for the next question.
    const request = prepareRequest(this.#store, this.#neighbours, first, rows.length)
    run.done = this.#drive(run, upstream, request)
      .catch((thrown: unknown) => {
        // A mistake of ours: no reply is left behind that never ends.
        for (const reply of replies) if (!reply.ended) this.#fail(run, reply, asStudioError(thrown))
      })
      .finally(() => this.#runs.delete(run))
  }

  /**
   * Ends it here and now with all choices of its request, then closes that: the person's Stop waits for nobody. False when
   * it had ended already.
   */
  stop(replyId: string): boolean {
    const run = this.#runOf.get(replyId)
    const running = run?.replies.filter((reply) => !reply.ended) ?? []
    if (!run || running.length === 0) return false
    for (const reply of running) this.#end(run, reply, 'stopped', null)
    run.abort.abort()
    return true
  }

  /** All replies of a conversation, on every branch. Answers how many. */
  stopConversation(conversationId: string): number {
    const replies = [...this.#live.values()].filter((reply) => reply.conversationId === conversationId && !reply.ended)
    for (const { id } of replies) this.stop(id)
    return replies.length
  }

  /** The program ends: every reply is kept as far as it came, with the reason. Resolves when all requests are closed. */
  async shutDown(): Promise<void> {
    const runs = [...this.#runs]
    for (const run of runs) {
      for (const reply of run.replies) {
        if (reply.ended) continue
        this.#end(run, reply, reply.hasOutput ? 'incomplete' : 'failed', programEnded(reply.hasOutput))
      }
      run.abort.abort()
    }
    await Promise.all(runs.map((run) => run.done))
  }

  async #drive(run: Run, upstream: ChatUpstream, prepared: Promise<ChatRequest>): Promise<void> {
    let failure: StudioError | null = null
    try {
      const request = await prepared
      for await (const event of upstream.streamChatCompletion(request, this.#options(run))) {
        if (run.replies.every((reply) => reply.ended)) break
        this.#apply(run, event)
      }
    } catch (thrown) {
      failure = asStudioError(thrown)
    }
    // What it cost is known a moment later, when the connection is free again.
    if (run.row !== null) await run.closed.promise
    for (const reply of run.replies) this.#close(run, reply, failure)
  }

  /** The request is over: the reply ends as that did, and what had ended before learns what it cost. */
  #close(run: Run, reply: RunningReply, failure: StudioError | null): void {
    const known = reply.ended
    if (run.row !== null) reply.costs(this.#costOf(run.row))
    if (known) this.#account(run, reply)
    else if (failure) this.#fail(run, reply, failure)
    else if (run.replies.length > 1 && !reply.hasOutput && !reply.finished) this.#end(run, reply, 'failed', fewer())
    else this.#complete(run, reply)
  }

  #costOf(row: number): ReturnType<ChatNeighbours['costOf']> {
    try {
      return this.#neighbours.costOf(row)
    } catch (thrown) {
      this.#log(`What a reply cost could not be read: ${asStudioError(thrown).message}`)
      return { cost: null, costIs: 'unknown' }
    }
  }

  #account(run: Run, reply: RunningReply): void {
    // An end that is not written yet brings it along.
    if (run.row === null || this.#live.has(reply.id)) return
    const message = reply.message()
    this.#store.pending.write(`use ${reply.id}`, 'What a reply cost', () => {
      this.#store.journal(() => this.#store.messages.setUse(reply.id, message))
      this.#notify(reply, 'message')
    })
  }

  #complete(run: Run, reply: RunningReply): void {
    const { toolCalls, params } = reply.message()
    const isAnswer = toolCalls.length === 0 || reply.length('text') > 0
    if (isAnswer) reply.foundFaulty(jsonFaultsOf(reply.text, params?.responseFormat))
    this.#end(run, reply, 'complete', null)
  }

  #options(run: Run): CallOptions {
    return {
      feature: 'chat',
      signal: run.abort.signal,
      logBodies: this.#keepBodies(),
      onRow: (row) => {
        run.row = row
        for (const reply of run.replies) reply.askedAs(row)
      },
      onClosed: () => run.closed.resolve(),
      onWait: (notice) => {
        for (const reply of run.replies) {
          if (reply.ended || reply.hasOutput) continue
          reply.waitFor(notice)
          this.#notify(reply, 'message')
        }
      },
    }
  }

  #fail(run: Run, reply: RunningReply, failure: StudioError): void {
    if (failure.kind === 'bug') this.#log(failure.message)
    // Stopped by the person, elsewhere: in the log of requests.
    if (failure.kind === 'cancelled') this.#end(run, reply, 'stopped', null)
    else this.#end(run, reply, reply.hasOutput ? 'incomplete' : 'failed', failure.toProblem())
  }

  #apply(run: Run, event: ChatStreamEvent): void {
    // More choices than were asked for are not shown: nobody wanted them.
    const replies = 'choice' in event ? run.replies.slice(event.choice, event.choice + 1) : run.replies
    for (const reply of replies) {
      if (event.type === 'usage' || !reply.ended) this.#applyTo(run, reply, event)
      // One choice of several is complete when the service says so, whatever becomes of the others.
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

  /** That output has begun is written at once; a stream goes on where it can't be, and the journal writes it. */
  #begin(run: Run, { id, firstTokenMs, requestId, requestRow }: RunningReply): void {
    try {
      this.#store.journal(() => this.#store.messages.begin(id, firstTokenMs, requestId, requestRow))
      run.begun.add(id)
    } catch (thrown) {
      unexpected('That a reply has begun could not be written; it is tried again', asStoreError(thrown))
    }
  }

  #journal(run: Run): void {
    run.journalTimer = null
    const tails = run.replies.flatMap((reply) => {
      const pieces = reply.ended ? null : reply.pieces()
      return pieces ? [{ reply, pieces }] : []
    })
    if (tails.length === 0) return
    try {
      this.#store.journal(() => {
        for (const { reply, pieces } of tails) {
          const { id, firstTokenMs, requestId, requestRow } = reply
          if (!run.begun.has(id)) this.#store.messages.begin(id, firstTokenMs, requestId, requestRow)
          this.#store.pieces.append(id, pieces)
        }
      })
    } catch (thrown) {
      unexpected('The tail of a reply could not be written; it is tried again', asStoreError(thrown))
      run.journalTimer = setTimeout(() => this.#journal(run), journalAgainMs)
      return
    }
    for (const { reply } of tails) {
      reply.journalled()
      run.begun.add(reply.id)
    }
  }

  /** Ends it for everybody who looks. It stays live until the database has its end. */
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
        this.#store.pieces.clear(reply.id)
        this.#store.conversations.touch(conversationId, message.finishedAt ?? new Date().toISOString())
        storeTitle(this.#store, message)
        return status === 'complete' ? storeCalls(this.#store, message, this.#callsOf(message)) : []
      })
    } catch (thrown) {
      // Such as a conversation that was erased meanwhile. What may pass is tried again.
      if (!mayPass(thrown)) this.#forget(reply)
      throw thrown
    }
    this.#forget(reply)
    this.#notify(reply, 'message')
    if (calls.length > 0) this.view.changes.notify({ what: 'path', conversationId })
    this.view.changes.notify({ what: 'conversation', conversationId })
    if (calls.length > 0) this.#called(message, calls)
  }

  /** Nothing that the tools do may keep a reply from being kept. */
  #callsOf(reply: Message): NewToolRow[] {
    if (reply.toolCalls.length === 0) return []
    try {
      return this.#neighbours.callsOf(reply)
    } catch (thrown) {
      this.#log(`A reply's calls of tools could not be read: ${asStudioError(thrown).message}`)
      return []
    }
  }

  #called(reply: Message, rows: readonly Message[]): void {
    try {
      this.#neighbours.called(reply, rows)
    } catch (thrown) {
      this.#log(`A reply's calls of tools could not be worked on: ${asStudioError(thrown).message}`)
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

function fewer(): Problem {
  const words = 'The service gave fewer choices than were asked for.'
  return { kind: 'malformed_reply', message: words, workPossible: true }
}
