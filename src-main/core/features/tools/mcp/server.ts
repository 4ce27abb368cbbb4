import type { McpServer } from '../../../../../src-preload/contract/tools.ts'
import type { Words } from '../../../../../src-renderer/i18n/host.ts'
import { asStudioError, StudioError } from '../../../errors.ts'
import { inBackground } from '../../../shared/unexpected.ts'
import type { StoredMcpServer } from '../../../store/mcpServers.ts'
import type { ToolLimits } from '../limits.ts'
import type { Answered, McpConnection } from './connection.ts'
import { LogTail } from './log.ts'
import { scopeNeeded } from './oauth/challenge.ts'
import type { EnteredClient } from './oauth/clients.ts'
import type { OAuthGrants } from './oauth/grants.ts'
import { ServerSignIn } from './oauth/serverSignIn.ts'
import { Rerun } from './rerun.ts'
import { noSecrets, readSecrets, type Secrecy, type ServerSecrets, secrecyOf } from './secrets.ts'
import { type ListedTool, readListing } from './toolList.ts'

export interface McpServerOptions {
  secrets: ServerSecrets
  grants: OAuthGrants
  /** Returns one sentence per fault of a schema. */
  check: (schema: string) => Promise<string[]>
  fetch: typeof fetch
  /** `fetch` for sign-ins of servers elsewhere, which never connects to this computer. */
  awayFetch: typeof fetch
  version: string
  limits: ToolLimits
  words: Words
  /** Called when state, tools or log have changed. */
  changed: () => void
  log: (line: string) => void
}

/** One attempt to run the server, from its start to its end. */
interface Attempt {
  readonly abort: AbortController
  connection: McpConnection | null
  readyAt: number
  /** Lists the tools again after the server reports a change. */
  readonly listing: Rerun
}

/** Kinds of failures that a restart may fix. */
const passing = new Set(['connection_lost', 'connect_failed', 'connect_timeout', 'malformed_reply'])

/** One configured MCP server: starts it, lists and calls its tools, restarts it after a crash, and ends it. */
export class McpServerRun {
  readonly config: StoredMcpServer
  /** Removes the secrets of the server from text. */
  secrecy: Secrecy = noSecrets
  /** The sign-in of a server over HTTP. Null if the person configured an Authorization header. */
  readonly signIn: ServerSignIn | null
  readonly #parts: McpServerOptions
  #values: Readonly<Record<string, string>> = {}
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

  constructor(config: StoredMcpServer, parts: McpServerOptions) {
    this.config = config
    this.#parts = parts
    const { transport, id, name } = config
    const isSignedInByHand = transport.kind === 'http' && transport.headers.some(isAuthorization)
    const { grants, fetch, awayFetch, limits, words, log } = parts
    this.signIn =
      transport.kind === 'http' && !isSignedInByHand
        ? new ServerSignIn({
            serverId: id,
            serverName: name,
            serverUrl: transport.url,
            grants,
            fetch,
            awayFetch,
            limits,
            words,
            log,
            changed: () => {
              this.#updateSecrecy()
              parts.changed()
            },
          })
        : null
  }

  get state(): McpServer['state'] {
    return this.#state
  }

  /** Empty unless the server is ready. */
  get tools(): readonly ListedTool[] {
    return this.#state === 'ready' ? this.#tools : []
  }

  view(sentName: (tool: string) => string): McpServer {
    const tools = this.tools.map(({ fingerprint: _, ...tool }) => ({ ...tool, sentName: sentName(tool.name) }))
    return {
      ...this.config,
      state: this.#state,
      problem: this.#problem?.toProblem() ?? null,
      signIn: this.signIn?.view ?? null,
      forgetsSecrets: this.#parts.secrets.holds(this.config.id, this.config.transport),
      about: this.#about,
      instructions: this.#instructions,
      tools,
      log: this.#log.lines,
    }
  }

  /** Starts the server in the background. `state` reports the outcome. */
  start(): void {
    this.#crashes = 0
    inBackground('A server could not be started', this.#begin())
  }

  /** Ends the server. Resolves when its processes have ended (bounded). */
  async end(): Promise<void> {
    clearTimeout(this.#again)
    this.#drop()
    this.#become('off', null)
    await this.signIn?.end()
    while (this.#ending.size > 0) await Promise.all(this.#ending)
  }

  /**
   * Starts a sign-in, and resolves with the address for the browser. The server restarts when the person has signed in.
   * @throws StudioError `bad_input`, `busy`, and the reason why the sign-in cannot start
   */
  async startSignIn(client: EnteredClient | null): Promise<{ url: string }> {
    if (this.#state === 'off') throw new StudioError('bad_input', `Switch “${this.config.name}” on first.`)
    return await this.#signIn.start(client, () => this.start())
  }

  /** Deletes the tokens and connects without them. @throws StudioError `bad_input`, `keychain_missing`, `keychain_locked` */
  async signOut(): Promise<void> {
    await this.#signIn.signOut(false)
    if (this.#state !== 'off') this.start()
  }

  get #signIn(): ServerSignIn {
    if (this.signIn) return this.signIn
    throw new StudioError('bad_input', `“${this.config.name}” has no sign-in.`)
  }

  /**
   * Calls a tool in the form that was allowed.
   * @throws StudioError `bad_input` if the server is not ready or the tool has changed; otherwise the reason why no
   * answer arrived
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
      if (this.#needsSignIn(failure)) throw this.#refusedCall(attempt, failure)
      // The session has expired and the call was not accepted (Streamable HTTP, Session Management). Starts a new
      // session.
      if (failure.kind !== 'not_found' || signal.aborted) throw failure
      await this.#renew(attempt)
      return await ask().catch((second: unknown) => Promise.reject(this.#clean(second)))
    }
  }

  /** Whether the failure is one that a sign-in may fix. */
  #needsSignIn({ kind, facts }: StudioError): boolean {
    return this.signIn !== null && (kind === 'unauthorized' || facts.code === scopeNeeded)
  }

  /** `bad_input`, because the server did not accept the call. */
  #refusedCall(attempt: Attempt | null, failure: StudioError): StudioError {
    const { name } = this.config
    if (failure.facts.code === scopeNeeded) {
      this.signIn?.needed()
      const words = `“${name}” needs more permissions for this. Sign in again in Settings > Tools to give them.`
      return new StudioError('bad_input', words)
    }
    if (attempt) this.#failed(attempt, failure)
    return new StudioError('bad_input', `“${name}” needs a new sign-in. Sign in in Settings > Tools.`)
  }

  #sameForm(name: string, fingerprint: string): { connection: McpConnection; schema: string } {
    const tool = this.tools.find((one) => one.name === name)
    const connection = this.#attempt?.connection
    if (!tool || !connection) throw new StudioError('bad_input', `“${this.config.name}” does not offer this tool now.`)
    if (tool.fingerprint === fingerprint) return { connection, schema: tool.schema }
    throw new StudioError('bad_input', `“${this.config.name}” has changed this tool since it was allowed.`)
  }

  /** Replaces an expired session. If several calls find the session expired, only the first starts a new session. */
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
      listing: new Rerun(() => this.#listAgain(attempt), this.#parts.limits.relistMs),
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
      this.signIn?.accepted()
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
    this.#values = secrets
    const bearer = (await this.signIn?.bearer()) ?? null
    if (attempt.abort.signal.aborted) throw new StudioError('cancelled', 'It was switched off.')
    this.#updateSecrecy()
    const log = new LogTail(this.secrecy.words, changed)
    // Shows the log of the previous process next to the reason of its failure, until this process writes something.
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
      bearer,
      version,
      fetch,
      limits,
      signal: attempt.abort.signal,
      onStderr,
      onChanged: () => attempt.listing.request(),
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
    if (this.#needsSignIn(failure)) {
      this.signIn?.needed()
      this.#become('sign_in', null)
      return
    }
    if (attempt.readyAt > 0 && performance.now() - attempt.readyAt > calmMs) this.#crashes = 0
    const wait = passing.has(failure.kind) ? backOffMs[this.#crashes] : undefined
    this.#crashes++
    if (wait === undefined) {
      this.#become('failed', failure)
      return
    }
    this.#again = setTimeout(() => inBackground('A server could not be started', this.#begin()), wait)
    this.#again.unref()
    const words = `${failure.message} It restarts in ${Math.ceil(wait / 1000)} s.`
    this.#become('failed', new StudioError(failure.kind, words, failure.facts))
  }

  /** Drops the current attempt and ends its processes in the background. */
  #drop(): void {
    const attempt = this.#attempt
    this.#attempt = null
    this.#tools = []
    attempt?.listing.end()
    attempt?.abort.abort()
    if (attempt?.connection) this.#wait(attempt.connection.close())
  }

  /** Registers work that `end` waits for. */
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

  #updateSecrecy(): void {
    this.secrecy = secrecyOf(this.config.transport, this.#values, this.signIn?.secrets ?? [])
  }

  /** Removes secrets from the message of an error. */
  #clean(thrown: unknown): StudioError {
    const { kind, message, facts } = asStudioError(thrown)
    return new StudioError(kind, this.secrecy.words(message), facts)
  }
}

export const isAuthorization = (header: string): boolean => header.toLowerCase() === 'authorization'
