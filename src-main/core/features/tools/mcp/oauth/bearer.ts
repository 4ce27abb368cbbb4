import {
  type AuthProvider,
  checkResourceAllowed,
  extractWWWAuthenticateParams,
  type FetchLike,
} from '@modelcontextprotocol/client'
import { StudioError } from '../../../../errors.ts'
import { type Challenge, scopeNeeded } from './challenge.ts'
import type { HeldGrant, OAuthGrant, OAuthGrants } from './grants.ts'
import { refreshedTokens } from './tokens.ts'

/** An access token that expires this soon is refreshed before it is sent, ms. */
const expiryMarginMs = 10_000

export interface BearerOptions {
  serverId: string
  /** Address of the MCP server. */
  serverUrl: string
  grants: OAuthGrants
  /** From `oauthFetch`. */
  fetch: FetchLike
  /** Called with the grant that is used from now on, or with null if the server needs a sign-in. */
  onGrant: (held: HeldGrant | null) => void
}

/**
 * The access token of one MCP server: adds it to requests, and refreshes it. One refresh at a time, because authorization servers revoke
 * all tokens when a refresh token is used twice (OAuth 2.1, section 4.3.1). Never starts a sign-in.
 */
export class BearerToken implements AuthProvider {
  /** The reason of the server's last refusal. */
  challenge: Challenge | null = null
  readonly #options: BearerOptions
  readonly #sentWith = new WeakMap<Response, string>()
  #refreshing: Promise<OAuthGrant | null> | null = null

  constructor(options: BearerOptions) {
    this.#options = options
  }

  /** The running refresh, which must end before another object uses the grant. */
  get running(): Promise<unknown> {
    return this.#refreshing ?? Promise.resolve()
  }

  /** @throws StudioError `keychain_locked` */
  async token(): Promise<string | undefined> {
    const grant = await this.#grant()
    if (!grant?.tokens) return undefined
    const { accessToken, expiresAt, refreshToken } = grant.tokens
    const isFresh = expiresAt === null || expiresAt > Date.now() + expiryMarginMs
    if (isFresh || refreshToken === null) return accessToken
    // If the authorization server cannot be reached, the server decides about the old token.
    const refreshed = await this.#refreshed(accessToken).catch(() => grant)
    return refreshed?.tokens?.accessToken
  }

  /**
   * Refreshes the token of a refused request, so that the library repeats the request once.
   * @throws StudioError `unauthorized` if a sign-in is needed, and as `refreshedTokens`
   */
  async onUnauthorized({ response }: { response: Response }): Promise<void> {
    const sent = this.#sentWith.get(response)
    const grant = await this.#refreshed(sent ?? null)
    const current = grant?.tokens?.accessToken
    if (current !== undefined && current !== sent) return
    throw new StudioError('unauthorized', 'It asks you to sign in.')
  }

  /**
   * `fetch` for the MCP server. Sends the token only to addresses of the resource that it was issued for, also after a redirect within the
   * origin.
   */
  fetch(inner: FetchLike): FetchLike {
    return async (url, init) => {
      const [, sent] = /^Bearer (.+)$/.exec(new Headers(init?.headers).get('authorization') ?? '') ?? []
      const grant = sent === undefined ? null : await this.#grant()
      if (grant && !checkResourceAllowed({ requestedResource: url, configuredResource: grant.resource })) {
        throw new StudioError('foreign_address', 'It redirects to an address outside of the one that you signed in to.')
      }
      const response = await inner(url, init)
      if (sent !== undefined) this.#sentWith.set(response, sent)
      const challenge = challengeOf(response)
      if (response.status === 401 || challenge.isAboutScope) this.challenge = challenge
      return response
    }
  }

  /**
   * The grant after a refresh, unless its access token is another one than the refused one already. Null: a sign-in is needed.
   * @param refused the token that was refused or has expired, or null if none was sent
   */
  async #refreshed(refused: string | null): Promise<OAuthGrant | null> {
    if (this.#refreshing) return await this.#refreshing
    const grant = await this.#grant()
    if (!grant?.tokens || grant.tokens.accessToken !== refused) return grant
    this.#refreshing ??= this.#refresh(grant).finally(() => {
      this.#refreshing = null
    })
    return await this.#refreshing
  }

  async #refresh(grant: OAuthGrant): Promise<OAuthGrant | null> {
    const { serverId, grants, fetch, onGrant } = this.#options
    const tokens = await refreshedTokens(grant, fetch)
    if (tokens === null) {
      await grants.forgetTokens(serverId, grant)
      onGrant(null)
      return null
    }
    const held = await grants.write(serverId, { ...grant, tokens })
    onGrant(held)
    return held.grant
  }

  async #grant(): Promise<OAuthGrant | null> {
    const { grants, serverId, serverUrl } = this.#options
    return (await grants.read(serverId, serverUrl))?.grant ?? null
  }
}

function challengeOf(response: Response): Challenge {
  const { resourceMetadataUrl, scope, error } = extractWWWAuthenticateParams(response)
  return {
    resourceMetadataUrl: resourceMetadataUrl?.href ?? null,
    scope: scope ?? null,
    isAboutScope: response.status === 403 && error === scopeNeeded,
  }
}
