import {
  type FetchLike,
  type OAuthClientInformationFull,
  type OAuthClientMetadata,
  registerClient,
} from '@modelcontextprotocol/client'
import { StudioError } from '../../../../errors.ts'
import { clientNeeded } from './challenge.ts'
import type { AuthorizationServer } from './discovery.ts'
import type { OAuthGrant, StoredOAuthClient } from './grants.ts'
import { signInProblem } from './problem.ts'

/** A client that a person registered with the authorization server and entered here. */
export interface EnteredClient {
  id: string
  secret: string | null
}

export interface ClientOptions {
  server: AuthorizationServer
  /** The grant of the last sign-in, or null. */
  before: OAuthGrant | null
  entered: EnteredClient | null
  redirectUrl: string
  fetch: FetchLike
}

/** Longest client ID and client secret, in characters. */
const longest = { id: 2000, secret: 10_000 }
/** A client secret that expires this soon is not used for a sign-in, ms. */
const expiryMarginMs = 10 * 60_000

/**
 * The client for a sign-in: entered now, entered or registered earlier with the same authorization server, or registered now (RFC 7591).
 * Many authorization servers compare the redirect address with its port, so a registered client is used for its own address only.
 * @throws StudioError with the code `clientNeeded` if the authorization server registers no clients
 */
export async function clientFor(options: ClientOptions): Promise<StoredOAuthClient> {
  const { server, before, entered, redirectUrl, fetch } = options
  if (entered) {
    return {
      client_id: entered.id,
      ...(entered.secret === null ? {} : { client_secret: entered.secret }),
      redirectUrl: null,
    }
  }
  // The credentials of one authorization server are never sent to another.
  const known = before?.issuer === server.issuer ? before.client : null
  if (known && isUsable(known, redirectUrl)) return known
  const { issuer, metadata, scope } = server
  const { host } = new URL(issuer)
  if (metadata.registration_endpoint === undefined) {
    const words = `${host} does not register programs by itself. Register Inference Studio there, and enter the client ID.`
    throw new StudioError('forbidden', words, { code: clientNeeded })
  }
  try {
    const clientMetadata = metadataOf(redirectUrl, metadata.token_endpoint_auth_methods_supported)
    const registered = await registerClient(issuer, {
      metadata,
      clientMetadata,
      fetchFn: fetch,
      ...(scope === null ? {} : { scope }),
    })
    return registeredClient(registered, redirectUrl)
  } catch (thrown) {
    throw signInProblem(thrown, host)
  }
}

function isUsable({ redirectUrl, client_secret_expires_at: end }: StoredOAuthClient, wanted: string): boolean {
  if (redirectUrl !== null && redirectUrl !== wanted) return false
  return !end || end * 1000 > Date.now() + expiryMarginMs
}

/** A program on a computer has no secret of its own, so it asks for none where the authorization server allows that. */
function metadataOf(redirectUrl: string, methods: readonly string[] | undefined): OAuthClientMetadata {
  const [method = 'none'] = ['none', 'client_secret_basic', 'client_secret_post'].filter((one) =>
    methods?.includes(one),
  )
  return {
    client_name: 'Inference Studio',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: method,
    application_type: 'native',
  }
}

function registeredClient(given: OAuthClientInformationFull, redirectUrl: string): StoredOAuthClient {
  const { client_id, client_secret, client_secret_expires_at, token_endpoint_auth_method } = given
  if (client_id.length > longest.id || (client_secret?.length ?? 0) > longest.secret) {
    throw new StudioError('malformed_reply', 'The registration sent a client ID or a client secret that is too long.')
  }
  return {
    client_id,
    ...(client_secret === undefined ? {} : { client_secret }),
    ...(client_secret_expires_at === undefined ? {} : { client_secret_expires_at }),
    ...(token_endpoint_auth_method === undefined ? {} : { token_endpoint_auth_method }),
    redirectUrl,
  }
}
