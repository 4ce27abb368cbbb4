import { describe, expect, it } from 'vitest'
import { localFilePath, servicePathOf } from '../../../../src-main/core/upstream/path.ts'
import { appKey, ask, jsonWithKey, withKey } from '../../../helpers/appRequest.ts'
import { testGateways } from '../../../helpers/testGateways.ts'

// What agents ask outside /v1, and models one by one (docs/decisions/0050-paths-outside-v1.md).

const { beforeSandbox, beforeService } = testGateways()

const listed = [
  { id: 'small', created: 1_790_000_000, ownedBy: 'ours' },
  { id: 'org/large', created: null, ownedBy: null },
]
const origin = (url: string): string => url.replace(/\/v1$/, '')
const replying = (options = {}) => beforeService((_request, response) => response.end('{}'), options)

describe('a path outside /v1', () => {
  it.each(['/props', '/slots', '/', '/version', '/service/v1/keys', '/service', '/metrics'])(
    '%s is not sent to the service',
    async (path) => {
      const { far, gateway } = await replying()
      const answer = await ask(`${origin(gateway.url)}${path}`, { headers: withKey })
      const { error } = JSON.parse(answer.body.toString()) as { error: { code: string; message: string } }
      expect([answer.status, error.code]).toEqual([404, 'not_under_v1'])
      expect(error.message).toContain(`no ${path}. `)
      expect(far.requests).toEqual([])
      await expect.poll(async () => (await gateway.rows())[0]).toMatchObject({ state: 'refused', status: 404, path })
    },
  )

  it('/health says that the local API works, without a request and a row', async () => {
    const { far, gateway } = await replying()
    for (const method of ['GET', 'HEAD']) {
      const answer = await ask(`${origin(gateway.url)}/health`, { method, headers: withKey })
      expect([answer.status, answer.body.toString()]).toEqual([200, method === 'GET' ? '{"status":"ok"}' : ''])
    }
    expect([far.requests, await gateway.rows()]).toEqual([[], []])
  })

  it('/healthz says without a key that the program lives, and nothing else', async () => {
    const { far, gateway } = await replying({ connection: { state: 'failed', problem: null } })
    const at = `${origin(gateway.url)}/healthz`
    for (const [method, body] of [
      ['GET', '{"status":"ok"}\n'],
      ['HEAD', ''],
    ] as const) {
      const answer = await ask(at, { method })
      expect([answer.status, answer.body.toString()]).toEqual([200, body])
    }
    // The other checks are those of every path.
    expect((await ask(at, { method: 'POST' })).status).toBe(404)
    expect((await ask(at, { headers: { origin: 'https://evil.example' } })).status).toBe(403)
    expect((await ask(at, { headers: { host: 'evil.example' } })).status).toBe(421)
    expect((await ask(`${at}/x`)).status).toBe(401)
    expect(far.requests).toEqual([])
  })

  it.each([
    ['connected', 200, 'ready'],
    ['checking', 200, 'ready'],
    ['none', 503, 'not_ready'],
    ['failed', 503, 'not_ready'],
  ] as const)('/readyz needs a key and says what is connected: %s is %i', async (state, status, word) => {
    const problem = state === 'failed' ? { kind: 'connect_failed' as const, message: 'Nobody answers.' } : null
    const { far, gateway } = await replying({ connection: { state, problem } })
    const at = `${origin(gateway.url)}/readyz`
    expect((await ask(at)).status).toBe(401)
    const answer = await ask(at, { headers: withKey })
    expect([answer.status, JSON.parse(answer.body.toString())]).toEqual([
      status,
      { status: word, connection: state, problem: problem?.message ?? null },
    ])
    expect(far.requests).toEqual([])
  })

  it('/models has the models as last fetched, for an app that may read them', async () => {
    const { far, gateway } = await replying({ models: listed })
    const answer = await ask(`${origin(gateway.url)}/models`, { headers: withKey })
    expect(JSON.parse(answer.body.toString())).toEqual({
      object: 'list',
      data: [
        { id: 'small', object: 'model', created: 1_790_000_000, owned_by: 'ours' },
        { id: 'org/large', object: 'model' },
      ],
    })
    gateway.change({ endpoints: ['chat'] })
    expect((await ask(`${origin(gateway.url)}/models`, { headers: withKey })).status).toBe(403)
    expect(far.requests).toEqual([])
  })

  it('/models says where the list is when it was never fetched', async () => {
    const { gateway } = await replying()
    const answer = await ask(`${origin(gateway.url)}/models`, { headers: withKey })
    expect([answer.status, answer.body.toString()]).toEqual([404, expect.stringContaining('at /v1/models')])
  })

  it.each(['/health', '/models', '/props', '/api/tags'])('%s needs an app key', async (path) => {
    const { gateway } = await replying({ models: listed })
    expect((await ask(`${origin(gateway.url)}${path}`)).status).toBe(401)
    const page = { ...withKey, origin: 'https://evil.example' }
    expect((await ask(`${origin(gateway.url)}${path}`, { headers: page })).status).toBe(403)
  })

  it('is sent when it is a file of the service, at the address that a reply with pictures had [GEN-01]', async () => {
    let base = ''
    const { far, gateway } = await beforeService((request, response) => {
      if (request.method === 'GET') return response.end('PNG')
      response.setHeader('content-type', 'application/json')
      return response.end(JSON.stringify({ created: 1, data: [{ url: `${base}/pictures/a%20b.png?sig=1` }] }))
    })
    base = far.url
    const made = await ask(`${gateway.url}/images/generations`, {
      method: 'POST',
      headers: jsonWithKey,
      body: '{"prompt":"x"}',
    })
    const { url = '' } = (JSON.parse(made.body.toString()) as { data: { url: string }[] }).data[0] ?? {}
    expect(url).toBe(`${origin(gateway.url)}/service/pictures/a%20b.png?sig=1`)
    const picture = await ask(url, { headers: withKey })
    expect([picture.status, picture.body.toString()]).toEqual([200, 'PNG'])
    expect(far.requests.at(-1)?.url).toBe('/pictures/a%20b.png?sig=1')
    expect((await gateway.rows())[0]).toMatchObject({ endpoint: 'files', path: '/service/pictures/a%20b.png' })
  })

  it('has no second name for a path below /v1', () => {
    for (const path of ['/v1/keys', '/V1/keys', '/v1', '/%EF%BD%961/keys']) {
      expect([path, servicePathOf(`/service${path}`)]).toEqual([path, null])
      expect(servicePathOf(localFilePath(path))).toBe(path)
    }
    expect(servicePathOf(localFilePath('/files/x.png'))).toBe('/files/x.png')
    expect(servicePathOf('/files/x.png')).toBeNull()
  })
})

describe('GET /v1/models/{id}', () => {
  const models = {
    object: 'list',
    data: [{ id: 'small', object: 'model', created: 5, owned_by: 'ours', x_extra: { deep: 1 } }, { id: 'org/large' }],
  }
  const listing = (app = {}) =>
    beforeService(
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'req_1' })
        response.end(JSON.stringify(models))
      },
      { app },
    )
  const get = (url: string, id: string, headers = {}, method = 'GET') =>
    ask(`${url}/models/${id}`, { method, headers: { ...withKey, ...headers } })

  it('is the model as the list of the service has it', async () => {
    const { far, gateway } = await listing()
    const answer = await get(gateway.url, 'small')
    expect(JSON.parse(answer.body.toString())).toEqual(models.data[0])
    expect([answer.status, answer.headers['x-request-id']]).toEqual([200, 'req_1'])
    expect(far.requests.map(({ method, url }) => [method, url])).toEqual([['GET', '/v1/models']])
  })

  it.each(['org%2Flarge', 'org%2flarge', 'org/large', 'org/large?x=1', 'org/large/'])(
    'finds the id in %s',
    async (id) => {
      const { far, gateway } = await listing()
      const answer = await get(gateway.url, id)
      expect([answer.status, JSON.parse(answer.body.toString())]).toEqual([200, { id: 'org/large', object: 'model' }])
      expect(far.requests.map(({ url }) => url)).toEqual(['/v1/models'])
    },
  )

  it('has no body for HEAD', async () => {
    const { far, gateway } = await listing()
    const answer = await get(gateway.url, 'small', {}, 'HEAD')
    expect([answer.status, answer.body.length, far.requests[0]?.method]).toEqual([200, 0, 'GET'])
  })

  it('obeys the rules of the app: other names, and models that it may not use', async () => {
    const { gateway } = await listing({ modelMap: [{ pattern: 'gpt-*', model: 'small' }], models: ['small'] })
    const alias = await get(gateway.url, 'gpt-5.5')
    expect(JSON.parse(alias.body.toString())).toMatchObject({ id: 'gpt-5.5', object: 'model', owned_by: 'ours' })
    for (const [id, headers] of [
      ['org/large', {}],
      ['none', {}],
      ['org/large', { 'anthropic-version': '2023-06-01' }],
    ] as const) {
      const answer = await get(gateway.url, id, headers)
      expect([id, answer.status, answer.body.toString()]).toEqual([id, 404, expect.stringContaining('may not use it')])
    }
  })

  it.each(['a%2F..%2Fkeys', 'a%2F%2Fb', '%2F', '..%2fkeys', 'a%5cb', 'a%252Fb'])(
    'refuses %s, which could be another path',
    async (id) => {
      const { far, gateway } = await listing()
      expect((await get(gateway.url, id)).status).toBe(400)
      expect(far.requests).toEqual([])
    },
  )

  it('passes the failure of the service', async () => {
    const { gateway } = await beforeSandbox()
    const answer = await get(gateway.url, 'small', { 'x-sandbox-fault': 'refuse; status=401' })
    expect([answer.status, answer.body.toString().includes(appKey)]).toEqual([401, false])
  })
})
