import type { McpSignIn } from '../../../../../../src-preload/contract/tools.ts'
import type { Words } from '../../../../../../src-renderer/i18n/host.ts'
import { asStudioError, StudioError } from '../../../../errors.ts'
import type { ToolLimits } from '../../limits.ts'
import { fetchFor } from './addresses.ts'
import type { BearerToken } from './bearer.ts'
import { type Challenge, clientNeeded, noChallenge, scopeNames } from './challenge.ts'
import type { EnteredClient } from './clients.ts'

import { type HeldGrant, type OAuthGrants, secretsOf } from './grants.ts'
import type { RedirectListener } from './redirectListener.ts'

export interface ServerSignInOptions {
  serverId: string
  serverName: string
  /** Address of the MCP server. */
  serverUrl: string
  grants: OAuthGrants
  fetch: typeof fetch
  /** From `awayFetch`. */
  awayFetch: typeof fetch
  limits: ToolLimits
  /** For the page that the browser shows at the end. */
  words: Words
  /** Called when the view or the secrets have changed. */
  changed: () => void
  log: (line: string) => void
}

interface Running {
  readonly abort: AbortController
  step: 'preparing' | 'waiting' | 'finishing'
  waiting: { url: string; host: string; listener: RedirectListener } | null
  /** Settles when the sign-in has ended, whatever its result. */
  done: Promise<void>
}

/** The sign-in of one MCP server over HTTP: what is needed, what is running, and the token. Loads the official library on first use. */
export class ServerSignIn {
  readonly #options: ServerSignInOptions
  #bearer: BearerToken | null = null
  #held: HeldGrant | null = null
  #challenge: Challenge | null = null
  #scopes: string[] = []
  #problem: StudioError | null = null
  #running: Running | null = null

  constructor(options: ServerSignInOptions) {
    this.#options = options
  }

  /** Null for a server that has never asked for a sign-in. */
  get view(): McpSignIn | null {
    const step = this.#step
    if (step === null) return null
    const running = this.#running?.waiting ?? null
    const issuer = this.#held?.grant.issuer
    return {
      step,
      host: running?.host ?? (issuer === undefined ? null : new URL(issuer).host),
      url: step === 'waiting' && running ? running.url : null,
      scopes: this.#scopes,
      problem: this.#problem?.toProblem() ?? null,
      needsClient: this.#problem?.facts.code === clientNeeded,
      storedIn: this.#held?.grant.tokens ? this.#held.storedIn : null,
    }
  }

  get #step(): McpSignIn['step'] | null {
    if (this.#running) return this.#running.step
    if (this.#challenge) return this.#challenge.isAboutScope ? 'more' : 'needed'
    return this.#held?.grant.tokens ? 'done' : null
  }

  /** Values that must not appear in texts of the server. */
  get secrets(): string[] {
    return this.#held ? secretsOf(this.#held.grant) : []
  }

  /** The token for requests to the server. @throws StudioError `keychain_locked` */
  async bearer(): Promise<BearerToken> {
    const { serverId, serverUrl, grants } = this.#options
    if (this.#bearer) return this.#bearer
    const { BearerToken: Bearer } = await import('./bearer.ts')
    const { oauthFetch } = await import('./oauthFetch.ts')
    this.#held = await grants.read(serverId, serverUrl)
    this.#bearer ??= new Bearer({
      serverId,
      serverUrl,
      grants,
      fetch: oauthFetch(this.#fetchOptions()),
      onGrant: (held) => this.#become(held),
    })
    return this.#bearer
  }

  /** Records that the server refused a request, with the reason that its reply gave. */
  needed(): void {
    this.#challenge = this.#bearer?.challenge ?? noChallenge
    this.#scopes = scopeNames(this.#challenge.scope)
    this.#options.changed()
  }

  /** Records that the server accepted the token. */
  accepted(): void {
    this.#challenge = null
    this.#scopes = []
  }

  /**
   * Starts a sign-in, and resolves with the address for the browser. `signedIn` is called when it has succeeded.
   * @throws StudioError `busy`, and the reason why the sign-in cannot start
   */
  async start(entered: EnteredClient | null, signedIn: () => void): Promise<{ url: string }> {
    if (this.#running) throw new StudioError('busy', 'A sign-in is running already.')
    const ready = Promise.withResolvers<{ url: string }>()
    const running: Running = { abort: new AbortController(), step: 'preparing', waiting: null, done: Promise.resolve() }
    this.#running = running
    this.#problem = null
    this.#options.changed()
    running.done = this.#run(running, entered, ready.resolve).then(
      (held) => {
        this.#running = null
        this.accepted()
        this.#held = held
        // Before the change is reported: no watcher may see a server as signed in and ready that is about to restart.
        if (!running.abort.signal.aborted) signedIn()
        this.#options.changed()
      },
      (thrown: unknown) => {
        const failure = asStudioError(thrown)
        this.#running = null
        this.#problem = failure.kind === 'cancelled' ? null : failure
        ready.reject(failure)
        this.#options.changed()
      },
    )
    return await ready.promise
  }

  /** Continues with the address of the page that a browser could not load. @throws StudioError `bad_input` */
  continueWith(address: string): void {
    if (!this.#running?.waiting) throw new StudioError('bad_input', 'No sign-in is waiting.')
    this.#running.waiting.listener.take(address)
  }

  /** Cancels a running sign-in. Resolves when it has ended. */
  async cancel(): Promise<void> {
    this.#running?.abort.abort()
    await this.#running?.done
  }

  /** Cancels a running sign-in, and waits for a running refresh (bounded). */
  async end(): Promise<void> {
    await this.cancel()
    await this.#bearer?.running.catch(() => undefined)
  }

  /**
   * Revokes the tokens if the authorization server offers that, and deletes them. `all` also deletes a client that a person entered.
   * Deletion does not depend on an answer of the authorization server.
   * @throws StudioError `keychain_missing`, `keychain_locked`
   */
  async signOut(all: boolean): Promise<void> {
    const { serverId, serverUrl, grants, serverName, log } = this.#options
    await this.end()
    const grant = (await grants.read(serverId, serverUrl))?.grant ?? null
    if (grant?.tokens) {
      const { revokeTokens } = await import('./tokens.ts')
      const { oauthFetch } = await import('./oauthFetch.ts')
      const { limits } = this.#options
      const fetch = oauthFetch({ ...this.#fetchOptions(), timeoutMs: limits.revokeMs })
      await revokeTokens(grant, fetch).catch((thrown: unknown) =>
        log(`The tokens of “${serverName}” were deleted, but not revoked: ${asStudioError(thrown).message}`),
      )
    }
    if (all || !grant) await grants.delete(serverId)
    else await grants.forgetTokens(serverId, grant)
    this.#become(null)
  }

  async #run(
    running: Running,
    entered: EnteredClient | null,
    ready: (at: { url: string }) => void,
  ): Promise<HeldGrant> {
    const { serverId, serverUrl, grants, limits, words } = this.#options
    const { signIn } = await import('./signIn.ts')
    const { oauthFetch } = await import('./oauthFetch.ts')
    const { signal } = running.abort
    const grant = await signIn({
      serverUrl,
      entered,
      signal,
      words,
      waitMs: limits.signInMs,
      challenge: this.#challenge ?? noChallenge,
      before: (await grants.read(serverId, serverUrl))?.grant ?? null,
      fetch: oauthFetch({ ...this.#fetchOptions(), signal }),
      onWaiting: (waiting) => {
        running.step = 'waiting'
        running.waiting = waiting
        this.#options.changed()
        ready({ url: waiting.url })
      },
      onFinishing: () => {
        running.step = 'finishing'
        this.#options.changed()
      },
    })
    return await grants.write(serverId, grant)
  }

  #become(held: HeldGrant | null): void {
    this.#held = held
    this.#options.changed()
  }

  #fetchOptions() {
    const { serverUrl, limits } = this.#options
    return {
      fetch: fetchFor(serverUrl, this.#options),
      serverUrl,
      maxBytes: limits.oauthBytes,
      timeoutMs: limits.oauthMs,
    }
  }
}
