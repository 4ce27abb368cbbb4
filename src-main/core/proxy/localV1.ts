import type { ProxyState } from '../../../src-preload/contract/app.ts'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import { asStudioError, type StudioError } from '../errors.ts'
import { type ProxyServer, startProxy } from './server.ts'

export interface Wish {
  enabled: boolean
  /** 0 means any. */
  port: number
}

type Deps = Omit<Parameters<typeof startProxy>[1], 'failed'> & { log(level: 'warn' | 'error', line: string): void }

const nothing = { active: 0, relayed: 0, refused: 0 }

/** The local `/v1` as it was wished for: starts, moves and stops with the settings. Counts go on over a move. */
export class LocalV1 {
  readonly #deps: Deps
  #wish: Wish = { enabled: false, port: 0 }
  #server: ProxyServer | null = null
  #before = nothing
  #problem: Problem | null = null
  /** One change after the other, or two listeners could stand at once. */
  #turn: Promise<void> = Promise.resolve()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Resolves once it stands as wished, or `status()` says why not. */
  apply(wish: Wish): Promise<void> {
    this.#turn = this.#turn.then(() => this.#become(wish))
    return this.#turn
  }

  status(): Omit<ProxyState, 'tools'> {
    const server = this.#server
    const now = server?.counts() ?? nothing
    const connected = this.#deps.forward() !== null
    return {
      state: this.#problem ? 'failed' : !server ? 'off' : connected ? 'on' : 'waiting',
      baseUrl: server?.baseUrl ?? null,
      port: server?.port ?? null,
      wantedPort: this.#wish.port,
      active: now.active,
      relayed: this.#before.relayed + now.relayed,
      refused: this.#before.refused + now.refused,
      problem: this.#problem,
    }
  }

  /** A key was revoked: what runs with it ends now, not when its stream does. */
  cutRevoked(isLive: (toolId: string) => boolean): void {
    this.#server?.cutRevoked(isLive)
  }

  close(): Promise<void> {
    return this.apply({ ...this.#wish, enabled: false })
  }

  async #become(wish: Wish): Promise<void> {
    const same = wish.enabled === this.#wish.enabled && wish.port === this.#wish.port && this.#problem === null
    if (same && (this.#server !== null) === wish.enabled) return
    this.#wish = wish
    this.#problem = null
    await this.#leave()
    if (wish.enabled) await this.#listen(wish.port)
    this.#deps.changed()
  }

  async #leave(): Promise<void> {
    const server = this.#server
    if (!server) return
    this.#server = null
    const { relayed, refused } = server.counts()
    this.#before = { active: 0, relayed: this.#before.relayed + relayed, refused: this.#before.refused + refused }
    await server.close()
  }

  async #listen(port: number): Promise<void> {
    const failed = (error: StudioError): void => this.#deps.log('error', `The local /v1: ${error.message}`)
    try {
      this.#server = await startProxy(port, { ...this.#deps, failed })
    } catch (thrown) {
      const error = asStudioError(thrown)
      this.#problem = error.toProblem()
      this.#deps.log('warn', error.message)
    }
  }
}
