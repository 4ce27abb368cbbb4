import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { LocalV1 } from '../../../../src-main/core/gateway/proxy/localV1.ts'
import type { RefusalWithOrigin } from '../../../../src-main/core/gateway/proxy/recentRefusals.ts'
import type { App } from '../../../../src-preload/contract/apps.ts'
import { ask } from '../../../helpers/appRequest.ts'
import { closeAfterEach } from '../../../helpers/closers.ts'
import { appNamed, echo, editorHash, goodKey, speak } from '../../../helpers/gate.ts'
import { plainApp } from '../../../helpers/plainApp.ts'

// Ollama's port, at which one chosen app with a budget needs no key.

const closers = closeAfterEach()

/** A port of 127.0.0.1 that was free just now. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

const chosen = plainApp({ id: 'chosen', name: 'Notes', budgetMonth: '5' })
const off = { enabled: true, port: 0, ipv6: false, ollamaApp: null }
const on = { ...off, ollamaApp: 'chosen' }

async function opened({ port, origins = [] }: { port?: number; origins?: string[] } = {}) {
  const state = { app: chosen as App | undefined, used: [] as string[], refused: [] as RefusalWithOrigin[] }
  const ollamaPort = port ?? (await freePort())
  const local = new LocalV1(
    {
      verify: (key) =>
        key === goodKey
          ? { good: true, app: appNamed('Editor'), keyHash: editorHash }
          : { good: false, why: 'unknown', app: null },
      app: (id) => (state.app?.id === id ? state.app : undefined),
      relay: echo,
      used: ({ name }) => state.used.push(name),
      refused: (refusal) => state.refused.push(refusal),
      allowedOrigins: () => origins,
      changed: () => undefined,
      connected: () => true,
      scheduler: () => ({ waiting: 0, heldUntil: null }),
      log: () => undefined,
    },
    {},
    ollamaPort,
  )
  closers.push(() => local.close())
  return { local, state, ollamaPort, url: `http://127.0.0.1:${ollamaPort}` }
}

const codeOf = (body: Buffer): unknown => (JSON.parse(body.toString()) as { error: { code: string } }).error.code

describe('the port of Ollama', () => {
  it('is closed until an app is chosen, and again when none is', async () => {
    const { local, url } = await opened()
    await local.apply(off)
    expect(local.status().ollama).toBeNull()
    await expect(ask(`${url}/v1/models`)).rejects.toThrow()
    await local.apply(on)
    expect(local.status().ollama).toEqual({ app: 'chosen', baseUrl: url, problem: null })
    expect((await ask(`${url}/v1/models`)).status).toBe(200)
    const { baseUrl } = local.status()
    await local.apply(off)
    await expect(ask(`${url}/v1/models`)).rejects.toThrow()
    // The Local API itself was not restarted.
    expect(local.status().baseUrl).toBe(baseUrl)
    await local.apply({ ...on, enabled: false })
    await expect(ask(`${url}/v1/models`)).rejects.toThrow()
  })

  it('needs no key, and counts requests as those of the chosen app, whatever word is sent as a key', async () => {
    const { local, state, url } = await opened()
    await local.apply(on)
    for (const headers of [{}, { authorization: 'Bearer ollama' }, { 'x-api-key': 'none' }]) {
      expect((await ask(`${url}/v1/models`, { headers })).status).toBe(200)
    }
    expect(state.used).toEqual(['Notes', 'Notes', 'Notes'])
    expect((await ask(`${url}/v1/models`, { headers: { authorization: `Bearer ${goodKey}` } })).status).toBe(200)
    expect((await ask(`${url}/app/${goodKey}/v1/models`)).status).toBe(200)
    expect(state.used.slice(3)).toEqual(['Editor', 'Editor'])
    const wrong = await ask(`${url}/v1/models`, { headers: { authorization: 'Bearer isk_x_wrong' } })
    expect([wrong.status, codeOf(wrong.body)]).toEqual([401, 'tool_key_unknown'])
    expect(local.status().relayed).toBe(5)
  })

  it('leaves the Local API as it was: there, a key is needed', async () => {
    const { local } = await opened()
    await local.apply(on)
    const { baseUrl } = local.status()
    expect((await ask(`${baseUrl}/models`)).status).toBe(401)
  })

  it('says that Ollama runs, with GET and HEAD', async () => {
    const { local, url, ollamaPort } = await opened()
    await local.apply(on)
    expect((await ask(url)).body.toString()).toBe('Ollama is running')
    const head = await speak(
      ollamaPort,
      `HEAD / HTTP/1.1\r\nHost: 127.0.0.1:${ollamaPort}\r\nConnection: close\r\n\r\n`,
    )
    expect(head).toMatch(/^HTTP\/1\.1 200 /)
    expect(head.endsWith('\r\n\r\n')).toBe(true)
  })

  it.each([
    [
      'a fetch',
      'POST',
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', 'content-type': 'text/plain' },
    ],
    ['a fetch without CORS', 'POST', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
    ['a sandboxed frame', 'POST', { origin: 'null' }],
    ['a form', 'POST', { origin: 'https://evil.example', 'content-type': 'application/x-www-form-urlencoded' }],
    ['an image', 'GET', { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' }],
    ['a page at another port', 'POST', { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site' }],
    ['a link', 'GET', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }],
    ['an extension', 'POST', { origin: 'chrome-extension://abcdefghijklmnop' }],
    ['another name', 'POST', { host: 'evil.example:11434', origin: 'http://evil.example:11434' }],
  ])(
    'is of no use for a web page: %s is refused, also of an origin that is allowed elsewhere',
    async (_, method, headers) => {
      const allowed = ['https://evil.example', 'http://localhost:3000', 'chrome-extension://abcdefghijklmnop']
      const { local, state, url } = await opened({ origins: allowed })
      await local.apply(on)
      for (const path of ['/', '/v1/chat/completions', '/v1/models']) {
        const answer = await ask(`${url}${path}`, { method, headers, ...(method === 'POST' && { body: '{}' }) })
        expect([403, 421]).toContain(answer.status)
        expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
      }
      const preflight = await ask(`${url}/v1/models`, {
        method: 'OPTIONS',
        headers: { ...headers, origin: allowed[0] ?? '', 'access-control-request-method': 'POST' },
      })
      expect([403, 421]).toContain(preflight.status)
      expect(state.used).toEqual([])
      // Allowing an origin would not help, so none is offered.
      expect(state.refused.map(({ origin }) => origin)).toEqual([null, null, null, null])
    },
  )

  it.each<[string, Partial<App> | null, string]>([
    ['has no budget', { budgetMonth: null }, 'ollama_app_without_budget'],
    ['is paused', { pausedAt: '2026-01-01T00:00:00.000Z' }, 'tool_key_paused'],
    ['has expired', { expiresAt: '2026-01-01T00:00:00.000Z' }, 'tool_key_expired'],
    ['was revoked', { revokedAt: '2026-01-01T00:00:00.000Z' }, 'ollama_app_gone'],
    ['was deleted', null, 'ollama_app_gone'],
  ])('answers with the reason and what to do, and so does its state, when the app %s', async (_, changes, code) => {
    const { local, state, url } = await opened()
    await local.apply(on)
    expect((await ask(`${url}/v1/models`)).status).toBe(200)
    state.app = changes === null ? undefined : { ...chosen, ...changes }
    const answer = await ask(`${url}/v1/models`)
    expect([answer.status, codeOf(answer.body)]).toEqual([403, code])
    expect(local.status().ollama?.problem?.message).toMatch(/Inference Studio/)
    expect((await ask(url)).status).toBe(403)
    expect(state.used).toEqual(['Notes'])
    state.app = chosen
    expect((await ask(`${url}/v1/models`)).status).toBe(200)
  })

  it('that the Local API itself has is said in words', async () => {
    const { local, ollamaPort } = await opened()
    await local.apply({ ...on, port: ollamaPort })
    expect(local.status().ollama).toMatchObject({
      baseUrl: null,
      problem: { message: `The Local API itself uses port ${ollamaPort}. Set another port for it.` },
    })
    await local.apply(on)
    expect(local.status().ollama?.problem).toBeNull()
  })

  it('that is taken is said in words, and tried again when asked', async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as { port: number }
    closers.push(() => new Promise<void>((resolve) => other.close(() => resolve())))
    const { local, url } = await opened({ port })
    await local.apply(on)
    expect(local.status()).toMatchObject({
      state: 'on',
      problem: null,
      ollama: { baseUrl: null, problem: { kind: 'port_taken', message: expect.stringContaining('Quit it') } },
    })
    await new Promise((resolve) => other.close(resolve))
    await local.apply(on)
    expect(local.status().ollama).toEqual({ app: 'chosen', baseUrl: url, problem: null })
  })
})
