import {
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  computeScopeUnion,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  type FetchLike,
  resourceUrlFromServerUrl,
} from '@modelcontextprotocol/client'
import { StudioError } from '../../../../errors.ts'
import { checkedAddress } from './addresses.ts'
import { type Challenge, scopeNames } from './challenge.ts'
import { signInProblem } from './problem.ts'

/** The authorization server of an MCP server. Every address in it is checked. */
export interface AuthorizationServer {
  issuer: string
  metadata: AuthorizationServerMetadata
  /** Where tokens are revoked (RFC 7009), or null. */
  revocationEndpoint: string | null
  /** Identifier of the MCP server, sent with each request for tokens (RFC 8707). */
  resource: string
  /** Permissions to ask for, space-separated, or null for those that the server gives by itself. */
  scope: string | null
}

/**
 * Finds the authorization server: metadata of the protected resource (RFC 9728), then of the authorization server (RFC 8414 or OpenID
 * Connect Discovery). Servers of protocol versions before 2025-06-18 have no resource metadata, so their own origin counts as the server.
 * @throws StudioError `not_found` if there is no metadata, `foreign_address`, `malformed_reply`, and as `oauthFetch`
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */
export async function findAuthorizationServer(
  serverUrl: string,
  challenge: Challenge,
  fetch: FetchLike,
): Promise<AuthorizationServer> {
  const resource = await readResource(serverUrl, challenge, fetch)
  const [named] = resource?.authorization_servers ?? []
  const issuer = checkedAddress(named ?? new URL('/', serverUrl), serverUrl, 'the address of the authorization server')
  const metadata = await discoverAuthorizationServerMetadata(named ?? issuer.href, { fetchFn: fetch }).catch(
    (thrown: unknown) => {
      throw signInProblem(thrown, issuer.host)
    },
  )
  if (!metadata) {
    throw new StudioError(
      'not_found',
      `${issuer.host} describes no sign-in. If you have a key or a token for the server, enter it as a header.`,
    )
  }
  // The library's type of OpenID Connect metadata lacks this member.
  const revocation = 'revocation_endpoint' in metadata ? metadata.revocation_endpoint : undefined
  const revocationEndpoint = typeof revocation === 'string' ? revocation : null
  checkMetadata({ ...metadata, revocationEndpoint }, serverUrl, issuer.host)
  const scope = computeScopeUnion(challenge.scope ?? resource?.scopes_supported?.join(' '))
  return {
    issuer: metadata.issuer,
    metadata,
    revocationEndpoint,
    resource: resource?.resource ?? resourceUrlFromServerUrl(serverUrl).href,
    scope: scopeOf(scope, metadata),
  }
}

/** Metadata of the MCP server, or null if it has none. */
async function readResource(serverUrl: string, { resourceMetadataUrl }: Challenge, fetch: FetchLike) {
  let missing = false
  /** The library reports a missing document like a broken one, as an error without a class. */
  const watched: FetchLike = async (url, init) => {
    const response = await fetch(url, init)
    missing = response.status >= 400 && response.status < 500
    return response
  }
  const options = resourceMetadataUrl === null ? {} : { resourceMetadataUrl: new URL(resourceMetadataUrl) }
  try {
    const metadata = await discoverOAuthProtectedResourceMetadata(serverUrl, options, watched)
    const asked = resourceUrlFromServerUrl(serverUrl)
    if (checkResourceAllowed({ requestedResource: asked, configuredResource: metadata.resource })) return metadata
    throw new StudioError(
      'foreign_address',
      'The sign-in was stopped: the server names another server as the one that you sign in to.',
    )
  } catch (thrown) {
    if (missing && !(thrown instanceof StudioError)) return null
    throw signInProblem(thrown, new URL(serverUrl).host)
  }
}

function checkMetadata(
  metadata: AuthorizationServerMetadata & Pick<AuthorizationServer, 'revocationEndpoint'>,
  serverUrl: string,
  host: string,
): void {
  const { authorization_endpoint, token_endpoint, registration_endpoint, revocationEndpoint } = metadata
  checkedAddress(authorization_endpoint, serverUrl, 'the sign-in page')
  checkedAddress(token_endpoint, serverUrl, 'the token address')
  if (registration_endpoint !== undefined) checkedAddress(registration_endpoint, serverUrl, 'the registration address')
  if (revocationEndpoint !== null) checkedAddress(revocationEndpoint, serverUrl, 'the revocation address')
  // Without this member the client cannot know that the code is protected, and must refuse (specification, Authorization Code Protection).
  if (!metadata.code_challenge_methods_supported?.includes('S256')) {
    throw new StudioError('not_implemented', `${host} does not support PKCE with S256, which a safe sign-in needs.`)
  }
}

function scopeOf(scope: string | undefined, { scopes_supported }: AuthorizationServerMetadata): string | null {
  const wanted = scopeNames(scope)
  // Asks for a refresh token where the authorization server gives one only on request.
  const all = wanted.length > 0 && scopes_supported?.includes('offline_access') ? [...wanted, 'offline_access'] : wanted
  return all.length === 0 ? null : [...new Set(all)].join(' ')
}
