import { setTimeout as sleep } from 'node:timers/promises'
import type { Connection } from '../../../../src-preload/contract/app.ts'
import type { Model } from '../../../../src-preload/contract/models.ts'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import { asStudioError, StudioError } from '../../errors.ts'
import type { SecretStore } from '../../host.ts'
import type { RequestLogOf, Scheduler } from '../../ports/requests.ts'
import { Listeners } from '../../shared/events.ts'
import { mayPass } from '../../store/database.ts'
import type { ListPlace } from '../../store/modelLists.ts'
import type { StoredProfile } from '../../store/profiles.ts'
import type { Store } from '../../store/store.ts'
import type { BaseAddress } from '../../upstream/address.ts'
import { openUpstream, type Upstream } from '../../upstream/client.ts'
import type { Credential } from '../../upstream/credential.ts'
import { askAgain, askModels } from './probe.ts'
import { type ReconnectBounds, ReconnectWatcher } from './reconnectWatcher.ts'
import { RetiredClients } from './retiredClients.ts'

export interface SessionTraffic {
  scheduler: Scheduler
  requestLogOf: RequestLogOf
}

export interface RunningSandbox {
  baseUrl: string
  apiKey: string
  close(): Promise<void>
}

/** Pause before the service is asked again after this machine's log could not be written, ms. */
const notWrittenMs = 1000

const none: Connection = { state: 'none', profile: null, problem: null, checkedAt: null }

/** The one live connection: which profile, whether it answers, and the client that reaches it. */
export class Session {
  readonly changes = new Listeners()
  /** A new client is in use; told before anything is asked through it. */
  readonly opened = new Listeners<[Upstream]>()
  /** The client in use answers again after it did not. */
  readonly returned = new Listeners<[Upstream]>()
  /** A person asked to look again: whatever else may have changed outside is looked at too. */
  readonly rechecks = new Listeners()
  /** A profile and its key are gone. */
  readonly forgotten = new Listeners<[string]>()
  readonly store: Store
  readonly secrets: SecretStore
  readonly #traffic: SessionTraffic
  /** Profiles of this run alone, and keys that are kept nowhere else. */
  readonly passing = new Map<string, StoredProfile>()
  readonly keys = new Map<string, Credential>()
  /** Clients whose place another took: what they have sent ends there. */
  readonly leaving = new RetiredClients()
  sandbox: RunningSandbox | null = null
  #connection: Connection = none
  #upstream: Upstream | null = null
  readonly #profiles = new WeakMap<Upstream, string>()
  #opening: Promise<unknown> = Promise.resolve()
  #asking: { of: Upstream; done: Promise<void> } | null = null
  readonly back: ReconnectWatcher

  constructor(store: Store, secrets: SecretStore, traffic: SessionTraffic, bounds: Partial<ReconnectBounds> = {}) {
    this.store = store
    this.secrets = secrets
    this.#traffic = traffic
    this.back = new ReconnectWatcher({
      current: () => this.#upstream,
      look: () => this.check({ quiet: true }),
      learned: (problem) => this.#settle(problem),
      changed: () => this.#set(this.#connection),
      bounds,
    })
  }

  /** A client whose requests pass the one desk and are written in the books as that profile's. */
  client({ id: profile }: Pick<StoredProfile, 'id'>, base: BaseAddress, credential: Credential): Upstream {
    const { scheduler, requestLogOf } = this.#traffic
    const way = this.back.way(() => this.#upstream === upstream)
    const upstream = openUpstream({
      base,
      credential,
      scheduler,
      requestLog: requestLogOf({ profile, baseUrl: base.url }),
      reachability: way,
    })
    this.#profiles.set(upstream, profile)
    return upstream
  }

  get connection(): Connection {
    return this.#connection
  }

  /** The client now, for the local /v1, which does not wait. */
  get current(): Upstream | null {
    return this.#upstream
  }

  /** While this runs, whoever needs the client waits for it. */
  open<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#opening.then(work)
    this.#opening = result.catch(() => undefined)
    return result
  }

  /** @throws StudioError `not_connected`, or what keeps the stored profile from being opened */
  async upstream(): Promise<Upstream> {
    await this.#opening
    if (this.#upstream) return this.#upstream
    const { problem } = this.#connection
    if (problem) throw new StudioError(problem.kind, problem.message)
    throw new StudioError('not_connected', 'Nothing is connected yet. Try the sandbox, or connect with a key.')
  }

  /** Fetches and keeps the model list of what is connected. @throws as `upstream`, and as the service fails */
  async fetchModels(): Promise<void> {
    const upstream = await this.upstream()
    const models = await askModels(upstream)
    this.store.modelLists.save(this.#listOf(upstream), models, new Date().toISOString())
  }

  /** This profile is being opened: its key is looked for, which a keychain may take its time for, or its sandbox starts. */
  opening(profile: StoredProfile): void {
    this.#leave()
    this.#set({ state: 'checking', profile, problem: null, checkedAt: null })
  }

  /** Puts a client in use; `checked` is true when its address has just answered. */
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

  /** The profile stands, but cannot be reached; everything stored stays readable. */
  fail(profile: StoredProfile, thrown: unknown): void {
    this.#leave()
    const checkedAt = new Date().toISOString()
    this.#set({ state: 'failed', profile, problem: asStudioError(thrown).toProblem(), checkedAt })
  }

  /** Nothing is connected any more, and what runs is cut. */
  forget(): void {
    const { profile } = this.#connection
    this.#leave()
    if (profile) this.leaving.cut(profile.id)
    this.#set(none)
  }

  /** The profile's name as it is now. */
  named(name: string): void {
    const { profile } = this.#connection
    if (profile) this.#set({ ...this.#connection, profile: { ...profile, name } })
  }

  /**
   * Asks the service now and says how it went; who asks meanwhile gets the same answer. `quiet`: nobody is told that it is asked.
   * Never throws: the outcome is the state.
   */
  check({ quiet = false } = {}): Promise<void> {
    const upstream = this.#upstream
    if (!upstream) return Promise.resolve()
    if (!quiet) this.#set({ ...this.#connection, state: 'checking' })
    if (this.#asking?.of === upstream) return this.#asking.done
    const asking = { of: upstream, done: this.#ask(upstream) }
    this.#asking = asking
    return asking.done.finally(() => {
      if (this.#asking === asking) this.#asking = null
    })
  }

  async #ask(upstream: Upstream): Promise<void> {
    const problem = await this.#askAgain(upstream).then(
      (models) => {
        this.#keepList(upstream, models)
        return null
      },
      (thrown: unknown) => asStudioError(thrown).toProblem(),
    )
    // Meanwhile another profile may have taken its place.
    if (this.#upstream === upstream) this.#settle(problem)
  }

  /** A question that this machine's log could not take says nothing of the service: it is asked when the log takes it. */
  async #askAgain(upstream: Upstream): Promise<Model[]> {
    for (;;) {
      try {
        return await askAgain(upstream, this.back.bounds.answerMs)
      } catch (thrown) {
        if (!mayPass(thrown) || this.#upstream !== upstream) throw thrown
      }
      await sleep(notWrittenMs, undefined, { ref: false })
    }
  }

  /** Nobody waits for it: the list is shown as it was until it is written. */
  #keepList(upstream: Upstream, models: Model[]): void {
    const place = this.#listOf(upstream)
    const at = new Date().toISOString()
    this.store.pending.write(`models ${place.profile} ${place.baseUrl}`, 'The list of models', () =>
      this.store.modelLists.save(place, models, at),
    )
  }

  #settle(problem: Problem | null): void {
    const back = this.#connection.problem !== null && problem === null
    this.back.settled(problem)
    const state = problem ? 'failed' : 'connected'
    this.#set({ ...this.#connection, state, problem, checkedAt: new Date().toISOString() })
    if (back && this.#upstream) this.returned.notify(this.#upstream)
  }

  /** Whether somebody takes a connection now, for what is about to be sent by itself. Never throws. */
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

  async close(): Promise<void> {
    await this.#opening
    this.back.left()
    await this.#upstream?.close()
    this.#upstream = null
    await this.leaving.close()
    await this.sandbox?.close()
    this.sandbox = null
  }

  /** A list belongs to the profile that the client was opened for. */
  #listOf(upstream: Upstream): ListPlace {
    return { profile: this.#profiles.get(upstream) ?? '', baseUrl: upstream.base.url }
  }

  #leave(): void {
    const upstream = this.#upstream
    this.#upstream = null
    this.back.left()
    if (upstream) this.leaving.add(this.#profiles.get(upstream) ?? '', upstream)
  }

  #set(connection: Connection): void {
    const now = { ...connection, offline: this.back.offline }
    this.#connection = now.profile ? { ...now, profile: shown(now.profile) } : now
    this.changes.notify()
  }
}

function shown({ id, name, kind, baseUrl, keyKept }: NonNullable<Connection['profile']>): Connection['profile'] {
  return { id, name, kind, baseUrl, keyKept }
}
