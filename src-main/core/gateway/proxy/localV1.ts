import type { ProxyState } from '../../../../src-preload/contract/app.ts'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import { asStudioError, type StudioError } from '../../errors.ts'
import type { FrontendDependencies, IsValid, ProxyBounds } from './frontendOptions.ts'
import { RecentRefusals, type RefusalWithOrigin } from './recentRefusals.ts'
import { type ProxyServer, startProxy } from './server.ts'

export interface LocalV1Settings {
  enabled: boolean
  /** 0 means any free port. */
  port: number
  /** Whether to listen on ::1 too. */
  ipv6: boolean
}

export interface LocalV1Dependencies extends Omit<FrontendDependencies, 'failed'> {
  /** Whether a connection to a service exists. */
  connected(): boolean
  /** How many requests wait in the queue, and until when the service asked all of them to wait. */
  scheduler(): { waiting: number; heldUntil: string | null }
  log(level: 'warn' | 'error', line: string): void
}

const noCounts = { active: 0, relayed: 0, refused: 0 }
/** How many refusals `status` lists. */
const maxRefusals = 50

/** Starts, moves and stops the server of the local API as the settings say. Counters and refusals survive a move to another port. */
export class LocalV1 {
  readonly #deps: LocalV1Dependencies
  readonly #bounds: Partial<ProxyBounds>
  readonly #refusals = new RecentRefusals()
  #wanted: LocalV1Settings = { enabled: false, port: 0, ipv6: false }
  #server: ProxyServer | null = null
  #before = noCounts
  #problem: Problem | null = null
  /** Serializes changes, so that no two servers run at once. */
  #turn: Promise<void> = Promise.resolve()

  constructor(deps: LocalV1Dependencies, bounds: Partial<ProxyBounds> = {}) {
    this.#deps = deps
    this.#bounds = bounds
  }

  /** Resolves when the server runs as wanted or `status()` has the reason why not. */
  apply(wanted: LocalV1Settings): Promise<void> {
    this.#turn = this.#turn.then(() => this.#change(wanted))
    return this.#turn
  }

  status(): Omit<ProxyState, 'apps'> {
    const server = this.#server
    const now = server?.counts() ?? noCounts
    const { waiting, heldUntil } = this.#deps.scheduler()
    return {
      state: this.#state(),
      baseUrl: server?.baseUrl ?? null,
      port: server?.port ?? null,
      wantedPort: this.#wanted.port,
      active: now.active,
      relayed: this.#before.relayed + now.relayed,
      refused: this.#before.refused + now.refused,
      refusedUnknown: this.#refusals.total,
      waiting,
      heldUntil,
      refusals: this.#refusals.newest(maxRefusals),
      problem: this.#problem,
    }
  }

  /** Cuts the running requests of keys that were paused, replaced or revoked or have expired. */
  cutInvalid(isValid: IsValid): void {
    this.#server?.cutInvalid(isValid)
  }

  close(): Promise<void> {
    return this.apply({ ...this.#wanted, enabled: false })
  }

  /** A problem while the server runs concerns ::1 alone, and does not change the state. */
  #state(): ProxyState['state'] {
    if (this.#server) return this.#deps.connected() ? 'on' : 'waiting'
    return this.#problem ? 'failed' : 'off'
  }

  async #change(wanted: LocalV1Settings): Promise<void> {
    const { enabled, port, ipv6 } = this.#wanted
    const same = wanted.enabled === enabled && wanted.port === port && wanted.ipv6 === ipv6
    // A server that could not listen tries again. A running server is not restarted for unrelated changes.
    if (same && (this.#server !== null) === wanted.enabled) return
    this.#wanted = wanted
    this.#problem = null
    await this.#stop()
    if (wanted.enabled) await this.#listen(wanted)
    this.#deps.changed()
  }

  async #stop(): Promise<void> {
    const server = this.#server
    if (!server) return
    this.#server = null
    const { relayed, refused } = server.counts()
    this.#before = { active: 0, relayed: this.#before.relayed + relayed, refused: this.#before.refused + refused }
    await server.close()
  }

  async #listen(wanted: LocalV1Settings): Promise<void> {
    const failed = (error: StudioError): void => this.#deps.log('error', `The local API: ${error.message}`)
    const refused = (refusal: RefusalWithOrigin): void => {
      // Refusals of a known app are shown on its card and in the log. This list contains only refusals of unknown callers.
      if (refusal.appId === null) this.#refusals.note(refusal)
      this.#deps.refused(refusal)
    }
    try {
      this.#server = await startProxy(wanted, { ...this.#deps, refused, failed }, this.#bounds)
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
