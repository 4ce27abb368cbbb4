import { describe, expect, it } from 'vitest'
import { apis } from '../../../helpers/apis.ts'
import { appKey, ask, secondKey } from '../../../helpers/appRequest.ts'
import type { Gateway } from '../../../helpers/gateway.ts'
import { refusedUpgrade, SocketClient } from '../../../helpers/responsesSocket.ts'
import { testGateways } from '../../../helpers/testGateways.ts'

// The address of an app with its key in it, for programs that can't send headers: `http://127.0.0.1:PORT/app/isk_…/v1`.

const { beforeSandbox, beforeService } = testGateways()

const addressOf = ({ url }: Pick<Gateway, 'url'>, key = appKey): string => url.replace(/v1$/, `app/${key}`)
const json = { 'content-type': 'application/json' }
const instantly = { 'x-sandbox-tokens-per-second': '0' }
const codeOf = (body: Buffer): string => (JSON.parse(body.toString()) as { error: { code: string } }).error.code

describe.each(apis)('at an address with its key, the API $name', (api) => {
  it('works without a header, whole and streamed, as it does with one', async () => {
    const { sandbox, gateway } = await beforeSandbox()
    for (const stream of [false, true]) {
      const body = api.body({ stream })
      const answer = await ask(`${addressOf(gateway)}${api.pathOf(body)}`, {
        method: 'POST',
        headers: { ...json, ...instantly },
        body,
      })
      expect([answer.status, answer.whole]).toEqual([200, true])
      expect(api.text(answer.body.toString())).not.toBe('')
      expect(answer.headers['referrer-policy']).toBe('no-referrer')
      expect(answer.headers['content-security-policy']).toBe('sandbox')
    }
    expect(sandbox.observe.requests().map(({ path }) => path)).toEqual(['/v1/chat/completions', '/v1/chat/completions'])
    const paths = [true, false].map((stream) => api.pathOf(api.body({ stream })).replace(/\?.*/, ''))
    await expect.poll(async () => (await gateway.rows()).map(({ path }) => path)).toEqual(paths)
  })

  it('refuses with words that do not repeat the key', async () => {
    const { sandbox, gateway } = await beforeSandbox({ app: { models: ['writer-large'], logBodies: true } })
    const post = { method: 'POST', headers: json, body: api.body() }
    const model = await ask(`${addressOf(gateway)}${api.pathOf(post.body)}`, post)
    const unknown = await ask(`${addressOf(gateway, 'isk_x_wrong')}${api.pathOf(post.body)}`, post)
    expect([model.status, unknown.status]).toEqual([403, 401])
    for (const { body, headers } of [model, unknown]) {
      expect(api.problem({ status: headers === model.headers ? 403 : 401, headers, body }).message).not.toBe('')
      expect(`${body.toString()}${JSON.stringify(headers)}`).not.toMatch(/isk_/)
      expect(headers['referrer-policy']).toBe('no-referrer')
    }
    expect(JSON.stringify([gateway.refusals, await gateway.rows()])).not.toMatch(/isk_/)
    expect(sandbox.observe.requests()).toEqual([])
  })
})

describe('the key of an address', () => {
  it('never reaches the service, the log, a reply or the logged bodies', async () => {
    const { far, gateway } = await beforeService(
      ({ url }, response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ object: 'list', data: [{ id: url }] }))
      },
      { app: { logBodies: true } },
    )
    const at = addressOf(gateway)
    const referer = `${at}/page.html`
    for (const [path, status] of [
      ...([
        ['/v1/models', 200],
        ['/v1/models?limit=1', 200],
        ['/v1', 200],
        ['/service/files/a.png', 200],
      ] as const),
      // These are answered here.
      ...([
        ['', 404],
        ['/', 404],
        ['?x=1', 404],
        ['/health', 200],
      ] as const),
    ] as const) {
      const answer = await ask(`${at}${path}`, { headers: { referer } })
      expect([path, answer.status]).toEqual([path, status])
      expect(`${JSON.stringify(answer.headers)}${answer.body.toString()}`).not.toContain('isk_')
    }
    expect(far.requests.map(({ url }) => url)).toEqual(['/v1/models', '/v1/models?limit=1', '/v1', '/files/a.png'])
    expect(JSON.stringify(far.requests.map(({ url, rawHeaders }) => [url, rawHeaders]))).not.toContain('isk_')
    // Refused requests of one kind may share a row.
    await expect.poll(async () => (await gateway.rows()).length).toBeGreaterThanOrEqual(5)
    const rows = await gateway.rows()
    const stored = rows.map(({ id }) => gateway.requestLog.get(id))
    expect(JSON.stringify([rows, stored])).not.toContain('isk_')
  })

  it.each([
    ['a second time in the path', `/app/${appKey}/v1/models`, {}, 400, 'path_refused'],
    ['in the query too', `/v1/models?key=${appKey}`, {}, 400, 'key_elsewhere'],
    ['in a header that is passed on', '/v1/models', { 'x-debug': appKey }, 400, 'key_elsewhere'],
    ['beside the key of another app', '/v1/models', { authorization: `Bearer ${secondKey}` }, 400, 'two_keys'],
    ['beside the key of another app, for Anthropic', '/v1/models', { 'x-api-key': secondKey }, 400, 'two_keys'],
    ['under another name', '/v1/models', { host: 'evil.example' }, 421, 'wrong_host'],
    ['from a web page', '/v1/models', { origin: 'https://evil.example' }, 403, 'web_page'],
    ['from a picture in a page', '/v1/models', { 'sec-fetch-site': 'cross-site' }, 403, 'web_page'],
    ['with a path that servers read differently', '/v1/%6dodels', {}, 400, 'path_refused'],
  ])('is refused %s', async (_what, path, headers, status, code) => {
    const { far, gateway } = await beforeService((_request, response) => response.end('{}'))
    const answer = await ask(`${addressOf(gateway)}${path}`, { headers })
    expect([answer.status, codeOf(answer.body)]).toEqual([status, code])
    expect(answer.body.toString()).not.toContain('isk_')
    expect(far.requests).toEqual([])
    expect(JSON.stringify(gateway.refusals)).not.toMatch(/isk_[a-z]/)
  })

  it('counts more than a word that a program sends because it must send some key', async () => {
    const { far, gateway } = await beforeService((_request, response) => response.end('{}'))
    const headers = { authorization: 'Bearer sk-none-of-this-computer', 'x-api-key': 'ollama' }
    expect((await ask(`${addressOf(gateway)}/v1/models`, { headers })).status).toBe(200)
    expect(JSON.stringify(far.requests[0]?.rawHeaders)).not.toMatch(/sk-none|ollama/)
  })

  it.each(['/APP/KEY/v1/models', '/app/KEY%20/v1/models', '/v1/app/KEY/models', '/app//KEY/v1', '/xapp/KEY'])(
    'is no key at %s, and stays on this computer',
    async (pattern) => {
      const { far, gateway } = await beforeService((_request, response) => response.end('{}'))
      for (const key of [appKey, secondKey]) {
        const url = `${gateway.url.replace(/\/v1$/, '')}${pattern.replace('KEY', key)}`
        const answer = await ask(url, { headers: { authorization: `Bearer ${appKey}` } })
        expect([pattern, answer.status]).toEqual([pattern, 400])
      }
      expect(far.requests).toEqual([])
    },
  )

  it('opens a WebSocket, which is checked again for each turn', async () => {
    const { sandbox, gateway } = await beforeSandbox()
    const at = { url: `${addressOf(gateway)}/v1` }
    const client = await SocketClient.open({ ...gateway, ...at }, { authorization: '' })
    expect((await client.turn({ input: 'Hello' })).type).toMatch(/^response\.(completed|incomplete)$/)
    gateway.change({ revokedAt: '2026-01-01T00:00:00Z' })
    expect((await client.turn({ input: 'Hello' })).status).toBe(401)
    expect(sandbox.observe.requests()).toHaveLength(1)
    expect(await refusedUpgrade({ ...gateway, ...at }, {})).toMatchObject({ status: 401 })
    expect(JSON.stringify([gateway.refusals, await gateway.rows()])).not.toContain('isk_')
  })
})
