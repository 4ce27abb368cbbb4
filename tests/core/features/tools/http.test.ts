import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import type { StudioError } from '../../../../src-main/core/errors.ts'
import { startHttp } from '../../../helpers/mcp/http.ts'
import { call, type Feature, makeFeature } from './helpers.ts'

let feature: Feature
let http: Awaited<ReturnType<typeof startHttp>>
afterEach(async () => {
  await feature.close()
  await http.close()
})

async function add(headers: Record<string, string> = {}, url = http.url, timeoutSeconds = 20): Promise<string> {
  const transport = { kind: 'http' as const, url, headers: Object.keys(headers) }
  const { id } = await feature.tools.saveServer({ name: 'Test', transport, timeoutSeconds, secrets: headers })
  await feature.tools.switchServer(id, true)
  return id
}
const ready = (id: string) => feature.state(id, ({ state }) => state === 'ready')
async function callOf(server: string, tool: string, args: unknown) {
  const [row] = feature.reply(feature.conversation({ enabled: [`mcp:${server}:${tool}`] }), [
    call(`Test_${tool}`, args),
  ])
  if (!row) throw new Error('no row')
  await feature.tools.decide(row.id, 'once')
  return row
}
const run = async (server: string, tool: string, args: unknown) =>
  feature.toolCalls.settled((await callOf(server, tool, args)).id)

describe.each(['modern', 'sessions'] as const)('a server over HTTP (%s)', (mode) => {
  test('receives the headers from the keychain, is listed and called, and its session is ended', {
    tags: 'long',
  }, async () => {
    http = await startHttp(mode)
    feature = makeFeature()
    const server = await add({ Authorization: 'Bearer very-secret-token' })
    expect(await ready(server)).toMatchObject({ about: 'test-server 1.2.3', instructions: expect.any(String) })
    expect((await run(server, 'echo', { text: 'hallo' })).text).toBe('hallo')
    expect(http.seen.every(({ headers }) => headers.authorization === 'Bearer very-secret-token')).toBe(true)
    expect(JSON.stringify(feature.tools.state())).not.toContain('very-secret-token')
    await feature.tools.switchServer(server, false)
    expect(http.sessions.size).toBe(0)
  })

  test('is listed again when it reports a change of its tools', async () => {
    http = await startHttp(mode)
    feature = makeFeature()
    const server = await add()
    await ready(server)
    await run(server, 'change', { to: 'Something else.' })
    await feature.state(server, ({ tools }) => tools.some(({ description }) => description === 'Something else.'))
  })

  test('receives a cancellation for a stopped call', async () => {
    http = await startHttp(mode)
    feature = makeFeature()
    const server = await add()
    await ready(server)
    const row = await callOf(server, 'slow', { ms: 60_000 })
    while (!http.state.called.includes('slow')) await new Promise(setImmediate)
    feature.tools.stopCall(row.id)
    expect(feature.toolCalls.toolMessage(row.id).run.state).toBe('stopped')
    while (http.state.cancelled === 0) await new Promise(setImmediate)
  })

  test('fails the call long before its time limit if the reply breaks off', { tags: 'long' }, async () => {
    http = await startHttp(mode)
    feature = makeFeature()
    const server = await add()
    await ready(server)
    http.intercept((request, response) => {
      if (request.method !== 'POST') return false
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(': on its way\n\n')
      setImmediate(() => response.end())
      return true
    })
    const { run: how } = await run(server, 'echo', { text: 'x' })
    expect(how).toMatchObject({
      state: 'failed',
      notes: [expect.stringMatching(/ended before it answered.*tool may have completed/)],
    })
  })

  test.each(['text/event-stream', 'application/json'])('is cut off if its reply (%s) is endless', async (type) => {
    http = await startHttp(mode)
    feature = makeFeature({ limits: { messageBytes: 500_000 } })
    const server = await add()
    await ready(server)
    http.intercept((request, response) => {
      if (request.method !== 'POST') return false
      response.writeHead(200, { 'content-type': type })
      const more = (): void => {
        if (!response.destroyed) response.write('x'.repeat(100_000), () => setImmediate(more))
      }
      more()
      return true
    })
    const { run: how } = await run(server, 'echo', { text: 'x' })
    expect(how).toMatchObject({ state: 'failed', notes: [expect.stringMatching(/more than 500000 bytes/)] })
  })
})

describe('a server over HTTP', () => {
  test('that has lost the session gets a new one, and the calls are made once', async () => {
    http = await startHttp('sessions')
    feature = makeFeature()
    const server = await add()
    await ready(server)
    http.endSessions()
    const rows = await Promise.all([run(server, 'echo', { text: 'a' })])
    expect(rows.map(({ text }) => text)).toEqual(['a'])
    expect(http.state.called).toEqual(['echo'])
    expect(http.sessions.size).toBe(1)
  })

  test('that has lost the session and changed the tool is not called', async () => {
    http = await startHttp('sessions')
    feature = makeFeature()
    const server = await add()
    await ready(server)
    const [row] = feature.reply(feature.conversation({ enabled: [`mcp:${server}:echo`] }), [
      call('Test_echo', { text: 'x' }),
    ])
    http.state.description = 'Another.'
    http.endSessions()
    await feature.tools.decide(row?.id ?? '', 'once')
    expect((await feature.toolCalls.settled(row?.id ?? '')).run).toMatchObject({
      state: 'failed',
      notes: [expect.stringMatching(/has changed this tool/)],
    })
    expect(http.state.called).toEqual([])
  })

  test('that redirects to another origin is not followed, and the headers are not sent there', async () => {
    http = await startHttp('modern')
    feature = makeFeature({ limits: { backOffMs: [] } })
    const reached: string[] = []
    const other = createServer((request, response) => {
      reached.push(request.url ?? '')
      response.end()
    })
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const elsewhere = `http://127.0.0.1:${(other.address() as AddressInfo).port}/stolen`
    http.intercept((_, response) => {
      response.writeHead(307, { location: elsewhere }).end()
      return true
    })
    const server = await add({ Authorization: 'Bearer very-secret-token' })
    const { problem } = await feature.state(server, ({ state }) => state === 'failed')
    expect(problem).toMatchObject({ kind: 'foreign_address', message: expect.stringContaining(elsewhere) })
    expect(reached).toEqual([])
    await new Promise((resolve) => other.close(resolve))
  })

  test.each([
    [403, 'forbidden'],
    [404, 'not_found'],
    [500, 'unexpected_status'],
  ])('that answers %i fails as %s, without a secret in the message', async (status, kind) => {
    http = await startHttp('modern')
    feature = makeFeature({ limits: { backOffMs: [] } })
    http.intercept((request, response) => {
      response.writeHead(status).end(`you sent ${String(request.headers['x-api-key'])}`)
      return true
    })
    const server = await add({ 'X-Api-Key': 'very-secret-token' })
    const { problem } = await feature.state(server, ({ state }) => state === 'failed')
    expect(problem).toMatchObject({ kind })
    expect(JSON.stringify(problem)).not.toContain('very-secret-token')
  })

  test('that answers 401 needs a sign-in, unless the person configured an Authorization header', async () => {
    http = await startHttp('modern')
    feature = makeFeature({ limits: { backOffMs: [] } })
    http.intercept((request, response) => {
      const { authorization, 'x-api-key': key } = request.headers
      response.writeHead(401).end(`you sent ${String(authorization)} ${String(key)}`)
      return true
    })
    const [keyed, signed] = [
      await add({ 'X-Api-Key': 'very-secret-token' }),
      await add({ Authorization: 'very-secret-token' }),
    ]
    const { problem, signIn } = await feature.state(keyed, ({ state }) => state === 'sign_in')
    expect([problem, signIn?.step]).toEqual([null, 'needed'])
    expect((await feature.state(signed, ({ state }) => state === 'failed')).problem).toMatchObject({
      kind: 'unauthorized',
    })
    expect(JSON.stringify(feature.tools.state())).not.toContain('very-secret-token')
  })

  test('that is unreachable fails, and is tried again', async () => {
    http = await startHttp('modern')
    feature = makeFeature({ limits: { backOffMs: [50] } })
    const gone = createServer()
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve))
    const { port } = gone.address() as AddressInfo
    await new Promise((resolve) => gone.close(resolve))
    const server = await add({}, `http://127.0.0.1:${port}/mcp`)
    const last = await feature.state(server, ({ problem }) => problem !== null && !problem.message.includes('again'))
    expect(last.problem).toMatchObject({ kind: 'connect_failed', message: expect.stringMatching(/ECONNREFUSED/) })
  })

  test('with a name and a password in its address is refused', async () => {
    http = await startHttp('modern')
    feature = makeFeature()
    const saved = add({}, 'http://me:secret@127.0.0.1/mcp')
    await expect(saved).rejects.toSatisfy(
      (thrown: StudioError) => thrown.kind === 'bad_input' && !thrown.message.includes('secret'),
    )
  })
})
