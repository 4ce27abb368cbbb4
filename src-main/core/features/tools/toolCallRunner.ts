import type { Message, ToolRun } from '../../../../src-preload/contract/chat.ts'
import { asStudioError, StudioError } from '../../errors.ts'
import { isSettled, type ToolCallsPort } from '../../ports/toolCalls.ts'
import { untilWritten } from '../../store/pendingWrites.ts'
import type { Store } from '../../store/store.ts'
import { readArguments } from './arguments.ts'
import { type KnownTool, serverOfId, type ToolCatalogue } from './catalogue.ts'
import type { McpServers } from './mcp/servers.ts'
import { deniedWords, endedWithProgram, failedWords, invalidWords, stoppedWords, unknownWords } from './messages.ts'
import { runOnServer, type Settled } from './runOnServer.ts'
import type { SchemaCheckClient } from './schemaCheck/workerClient.ts'

type Row = Message & { run: ToolRun }
type Allowed = 'once' | 'conversation' | 'always'

export interface ToolCallRunnerOptions {
  store: Store
  toolCalls: ToolCallsPort
  catalogue: ToolCatalogue
  servers: McpServers
  checker: SchemaCheckClient
  /** How many rounds of calls may follow one another without the person. */
  toolRounds: () => number
  /** What the page is told may differ. */
  changed: () => void
  log: (line: string) => void
}

/**
 * Every call of a tool from its row to its result. What stands is in the database alone; here are only the calls that run and the checks of
 * arguments. A row is settled once: whatever comes later for it finds that and is dropped. The model is asked on by what settles the last row of a round.
 */
export class ToolCallRunner {
  readonly #parts: ToolCallRunnerOptions
  readonly #running = new Map<string, AbortController>()
  readonly #checks = new Map<string, Promise<string[]>>()
  readonly #closing = new AbortController()
  #closed = false

  constructor(parts: ToolCallRunnerOptions) {
    this.#parts = parts
  }

  /** Rows of a reply that has just ended. */
  called(rows: readonly Row[]): void {
    for (const row of rows) if (row.run.state === 'awaiting') this.#aside(this.#arrive(row.id))
    const first = rows[0]
    if (first && rows.every(({ run }) => isSettled(run))) this.#goOn(first.id)
  }

  /** @throws StudioError `no_such_item`, `bad_input` where it waits for no decision or its tool is not there as it was */
  async decide(messageId: string, allow: Allowed | 'no', why = ''): Promise<void> {
    const row = this.#awaiting(messageId)
    if (allow === 'no') {
      const notes = why === '' ? [] : [`Why not: ${why.slice(0, 1000)}`]
      this.#settle(messageId, { state: 'denied', text: deniedWords(why), isError: true, notes })
      return
    }
    const tool = this.#toolOf(row)
    if (!(await this.#valid(row, tool.schema))) return
    const still = this.#awaiting(messageId)
    if (allow !== 'once') this.#remember(still, tool, allow)
    this.#allow(still, tool, allow)
  }

  /** The result of a call by hand; on a call of a person's own tool that waits for a yes, it is one. @throws StudioError `no_such_item`, `bad_input` */
  async answer(messageId: string, text: string, isError: boolean): Promise<void> {
    const row = this.#open(messageId)
    if (row.run.tool?.kind !== 'function') throw new StudioError('bad_input', 'This call is answered by its server.')
    if (row.run.state === 'awaiting') {
      const tool = this.#parts.catalogue.find(row.run.tool.id)
      if (tool && !(await this.#valid(row, tool.schema))) {
        throw new StudioError('bad_input', 'The arguments of this call are not valid; the model has been told so.')
      }
    }
    const { run } = this.#open(messageId)
    const result: Settled = { state: 'done', text: text.toWellFormed(), isError, notes: [] }
    this.#settle(messageId, result, { allowed: run.allowed ?? 'once' })
  }

  /** Whether there was something to stop. @throws StudioError `no_such_item` */
  stop(messageId: string): boolean {
    const { run } = this.#parts.toolCalls.toolMessage(messageId)
    return this.#settle(messageId, stopped(run))
  }

  /** All open calls of a conversation. The model is not asked on: the person wanted an end. */
  stopAll(conversationId: string): number {
    const rows = this.#parts.toolCalls.openCalls(conversationId)
    return rows.filter((row) => this.#settle(row.id, stopped(row.run), {}, false)).length
  }

  /** @throws StudioError `no_such_item`, `busy` while a call of the round is open, and as the door does */
  async resume(messageId: string): Promise<{ replyId: string }> {
    this.#parts.toolCalls.toolMessage(messageId)
    const open = this.#parts.toolCalls.rowsBeside(messageId).some(({ run }) => !isSettled(run))
    if (open) throw new StudioError('busy', 'Calls of this reply are still open.')
    return await this.#parts.toolCalls.askOn(messageId)
  }

  /** Calls that ran when the program ended. Nobody is asked on for them: the person may have gone. */
  recover(): void {
    for (const row of this.#parts.toolCalls.openCalls()) {
      if (row.run.state === 'running') this.#settle(row.id, endedWith(endedWithProgram), {}, false)
    }
  }

  close(): void {
    this.#closed = true
    this.#closing.abort()
    for (const id of [...this.#running.keys()]) this.#settle(id, endedWith(endedWithProgram), {}, false)
  }

  /** A call that waits: its arguments are checked, and it runs at once where the person allowed its tool before. */
  async #arrive(messageId: string): Promise<void> {
    const row = this.#parts.toolCalls.toolMessage(messageId)
    const tool = row.run.tool && this.#parts.catalogue.find(row.run.tool.id)
    if (row.run.state !== 'awaiting' || !tool || tool.fingerprint !== row.run.tool?.fingerprint) return
    if (!(await this.#valid(row, tool.schema))) return
    const now = this.#parts.toolCalls.toolMessage(messageId)
    const allowed = now.run.state === 'awaiting' && !this.#closed && this.#allowedBefore(now, tool)
    if (allowed) this.#allow(now, tool, allowed)
  }

  #allowedBefore({ conversationId }: Row, { id, fingerprint }: KnownTool): Allowed | null {
    const { toolPermissions } = this.#parts.store
    if (toolPermissions.allowed(id, null) === fingerprint) return 'always'
    return toolPermissions.allowed(id, conversationId) === fingerprint ? 'conversation' : null
  }

  #remember(row: Row, { id: toolId, fingerprint }: KnownTool, allow: 'conversation' | 'always'): void {
    const conversationId = allow === 'always' ? null : row.conversationId
    this.#parts.store.toolPermissions.allow({ toolId, conversationId, fingerprint })
    this.#parts.changed()
    for (const other of this.#parts.toolCalls.openCalls(conversationId ?? undefined)) {
      if (other.id !== row.id && other.run.tool?.id === toolId) this.#aside(this.#arrive(other.id))
    }
  }

  #allow(row: Row, tool: KnownTool, allowed: Allowed): void {
    const startedAt = new Date().toISOString()
    if (tool.kind === 'function') {
      this.#parts.toolCalls.setRun(row.id, { ...row.run, state: 'by_hand', allowed, startedAt }, '')
      return
    }
    const controller = new AbortController()
    this.#parts.toolCalls.setRun(row.id, { ...row.run, state: 'running', allowed, startedAt }, '')
    this.#running.set(row.id, controller)
    const read = readArguments(row.run.arguments)
    const args = 'args' in read ? read.args : {}
    this.#aside(
      runOnServer(this.#parts.servers, tool, args, controller.signal).then((result) =>
        this.#settleLater(row.id, result),
      ),
    )
  }

  /** Whether its arguments are what the schema asks; where not, it is settled so. Before this was awaited, nothing may run. */
  async #valid(row: Row, schema: string): Promise<boolean> {
    const key = `${row.id} ${row.run.tool?.fingerprint}`
    const { checker } = this.#parts
    const check = this.#checks.get(key) ?? checker.args(schema, row.run.arguments.trim() || '{}')
    this.#checks.set(key, check)
    const faults = await check.finally(() => this.#checks.delete(key))
    if (faults.length === 0) return true
    // A check that was given up with the program says nothing about the arguments: it waits for the next start.
    if (this.#closed) return false
    this.#settle(row.id, { state: 'invalid', text: invalidWords(faults), isError: true, notes: faults })
    return false
  }

  /** The tool of a call in the form in which it was called. @throws StudioError `bad_input` */
  #toolOf(row: Row): KnownTool {
    const { catalogue, servers, toolCalls } = this.#parts
    const { tool: called } = row.run
    const tool = called && catalogue.find(called.id)
    if (!tool) {
      const run = servers.find(serverOfId(called?.id ?? '') ?? '')
      if (run && run.state !== 'ready') {
        throw new StudioError('bad_input', `“${run.config.name}” is not running: switch it on, then decide.`)
      }
      const notes = ['This tool is not there any more.']
      this.#settle(row.id, { state: 'unknown_tool', text: unknownWords(row.run.name, []), isError: true, notes })
      throw new StudioError('bad_input', 'This tool is not there any more; the model has been told so.')
    }
    if (tool.fingerprint === called.fingerprint) return tool
    // What the person saw is not what would run. It is shown as it is now, and the next yes is for that.
    const notes = ['The tool has changed since it was called.']
    toolCalls.setRun(row.id, { ...row.run, tool: { ...called, fingerprint: tool.fingerprint }, notes }, '')
    throw new StudioError(
      'bad_input',
      'This tool has changed since it was called: look at it as it is now, then decide.',
    )
  }

  /** What a tool answered is here alone: it is written when the database takes it. */
  async #settleLater(id: string, result: Settled): Promise<void> {
    await untilWritten('The result of a tool', () => this.#settle(id, result), this.#closing.signal)
  }

  /** Writes the end of a call, once, and asks the model on where it was the last of its round. Whether it was open until now. */
  #settle(id: string, { state, text, isError, notes }: Settled, more: Partial<ToolRun> = {}, goOn = true): boolean {
    const { toolCalls } = this.#parts
    const { run } = toolCalls.toolMessage(id)
    if (isSettled(run)) return false
    const finishedAt = new Date().toISOString()
    const reported = [...run.notes, ...notes]
    toolCalls.setRun(id, { ...run, ...more, state, isError, notes: reported, finishedAt }, text)
    this.#running.get(id)?.abort()
    this.#running.delete(id)
    if (goOn) this.#goOn(id)
    return true
  }

  #goOn(messageId: string): void {
    const { toolCalls, toolRounds, log } = this.#parts
    if (this.#closed || toolCalls.rowsBeside(messageId).some(({ run }) => !isSettled(run))) return
    if (toolCalls.rounds(messageId) >= toolRounds()) return
    // The results stand; where it can't be asked now, the person can have it asked later.
    toolCalls
      .askOn(messageId)
      .catch((thrown: unknown) => log(`The model was not asked on: ${asStudioError(thrown).message}`))
  }

  /** @throws StudioError `no_such_item`, `bad_input` */
  #open(messageId: string): Row {
    const row = this.#parts.toolCalls.toolMessage(messageId)
    if (isSettled(row.run)) throw new StudioError('bad_input', 'This call is settled already.')
    return row
  }

  /** @throws StudioError `no_such_item`, `bad_input` */
  #awaiting(messageId: string): Row {
    const row = this.#parts.toolCalls.toolMessage(messageId)
    if (row.run.state !== 'awaiting') throw new StudioError('bad_input', 'This call waits for no decision any more.')
    return row
  }

  /** Work that nobody waits for. A conversation that was erased in the meantime is no mistake. */
  #aside(work: Promise<unknown>): void {
    work.catch((thrown: unknown) => {
      const failure = asStudioError(thrown)
      if (!this.#closed && failure.kind !== 'no_such_item') this.#parts.log(`A tool call: ${failure.message}`)
    })
  }
}

function stopped(run: ToolRun): Settled {
  return { state: 'stopped', text: stoppedWords(run.state === 'running'), isError: true, notes: [] }
}

function endedWith(words: string): Settled {
  return { state: 'failed', text: failedWords(words), isError: true, notes: [words] }
}
