import { setTimeout as sleep } from 'node:timers/promises'
import type { Connection } from '../../../../src-preload/contract/app.ts'
import type { Model } from '../../../../src-preload/contract/models.ts'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import { asStudioError, StudioError } from '../../errors.ts'
import type { SecretStore, SystemNetwork } from '../../host.ts'
import type { RequestLogOf, Scheduler } from '../../ports/requests.ts'
import { Listeners } from '../../shared/events.ts'
import { SerialQueue } from '../../shared/serialQueue.ts'
import { SingleFlight } from '../../shared/singleFlight.ts'
import { inBackground } from '../../shared/unexpected.ts'
import { mayPass } from '../../store/databaseErrors.ts'
import type { ListPlace } from '../../store/modelLists.ts'
import { locationOf, type StoredProfile } from '../../store/profiles.ts'
import type { Store } from '../../store/store.ts'
import type { BaseAddress } from '../../upstream/address.ts'
import { openUpstream, type Upstream } from '../../upstream/client.ts'
import type { Credential } from '../../upstream/credential.ts'
import { checkModels, fetchModelList } from './probe.ts'
import { type ReconnectBounds, ReconnectWatcher } from './reconnectWatcher.ts'

/** Shared by all clients: the scheduler and the request log. */
export interface SessionTraffic {
  scheduler: Scheduler
  requestLogOf: RequestLogOf
  /** As `UpstreamOptions.thinkTags`. */
  thinkTags?: () => boolean
  /** Proxies and certificates of the system. Absent: environment variables alone. */
  system?: SystemNetwork | undefined
}

/** Use of one model in one day (UTC, `2026-11-21`). */
export interface SandboxUse {
  day: string
  model: string
  requests: number
  tokensIn: number
  tokensOut: number
  /** Part of `tokensIn`. */
  tokensCached: number
}

/** A started sandbox with its address and API key. */
export interface RunningSandbox {
  baseUrl: string
  apiKey: string
  close(): Promise<void>
}

/** Pause before the next check after the request log could not be written, ms. */
const logRetryMs = 1000

const none: Connection = { state: 'none', profile: null, problem: null, checkedAt: null }

/** The active connection: its profile, whether the service answers, and its client. */
export class Session {
  readonly changes = new Listeners()
  /** A new client is active; notified before the first request through it. */
  readonly opened = new Listeners<[Upstream]>()
  /** The service answers again after a failure. */
  readonly returned = new Listeners<[Upstream]>()
  /** A person requested a check. Subscribers also check other external state. */
  readonly rechecks = new Listeners()
  /** A profile and its API key were deleted. */
  readonly forgotten = new Listeners<[string]>()
  readonly store: Store
  readonly secrets: SecretStore
  readonly #traffic: SessionTraffic
  /** Profiles of this run only, and API keys that are only in memory. */
  readonly temporary = new Map<string, StoredProfile>()
  readonly keys = new Map<string, Credential>()
  /** Replaced clients, which finish the requests they have sent. */
  readonly retired = new RetiredClients()
  sandbox: RunningSandbox | null = null
  /** What was used at earlier sandboxes of this data folder. A new sandbox continues with it. */
  sandboxUse: () => readonly SandboxUse[] = () => []
  #connection: Connection = none
  #upstream: Upstream | null = null
  readonly #places = new WeakMap<object, ListPlace>()
  readonly #opening = new SerialQueue()
  readonly #checks = new SingleFlight<Upstream>()
  readonly reconnect: ReconnectWatcher

  /** The network settings of the system. Null: environment variables alone. */
  readonly system: SystemNetwork | null

  constructor(store: Store, secrets: SecretStore, traffic: SessionTraffic, bounds: Partial<ReconnectBounds> = {}) {
    this.store = store
    this.secrets = secrets
    this.#traffic = traffic
    this.system = traffic.system ?? null
    this.reconnect = new ReconnectWatcher({
      current: () => this.#upstream,
      check: () => this.check({ quiet: true }),
      report: (problem) => this.#settle(problem),
      changed: () => this.#set(this.#connection),
      bounds,
    })
  }

  /** Creates a client that uses the shared scheduler and logs requests under this profile. */
  client(profile: StoredProfile, base: BaseAddress, credential: Credential): Upstream {
    const { scheduler, requestLogOf, thinkTags } = this.#traffic
    const place = locationOf({ ...profile, baseUrl: base.url })
    const way = this.reconnect.reachability(() => this.#upstream === upstream)
    const upstream = openUpstream({
      base,
      credential,
      network: { system: this.system },
      scheduler,
      requestLog: requestLogOf(place),
      reachability: way,
      ...(thinkTags && { thinkTags }),
    })
    this.#places.set(upstream, place)
    return upstream
  }

  get connection(): Connection {
    return this.#connection
  }

  /** The current client, for the local API, which does not wait. */
  get current(): Upstream | null {
    return this.#upstream
  }

  /** Runs work that changes the client. Callers of `upstream` wait for it. */
  open<T>(work: () => Promise<T>): Promise<T> {
    return this.#opening.run(work)
  }

  /**
   * Returns the current client. @throws StudioError `not_connected`, or the reason why the stored profile could not be
   * opened
   */
  async upstream(): Promise<Upstream> {
    await this.#opening.ended()
    if (this.#upstream) return this.#upstream
    const { problem } = this.#connection
    if (problem) throw new StudioError(problem.kind, problem.message)
    throw new StudioError('not_connected', 'Nothing is connected yet. Try the sandbox, or connect with an API key.')
  }

  /** The stored model list of the connection, or null. */
  storedModels(): Model[] | null {
    const upstream = this.#upstream
    return upstream && (this.store.modelLists.find(this.placeOf(upstream))?.models ?? null)
  }

  /** Fetches and stores the model list of the connection. @throws as `upstream`, and errors of the service */
  async fetchModels(): Promise<void> {
    const upstream = await this.upstream()
    const models = await fetchModelList(upstream)
    this.store.modelLists.save(this.placeOf(upstream), models, new Date().toISOString())
  }

  /** Marks a profile as opening while its API key is read or its sandbox starts. */
  opening(profile: StoredProfile): void {
    this.#leave()
    this.#set({ state: 'checking', profile, problem: null, checkedAt: null })
  }

  /** Activates a client. `checked` is true if the service has just answered. */
  use(profile: StoredProfile, upstream: Upstream, checked: boolean): void {
    this.#leave()
    this.#upstream = upstream
    this.#set({
      state: checked ? 'connected' : 'checking',
      profile,
      problem: null,
      checkedAt: checked ? new Date().toISOString() : null,
    })
    this.opened.notify(upstream)
  }

  /** Marks a profile as unreachable. Stored data stays readable. */
  fail(profile: StoredProfile, thrown: unknown): void {
    this.#leave()
    const checkedAt = new Date().toISOString()
    this.#set({ state: 'failed', profile, problem: asStudioError(thrown).toProblem(), checkedAt })
  }

  /** Disconnects and ends running requests. */
  forget(): void {
    const { profile } = this.#connection
    this.#leave()
    if (profile) this.retired.cut(profile.id)
    this.#set(none)
  }

  /** Updates the name of the active profile. */
  renamed(name: string): void {
    const { profile } = this.#connection
    if (profile) this.#set({ ...this.#connection, profile: { ...profile, name } })
  }

  /**
   * Checks the service and publishes the result as the state. Concurrent calls share one check. `quiet` does not
   * publish that a check is running. Never throws.
   */
  check({ quiet = false } = {}): Promise<void> {
    const upstream = this.#upstream
    if (!upstream) return Promise.resolve()
    if (!quiet) this.#set({ ...this.#connection, state: 'checking' })
    return this.#checks.run(upstream, (over) => this.#runCheck(upstream, over))
  }

  async #runCheck(upstream: Upstream, over: () => void): Promise<void> {
    const problem = await this.#fetchModels(upstream).then(
      (models) => {
        this.#storeModels(upstream, models)
        return null
      },
      (thrown: unknown) => asStudioError(thrown).toProblem(),
    )
    // Whoever hears of the result may check again.
    over()
    // Another profile may have become active.
    if (this.#upstream === upstream) this.#settle(problem)
  }

  /** Fetches the model list. Retries after a failed write of the request log, which says nothing about the service. */
  async #fetchModels(upstream: Upstream): Promise<Model[]> {
    for (;;) {
      try {
        return await checkModels(upstream, this.reconnect.bounds.answerMs)
      } catch (thrown) {
        if (!mayPass(thrown) || this.#upstream !== upstream) throw thrown
      }
      await sleep(logRetryMs, undefined, { ref: false })
    }
  }

  /** Stores the model list in the background. The old list is shown until then. */
  #storeModels(upstream: Upstream, models: Model[]): void {
    const place = this.placeOf(upstream)
    const at = new Date().toISOString()
    this.store.pending.write(`models ${place.profile} ${place.baseUrl}`, 'The list of models', () =>
      this.store.modelLists.save(place, models, at),
    )
  }

  #settle(problem: Problem | null): void {
    const hasReturned = this.#connection.problem !== null && problem === null
    this.reconnect.checked(problem)
    const state = problem ? 'failed' : 'connected'
    this.#set({ ...this.#connection, state, problem, checkedAt: new Date().toISOString() })
    if (hasReturned && this.#upstream) this.returned.notify(this.#upstream)
  }

  /** Whether the service accepts a connection. Call before a request that the program starts by itself. Never throws. */
  async reach(): Promise<boolean> {
    const upstream = this.#upstream
    if (!upstream) return false
    const problem = await upstream.reach().then(
      () => null,
      (thrown: unknown) => asStudioError(thrown).toProblem(),
    )
    if (this.#upstream !== upstream) return false
    if (problem) this.#settle(problem)
    return problem === null
  }

  /** Call when the computer wakes up: checks the connection at once, and ends streams whose connection is gone. */
  resumed(): void {
    this.#upstream?.resumed()
    this.retired.resumed()
    inBackground('The connection could not be checked', this.check({ quiet: true }))
  }

  async close(): Promise<void> {
    await this.#opening.ended()
    this.reconnect.reset()
    await this.#upstream?.close()
    this.#upstream = null
    await this.retired.close()
    await this.sandbox?.close()
    this.sandbox = null
  }

  /** Where the data of a client belongs, active or replaced: its requests, model list and model facts. */
  placeOf(upstream: object): ListPlace {
    return this.#places.get(upstream) ?? { profile: '', baseUrl: '' }
  }

  #leave(): void {
    const upstream = this.#upstream
    this.#upstream = null
    this.reconnect.reset()
    if (upstream) this.retired.add(this.placeOf(upstream).profile, upstream)
  }

  #set(connection: Connection): void {
    const now = { ...connection, offline: this.reconnect.offline }
    this.#connection = now.profile ? { ...now, profile: shown(now.profile) } : now
    this.changes.notify()
  }
}

function shown({ id, name, kind, baseUrl, keyKept }: NonNullable<Connection['profile']>): Connection['profile'] {
  return { id, name, kind, baseUrl, keyKept }
}

/** Replaced clients that still finish sent requests. */
class RetiredClients {
  readonly #clients = new Map<Upstream, string>()

  /** Retires a client: it accepts no new request, and closes when its running requests have ended. */
  add(profile: string, upstream: Upstream): void {
    this.#clients.set(upstream, profile)
    const retired = upstream.retire().then(() => this.#clients.delete(upstream))
    inBackground('A former connection could not be closed', retired)
  }

  resumed(): void {
    for (const upstream of this.#clients.keys()) upstream.resumed()
  }

  /** Ends the running requests of a deleted profile. */
  cut(profile: string): void {
    for (const [upstream, of] of this.#clients)
      if (of === profile) inBackground('A former connection could not be closed', upstream.close())
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clients.keys()].map((upstream) => upstream.close()))
  }
}
