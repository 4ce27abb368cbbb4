import type { ProxyState } from '../../../../src-preload/contract/app.ts'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import { asStudioError, type StudioError } from '../../errors.ts'
import { RecentRefusals, type SeenRefusal } from './recentRefusals.ts'
import { type Bounds, type ProxyDeps, type ProxyServer, startProxy } from './server.ts'

export interface LocalV1Settings {
  enabled: boolean
  /** 0 means any. */
  port: number
  /** Also on ::1. */
  ipv6: boolean
}

export interface LocalV1Deps extends Omit<ProxyDeps, 'failed'> {
  /** Whether there is a service to relay to. */
  connected(): boolean
  /** Requests that wait at the desk, and until when the service asked everyone to wait. */
  scheduler(): { waiting: number; heldUntil: string | null }
  log(level: 'warn' | 'error', line: string): void
}

const nothing = { active: 0, relayed: 0, refused: 0 }
/** Refusals that are shown. */
const mostRefusals = 50

/** The local `/v1` as it was wished for: starts, moves and stops with the settings. Counts and refusals go on over a move. */
export class LocalV1 {
  readonly #deps: LocalV1Deps
  readonly #bounds: Partial<Bounds>
  readonly #refusals = new RecentRefusals()
  #wish: LocalV1Settings = { enabled: false, port: 0, ipv6: false }
  #server: ProxyServer | null = null
  #before = nothing
  #problem: Problem | null = null
  /** One change after the other, or two listeners could stand at once. */
  #turn: Promise<void> = Promise.resolve()

  constructor(deps: LocalV1Deps, bounds: Partial<Bounds> = {}) {
    this.#deps = deps
    this.#bounds = bounds
  }

  /** Resolves once it stands as wished, or `status()` says why not. */
  apply(wish: LocalV1Settings): Promise<void> {
    this.#turn = this.#turn.then(() => this.#become(wish))
    return this.#turn
  }

  status(): Omit<ProxyState, 'apps'> {
    const server = this.#server
    const now = server?.counts() ?? nothing
    const { waiting, heldUntil } = this.#deps.scheduler()
    return {
      state: this.#state(),
      baseUrl: server?.baseUrl ?? null,
      port: server?.port ?? null,
      wantedPort: this.#wish.port,
      active: now.active,
      relayed: this.#before.relayed + now.relayed,
      refused: this.#before.refused + now.refused,
      waiting,
      heldUntil,
      refusals: this.#refusals.newest(mostRefusals),
      problem: this.#problem,
    }
  }

  /** A key was paused, revoked or has expired: what runs with it ends now, not when its stream does. */
  cutBad(isGood: (toolId: string) => boolean): void {
    this.#server?.cutBad(isGood)
  }

  close(): Promise<void> {
    return this.apply({ ...this.#wish, enabled: false })
  }

  /** A problem beside a server that stands is one of ::1 alone: it is shown, and the rest goes on. */
  #state(): ProxyState['state'] {
    if (this.#server) return this.#deps.connected() ? 'on' : 'waiting'
    return this.#problem ? 'failed' : 'off'
  }

  async #become(wish: LocalV1Settings): Promise<void> {
    const { enabled, port, ipv6 } = this.#wish
    const same = wish.enabled === enabled && wish.port === port && wish.ipv6 === ipv6
    // What could not listen tries again; what listens is not cut for a change that is not its own.
    if (same && (this.#server !== null) === wish.enabled) return
    this.#wish = wish
    this.#problem = null
    await this.#leave()
    if (wish.enabled) await this.#listen(wish)
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

  async #listen(wish: LocalV1Settings): Promise<void> {
    const failed = (error: StudioError): void => this.#deps.log('error', `The local /v1: ${error.message}`)
    const refused = (refusal: SeenRefusal): void => {
      this.#refusals.note(refusal)
      this.#deps.refused(refusal)
    }
    try {
      this.#server = await startProxy(wish, { ...this.#deps, refused, failed }, this.#bounds)
      if (this.#server.ipv6Problem) this.#warn(this.#server.ipv6Problem)
    } catch (thrown) {
      this.#warn(asStudioError(thrown))
    }
  }

  #warn(error: StudioError): void {
    this.#problem = error.toProblem()
    this.#deps.log('warn', error.message)
  }
}
