import { randomUUID } from 'node:crypto'
import type { McpTransport } from '../../../../../src-preload/contract/tools.ts'
import { asStudioError, StudioError } from '../../../errors.ts'
import { inBackground } from '../../../shared/unexpected.ts'
import type { StoredMcpServer } from '../../../store/mcpServers.ts'
import type { Store } from '../../../store/store.ts'
import type { EnteredClient } from './oauth/clients.ts'
import { forgetSecrets, saveSecrets, secretNames } from './secrets.ts'
import { isAuthorization, type McpServerOptions, McpServerRun } from './server.ts'

/** A server to save. In `secrets`, null leaves the stored value unchanged. */
export interface SavedServer {
  id?: string | undefined
  name: string
  transport: McpTransport
  timeoutSeconds: number
  secrets: Record<string, string | null>
}

/** All configured servers. Changes of one server run in the order of their requests. */
export class McpServers {
  readonly #store: Store
  readonly #parts: McpServerOptions
  readonly #log: (line: string) => void
  readonly #runs = new Map<string, McpServerRun>()
  readonly #turns = new Map<string, Promise<unknown>>()
  #closed = false

  constructor(store: Store, parts: McpServerOptions, log: (line: string) => void) {
    this.#store = store
    this.#parts = parts
    this.#log = log
    for (const config of store.mcpServers.list()) this.#runs.set(config.id, new McpServerRun(config, parts))
  }

  get all(): McpServerRun[] {
    return [...this.#runs.values()]
  }

  find(id: string): McpServerRun | null {
    return this.#runs.get(id) ?? null
  }

  /** Starts the enabled servers in the background. */
  start(): void {
    for (const run of this.all) if (run.config.on) run.start()
  }

  /** @throws StudioError `bad_input`, `no_such_item`, `keychain_missing`, `keychain_locked` */
  async save({ secrets, ...given }: SavedServer): Promise<{ id: string }> {
    refuseCredentials(given.transport)
    const id = given.id ?? randomUUID()
    await this.#inTurn(id, async () => {
      const run = given.id === undefined ? null : this.#run(id)
      const before = run?.config ?? null
      if (run && !remembersSignIn(run.config.transport, given.transport)) await this.#forgetSignIn(run)
      await saveSecrets(this.#parts.secrets, id, given.transport, secrets)
      const config: StoredMcpServer = { ...given, id, on: before?.on ?? false }
      this.#store.mcpServers.save(config)
      const kept = new Set(secretNames(given.transport))
      await this.#forget(id, before ? secretNames(before.transport).filter((name) => !kept.has(name)) : [])
      await this.#replace(config)
    })
    return { id }
  }

  /**
   * Switches a server on (in the background; also restarts a failed one) or off (resolves when its processes have
   * ended). @throws StudioError `no_such_item`
   */
  async switch(id: string, on: boolean): Promise<void> {
    await this.#inTurn(id, async () => {
      const config = { ...this.#config(id), on }
      this.#store.mcpServers.setOn(id, on)
      await this.#replace(config)
    })
  }

  /**
   * Starts the sign-in of a server, and resolves with the address for the browser.
   * @throws StudioError `no_such_item`, and as `McpServerRun.startSignIn`
   */
  async signIn(id: string, client: EnteredClient | null): Promise<{ url: string }> {
    return await this.#run(id).startSignIn(client)
  }

  /** @throws StudioError `no_such_item`, `bad_input` */
  continueSignIn(id: string, address: string): void {
    this.#run(id).signIn?.continueWith(address)
  }

  /** Resolves when the sign-in has ended. @throws StudioError `no_such_item` */
  async cancelSignIn(id: string): Promise<void> {
    await this.#run(id).signIn?.cancel()
  }

  /** @throws StudioError `no_such_item`, and as `McpServerRun.signOut` */
  async signOut(id: string): Promise<void> {
    await this.#inTurn(id, () => this.#run(id).signOut())
  }

  /** Deletes a server with its secrets and all permissions for its tools. @throws StudioError `no_such_item` */
  async remove(id: string): Promise<void> {
    await this.#inTurn(id, async () => {
      const { transport } = this.#config(id)
      const run = this.#run(id)
      await run.end()
      // The keychain is emptied before the row is deleted, because the row says that the keychain has tokens.
      await this.#forgetSignIn(run)
      this.#runs.delete(id)
      this.#store.transaction(() => {
        this.#store.mcpServers.remove(id)
        this.#store.toolPermissions.forgetStartingWith(`mcp:${id}:`)
      })
      await this.#forget(id, secretNames(transport))
      this.#parts.changed()
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.allSettled(this.#turns.values())
    await Promise.all(this.all.map((run) => run.end()))
  }

  async #replace(config: StoredMcpServer): Promise<void> {
    await this.#runs.get(config.id)?.end()
    const run = new McpServerRun(config, this.#parts)
    this.#runs.set(config.id, run)
    if (config.on && !this.#closed) run.start()
    this.#parts.changed()
  }

  #config(id: string): StoredMcpServer {
    return this.#run(id).config
  }

  #run(id: string): McpServerRun {
    const run = this.#runs.get(id)
    if (!run) throw new StudioError('no_such_item', 'That server does not exist any more.')
    return run
  }

  #inTurn<T>(id: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(id) ?? Promise.resolve()).then(work)
    const settled = turn.catch(() => undefined)
    this.#turns.set(id, settled)
    const left = settled.then(() => this.#turns.get(id) === settled && this.#turns.delete(id))
    inBackground('A server could not be changed', left)
    return turn
  }

  async #forgetSignIn(run: McpServerRun): Promise<void> {
    try {
      await run.signIn?.signOut(true)
    } catch (thrown) {
      const { message } = asStudioError(thrown)
      this.#log(`The sign-in of “${run.config.name}” could not be deleted from the keychain: ${message}`)
    }
  }

  /** Deletes secrets. An unavailable keychain does not prevent the deletion of a server. */
  async #forget(id: string, names: readonly string[]): Promise<void> {
    try {
      await forgetSecrets(this.#parts.secrets, id, names)
    } catch (thrown) {
      this.#log(
        `The values of ${names.join(', ')} could not be deleted from the keychain: ${asStudioError(thrown).message}`,
      )
    }
  }
}

/** Tokens are for one address. An Authorization header replaces them. */
const remembersSignIn = (before: McpTransport, now: McpTransport): boolean =>
  before.kind === 'http' && now.kind === 'http' && before.url === now.url && !now.headers.some(isAuthorization)

function refuseCredentials(transport: McpTransport): void {
  if (transport.kind !== 'http') return
  const { username, password } = new URL(transport.url)
  if (!username && !password) return
  throw new StudioError('bad_input', 'The address must not contain a name or password. Use an Authorization header.')
}
