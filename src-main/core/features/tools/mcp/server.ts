import type { McpServer } from '../../../../../src-preload/contract/tools.ts'
import { asStudioError, StudioError } from '../../../errors.ts'
import type { SecretStore } from '../../../host.ts'
import { inBackground } from '../../../shared/unexpected.ts'
import type { StoredMcpServer } from '../../../store/mcpServers.ts'
import type { ToolLimits } from '../limits.ts'
import type { Answered, McpConnection } from './connection.ts'
import { LogTail } from './log.ts'
import { Again } from './restartBackoff.ts'
import { noSecrets, readSecrets, type Secrecy, secrecyOf } from './secrets.ts'
import { type ListedTool, readListing } from './toolList.ts'

export interface ServerParts {
  secrets: SecretStore
  /** What is wrong with a schema. */
  check: (schema: string) => Promise<string[]>
  fetch: typeof fetch
  version: string
  limits: ToolLimits
  /** State, tools or log differ. */
  changed: () => void
}

/** One attempt to have the server, from its start to its end. */
interface Attempt {
  readonly abort: AbortController
  connection: McpConnection | null
  readyAt: number
  /** Lists its tools anew when it says that they differ. */
  readonly listing: Again
}

/** Failures that another attempt may find gone. */
const passing = new Set(['connection_lost', 'connect_failed', 'connect_timeout', 'malformed_reply'])

/** One server of the Model Context Protocol as it was set up: started, listed, called, started anew after a crash, ended. */
export class McpServerRun {
  readonly config: StoredMcpServer
  /** Takes its secrets out of its words. */
  secrecy: Secrecy = noSecrets
  readonly #parts: ServerParts
  #state: McpServer['state'] = 'off'
  #problem: StudioError | null = null
  #about: string | null = null
  #instructions: string | null = null
  #tools: ListedTool[] = []
  #log = new LogTail(noSecrets.words)
  #attempt: Attempt | null = null
  #crashes = 0
  #again: NodeJS.Timeout | undefined
  #renewing: Promise<void> | null = null
  readonly #ending = new Set<Promise<unknown>>()

  constructor(config: StoredMcpServer, parts: ServerParts) {
    this.config = config
    this.#parts = parts
  }

  get state(): McpServer['state'] {
    return this.#state
  }

  /** Those of a server that is ready. */
  get tools(): readonly ListedTool[] {
    return this.#state === 'ready' ? this.#tools : []
  }

  view(sentName: (tool: string) => string): McpServer {
    const tools = this.tools.map(({ fingerprint: _, ...tool }) => ({ ...tool, sentName: sentName(tool.name) }))
    return {
      ...this.config,
      state: this.#state,
      problem: this.#problem?.toProblem() ?? null,
      about: this.#about,
      instructions: this.#instructions,
      tools,
      log: this.#log.lines,
    }
  }

  /** Begins, in the background; how it went is `state`. */
  start(): void {
    this.#crashes = 0
    inBackground('A server could not be started', this.#begin())
  }

  /** Ends it. Resolves when its processes are gone (bounded). */
  async end(): Promise<void> {
    clearTimeout(this.#again)
    this.#drop()
    this.#become('off', null)
    while (this.#ending.size > 0) await Promise.all(this.#ending)
  }

  /**
   * Calls a tool in the form that was allowed. @throws StudioError `bad_input` where the server is not ready or its tool has another form by
   * now, and what kept the answer from coming
   */
  async call(name: string, fingerprint: string, args: Record<string, unknown>, signal: AbortSignal): Promise<Answered> {
    const attempt = this.#attempt
    const ask = async (): Promise<Answered> => {
      const { connection, schema } = this.#sameForm(name, fingerprint)
      return await connection.call(name, schema, args, signal)
    }
    try {
      return await ask()
    } catch (thrown) {
      const failure = this.#clean(thrown)
      // The session is over, and the call was not taken (Streamable HTTP, Session Management): a new session is begun.
      if (failure.kind !== 'not_found' || signal.aborted) throw failure
      await this.#renew(attempt)
      return await ask().catch((second: unknown) => Promise.reject(this.#clean(second)))
    }
  }

  #sameForm(name: string, fingerprint: string): { connection: McpConnection; schema: string } {
    const tool = this.tools.find((one) => one.name === name)
    const connection = this.#attempt?.connection
    if (!tool || !connection) throw new StudioError('bad_input', `“${this.config.name}” does not offer this tool now.`)
    if (tool.fingerprint === fingerprint) return { connection, schema: tool.schema }
    throw new StudioError('bad_input', `“${this.config.name}” has changed this tool since it was allowed.`)
  }

  /** Of calls that find at the same time that the session is over, the first begins a new one. */
  async #renew(attempt: Attempt | null): Promise<void> {
    if (this.#attempt === attempt) this.#renewing = this.#begin()
    await this.#renewing
  }

  async #begin(): Promise<void> {
    clearTimeout(this.#again)
    this.#drop()
    const attempt: Attempt = {
      abort: new AbortController(),
      connection: null,
      readyAt: 0,
      listing: new Again(() => this.#listAgain(attempt), this.#parts.limits.relistMs),
    }
    this.#attempt = attempt
    this.#become('starting', null)
    try {
      const connection = await this.#connect(attempt)
      const tools = await readListing(await connection.list(), this.config, this.#parts.check)
      if (this.#attempt !== attempt) return
      this.#tools = tools
      this.#about = connection.about && this.secrecy.words(connection.about)
      this.#instructions = connection.instructions && this.secrecy.words(connection.instructions)
      attempt.readyAt = performance.now()
      this.#become('ready', null)
      attempt.listing.begin()
    } catch (thrown) {
      this.#failed(attempt, thrown)
    }
  }

  async #connect(attempt: Attempt): Promise<McpConnection> {
    const { secrets: store, fetch, version, limits, changed } = this.#parts
    const { transport, id } = this.config
    const secrets = await readSecrets(store, id, transport)
    if (attempt.abort.signal.aborted) throw new StudioError('cancelled', 'It was switched off.')
    this.secrecy = secrecyOf(transport, secrets)
    const log = new LogTail(this.secrecy.words, changed)
    // What the one before said last is kept beside the reason why it failed, until this one says something.
    let first = true
    const onStderr = (chunk: Uint8Array): void => {
      if (first && this.#attempt === attempt) this.#log = log
      first = false
      log.push(chunk)
    }
    const { connectMcp } = await import('./connection.ts')
    const connecting = connectMcp({
      transport,
      secrets,
      version,
      fetch,
      limits,
      signal: attempt.abort.signal,
      onStderr,
      onChanged: () => attempt.listing.wish(),
      onLost: (why) => this.#failed(attempt, why),
    })
    this.#wait(connecting)
    const connection = await connecting
    if (this.#attempt !== attempt) {
      this.#wait(connection.close())
      throw new StudioError('cancelled', 'It was switched off.')
    }
    attempt.connection = connection
    return connection
  }

  async #listAgain(attempt: Attempt): Promise<void> {
    if (this.#attempt !== attempt || !attempt.connection) return
    try {
      const tools = await readListing(await attempt.connection.list(), this.config, this.#parts.check)
      if (this.#attempt !== attempt) return
      this.#tools = tools
      this.#parts.changed()
    } catch (thrown) {
      this.#failed(attempt, thrown)
    }
  }

  #failed(attempt: Attempt, thrown: unknown): void {
    if (this.#attempt !== attempt) return
    const { calmMs, backOffMs } = this.#parts.limits
    const failure = this.#clean(thrown)
    this.#drop()
    if (attempt.readyAt > 0 && performance.now() - attempt.readyAt > calmMs) this.#crashes = 0
    const wait = passing.has(failure.kind) ? backOffMs[this.#crashes] : undefined
    this.#crashes++
    if (wait === undefined) {
      this.#become('failed', failure)
      return
    }
    this.#again = setTimeout(() => inBackground('A server could not be started', this.#begin()), wait)
    this.#again.unref()
    const words = `${failure.message} It is started again in ${Math.ceil(wait / 1000)} s.`
    this.#become('failed', new StudioError(failure.kind, words, failure.facts))
  }

  /** Lets go of the attempt under way; what it started is ended beside. */
  #drop(): void {
    const attempt = this.#attempt
    this.#attempt = null
    this.#tools = []
    attempt?.listing.end()
    attempt?.abort.abort()
    if (attempt?.connection) this.#wait(attempt.connection.close())
  }

  /** `end` waits for it. */
  #wait(work: Promise<unknown>): void {
    const settled = work.catch(() => undefined)
    this.#ending.add(settled)
    inBackground(
      'A server could not be ended',
      settled.then(() => this.#ending.delete(settled)),
    )
  }

  #become(state: McpServer['state'], problem: StudioError | null): void {
    this.#state = state
    this.#problem = problem
    this.#parts.changed()
  }

  /** Our own words, and a stranger's, without the secrets that they may hold. */
  #clean(thrown: unknown): StudioError {
    const { kind, message, facts } = asStudioError(thrown)
    return new StudioError(kind, this.secrecy.words(message), facts)
  }
}
