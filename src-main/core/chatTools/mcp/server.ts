import type { McpServer } from '../../../../src-preload/contract/chatTools.ts'
import { asStudioError, StudioError } from '../../errors.ts'
import type { SecretStore } from '../../host.ts'
import type { StoredMcpServer } from '../../store/mcpServers.ts'
import type { Limits } from '../limits.ts'
import type { Answered, Connection } from './connection.ts'
import { type ListedTool, readListing } from './listing.ts'
import { LogTail, redactor } from './log.ts'
import { readSecrets } from './secrets.ts'

export interface ServerParts {
  secrets: SecretStore
  /** What is wrong with a schema. */
  check: (schema: string) => Promise<string[]>
  fetch: typeof fetch
  version: string
  limits: Limits
  /** State, tools or log differ. */
  changed: () => void
}

/** One attempt to have the server, from its start to its end. */
interface Attempt {
  readonly abort: AbortController
  connection: Connection | null
  readyAt: number
  /** It said that its tools differ, and they were not listed since. */
  stale: boolean
  relisting: boolean
}

/** Failures that another attempt may find gone. */
const passing = new Set(['connection_lost', 'connect_failed', 'connect_timeout', 'malformed_reply'])

/** New lines of its log are told together: the state that goes with them may be large, and a server can write without end. */
const logMs = 250
const secretName = /key|token|secret|pass|auth|credential|cookie|session/i

/** One server of the Model Context Protocol as it was set up: started, listed, called, started anew after a crash, ended. */
export class McpServerRun {
  readonly config: StoredMcpServer
  readonly #parts: ServerParts
  #state: McpServer['state'] = 'off'
  #problem: StudioError | null = null
  #about: string | null = null
  #instructions: string | null = null
  #tools: ListedTool[] = []
  #redact = redactor([])
  #redactResult = redactor([])
  #log = new LogTail(this.#redact)
  #attempt: Attempt | null = null
  #crashes = 0
  #logTold: NodeJS.Timeout | null = null
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
    const { id, name, transport, on, timeoutSeconds } = this.config
    const tools = this.tools.map(({ fingerprint: _, ...tool }) => ({ ...tool, sentName: sentName(tool.name) }))
    return {
      id,
      name,
      transport,
      on,
      state: this.#state,
      problem: this.#problem?.toProblem() ?? null,
      about: this.#about,
      instructions: this.#instructions,
      tools,
      log: this.#log.lines,
      timeoutSeconds,
    }
  }

  /** Begins, in the background; how it went is `state`. */
  start(): void {
    this.#crashes = 0
    void this.#begin()
  }

  /** Ends it. Resolves when its processes are gone (bounded). */
  async end(): Promise<void> {
    clearTimeout(this.#again)
    this.#drop()
    this.#become('off', null)
    await Promise.all(this.#ending)
  }

  /**
   * Calls a tool in the form that was allowed. @throws StudioError `bad_input` where the server is not ready or its tool has another form by
   * now, and what kept the answer from coming
   */
  async call(name: string, fingerprint: string, args: Record<string, unknown>, signal: AbortSignal): Promise<Answered> {
    const tool = this.#sameForm(name, fingerprint)
    const attempt = this.#attempt
    try {
      return await this.#connected().call(name, tool.schema, args, signal)
    } catch (thrown) {
      const failure = this.#clean(thrown)
      // The session is over, and the call was not taken (Streamable HTTP, Session Management): a new session is begun.
      if (failure.kind !== 'not_found' || signal.aborted) throw failure
      await this.#renew(attempt)
      const known = this.#sameForm(name, fingerprint)
      return await this.#connected()
        .call(name, known.schema, args, signal)
        .catch((second: unknown) => Promise.reject(this.#clean(second)))
    }
  }

  #sameForm(name: string, fingerprint: string): ListedTool {
    const tool = this.tools.find((one) => one.name === name)
    if (!tool) throw new StudioError('bad_input', `“${this.config.name}” does not offer this tool now.`)
    if (tool.fingerprint === fingerprint) return tool
    throw new StudioError('bad_input', `“${this.config.name}” has changed this tool since it was allowed.`)
  }

  #connected(): Connection {
    const connection = this.#attempt?.connection
    if (!connection) throw new StudioError('bad_input', `“${this.config.name}” is not ready.`)
    return connection
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
      stale: false,
      relisting: false,
    }
    this.#attempt = attempt
    this.#become('starting', null)
    try {
      const connection = await this.#connect(attempt)
      const tools = await readListing(await connection.list(), this.config, this.#parts.check)
      if (this.#attempt !== attempt) return
      this.#tools = tools
      this.#about = connection.about && this.#redact(connection.about)
      this.#instructions = connection.instructions && this.#redact(connection.instructions)
      attempt.readyAt = performance.now()
      this.#become('ready', null)
      if (attempt.stale) this.#relist(attempt)
    } catch (thrown) {
      this.#failed(attempt, thrown)
    }
  }

  async #connect(attempt: Attempt): Promise<Connection> {
    const { secrets: store, fetch, version, limits, changed } = this.#parts
    const { transport, id } = this.config
    const secrets = await readSecrets(store, id, transport)
    if (attempt.abort.signal.aborted) throw new StudioError('cancelled', 'It was switched off.')
    this.#redact = redactor(Object.values(secrets))
    const secret = Object.entries(secrets).filter(([name]) => transport.kind === 'http' || secretName.test(name))
    this.#redactResult = redactor(secret.map(([, value]) => value))
    const log = new LogTail(this.#redact)
    // What the one before said last is kept beside the reason why it failed, until this one says something.
    let first = true
    const onStderr = (chunk: Uint8Array): void => {
      if (first && this.#attempt === attempt) this.#log = log
      first = false
      log.push(chunk)
      this.#logTold ??= setTimeout(() => {
        this.#logTold = null
        changed()
      }, logMs).unref()
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
      onChanged: () => this.#relist(attempt),
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

  /** It says that its tools differ: they are listed anew, not more often than the limit allows. */
  #relist(attempt: Attempt): void {
    attempt.stale = true
    if (attempt.readyAt === 0 || attempt.relisting) return
    attempt.relisting = true
    void this.#listAgain(attempt).finally(() => {
      attempt.relisting = false
    })
  }

  async #listAgain(attempt: Attempt): Promise<void> {
    while (attempt.stale && this.#attempt === attempt && attempt.connection) {
      attempt.stale = false
      try {
        const tools = await readListing(await attempt.connection.list(), this.config, this.#parts.check)
        if (this.#attempt !== attempt) return
        this.#tools = tools
        this.#parts.changed()
      } catch (thrown) {
        this.#failed(attempt, thrown)
        return
      }
      await new Promise<void>((resolve) => setTimeout(resolve, this.#parts.limits.relistMs).unref())
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
    this.#again = setTimeout(() => void this.#begin(), wait)
    this.#again.unref()
    const words = `${failure.message} It is started again in ${Math.ceil(wait / 1000)} s.`
    this.#become('failed', new StudioError(failure.kind, words, failure.facts))
  }

  /** Lets go of the attempt under way; what it started is ended beside. */
  #drop(): void {
    const attempt = this.#attempt
    this.#attempt = null
    this.#tools = []
    attempt?.abort.abort()
    if (attempt?.connection) this.#wait(attempt.connection.close())
  }

  /** `end` waits for it. */
  #wait(work: Promise<unknown>): void {
    const settled = work.catch(() => undefined)
    this.#ending.add(settled)
    void settled.then(() => this.#ending.delete(settled))
  }

  #become(state: McpServer['state'], problem: StudioError | null): void {
    this.#state = state
    this.#problem = problem
    this.#parts.changed()
  }

  /** Words that will be kept and shown, without the secrets that they may hold. */
  clean(words: string): string {
    return this.#redact(words)
  }

  /**
   * A result, without what is a secret by its name. Not without every value of the environment: a folder or a switch is one too, and a
   * result that lacks them is wrong.
   */
  cleanResult(text: string): string {
    return this.#redactResult(text)
  }

  #clean(thrown: unknown): StudioError {
    const { kind, message, facts } = asStudioError(thrown)
    return new StudioError(kind, this.#redact(message), facts)
  }
}
