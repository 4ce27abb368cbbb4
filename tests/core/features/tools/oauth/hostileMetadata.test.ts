import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { problemOf } from '../helpers.ts'
import { type ProtectedServer, protectedServers } from './protectedServers.ts'

const start = protectedServers()
let feature: ProtectedServer['feature']
let authorization: ProtectedServer['authorization']
let http: ProtectedServer['http']

async function protectedServer(): Promise<string> {
  const server = await start({ feature: { limits: { oauthBytes: 20_000, oauthMs: 2000 } } })
  ;({ feature, authorization, http } = server)
  await feature.state(server.id, ({ state }) => state === 'sign_in')
  return server.id
}

const json = (response: ServerResponse, body: unknown): true => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  return true
}
const answer =
  (status: number, headers: Record<string, string> = {}, body = '') =>
  (response: ServerResponse): true => {
    response.writeHead(status, headers).end(body)
    return true
  }
const endless = (response: ServerResponse): true => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const more = (): void => {
    if (!response.destroyed) response.write(' '.repeat(10_000), () => setImmediate(more))
  }
  more()
  return true
}

describe('metadata of an authorization server is refused before anything is opened or registered', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['a script as sign-in page', { authorization_endpoint: 'javascript:alert(1)' }, 'malformed_reply'],
    ['a file as sign-in page', { authorization_endpoint: 'file:///etc/passwd' }, 'foreign_address'],
    ['a program as sign-in page', { authorization_endpoint: 'ms-calculator:x' }, 'foreign_address'],
    ['a sign-in page without encryption', { authorization_endpoint: 'http://evil.example/a' }, 'foreign_address'],
    ['a sign-in page with a password', { authorization_endpoint: 'https://a:b@evil.example/' }, 'foreign_address'],
    ['tokens over http', { token_endpoint: 'http://evil.example/token' }, 'foreign_address'],
    ['registration over http', { registration_endpoint: 'http://evil.example/r' }, 'foreign_address'],
    ['revocation over http', { revocation_endpoint: 'http://10.0.0.1/r' }, 'foreign_address'],
    ['another issuer', { issuer: 'https://evil.example' }, 'foreign_address'],
    ['no PKCE', { code_challenge_methods_supported: undefined }, 'not_implemented'],
    ['plain PKCE', { code_challenge_methods_supported: ['plain'] }, 'not_implemented'],
    ['wrong types', { token_endpoint: 7 }, 'malformed_reply'],
    ['more than the limit', { filler: 'x'.repeat(30_000) }, 'malformed_reply'],
    [
      'a very long sign-in page',
      { authorization_endpoint: `https://a.example/${'x'.repeat(9000)}` },
      'foreign_address',
    ],
  ])('%s', async (_, metadata, kind) => {
    const id = await protectedServer()
    authorization.controls.metadata = metadata
    expect(await problemOf(feature.tools.signIn(id))).toMatchObject({ kind })
    expect(feature.tools.state().servers[0]?.signIn).toMatchObject({ step: 'needed', url: null, problem: { kind } })
    expect(authorization.requests('/register')).toEqual([])
  })

  test.each<[string, (response: ServerResponse) => true, string]>([
    ['no JSON', answer(200, {}, '<html>'), 'malformed_reply'],
    ['an endless reply', endless, 'malformed_reply'],
    ['no reply', () => true, 'connect_timeout'],
    ['a failure', answer(503), 'malformed_reply'],
    ['nothing', answer(404), 'not_found'],
    ['prototype members', (response) => json(response, JSON.parse('{"__proto__":{"issuer":"x"}}')), 'malformed_reply'],
    ['an endless chain of redirects', answer(302, { location: '/again' }), 'not_found'],
    ['a redirect to another origin', answer(302, { location: 'http://127.0.0.1:9/' }), 'not_found'],
  ])('%s', async (_, take, kind) => {
    const id = await protectedServer()
    authorization.intercept((_request, response) => take(response))
    expect(await problemOf(feature.tools.signIn(id))).toMatchObject({ kind })
  })
})

describe('metadata of an MCP server is refused', () => {
  const resourcePath = '/.well-known/oauth-protected-resource/mcp'
  const answering = (body: () => unknown) =>
    http.intercept((request, response) => request.url === resourcePath && json(response, body()))

  test.each<[string, () => Record<string, unknown>]>([
    ['another server as resource', () => ({ resource: 'https://bank.example/mcp' })],
    ['another path as resource', () => ({ resource: `${http.origin}/other` })],
    ['an authorization server without encryption', () => ({ authorization_servers: ['http://evil.example'] })],
    ['an authorization server with a fragment', () => ({ authorization_servers: ['https://evil.example/#x'] })],
    ['an authorization server that is a file', () => ({ authorization_servers: ['file:///etc'] })],
  ])('%s', async (_, part) => {
    const id = await protectedServer()
    answering(() => ({ resource: http.url, authorization_servers: [authorization.issuer], ...part() }))
    expect(await problemOf(feature.tools.signIn(id))).toMatchObject({ kind: 'foreign_address' })
    expect(authorization.seen).toEqual([])
  })

  test('an endless reply', async () => {
    const id = await protectedServer()
    http.intercept((request, response) => request.url === resourcePath && endless(response))
    expect(await problemOf(feature.tools.signIn(id))).toMatchObject({ kind: 'malformed_reply' })
  })

  test('without metadata, its own origin is the authorization server', async () => {
    const id = await protectedServer()
    http.intercept((request, response) => {
      if (!request.url?.startsWith('/.well-known/')) return false
      response.writeHead(404).end()
      return true
    })
    expect(await problemOf(feature.tools.signIn(id))).toMatchObject({
      kind: 'not_found',
      message: expect.stringMatching(/enter it as a header/),
    })
    expect(http.seen.map(({ path }) => path)).toContain('/.well-known/oauth-authorization-server')
  })
})

describe('tokens are refused', () => {
  test.each<[string, Record<string, unknown>]>([
    ['with a line end', { access_token: 'a\r\nX-Evil: 1' }],
    ['that are too long', { access_token: 'a'.repeat(16_001) }],
    ['of another kind', { token_type: 'DPoP' }],
    ['that are missing', { access_token: undefined }],
  ])('%s', async (_, part) => {
    const id = await protectedServer()
    const { url } = await feature.tools.signIn(id)
    authorization.intercept(
      (request, response) =>
        request.url === '/token' && json(response, { access_token: 'good', token_type: 'Bearer', ...part }),
    )
    const { decideInBrowser } = await import('../../../../helpers/mcp/authorizationServer.ts')
    await decideInBrowser(url, 'allow')
    await feature.state(id, ({ signIn }) => signIn?.step === 'needed' && signIn.problem !== null)
    expect(feature.secrets.kept.size).toBe(0)
  })
})
