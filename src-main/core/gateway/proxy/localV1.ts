import type { ProxyState } from '../../../../src-preload/contract/app.ts'
import type { App } from '../../../../src-preload/contract/apps.ts'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import { asStudioError, StudioError } from '../../errors.ts'
import { type Refusal, refusedByGuard } from './errorReplies.ts'
import type { BeyondLoopback, FrontendDependencies, IsValid, ProxyBounds } from './frontendOptions.ts'
import { RecentRefusals, type RefusalWithOrigin } from './recentRefusals.ts'
import { type ProxyServer, startProxy } from './server.ts'

export interface LocalV1Settings {
  enabled: boolean
  /** 0 means any free port. */
  port: number
  /** Whether to listen on ::1 too. */
  ipv6: boolean
  /** Id or name of the app as which requests to Ollama's port count, without a key. Null: that port is not listened to. */
  ollamaApp: string | null
  /** Absent: only loopback. Does not change while the program runs. */
  beyond?: BeyondLoopback | undefined
}

export interface LocalV1Dependencies extends Omit<FrontendDependencies, 'failed' | 'keyless'> {
  /** The app with this id or, if none has it, with this name. */
  app(which: string): App | undefined
  /** Whether a connection to a service exists. */
  connected(): boolean
  /** How many requests wait in the queue, and until when the service asked all of them to wait. */
  scheduler(): { waiting: number; heldUntil: string | null }
  log(level: 'warn' | 'error', line: string): void
}

type Counts = ReturnType<ProxyServer['counts']>
const noCounts: Counts = { active: 0, relayed: 0, refused: 0 }
const sum = (a: Counts, b: Counts): Counts => ({
  active: a.active + b.active,
  relayed: a.relayed + b.relayed,
  refused: a.refused + b.refused,
})
/** How many refusals `status` lists. */
const maxRefusals = 50
/** Where programs expect Ollama. */
const ollamaPort = 11_434

/** Starts, moves and stops the server of the local API as the settings say. Counters and refusals survive a move to another port. */
export class LocalV1 {
  readonly #deps: LocalV1Dependencies
  readonly #bounds: Partial<ProxyBounds>
  readonly #refusals = new RecentRefusals()
  readonly #ollamaPort: number
  #wanted: LocalV1Settings = { enabled: false, port: 0, ipv6: false, ollamaApp: null }
  #server: ProxyServer | null = null
  /** The server on Ollama's port. */
  #ollama: ProxyServer | null = null
  #ollamaProblem: Problem | null = null
  #before = noCounts
  #problem: Problem | null = null
  /** Serializes changes, so that no two servers run at once. */
  #turn: Promise<void> = Promise.resolve()

  constructor(deps: LocalV1Dependencies, bounds: Partial<ProxyBounds> = {}, port = ollamaPort) {
    this.#deps = deps
    this.#bounds = bounds
    this.#ollamaPort = port
  }

  /** Resolves when the server runs as wanted or `status()` has the reason why not. */
  apply(wanted: LocalV1Settings): Promise<void> {
    this.#turn = this.#turn.then(() => this.#change(wanted))
    return this.#turn
  }

  status(): Omit<ProxyState, 'apps'> {
    const server = this.#server
    const now = sum(server?.counts() ?? noCounts, this.#ollama?.counts() ?? noCounts)
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
      ollama: this.#ollamaState(),
    }
  }

  /** Cuts the running requests of keys that were paused, replaced or revoked or have expired. */
  cutInvalid(isValid: IsValid): void {
    this.#server?.cutInvalid(isValid)
    this.#ollama?.cutInvalid(isValid)
  }

  close(): Promise<void> {
    return this.apply({ ...this.#wanted, enabled: false })
  }

  /** A problem while the server runs concerns ::1 alone, and does not change the state. */
  #state(): ProxyState['state'] {
    if (this.#server) return this.#deps.connected() ? 'on' : 'waiting'
    return this.#problem ? 'failed' : 'off'
  }

  /** Why the app of Ollama's port gets no answers there, or the problem of the port. */
  #ollamaState(): ProxyState['ollama'] {
    const { enabled, ollamaApp: app } = this.#wanted
    if (!enabled || app === null) return null
    const found = keylessApp(this.#deps.app(app))
    const refusal = 'status' in found ? new StudioError('bad_input', found.message).toProblem() : null
    return { app, baseUrl: this.#ollama?.baseUrl.replace(/\/v1$/, '') ?? null, problem: this.#ollamaProblem ?? refusal }
  }

  async #change(wanted: LocalV1Settings): Promise<void> {
    const { enabled, port, ipv6 } = this.#wanted
    const same = wanted.enabled === enabled && wanted.port === port && wanted.ipv6 === ipv6
    this.#wanted = wanted
    // A server that could not listen tries again. A running server is not restarted for unrelated changes.
    if (!same || (this.#server !== null) !== wanted.enabled) {
      this.#problem = null
      const server = this.#server
      this.#server = null
      await this.#stop(server)
      if (wanted.enabled) await this.#listen(wanted)
      this.#deps.changed()
    }
    const wantsOllama = wanted.enabled && wanted.ollamaApp !== null
    if ((this.#ollama !== null) === wantsOllama && this.#ollamaProblem === null) return
    this.#ollamaProblem = null
    const ollama = this.#ollama
    this.#ollama = null
    await this.#stop(ollama)
    if (wantsOllama) await this.#listenAsOllama()
    this.#deps.changed()
  }

  async #stop(server: ProxyServer | null): Promise<void> {
    if (!server) return
    this.#before = { ...sum(this.#before, server.counts()), active: 0 }
    await server.close()
  }

  #frontendDependencies(): FrontendDependencies {
    const failed = (error: StudioError): void => this.#deps.log('error', `The local API: ${error.message}`)
    const refused = (refusal: RefusalWithOrigin): void => {
      // Refusals of a known app are shown on its card and in the log. This list contains only refusals of unknown callers.
      if (refusal.appId === null) this.#refusals.note(refusal)
      this.#deps.refused(refusal)
    }
    return { ...this.#deps, refused, failed }
  }

  async #listenAsOllama(): Promise<void> {
    const keyless = (): App | Refusal => keylessApp(this.#deps.app(this.#wanted.ollamaApp ?? ''))
    const wanted = { port: this.#ollamaPort, ipv6: false, isExact: true }
    try {
      this.#ollama = await startProxy(wanted, { ...this.#frontendDependencies(), keyless }, this.#bounds)
    } catch (thrown) {
      const { kind, message } = asStudioError(thrown)
      const isOwn = this.#server?.port === this.#ollamaPort
      const taken = isOwn
        ? `The Local API itself uses port ${this.#ollamaPort}. Set another port for it.`
        : `Port ${this.#ollamaPort} is in use, probably by Ollama. Quit it and try again.`
      const words = kind === 'port_taken' ? taken : message
      const error = new StudioError(kind, words, {}, { cause: thrown })
      this.#ollamaProblem = error.toProblem()
      this.#deps.log('warn', words)
    }
  }

  async #listen(wanted: LocalV1Settings): Promise<void> {
    try {
      this.#server = await startProxy(wanted, this.#frontendDependencies(), this.#bounds)
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

/**
 * The app as which requests without a key count, or why there is none. It must have a budget, because any program of this computer can use
 * it.
 */
export function keylessApp(app: App | undefined): App | Refusal {
  const refused = (code: string, message: string): Refusal => refusedByGuard(403, code, message)
  const change = 'Change that in Inference Studio, in Settings > Local API.'
  if (!app || app.revokedAt !== null) {
    return refused('ollama_app_gone', `The app that was chosen for this port is gone. ${change}`)
  }
  if (app.expiresAt !== null && Date.parse(app.expiresAt) <= Date.now()) {
    return refused('tool_key_expired', `The app ${app.name}, which was chosen for this port, has expired. ${change}`)
  }
  if (app.pausedAt !== null) {
    return refused(
      'tool_key_paused',
      `The app ${app.name} is paused. Resume it on the Local API page of Inference Studio.`,
    )
  }
  if (app.budgetDay === null && app.budgetMonth === null && app.budgetTotal === null) {
    return refused(
      'ollama_app_without_budget',
      `The app ${app.name} has no budget, so this port does not answer. ${change}`,
    )
  }
  return app
}
