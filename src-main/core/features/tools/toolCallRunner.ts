import type { Message, ToolRun } from '../../../../src-preload/contract/chat.ts'
import type { CallDecision } from '../../../../src-preload/contract/tools.ts'
import { asStudioError, StudioError } from '../../errors.ts'
import { isSettled, type ToolCallsPort } from '../../ports/toolCalls.ts'
import { untilWritten } from '../../store/pendingWrites.ts'
import type { Store } from '../../store/store.ts'
import { readArguments } from './arguments.ts'
import { type KnownTool, serverOfId, type ToolCatalogue } from './catalogue.ts'
import type { McpServers } from './mcp/servers.ts'
import {
  deniedCallText,
  endedWithProgram,
  failedCallText,
  invalidCallText,
  stoppedCallText,
  unknownToolText,
} from './messages.ts'
import { runOnServer, type Settled } from './runOnServer.ts'
import type { SchemaCheckClient } from './schemaCheck/workerClient.ts'

type Row = Message & { run: ToolRun }
type Allowed = NonNullable<ToolRun['allowed']>

export interface ToolCallRunnerOptions {
  store: Store
  toolCalls: ToolCallsPort
  catalogue: ToolCatalogue
  servers: McpServers
  checker: SchemaCheckClient
  /** How many rounds of calls may follow one another without a message of the person. */
  toolRounds: () => number
  /** Called when the state for the window has changed. */
  changed: () => void
  log: (line: string) => void
}

/**
 * Processes every tool call from its row to its result. The database is the only record of the state of a call; memory contains only
 * running calls and validations. A row is settled once: later outcomes are dropped. After the last row of a round is settled, asks the
 * model to continue.
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

  /** Starts the open calls of a reply that has just ended. */
  called(rows: readonly Row[]): void {
    for (const row of rows) if (row.run.state === 'awaiting') this.#aside(this.#arrive(row.id))
    const first = rows[0]
    if (first && rows.every(({ run }) => isSettled(run))) this.#continueReply(first.id)
  }

  /**
   * Applies the decision of the person. @throws StudioError `no_such_item`, `bad_input` if the call does not wait for a
   * decision, or its tool is missing or has changed
   */
  async decide(messageId: string, allow: CallDecision, why = ''): Promise<void> {
    const row = this.#awaiting(messageId)
    if (allow === 'no') {
      const notes = why === '' ? [] : [`Why not: ${why.slice(0, 1000)}`]
      this.#settle(messageId, { state: 'denied', text: deniedCallText(why), isError: true, notes })
      return
    }
    const tool = this.#toolOf(row)
    if (!(await this.#valid(row, tool.schema))) return
    const still = this.#awaiting(messageId)
    if (allow !== 'once') this.#remember(still, tool, allow)
    this.#allow(still, tool, allow)
  }

  /**
   * Stores a result that the person typed. For a waiting call of a tool that the person wrote, this also allows it.
   * @throws StudioError `no_such_item`, `bad_input`
   */
  async answer(messageId: string, text: string, isError: boolean): Promise<void> {
    const row = this.#open(messageId)
    if (row.run.tool?.kind !== 'function')
      throw new StudioError('bad_input', 'The result of this call comes from its server.')
    if (row.run.state === 'awaiting') {
      const tool = this.#parts.catalogue.find(row.run.tool.id)
      if (tool && !(await this.#valid(row, tool.schema))) {
        throw new StudioError('bad_input', 'The arguments of this call are not valid. The model received the reasons.')
      }
    }
    const { run } = this.#open(messageId)
    const result: Settled = { state: 'done', text: text.toWellFormed(), isError, notes: [] }
    this.#settle(messageId, result, { allowed: run.allowed ?? 'once' })
  }

  /** Stops a call. Returns false if it was settled already. @throws StudioError `no_such_item` */
  stop(messageId: string): boolean {
    const { run } = this.#parts.toolCalls.toolMessage(messageId)
    return this.#settle(messageId, stopped(run))
  }

  /** Stops all open calls of a conversation. Does not ask the model to continue, because the person wanted to stop. */
  stopAll(conversationId: string): number {
    const rows = this.#parts.toolCalls.openCalls(conversationId)
    return rows.filter((row) => this.#settle(row.id, stopped(row.run), {}, false)).length
  }

  /**
   * Asks the model to continue after a settled round. @throws StudioError `no_such_item`, `busy` while a call of the
   * round is open, and as `ToolCallsPort.askOn`
   */
  async resume(messageId: string): Promise<{ replyId: string }> {
    this.#parts.toolCalls.toolMessage(messageId)
    const open = this.#parts.toolCalls.rowsBeside(messageId).some(({ run }) => !isSettled(run))
    if (open) throw new StudioError('busy', 'Calls of this reply are still open.')
    return await this.#parts.toolCalls.askOn(messageId)
  }

  /**
   * Settles calls that were running when the program stopped. Does not ask the model to continue, because the person may
   * be away.
   */
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

  /** Validates the arguments of a waiting call, and runs it at once if the person has allowed its tool before. */
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

  /**
   * Validates the arguments of a call. Settles it as `invalid` if they do not match the schema. Nothing may run before
   * this resolves with true.
   */
  async #valid(row: Row, schema: string): Promise<boolean> {
    const key = `${row.id} ${row.run.tool?.fingerprint}`
    const { checker } = this.#parts
    const check = this.#checks.get(key) ?? checker.args(schema, row.run.arguments.trim() || '{}')
    this.#checks.set(key, check)
    const faults = await check.finally(() => this.#checks.delete(key))
    if (faults.length === 0) return true
    // The end of the program interrupted the validation, so its result proves nothing. The next start repeats it.
    if (this.#closed) return false
    this.#settle(row.id, { state: 'invalid', text: invalidCallText(faults), isError: true, notes: faults })
    return false
  }

  /** Returns the tool of a call if it still has the form in which it was called. @throws StudioError `bad_input` */
  #toolOf(row: Row): KnownTool {
    const { catalogue, servers, toolCalls } = this.#parts
    const { tool: called } = row.run
    const tool = called && catalogue.find(called.id)
    if (!tool) {
      const run = servers.find(serverOfId(called?.id ?? '') ?? '')
      if (run && run.state !== 'ready') {
        throw new StudioError('bad_input', `“${run.config.name}” is not running. Switch it on, then decide.`)
      }
      const notes = ['This tool does not exist any more.']
      this.#settle(row.id, { state: 'unknown_tool', text: unknownToolText(row.run.name, []), isError: true, notes })
      throw new StudioError('bad_input', 'This tool does not exist any more. The model has been informed.')
    }
    if (tool.fingerprint === called.fingerprint) return tool
    // The person saw another form of the tool than the current one. The row now shows the current form, to which the
    // next decision applies.
    const notes = ['The tool has changed since it was called.']
    toolCalls.setRun(row.id, { ...row.run, tool: { ...called, fingerprint: tool.fingerprint }, notes }, '')
    throw new StudioError(
      'bad_input',
      'This tool has changed since it was called. Check its current form, then decide.',
    )
  }

  /** Retries until the database accepts the result, because no other copy of it exists. */
  async #settleLater(id: string, result: Settled): Promise<void> {
    await untilWritten('The result of a tool', () => this.#settle(id, result), this.#closing.signal)
  }

  /**
   * Stores the outcome of a call once, and asks the model to continue after the last one of a round. Returns whether
   * the call was still open.
   */
  #settle(
    id: string,
    { state, text, isError, notes }: Settled,
    more: Partial<ToolRun> = {},
    continueReply = true,
  ): boolean {
    const { toolCalls } = this.#parts
    const { run } = toolCalls.toolMessage(id)
    if (isSettled(run)) return false
    const finishedAt = new Date().toISOString()
    const allNotes = [...run.notes, ...notes]
    toolCalls.setRun(id, { ...run, ...more, state, isError, notes: allNotes, finishedAt }, text)
    this.#running.get(id)?.abort()
    this.#running.delete(id)
    if (continueReply) this.#continueReply(id)
    return true
  }

  #continueReply(messageId: string): void {
    const { toolCalls, toolRounds, log } = this.#parts
    if (this.#closed || toolCalls.rowsBeside(messageId).some(({ run }) => !isSettled(run))) return
    if (toolCalls.rounds(messageId) >= toolRounds()) return
    // The results are stored. If the request fails now, the person can repeat it with `resume`.
    toolCalls
      .askOn(messageId)
      .catch((thrown: unknown) => log(`The model was not asked to continue: ${asStudioError(thrown).message}`))
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
    if (row.run.state !== 'awaiting') throw new StudioError('bad_input', 'This call no longer waits for a decision.')
    return row
  }

  /** Runs work in the background. A conversation that is deleted before the work ends is not an error. */
  #aside(work: Promise<unknown>): void {
    work.catch((thrown: unknown) => {
      const failure = asStudioError(thrown)
      if (!this.#closed && failure.kind !== 'no_such_item') this.#parts.log(`A tool call failed: ${failure.message}`)
    })
  }
}

function stopped(run: ToolRun): Settled {
  return { state: 'stopped', text: stoppedCallText(run.state === 'running'), isError: true, notes: [] }
}

function endedWith(words: string): Settled {
  return { state: 'failed', text: failedCallText(words), isError: true, notes: [words] }
}
