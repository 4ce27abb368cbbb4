import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type AuthInfo,
  getOAuthProtectedResourceMetadataUrl,
  OAuthError,
  OAuthErrorCode,
  oauthMetadataResponse,
  requireBearerAuth,
} from '@modelcontextprotocol/server'
import type { Gate } from './http.ts'

interface Client {
  id: string
  secret: string | null
  redirectUris: string[]
}
interface Code {
  client: Client
  redirectUri: string
  challenge: string
  resource: string
  scope: string
  used: boolean
}
interface Grant {
  clientId: string
  resource: string
  scope: string
  access: Set<string>
  /** The only valid refresh token. Null: revoked. */
  refresh: string | null
}

const random = (prefix: string): string => `${prefix}_${randomBytes(24).toString('base64url')}`

export interface AuthorizationServerOptions {
  /** Whether programs register themselves. */
  registers?: boolean
  /** A client that was registered by hand. Its redirect address is allowed with any port. */
  client?: { id: string; secret: string }
  scopes?: string[]
}

/**
 * A real OAuth 2.1 authorization server on 127.0.0.1: metadata, registration, a page with Allow and Deny, PKCE, codes that work once,
 * refresh tokens that are replaced with each use and revoke everything when one is used twice, audience-bound tokens, and revocation.
 */
export async function startAuthorizationServer({
  registers = true,
  client: known,
  scopes = ['mcp:tools'],
}: AuthorizationServerOptions = {}) {
  const clients = new Map<string, Client>()
  const codes = new Map<string, Code>()
  const asked = new Map<string, URLSearchParams>()
  const grants: Grant[] = []
  const seen: { path: string; query: URLSearchParams; body: URLSearchParams; headers: IncomingHttpHeaders }[] = []
  if (known)
    clients.set(known.id, { id: known.id, secret: known.secret, redirectUris: ['http://127.0.0.1/oauth/callback'] })
  let before: ((request: IncomingMessage, response: ServerResponse) => boolean) | null = null
  const controls = { metadata: {} as Record<string, unknown>, lifeSeconds: 3600, redirect: (url: URL): URL => url }

  const server = createServer((request, response) => {
    if (before?.(request, response)) return
    handle(request, response).catch((thrown: unknown) => {
      if (thrown instanceof OAuthError) return send(response, 400, thrown.toResponseObject())
      response.destroy()
      throw thrown
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', issuer)
    const text = await textOf(request)
    const isJson = request.headers['content-type']?.includes('json')
    const body = new URLSearchParams(isJson ? '' : text)
    seen.push({ path: url.pathname, query: url.searchParams, body, headers: request.headers })
    if (url.pathname === '/.well-known/oauth-authorization-server')
      return send(response, 200, { ...metadata(), ...controls.metadata })
    if (url.pathname === '/register' && registers) return send(response, 201, register(JSON.parse(text)))
    if (url.pathname === '/authorize') return showPage(response, url.searchParams)
    if (url.pathname === '/decision') return redirect(response, decide(body))
    if (url.pathname === '/token') return send(response, 200, token(body, authenticated(request, body)))
    if (url.pathname === '/revoke') return send(response, 200, revoke(body, authenticated(request, body)))
    return send(response, 404, {})
  }

  const metadata = () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    revocation_endpoint: `${issuer}/revoke`,
    ...(registers ? { registration_endpoint: `${issuer}/register` } : {}),
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
    authorization_response_iss_parameter_supported: true,
    scopes_supported: scopes,
  })

  function register(given: { redirect_uris: string[]; application_type?: string }) {
    if (given.application_type !== 'native') throw new OAuthError(OAuthErrorCode.InvalidClientMetadata, 'native only')
    const client: Client = { id: random('client'), secret: null, redirectUris: given.redirect_uris }
    clients.set(client.id, client)
    return { ...given, client_id: client.id, client_id_issued_at: Math.floor(Date.now() / 1000) }
  }

  function showPage(response: ServerResponse, query: URLSearchParams): void {
    const client = clients.get(query.get('client_id') ?? '')
    const redirectUri = query.get('redirect_uri') ?? ''
    const bare = redirectUri.replace(/:\d+/, '')
    const isRegistered =
      client?.redirectUris.includes(redirectUri) || (client?.secret && client.redirectUris.includes(bare))
    const isWhole = query.get('response_type') === 'code' && query.get('code_challenge_method') === 'S256'
    if (!isRegistered || !isWhole || !query.get('state') || !query.get('code_challenge') || !query.get('resource')) {
      send(response, 400, { error: 'invalid_request' })
      return
    }
    const id = random('ask')
    asked.set(id, query)
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    response.end(`<!doctype html><html lang="en"><title>Test sign-in</title><body><main><h1>Allow Inference Studio?</h1>
<p>It asks for: ${query.get('scope') ?? 'nothing'}</p><form method="post" action="/decision">
<input type="hidden" name="ask" value="${id}"><button name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Deny</button></form></main></body></html>`)
  }

  function decide(body: URLSearchParams): URL {
    const query = asked.get(body.get('ask') ?? '')
    const client = clients.get(query?.get('client_id') ?? '')
    if (!query || !client) throw new OAuthError(OAuthErrorCode.InvalidRequest, 'unknown')
    asked.delete(body.get('ask') ?? '')
    const redirectUri = query.get('redirect_uri') ?? ''
    const to = new URL(redirectUri)
    to.searchParams.set('state', query.get('state') ?? '')
    to.searchParams.set('iss', issuer)
    if (body.get('decision') !== 'allow') to.searchParams.set('error', 'access_denied')
    else {
      const code = random('code')
      const [challenge = '', resource = '', scope = ''] = ['code_challenge', 'resource', 'scope'].map(
        (n) => query.get(n) ?? '',
      )
      codes.set(code, { client, redirectUri, challenge, resource, scope, used: false })
      to.searchParams.set('code', code)
    }
    return controls.redirect(to)
  }

  function authenticated(request: IncomingMessage, body: URLSearchParams): Client {
    const [, basic] = /^Basic (.+)$/.exec(request.headers.authorization ?? '') ?? []
    const [id, secret] = basic ? Buffer.from(basic, 'base64').toString().split(':') : [body.get('client_id'), null]
    const client = clients.get(id ?? '')
    if (!client || client.secret !== secret) throw new OAuthError(OAuthErrorCode.InvalidClient, 'unknown client')
    return client
  }

  function token(body: URLSearchParams, client: Client) {
    if (body.get('grant_type') === 'refresh_token') return refresh(body, client)
    const code = codes.get(body.get('code') ?? '')
    const verifier = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url')
    const isSame =
      code?.client === client && code.redirectUri === body.get('redirect_uri') && code.resource === body.get('resource')
    if (!code || !isSame || code.used || code.challenge !== verifier) {
      throw new OAuthError(OAuthErrorCode.InvalidGrant, 'The code is not valid.')
    }
    code.used = true
    const grant: Grant = {
      clientId: client.id,
      resource: code.resource,
      scope: code.scope,
      access: new Set<string>(),
      refresh: null,
    }
    grants.push(grant)
    return issue(grant)
  }

  function refresh(body: URLSearchParams, client: Client) {
    const given = body.get('refresh_token')
    const grant = grants.find((one) => one.refresh === given && one.clientId === client.id)
    if (!grant || grant.resource !== body.get('resource')) {
      // A refresh token that was used before: someone has stolen it.
      for (const one of grants) if (one.clientId === client.id) drop(one)
      throw new OAuthError(OAuthErrorCode.InvalidGrant, `No such token: ${given}`)
    }
    grant.access.clear()
    return issue(grant)
  }

  function issue(grant: Grant) {
    const access = random('access')
    grant.access.add(access)
    grant.refresh = random('refresh')
    return {
      access_token: access,
      token_type: 'Bearer',
      expires_in: controls.lifeSeconds,
      refresh_token: grant.refresh,
      scope: grant.scope,
    }
  }

  function drop(grant: Grant): void {
    grant.access.clear()
    grant.refresh = null
  }

  function revoke(body: URLSearchParams, client: Client): object {
    const given = body.get('token') ?? ''
    for (const one of grants)
      if (one.clientId === client.id && (one.refresh === given || one.access.has(given))) drop(one)
    return {}
  }

  /** A gate for a resource: refuses requests without a valid token for it, with the challenge of the official server library. */
  const protect =
    (requiredScopes: () => string[] = () => scopes.slice(0, 1)) =>
    (origin: string): Gate => {
      const resource = new URL('/mcp', origin)
      const verifier = {
        async verifyAccessToken(given: string): Promise<AuthInfo> {
          const grant = grants.find(({ access }) => access.has(given))
          if (grant?.resource !== resource.href) throw new OAuthError(OAuthErrorCode.InvalidToken, 'not valid')
          const expiresAt = Math.floor(Date.now() / 1000) + 3600
          return { token: given, clientId: grant.clientId, scopes: grant.scope.split(' '), expiresAt }
        },
      }
      const resourceMetadataUrl = getOAuthProtectedResourceMetadataUrl(resource)
      return async (request) => {
        const options = { oauthMetadata: metadata(), resourceServerUrl: resource, scopesSupported: scopes.slice(0, 1) }
        const described = oauthMetadataResponse(request, options)
        if (described) return described
        const gate = requireBearerAuth({ verifier, requiredScopes: requiredScopes(), resourceMetadataUrl })
        const answer = await gate(request)
        return answer instanceof Response ? answer : null
      }
    }

  return {
    issuer,
    controls,
    clients,
    grants,
    seen,
    protect,
    /** Makes all access tokens invalid, as if they had expired. */
    expireAccess: () => {
      for (const { access } of grants) access.clear()
    },
    /** Makes all refresh tokens invalid too. */
    expireAll: () => {
      for (const grant of grants) drop(grant)
    },
    requests: (path: string) => seen.filter((one) => one.path === path),
    intercept: (take: typeof before) => {
      before = take
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
export type TestAuthorizationServer = Awaited<ReturnType<typeof startAuthorizationServer>>

/**
 * What a browser does with the address of a sign-in: opens the page, presses a button, and follows the redirect. Resolves with the page of
 * the redirect address, and with that address.
 */
export async function decideInBrowser(address: string, decision: 'allow' | 'deny') {
  const page = await (await fetch(address)).text()
  const [, ask] = /name="ask" value="([^"]+)"/.exec(page) ?? []
  if (ask === undefined) throw new Error(`This is not the page of the sign-in: ${page}`)
  const body = new URLSearchParams({ ask, decision })
  const decided = await fetch(new URL('/decision', address), { method: 'POST', body, redirect: 'manual' })
  const redirect = decided.headers.get('location') ?? ''
  const last = await fetch(redirect)
  return { redirect, status: last.status, text: await last.text(), headers: last.headers }
}

function redirect(response: ServerResponse, to: URL): void {
  response.writeHead(302, { location: to.href }).end()
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
