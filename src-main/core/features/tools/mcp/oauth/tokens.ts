import { type FetchLike, OAuthError, refreshAuthorization, selectClientAuthMethod } from '@modelcontextprotocol/client'
import { StudioError } from '../../../../errors.ts'
import { checkedAddress } from './addresses.ts'
import type { OAuthGrant, StoredOAuthTokens } from './grants.ts'
import { signInProblem } from './problem.ts'

/** Longest token, in characters. Servers limit the headers of a request to about this. */
const longest = 16_000
/** Longest lifetime of an access token that is accepted, s. A longer one is cut to this. */
const longestLifeSeconds = 10 * 365 * 86_400

/** What an authorization server sends for a code or a refresh token. */
interface TokenReply {
  access_token: string
  token_type: string
  expires_in?: number | undefined
  scope?: string | undefined
  refresh_token?: string | undefined
}

/**
 * Checks the tokens of an authorization server. @param scope the permissions that were asked for
 * @throws StudioError `malformed_reply`
 */
export function readTokens(reply: TokenReply, scope: string | null): StoredOAuthTokens {
  const { access_token, token_type, expires_in, refresh_token } = reply
  const all = [access_token, ...(refresh_token === undefined ? [] : [refresh_token])]
  // A header may contain only these characters.
  if (!all.every((token) => token.length <= longest && /^[\x21-\x7e]+$/.test(token))) {
    throw new StudioError('malformed_reply', 'The authorization server sent a token that cannot be used.')
  }
  if (token_type.toLowerCase() !== 'bearer') {
    throw new StudioError('not_implemented', 'The authorization server sent a kind of token that is not supported.')
  }
  const seconds = expires_in !== undefined && Number.isFinite(expires_in) ? Math.max(0, expires_in) : null
  return {
    accessToken: access_token,
    refreshToken: refresh_token ?? null,
    // Without this member, the granted permissions are the requested ones (RFC 6749, section 5.1).
    scope: reply.scope ?? scope,
    expiresAt: seconds === null ? null : Date.now() + Math.min(seconds, longestLifeSeconds) * 1000,
  }
}

/** Metadata that the library needs for the token address of a grant. */
const metadataOf = ({ issuer, tokenEndpoint, tokenAuthMethods }: OAuthGrant) => ({
  issuer,
  authorization_endpoint: tokenEndpoint,
  token_endpoint: tokenEndpoint,
  response_types_supported: ['code'],
  token_endpoint_auth_methods_supported: tokenAuthMethods,
})

/**
 * New tokens for a refresh token. Null: the authorization server refused the refresh token, so a new sign-in is needed.
 * @throws StudioError for a failure that may pass, such as `connect_failed`
 */
export async function refreshedTokens(grant: OAuthGrant, fetch: FetchLike): Promise<StoredOAuthTokens | null> {
  const { issuer, client, tokens, resource } = grant
  if (!tokens?.refreshToken) return null
  try {
    const reply = await refreshAuthorization(issuer, {
      metadata: metadataOf(grant),
      clientInformation: client,
      refreshToken: tokens.refreshToken,
      resource,
      fetchFn: fetch,
    })
    return readTokens(reply, tokens.scope)
  } catch (thrown) {
    const mayPass = ['server_error', 'temporarily_unavailable', 'too_many_requests', 'slow_down']
    if (thrown instanceof OAuthError && !mayPass.includes(thrown.code)) return null
    throw signInProblem(thrown, new URL(issuer).host)
  }
}

/**
 * Revokes the tokens of a grant, the refresh token first, because that may revoke the access token too (RFC 7009).
 * @throws StudioError if the authorization server did not accept the request
 */
export async function revokeTokens(grant: OAuthGrant, fetch: FetchLike): Promise<void> {
  const { tokens, revocationEndpoint, serverUrl } = grant
  if (!tokens || revocationEndpoint === null) return
  const url = checkedAddress(revocationEndpoint, serverUrl, 'the revocation address')
  for (const [kind, token] of [
    ['refresh_token', tokens.refreshToken],
    ['access_token', tokens.accessToken],
  ] as const) {
    if (token === null) continue
    const { headers, body } = clientAuthentication(grant)
    body.set('token', token)
    body.set('token_type_hint', kind)
    const { ok, status } = await fetch(url, { method: 'POST', headers, body })
    if (!ok) throw new StudioError('unexpected_status', `${url.host} did not revoke a token (${status}).`, { status })
  }
}

/** The library authenticates the client for tokens only, so this does the same for revocation. */
function clientAuthentication({ client, tokenAuthMethods }: OAuthGrant): { headers: Headers; body: URLSearchParams } {
  const { client_id, client_secret = '' } = client
  const method = selectClientAuthMethod(client, tokenAuthMethods)
  const headers = new Headers({ accept: 'application/json' })
  if (method === 'client_secret_basic') {
    headers.set('authorization', `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`)
    return { headers, body: new URLSearchParams() }
  }
  const secret = method === 'client_secret_post' ? { client_secret } : {}
  return { headers, body: new URLSearchParams({ client_id, ...secret }) }
}
