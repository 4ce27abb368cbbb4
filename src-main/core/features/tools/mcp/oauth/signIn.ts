import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  computeScopeUnion,
  exchangeAuthorization,
  type FetchLike,
  startAuthorization,
  validateAuthorizationResponseIssuer,
} from '@modelcontextprotocol/client'
import type { Words } from '../../../../../../src-renderer/i18n/host.ts'
import { StudioError } from '../../../../errors.ts'
import { checkedAddress } from './addresses.ts'
import { type Challenge, scopeNames } from './challenge.ts'
import { clientFor, type EnteredClient } from './clients.ts'
import { type AuthorizationServer, findAuthorizationServer } from './discovery.ts'
import type { OAuthGrant, StoredOAuthClient } from './grants.ts'
import { redirectProblem, signInProblem } from './problem.ts'
import { type AuthorizationResponse, listenForRedirect, type RedirectListener } from './redirectListener.ts'
import { readTokens } from './tokens.ts'

export interface SignInOptions {
  serverUrl: string
  challenge: Challenge
  /** The grant of the last sign-in, or null. */
  before: OAuthGrant | null
  entered: EnteredClient | null
  /** From `oauthFetch`. */
  fetch: FetchLike
  words: Words
  /** Cancels the sign-in. */
  signal: AbortSignal
  /** How long the person may take in the browser, ms. */
  waitMs: number
  /** Called when the person can open `url` in a browser. */
  onWaiting: (waiting: { url: string; host: string; listener: RedirectListener }) => void
  /** Called when the browser came back. */
  onFinishing: () => void
}

/**
 * Signs in to one MCP server with the authorization code flow and PKCE. Opens no browser.
 *
 * Uses the steps of the official library instead of its `auth()`, which would start a new sign-in without a person's decision after a
 * failed refresh, send a refused code a second time, and write texts of servers to standard error.
 * @throws StudioError with the reason; `facts.code` is `clientNeeded` if a client ID must be entered
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization, RFC 8252
 */
export async function signIn(options: SignInOptions): Promise<OAuthGrant> {
  const { serverUrl, challenge, before, entered, fetch, words, signal } = options
  const found = await findAuthorizationServer(serverUrl, challenge, fetch)
  const server = { ...found, scope: widened(found, before) }
  const { host } = new URL(server.issuer)
  const state = randomBytes(32).toString('base64url')
  const listener = await listenForRedirect(state, portOf(before), words)
  try {
    const redirectUrl = listener.url
    const client = await clientFor({ server, before, entered, redirectUrl, fetch })
    const { authorizationUrl, codeVerifier } = await startAuthorization(server.issuer, {
      metadata: server.metadata,
      clientInformation: client,
      redirectUrl,
      state,
      resource: server.resource,
      ...(server.scope === null ? {} : { scope: server.scope }),
    }).catch((thrown: unknown) => {
      throw signInProblem(thrown, host)
    })
    const { href: url, host: shown } = checkedAddress(authorizationUrl, serverUrl, 'the sign-in page')
    signal.throwIfAborted()
    options.onWaiting({ url, host: shown, listener })
    const response = await inTime(listener.response, options)
    options.onFinishing()
    const code = codeOf(response, server, host)
    return await exchange({ serverUrl, server, client, code, codeVerifier, redirectUrl, fetch })
  } catch (thrown) {
    throw signal.aborted ? cancelled() : thrown
  } finally {
    listener.close()
  }
}

/** Keeps earlier permissions: a server that asks for more still needs them. */
function widened({ issuer, scope }: AuthorizationServer, before: OAuthGrant | null): string | null {
  const granted = before?.issuer === issuer ? before.tokens?.scope : null
  return scope === null ? null : scopeNames(computeScopeUnion(granted ?? undefined, scope)).join(' ')
}

/** Port that the client of the last sign-in was registered with, or 0. */
function portOf(before: OAuthGrant | null): number {
  const url = before?.client.redirectUrl ?? null
  return url === null ? 0 : Number(URL.parse(url)?.port ?? 0)
}

async function inTime<T>(work: Promise<T>, { signal, waitMs }: SignInOptions): Promise<T> {
  const done = new AbortController()
  const late = sleep(waitMs, null, { signal: AbortSignal.any([signal, done.signal]), ref: false }).then(() => {
    const minutes = Math.max(1, Math.round(waitMs / 60_000))
    throw new StudioError('connect_timeout', `The browser did not come back within ${minutes} min. Sign in again.`)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    done.abort()
    late.catch(() => undefined)
  }
}

const cancelled = (): StudioError => new StudioError('cancelled', 'The sign-in was cancelled.')

/** The code of a response. The issuer is checked first, because an error of another issuer must not be shown (RFC 9207). */
function codeOf({ code, error, iss }: AuthorizationResponse, { metadata }: AuthorizationServer, host: string): string {
  try {
    validateAuthorizationResponseIssuer({
      iss: iss ?? undefined,
      expectedIssuer: metadata.issuer,
      issParameterSupported: metadata.authorization_response_iss_parameter_supported === true,
    })
  } catch (thrown) {
    throw signInProblem(thrown, host)
  }
  if (error !== null) throw redirectProblem(error, host)
  if (code === null || code === '') {
    throw new StudioError('malformed_reply', `${host} sent the browser back without an answer.`)
  }
  return code
}

interface Exchange {
  serverUrl: string
  server: AuthorizationServer
  client: StoredOAuthClient
  code: string
  codeVerifier: string
  redirectUrl: string
  fetch: FetchLike
}

async function exchange(given: Exchange): Promise<OAuthGrant> {
  const { serverUrl, server, client, code, codeVerifier, redirectUrl, fetch } = given
  const { issuer, metadata, revocationEndpoint, resource, scope } = server
  try {
    const reply = await exchangeAuthorization(issuer, {
      metadata,
      clientInformation: client,
      codeVerifier,
      redirectUri: redirectUrl,
      resource,
      fetchFn: fetch,
      authorizationCode: code,
      // The response itself was checked already.
      iss: metadata.issuer,
    })
    const { token_endpoint, token_endpoint_auth_methods_supported: methods } = metadata
    return {
      serverUrl,
      resource,
      issuer,
      client,
      tokenEndpoint: token_endpoint,
      tokenAuthMethods: methods ?? [],
      revocationEndpoint,
      tokens: readTokens(reply, scope),
    }
  } catch (thrown) {
    throw signInProblem(thrown, new URL(issuer).host)
  }
}
