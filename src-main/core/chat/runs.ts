import { performance } from 'node:perf_hooks'
import type { Message } from '../../../src-preload/contract/chat.ts'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import { asStudioError, StudioError } from '../errors.ts'
import type { Store } from '../store/store.ts'
import type { CallOptions, ChatRequest, ChatStreamEvent } from '../upstream/types.ts'
import { historyOf } from './history.ts'
import { type Ending, Reply } from './reply.ts'
import { ChatView } from './watchers.ts'

/** The one thing that chat needs of the service. */
export interface ChatUpstream {
  streamChatCompletion(request: ChatRequest, options: CallOptions): AsyncIterable<ChatStreamEvent>
}

/** A reply's tail is in the database at most this long after it came, and what a busy machine adds. Bar: 500 ms. */
const journalEveryMs = 200

interface Run {
  reply: Reply
  abort: AbortController
  journalTimer: NodeJS.Timeout | null
  done: Promise<void>
}

/** The replies that are being made, several at once. A window may go and come: the run is the core's. */
export class Runs {
  readonly view: ChatView
  readonly #store: Store
  readonly #log: (line: string) => void
  readonly #runs = new Map<string, Run>()
  readonly #live = new Map<string, Reply>()

  constructor(store: Store, log: (line: string) => void) {
    this.#store = store
    this.#log = log
    this.view = new ChatView(store, this.#live)
  }

  get size(): number {
    return this.#runs.size
  }

  /**
   * Asks for the reply whose row stands already (`pending`), with the path above it. Answers at once, having published
   * nothing: whoever stored the row says so, once this has made it live.
   */
  start(row: Message, upstream: ChatUpstream): void {
    const reply = new Reply(row, row.model ?? '', () => performance.now())
    const run: Run = { reply, abort: new AbortController(), journalTimer: null, done: Promise.resolve() }
    this.#runs.set(reply.id, run)
    this.#live.set(reply.id, reply)
    const messages = historyOf(this.#store.messages.path(row.parentId))
    const request = { model: reply.model, messages, stream_options: { include_usage: true } }
    run.done = this.#drive(run, upstream, request).catch((thrown: unknown) => {
      // Only the database can fail here; the reply is then what a restart finds: unfinished, and marked so.
      this.#log(`A reply could not be written: ${asStudioError(thrown).message}`)
      this.#forget(run)
    })
  }

  /** Ends it here and now, then closes the request: the person's Stop waits for nobody. False when it had ended already. */
  stop(replyId: string): boolean {
    const run = this.#runs.get(replyId)
    if (!run || run.reply.ended) return false
    try {
      this.#end(run, 'stopped', null)
    } finally {
      run.abort.abort()
    }
    return true
  }

  stopConversation(conversationId: string): void {
    const reply = this.view.running(conversationId)
    if (reply) this.stop(reply.id)
  }

  /** The program ends: every reply is kept as far as it came, with the reason. Resolves when all requests are closed. */
  async shutDown(): Promise<void> {
    const runs = [...this.#runs.values()]
    for (const run of runs) {
      if (!run.reply.ended)
        this.#end(run, run.reply.hasOutput ? 'incomplete' : 'failed', programEnded(run.reply.hasOutput))
      run.abort.abort()
    }
    await Promise.all(runs.map((run) => run.done))
  }

  async #drive(run: Run, upstream: ChatUpstream, request: ChatRequest): Promise<void> {
    const { reply } = run
    try {
      const onWait: CallOptions['onWait'] = (notice) => {
        if (reply.ended || reply.hasOutput) return
        reply.waitFor(notice)
        this.#tell(reply, 'message')
      }
      const options: CallOptions = { room: 'chat', signal: run.abort.signal, onWait }
      for await (const event of upstream.streamChatCompletion(request, options)) {
        if (reply.ended) break
        this.#apply(run, event)
      }
      if (!reply.ended) this.#end(run, 'complete', null)
    } catch (thrown) {
      // After a stop the request fails as cancelled: that is what was asked for.
      if (reply.ended) return
      const failure = asStudioError(thrown)
      // Stopped by the person, elsewhere: in the log of requests.
      if (failure.kind === 'cancelled') return this.#end(run, 'stopped', null)
      if (failure.kind === 'bug') this.#log(failure.message)
      this.#end(run, reply.hasOutput ? 'incomplete' : 'failed', failure.toProblem())
    }
  }

  #apply(run: Run, event: ChatStreamEvent): void {
    const { reply } = run
    const hadOutput = reply.hasOutput
    const change = reply.apply(event)
    if (change === 'none') return
    if (!hadOutput) this.#store.journal(() => this.#store.messages.begin(reply.id, reply.firstTokenMs, reply.requestId))
    run.journalTimer ??= setTimeout(() => this.#journal(run), journalEveryMs)
    this.#tell(reply, change === 'grown' ? 'text' : 'message')
  }

  #journal(run: Run): void {
    run.journalTimer = null
    const pieces = run.reply.takePieces()
    if (!pieces || run.reply.ended) return
    try {
      this.#store.journal(() => this.#store.pieces.append(run.reply.id, pieces))
    } catch (thrown) {
      this.#log(`The tail of a reply could not be written: ${asStudioError(thrown).message}`)
    }
  }

  #end(run: Run, status: Ending, problem: Problem | null): void {
    const { reply } = run
    reply.end(status, problem)
    const message = reply.message()
    try {
      this.#store.transaction(() => {
        this.#store.messages.settle(reply.id, message)
        this.#store.pieces.clear(reply.id)
        this.#store.conversations.touch(reply.conversationId, message.finishedAt ?? new Date().toISOString())
      })
    } finally {
      this.#forget(run)
    }
    this.#tell(reply, 'message')
    this.view.changes.tell({ what: 'conversation', conversationId: reply.conversationId })
  }

  #forget(run: Run): void {
    if (run.journalTimer) clearTimeout(run.journalTimer)
    run.journalTimer = null
    this.#live.delete(run.reply.id)
    // The request may still be closing; `shutDown` waits for those that are in flight.
    void run.done.finally(() => this.#runs.delete(run.reply.id))
  }

  #tell({ conversationId, id: messageId }: Reply, what: 'text' | 'message'): void {
    this.view.changes.tell({ what, conversationId, messageId })
  }
}

/** On start: replies that were being made when the program died, put together from their journal and marked. */
export function recoverReplies(store: Store): number {
  const cut = store.messages.unfinished()
  store.transaction(() => {
    for (const row of cut) {
      const came = store.pieces.gather(row.id)
      const hasOutput = row.firstTokenMs !== null || came.text + came.reasoning + came.refusal !== ''
      store.messages.settle(row.id, {
        ...row,
        ...came,
        status: hasOutput ? 'incomplete' : 'failed',
        problem: programEnded(hasOutput),
        finishedAt: new Date().toISOString(),
      })
      store.pieces.clear(row.id)
    }
  })
  return cut.length
}

/** Nothing is said about work or charges upstream: a missing response proves nothing (specification, Errors). */
function programEnded(outputStarted: boolean): Problem {
  const words = 'Inference Studio ended while this reply was being made.'
  return new StudioError('cancelled', words, { outputStarted }).toProblem()
}
