import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { StudioError } from '../../../../../src-main/core/errors.ts'
import { firstCases } from '../../../../helpers/effort.ts'
import { decideInBrowser } from '../../../../helpers/mcp/authorizationServer.ts'
import { startHttp } from '../../../../helpers/mcp/http.ts'
import { memorySecrets } from '../../../helpers/core.ts'
import { problemOf } from '../helpers.ts'
import { type ProtectedServer, type ProtectedServerOptions, protectedServers } from './protectedServers.ts'

const start = protectedServers()
let feature: ProtectedServer['feature']
let authorization: ProtectedServer['authorization']
let http: ProtectedServer['http']

/** A server that needs a sign-in, added and switched on. */
async function protectedServer(options: ProtectedServerOptions = {}): Promise<string> {
  const server = await start(options)
  ;({ feature, authorization, http } = server)
  await feature.state(server.id, ({ state }) => state === 'sign_in')
  return server.id
}

async function signIn(id: string, decision: 'allow' | 'deny' = 'allow') {
  const { url } = await feature.tools.signIn(id)
  return await decideInBrowser(url, decision)
}

async function signedIn(id: string): Promise<void> {
  await signIn(id)
  await feature.ready(id)
}

/** Why the last sign-in failed. */
const failure = async (id: string) => {
  const { signIn: view } = await feature.state(id, ({ signIn: now }) => now?.step === 'needed' && now.problem !== null)
  return view?.problem
}

const textsOf = (): string => JSON.stringify(feature.tools.state()) + feature.lines.join('\n')
const allTokens = (): string[] => authorization.grants.flatMap(({ access, refresh }) => [...access, refresh ?? ''])

describe.each(firstCases<'modern' | 'sessions'>(1, ['modern', 'sessions']))('a server with OAuth (%s)', (mode) => {
  test('needs a sign-in, and is listed and called after it', { tags: 'long' }, async () => {
    const id = await protectedServer({ mode })
    expect(feature.tools.state().servers[0]).toMatchObject({
      problem: null,
      tools: [],
      signIn: { step: 'needed', url: null, problem: null, scopes: ['mcp:tools'], storedIn: null },
    })
    expect(authorization.seen).toEqual([])

    const { url } = await feature.tools.signIn(id)
    const waiting = await feature.state(id, ({ signIn: view }) => view?.step === 'waiting')
    expect(waiting.signIn).toMatchObject({ url, host: new URL(url).host })
    const asked = new URL(url).searchParams
    expect(asked.get('resource')).toBe(http.url)
    expect(asked.get('scope')).toBe('mcp:tools')
    expect(asked.get('code_challenge_method')).toBe('S256')
    expect(asked.get('state')).toMatch(/^[\w-]{43}$/)
    expect(asked.get('redirect_uri')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/oauth\/callback$/)

    const page = await decideInBrowser(url, 'allow')
    expect(page.status).toBe(200)
    const ready = await feature.ready(id)
    expect(ready.signIn).toMatchObject({ step: 'done', storedIn: 'keychain', host: new URL(authorization.issuer).host })
    expect((await feature.run(id, 'echo', { text: 'hello' })).text).toBe('hello')
    const [token] = authorization.requests('/token')
    expect(token?.body.get('resource')).toBe(http.url)
  })

  test('refreshes an expired token in the middle of a session, once for calls at the same time', async () => {
    const id = await protectedServer({ mode })
    await signedIn(id)
    authorization.expireAccess()
    const rows = await Promise.all(['a', 'b', 'c', 'd'].map((text) => feature.run(id, 'echo', { text })))
    expect(rows.map(({ text }) => text)).toEqual(['a', 'b', 'c', 'd'])
    expect(refreshesOf()).toHaveLength(1)
    expect(refreshesOf()[0]?.body.get('resource')).toBe(http.url)
  })

  test('needs a new sign-in when its refresh token has expired, and no call is made', { tags: 'long' }, async () => {
    const id = await protectedServer({ mode })
    await signedIn(id)
    const old = allTokens()
    authorization.expireAll()
    const { run } = await feature.run(id, 'echo', { text: 'x' })
    expect(run).toMatchObject({ state: 'failed', notes: [expect.stringMatching(/needs a new sign-in/)] })
    expect(run.notes.join()).not.toMatch(/may have completed/)
    const { signIn: view } = await feature.state(id, ({ state }) => state === 'sign_in')
    expect(view).toMatchObject({ step: 'needed', storedIn: null })
    expect(http.state.called).toEqual([])
    expect(feature.secrets.kept.size).toBe(0)
    for (const token of old) expect(textsOf()).not.toContain(token)
    await signedIn(id)
    expect((await feature.run(id, 'echo', { text: 'again' })).text).toBe('again')
  })
})

describe('the tokens of a sign-in', () => {
  test('survive a restart, and are in the keychain alone: not in a file, the state or the log', {
    tags: 'long',
  }, async () => {
    const id = await protectedServer()
    await signedIn(id)
    await feature.run(id, 'echo', { text: 'x' })
    await feature.restart()
    await feature.ready(id)
    expect((await feature.run(id, 'echo', { text: 'after' })).text).toBe('after')
    expect(authorization.requests('/token')).toHaveLength(1)
    const tokens = allTokens()
    expect(tokens).toHaveLength(2)
    const kept = [...feature.secrets.kept.values()].join('')
    const files = readdirSync(feature.folder, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    )
    expect(files.length).toBeGreaterThan(0)
    for (const token of tokens) {
      expect(kept).toContain(token)
      expect(textsOf()).not.toContain(token)
      for (const { parentPath, name } of files) {
        expect(readFileSync(join(parentPath, name)).includes(token), name).toBe(false)
      }
    }
  })

  test('last until the program ends without a keychain, which is not asked again', async () => {
    const id = await protectedServer({ feature: { secrets: memorySecrets('missing') } })
    await signedIn(id)
    expect(feature.tools.state().servers[0]?.signIn).toMatchObject({ step: 'done', storedIn: 'session' })
    expect((await feature.run(id, 'echo', { text: 'x' })).text).toBe('x')
    expect(feature.lines.join()).toMatch(/lasts until the program ends/)
    await feature.restart()
    await feature.state(id, ({ state }) => state === 'sign_in')
  })

  test('are removed from results and errors of the server', async () => {
    const id = await protectedServer()
    await signedIn(id)
    const [token = ''] = allTokens()
    expect((await feature.run(id, 'echo', { text: `I know ${token}` })).text).toBe('I know •••')
  })

  test('are revoked and deleted when the person signs out, and when the server is removed', async () => {
    const id = await protectedServer()
    await signedIn(id)
    await feature.tools.signOut(id)
    await feature.state(id, ({ state }) => state === 'sign_in')
    expect(allTokens()).toEqual([''])
    expect(authorization.requests('/revoke').map(({ body }) => body.get('token_type_hint'))).toEqual([
      'refresh_token',
      'access_token',
    ])
    expect(feature.secrets.kept.size).toBe(0)
    await signedIn(id)
    expect(feature.secrets.kept.size).toBeGreaterThan(0)
    await feature.tools.removeServer(id)
    expect(feature.secrets.kept.size).toBe(0)
    expect(allTokens()).toEqual(['', ''])
  })

  test('are deleted although the authorization server does not answer', async () => {
    const id = await protectedServer({ feature: { limits: { revokeMs: 100 } } })
    await signedIn(id)
    authorization.intercept(({ url }) => url === '/revoke')
    await feature.tools.signOut(id)
    expect(feature.secrets.kept.size).toBe(0)
    expect(feature.lines.join()).toMatch(/deleted, but not revoked/)
  })

  test('are deleted when the address of the server changes, and never sent to the new one', async () => {
    const id = await protectedServer()
    await signedIn(id)
    const other = await startHttp('modern')
    const transport = { kind: 'http' as const, url: other.url, headers: [] }
    await feature.tools.saveServer({ id, name: 'Test', transport, timeoutSeconds: 20, secrets: {} })
    await feature.ready(id)
    expect(other.seen.every(({ headers }) => headers.authorization === undefined)).toBe(true)
    expect(feature.secrets.kept.size).toBe(0)
    await feature.tools.switchServer(id, false)
    await other.close()
  })

  test('are not sent to another path of the same origin', async () => {
    const id = await protectedServer()
    await signedIn(id)
    http.seen.length = 0
    http.intercept(({ url }, response) => {
      if (url !== '/mcp') return false
      response.writeHead(307, { location: '/other' }).end()
      return true
    })
    const { run } = await feature.run(id, 'echo', { text: 'x' })
    expect(run).toMatchObject({ state: 'failed', notes: [expect.stringMatching(/outside of the one/)] })
    expect(http.seen.filter(({ path }) => path === '/other')).toEqual([])
  })

  test('are not sent to the authorization server with the headers of the server', async () => {
    const id = await protectedServer({ headers: { 'X-Own-Key': 'very-secret' } })
    await signedIn(id)
    expect(http.seen.some(({ headers }) => headers['x-own-key'] === 'very-secret')).toBe(true)
    expect(authorization.seen.length).toBeGreaterThan(3)
    expect(JSON.stringify(authorization.seen)).not.toContain('very-secret')
  })
})

const refreshesOf = () =>
  authorization.requests('/token').filter(({ body }) => body.get('grant_type') === 'refresh_token')

describe('a refresh', () => {
  test('happens before the access token expires', async () => {
    const id = await protectedServer()
    authorization.controls.lifeSeconds = 5
    await signedIn(id)
    authorization.controls.lifeSeconds = 3600
    http.seen.length = 0
    expect((await feature.run(id, 'echo', { text: 'x' })).text).toBe('x')
    await feature.run(id, 'echo', { text: 'y' })
    expect(refreshesOf().length).toBeGreaterThan(0)
    const sent = new Set(http.seen.map(({ headers }) => headers.authorization))
    expect([...sent]).toEqual(
      allTokens()
        .slice(0, 1)
        .map((token) => `Bearer ${token}`),
    )
  })

  test.each([
    ['fails', 503],
    ['is too busy', 429],
  ])('keeps the sign-in if the authorization server %s', { tags: 'long' }, async (_, status) => {
    const id = await protectedServer()
    await signedIn(id)
    authorization.expireAccess()
    authorization.intercept(({ url }, response) => {
      if (url !== '/token') return false
      response.writeHead(status).end('no')
      return true
    })
    expect((await feature.run(id, 'echo', { text: 'x' })).run.state).toBe('failed')
    expect(feature.tools.state().servers[0]).toMatchObject({ state: 'ready', signIn: { step: 'done' } })
    authorization.intercept(null)
    expect((await feature.run(id, 'echo', { text: 'x' })).text).toBe('x')
  })

  test('is not lost when the keychain is locked at that moment', async () => {
    const secrets = memorySecrets()
    let isLocked = false
    const set: typeof secrets.set = async (account, value) => {
      if (isLocked) throw new StudioError('keychain_locked', 'The keychain is locked.')
      await secrets.set(account, value)
    }
    const id = await protectedServer({ feature: { secrets: { ...secrets, set } } })
    await signedIn(id)
    isLocked = true
    authorization.expireAccess()
    expect((await feature.run(id, 'echo', { text: 'x' })).text).toBe('x')
    expect(feature.tools.state().servers[0]?.signIn).toMatchObject({ step: 'done', storedIn: 'session' })
    authorization.expireAccess()
    expect((await feature.run(id, 'echo', { text: 'y' })).text).toBe('y')
  })
})

test('a sign-in that ends while only events are awaited is noticed without a call', async () => {
  const id = await protectedServer({ mode: 'sessions' })
  await signedIn(id)
  await expect.poll(() => http.seen.some(({ method }) => method === 'GET')).toBe(true)
  authorization.expireAll()
  http.disconnect()
  const { signIn: view } = await feature.state(id, ({ state }) => state === 'sign_in')
  expect(view).toMatchObject({ step: 'needed', storedIn: null })
  expect(http.state.called).toEqual([])
})

test('a server whose sign-in is in a locked keychain is not connected without it, and can be tried again', {
  tags: 'long',
}, async () => {
  const secrets = memorySecrets()
  let isLocked = false
  const get: typeof secrets.get = async (account) => {
    if (isLocked) throw new StudioError('keychain_locked', 'The keychain is locked.')
    return await secrets.get(account)
  }
  const id = await protectedServer({ feature: { secrets: { ...secrets, get } } })
  await signedIn(id)
  isLocked = true
  await feature.restart()
  expect((await feature.state(id, ({ state }) => state === 'failed')).problem).toMatchObject({
    kind: 'keychain_locked',
  })
  isLocked = false
  await feature.tools.switchServer(id, true)
  await feature.ready(id)
})

test('answers of other programs are ignored: the sign-in goes on waiting, and the browser still completes it', async () => {
  const id = await protectedServer()
  const { url } = await feature.tools.signIn(id)
  const redirect = new URL(url).searchParams.get('redirect_uri') ?? ''
  for (const query of ['?state=guessed&code=x', '?code=x', '?state=guessed&error=access_denied', '?error=server_error'])
    expect((await fetch(`${redirect}${query}`)).status).toBe(400)
  expect(feature.tools.state().servers[0]?.signIn).toMatchObject({ step: 'waiting', problem: null })
  await decideInBrowser(url, 'allow')
  await feature.ready(id)
})

describe('a sign-in that fails', () => {
  test('because the person denied it', async () => {
    const id = await protectedServer()
    const page = await signIn(id, 'deny')
    expect(page.status).toBe(400)
    expect(await failure(id)).toMatchObject({ kind: 'forbidden', message: expect.stringMatching(/not allowed/) })
    await signedIn(id)
  })

  test.each<[string, (url: URL) => void, RegExp]>([
    ['two codes', (url) => url.searchParams.append('code', 'other'), /ambiguous/],
    ['no code', (url) => url.searchParams.delete('code'), /without an answer/],
    ['another issuer', (url) => url.searchParams.set('iss', 'https://evil.example'), /does not come from/],
    ['no issuer', (url) => url.searchParams.delete('iss'), /does not come from/],
    ['an unknown code', (url) => url.searchParams.set('code', 'code_guessed'), /has expired or was used before/],
  ])('because the browser comes back with %s: no token is stored', async (_, change, words) => {
    const id = await protectedServer()
    authorization.controls.redirect = (url) => {
      change(url)
      return url
    }
    await signIn(id)
    const problem = await failure(id)
    expect(problem?.message).toMatch(words)
    expect(problem?.message).not.toContain('evil')
    expect(feature.secrets.kept.size).toBe(0)
    expect(authorization.grants).toEqual([])
  })

  test('because its code was used before', async () => {
    const id = await protectedServer()
    let first: string | null = null
    authorization.controls.redirect = (url) => {
      first ??= url.searchParams.get('code')
      url.searchParams.set('code', first ?? '')
      return url
    }
    await signedIn(id)
    await feature.tools.signOut(id)
    await feature.state(id, ({ state }) => state === 'sign_in')
    await signIn(id)
    expect(await failure(id)).toMatchObject({ kind: 'unauthorized', message: expect.stringMatching(/used before/) })
    expect(authorization.grants).toHaveLength(1)
  })

  test('because the browser does not come back in time', async () => {
    const id = await protectedServer({ feature: { limits: { signInMs: 60 } } })
    await feature.tools.signIn(id)
    expect(await failure(id)).toMatchObject({
      kind: 'connect_timeout',
      message: expect.stringMatching(/Sign in again/),
    })
  })

  test('because it was cancelled, which closes its port; a second sign-in at the same time is refused', async () => {
    const id = await protectedServer()
    const { url } = await feature.tools.signIn(id)
    expect(await problemOf(feature.tools.signIn(id))).toMatchObject({ kind: 'busy' })
    await feature.tools.cancelSignIn(id)
    expect(feature.tools.state().servers[0]?.signIn).toMatchObject({ step: 'needed', url: null, problem: null })
    const redirect = new URL(url).searchParams.get('redirect_uri') ?? ''
    await expect(fetch(redirect)).rejects.toThrow()
  })

  test('ends when the server is switched off', async () => {
    const id = await protectedServer()
    const { url } = await feature.tools.signIn(id)
    await feature.tools.switchServer(id, false)
    await expect(decideInBrowser(url, 'allow')).rejects.toThrow()
    expect(feature.tools.state().servers[0]).toMatchObject({ state: 'off', signIn: null })
    expect(await problemOf(feature.tools.signIn(id))).toMatchObject({ kind: 'bad_input' })
  })

  test('accepts one answer: a second redirect finds nothing', async () => {
    const id = await protectedServer()
    const { redirect } = await signIn(id)
    await feature.ready(id)
    await expect(fetch(redirect)).rejects.toThrow()
    expect(authorization.requests('/token')).toHaveLength(1)
  })
})

describe('a sign-in in the browser of another computer', () => {
  test('continues with the pasted address of the last page', async () => {
    const id = await protectedServer()
    const { url } = await feature.tools.signIn(id)
    let pasted = ''
    authorization.controls.redirect = (to) => {
      pasted = to.href
      return new URL(authorization.issuer)
    }
    await decideInBrowser(url, 'allow')
    for (const wrong of [
      '',
      'x',
      url,
      pasted.replace('/callback', '/other'),
      pasted.replace('127.0.0.1', 'localhost'),
    ]) {
      const continued = Promise.resolve().then(() => feature.tools.continueSignIn(id, wrong))
      expect(await problemOf(continued)).toMatchObject({ kind: 'bad_input' })
    }
    feature.tools.continueSignIn(id, ` ${pasted}\n`)
    await feature.ready(id)
  })
})

describe('an authorization server that registers no programs', () => {
  const client = { id: 'my-client', secret: 'my-client-secret' }

  test('asks for a client ID, whose secret goes to the keychain alone, and which signing out does not delete', async () => {
    const id = await protectedServer({ registers: false, client })
    await feature.tools.signIn(id).catch(() => undefined)
    const needed = await feature.state(id, ({ signIn: view }) => view?.needsClient === true)
    expect(needed.signIn?.problem?.message).toMatch(/enter the client ID/)
    const { url } = await feature.tools.signIn(id, client)
    await decideInBrowser(url, 'allow')
    await feature.ready(id)
    const [token] = authorization.requests('/token')
    const basic = Buffer.from(`${client.id}:${client.secret}`).toString('base64')
    expect(token?.headers.authorization).toBe(`Basic ${basic}`)
    expect(textsOf()).not.toContain(client.secret)
    for (const file of ['studio.sqlite', 'studio.sqlite-wal']) {
      expect(readFileSync(join(feature.folder, file)).includes(client.secret)).toBe(false)
    }
    await feature.tools.signOut(id)
    await feature.state(id, ({ state }) => state === 'sign_in')
    expect([...feature.secrets.kept.values()].join('')).not.toMatch(/access_|refresh_/)
    await signedIn(id)
    await feature.tools.removeServer(id)
    expect(feature.secrets.kept.size).toBe(0)
  })

  test('refuses a wrong client secret with a message, and asks again', async () => {
    const id = await protectedServer({ registers: false, client })
    const { url } = await feature.tools.signIn(id, { ...client, secret: 'wrong' })
    await decideInBrowser(url, 'allow')
    const { signIn: view } = await feature.state(id, ({ signIn: now }) => now?.problem != null)
    expect(view).toMatchObject({ needsClient: true, problem: { message: expect.stringMatching(/secret is wrong/) } })
    expect(feature.secrets.kept.size).toBe(0)
  })
})

describe('a call that needs more permissions', () => {
  test('is refused without a sign-in by itself; a new sign-in keeps the earlier permissions', async () => {
    let needs = ['mcp:tools']
    const secrets = memorySecrets()
    // Longer than the interval between two states, so that a watcher sees also the first state after the new sign-in.
    const set: typeof secrets.set = async (...given) => {
      await sleep(100)
      await secrets.set(...given)
    }
    const id = await protectedServer({
      ...{ needs: () => needs, scopes: ['mcp:tools', 'mcp:write'] },
      feature: { secrets: { ...secrets, set } },
    })
    await signedIn(id)
    needs = ['mcp:write']
    const { run } = await feature.run(id, 'echo', { text: 'x' })
    expect(run).toMatchObject({ state: 'failed', notes: [expect.stringMatching(/needs more permissions/)] })
    const { signIn: view } = await feature.state(id, ({ signIn: now }) => now?.step === 'more')
    expect(view).toMatchObject({ scopes: ['mcp:write'], storedIn: 'keychain' })
    const { url } = await feature.tools.signIn(id)
    expect(new URL(url).searchParams.get('scope')).toBe('mcp:tools mcp:write')
    await decideInBrowser(url, 'allow')
    await feature.state(id, ({ signIn: now, state }) => now?.step === 'done' && state === 'ready')
    expect((await feature.run(id, 'echo', { text: 'x' })).text).toBe('x')
    // The client is registered once, because its port was free again.
    expect(authorization.requests('/register')).toHaveLength(1)
  })
})

test('a server with an Authorization header of the person is never signed in to', async () => {
  const { id, feature } = await start({ headers: { authorization: 'Bearer old' } })
  const { problem, signIn: view } = await feature.state(id, ({ state }) => state === 'failed')
  expect([problem?.kind, view]).toEqual(['unauthorized', null])
  expect(await problemOf(feature.tools.signIn(id))).toMatchObject({ kind: 'bad_input' })
})
