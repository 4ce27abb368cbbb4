import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createRouterClient } from '@orpc/server'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createCore } from '../../../../src-main/core/core.ts'
import { AppAllowance } from '../../../../src-main/core/gateway/apps/allowance.ts'
import { type StudioToolRun, studioTools, type ToolsDependencies } from '../../../../src-main/core/gateway/mcp/tools.ts'
import { startSandbox } from '../../../../src-main/sandbox/sandbox.ts'
import type { AppSettings } from '../../../../src-preload/contract/apps.ts'
import { freshFolder, testHost } from '../../helpers/core.ts'

/** Waits as long as a busy machine may need. */
const eventually = <T>(look: () => T | Promise<T>): Promise<T> => vi.waitFor(look, { timeout: 30_000 })

/** A whole core with the sandbox as the service, and an app that may use tools. */
async function studio(settings: Partial<AppSettings> = {}) {
  const sandbox = await startSandbox()
  onTestFinished(() => sandbox.close())
  const connect = { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey }
  const dataDir = freshFolder()
  const core = await createCore(testHost(dataDir).host, { connect, proxyPort: 0 })
  onTestFinished(() => core.stop())
  const client = createRouterClient(core.router)
  const { app, key } = await client.apps.add({ name: 'agent', tools: true, ...settings })
  const url = new URL('/mcp', core.addresses().proxy ?? '')
  const rows = async () => (await client.requests.page({ filter: {}, before: Number.MAX_SAFE_INTEGER, limit: 50 })).rows
  return { sandbox, core, dataDir, client, app, key, url, rows }
}
type Studio = Awaited<ReturnType<typeof studio>>

/** The official client, in a protocol version with sessions or in one without. */
async function connected(
  { url, key }: Pick<Studio, 'url' | 'key'>,
  era: 'legacy' | 'auto' = 'legacy',
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: era } })
  const headers = { authorization: `Bearer ${key}` }
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
  onTestFinished(() => client.close())
  return client
}

type Result = Awaited<ReturnType<Client['callTool']>>
const textOf = ({ content }: Result): string =>
  content.flatMap((one) => (one.type === 'text' ? [one.text] : [])).join('\n')

it.each(['legacy', 'auto'] as const)(
  'an agent speaks, transcribes what it spoke and makes images, in a protocol version with sessions and in one without (%s)',
  async (era) => {
    const output = freshFolder()
    const opened = await studio({ toolOutput: output, toolInputs: [output] })
    const agent = await connected(opened, era)
    expect((await agent.listTools()).tools.map(({ name }) => name)).toEqual([
      'speak',
      'generate_image',
      'transcribe',
      'read_document',
      'list_models',
      'usage_and_limits',
    ])

    const spoken = await agent.callTool({ name: 'speak', arguments: { text: 'The harbour is quiet.', format: 'wav' } })
    expect(spoken.isError).toBeFalsy()
    expect(spoken.content[1]).toMatchObject({ type: 'audio', mimeType: 'audio/wav' })
    const [speechFile = ''] = readdirSync(output)
    expect(speechFile).toBe('The harbour is quiet.wav')
    expect(readFileSync(join(output, speechFile)).subarray(0, 4).toString()).toBe('RIFF')

    const byPath = await agent.callTool({ name: 'transcribe', arguments: { path: join(output, speechFile) } })
    expect(textOf(byPath)).toMatch(/^Speech from 0\.\d s to 1\.\d s/)
    const id = /Gallery id: (\S+)/.exec(textOf(spoken))?.[1]
    const byId = await agent.callTool({ name: 'transcribe', arguments: { gallery_id: id } })
    expect(textOf(byId)).toMatch(/^Speech from 0\.\d s to 1\.\d s/)

    const drawn = await agent.callTool({ name: 'generate_image', arguments: { prompt: 'A lighthouse', n: 2 } })
    expect(drawn.content.filter(({ type }) => type === 'image')).toHaveLength(2)
    expect(readdirSync(output).filter((name) => name.startsWith('A lighthouse')).length).toBe(2)
    expect(textOf(drawn)).toContain(`Saved: ${join(output, 'A lighthouse')}`)

    // Each is in its gallery, marked with the app, and each request is the app's.
    const { images } = await opened.client.images.find({ search: '' })
    expect(images.map(({ app }) => app)).toEqual(['agent', 'agent'])
    const { speeches } = await opened.client.speech.find({ search: '', favourites: false, before: null, limit: 10 })
    expect(speeches).toMatchObject([{ app: 'agent', excerpt: 'The harbour is quiet.', state: 'done' }])
    const { recordings } = await opened.client.transcription.find({ search: '', before: null, limit: 10 })
    expect(recordings.map(({ app }) => app)).toContain('agent')
    // A search for the app finds them, also after a person named them.
    const found = { before: null, limit: 10, search: 'AGENT' }
    expect((await opened.client.images.find({ search: 'agent light' })).images).toHaveLength(2)
    expect((await opened.client.speech.find({ ...found, favourites: false })).speeches).toHaveLength(1)
    const byApp = async () => (await opened.client.transcription.find(found)).recordings.map(({ name }) => name)
    const [first = ''] = recordings.flatMap(({ app, id: recordingId }) => (app === 'agent' ? [recordingId] : []))
    expect(await byApp()).toHaveLength(1)
    await opened.client.transcription.rename({ id: first, name: 'Harbour' })
    expect(await byApp()).toEqual(['Harbour'])
    const rows = await opened.rows()
    // The images came as addresses of this computer, which the tools fetched from the service as the app.
    expect(rows.filter(({ endpoint }) => endpoint === 'files')).toHaveLength(2)
    const inference = rows.filter(
      ({ endpoint }) => endpoint !== 'files' && endpoint !== 'account' && endpoint !== 'models',
    )
    expect(inference.map(({ who, endpoint, state }) => [who.kind === 'app' && who.name, endpoint, state])).toEqual([
      ['agent', 'images', 'done'],
      ['agent', 'transcription', 'done'],
      ['agent', 'transcription', 'done'],
      ['agent', 'speech', 'done'],
    ])
    expect(speeches[0]?.cost).not.toBeNull()
  },
)

it('a document is read in pieces with its page marks, costs nothing, and has a row in the log', async () => {
  const folder = freshFolder()
  writeFileSync(join(folder, 'notes.html'), '<h1>Harbour</h1><p>One</p>'.repeat(50))
  const opened = await studio({ toolInputs: [folder], budgetTotal: '0' })
  const agent = await connected(opened)
  const read = async (start: number) =>
    textOf(
      await agent.callTool({
        name: 'read_document',
        arguments: { path: join(folder, 'notes.html'), start, length: 200 },
      }),
    )
  const first = await read(0)
  expect(first).toMatch(/^# Harbour\n/)
  const next = /Next: start (\d+)/.exec(first)?.[1]
  expect(next).toBe('200')
  expect(await read(200)).toMatch(/Characters 200 to 400 of \d+/)
  const pdf = await agent.callTool({
    name: 'read_document',
    arguments: { base64: readFileSync('tests/fixtures/documents/form.pdf').toString('base64') },
  })
  expect(textOf(pdf)).toMatch(/\[Page 1\]/)
  const [row] = await opened.rows()
  expect(row).toMatchObject({ path: '/mcp/read_document', endpoint: 'other', state: 'done', who: { name: 'agent' } })
})

it('models and usage are those of the app', async () => {
  const opened = await studio({ models: ['mirror'], budgetDay: '5', requestsPerMinute: 60 })
  const agent = await connected(opened)
  expect(textOf(await agent.callTool({ name: 'list_models', arguments: {} }))).toBe('mirror')
  const usage = textOf(await agent.callTool({ name: 'usage_and_limits', arguments: {} }))
  expect(usage).toContain('of 5 SC')
  expect(usage).toContain('Requests a minute: 60')
})

it('the limits of the app apply to its tools, and the words of a refusal reach the agent', async () => {
  const opened = await studio({ endpoints: ['speech', 'models'], budgetDay: '0.000001' })
  const agent = await connected(opened)
  const image = await agent.callTool({ name: 'generate_image', arguments: { prompt: 'A lighthouse' } })
  expect(image.isError).toBe(true)
  expect(textOf(image)).toMatch(/may not use image generation/)
  const speech = await agent.callTool({ name: 'speak', arguments: { text: 'The harbour is quiet.' } })
  expect(speech.isError).toBe(true)
  expect(textOf(speech)).toMatch(/^Insufficient credits: this app has 0.000001 SC left/)
  const document = await agent.callTool({ name: 'read_document', arguments: { base64: 'SGFsbG8=' } })
  expect(document.isError).toBe(true)
  expect(textOf(document)).toMatch(/may not use/)
  await eventually(async () => {
    // Refusals for the same reason share a row.
    const ofApp = (await opened.rows()).filter(({ who }) => who.kind === 'app')
    expect(ofApp.map(({ endpoint, state, times }) => `${endpoint} ${state} ${times}`).sort()).toEqual([
      'images refused 2',
      'speech refused 1',
    ])
  })
  expect(opened.sandbox.observe.requests().some(({ path }) => path.startsWith('/v1/audio'))).toBe(false)
})

it('without its switch an app has no tools, and the reply says where to find it', async () => {
  const { url, key } = await studio({ tools: false })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const reply = await fetch(url, { method: 'POST', headers, body: '{}' })
  expect(reply.status).toBe(403)
  expect(await reply.json()).toMatchObject({ error: { code: 'tools_off' } })
  await expect(connected({ url, key })).rejects.toThrow(/may not use tools/)
})

it.each([
  ['no key', {}, 401],
  ['a web page', { origin: 'https://evil.example' }, 403],
  ['another host', { host: 'evil.example' }, 421],
])('a request with %s is refused like any other of the local API', async (_, given, status) => {
  const { url, key } = await studio()
  const authorization = status === 401 ? {} : { authorization: `Bearer ${key}` }
  const { request } = await import('node:http')
  const got = await new Promise((resolve) =>
    request(url, { method: 'POST', headers: { ...authorization, ...given } }, ({ statusCode }) =>
      resolve(statusCode),
    ).end('{}'),
  )
  expect(got).toBe(status)
})

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
it.each([
  ['thousands of messages', JSON.stringify(Array(2000).fill(ping))],
  ['thousands of messages, in a large body', JSON.stringify(Array(40_000).fill(ping))],
  ['thousands of arguments', JSON.stringify({ ...ping, params: Array(200_000).fill(0) })],
])('a request of %s is refused before it makes the program wait', async (_, body) => {
  const { url, key } = await studio()
  const headers = {
    ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    accept: 'application/json, text/event-stream',
  }
  const reply = await fetch(url, { method: 'POST', headers, body })
  expect([reply.status, await reply.json()]).toMatchObject([400, { error: { code: 'too_many_messages' } }])
})

it('a query after the path changes nothing', async () => {
  const { url, key } = await studio()
  expect((await (await connected({ url: new URL('/mcp?client=one', url), key })).listTools()).tools).toHaveLength(6)
})

it('a batch within an open session has the same limits, and the session goes on', async () => {
  const { url, key } = await studio()
  const transport = new StreamableHTTPClientTransport(url, {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  })
  const agent = new Client({ name: 'test', version: '1' })
  await agent.connect(transport)
  onTestFinished(() => agent.close())
  const send = async (messages: object[]) => {
    const headers = {
      ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...{ accept: 'application/json, text/event-stream', 'mcp-session-id': transport.sessionId ?? '' },
    }
    const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(messages) })
    return { status: reply.status, text: await reply.text() }
  }
  expect(transport.sessionId).toBeTruthy()
  expect((await send(Array(16).fill(ping))).status).toBe(200)
  for (const messages of [Array(17).fill(ping), [{ ...ping, params: { list: Array(20_000).fill(123_456_789) } }]]) {
    const { status, text } = await send(messages)
    expect([status, text]).toEqual([400, expect.stringContaining('too_many_messages')])
  }
  expect((await agent.listTools()).tools).toHaveLength(6)
})

it('the address may have the key', async () => {
  const { url, key } = await studio()
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`/app/${key}/mcp`, url)))
  expect((await client.listTools()).tools).toHaveLength(6)
  await client.close()
})

it.each(['legacy', 'auto'] as const)('a cancelled call closes its request at the service (%s)', async (era) => {
  const opened = await studio()
  const agent = await connected(opened, era)
  const stop = new AbortController()
  const call = agent.callTool(
    { name: 'generate_image', arguments: { prompt: 'A lighthouse', model: 'fault/stall' } },
    { signal: stop.signal },
  )
  const ended = expect(call).rejects.toThrow()
  await eventually(async () => expect((await opened.rows())[0]).toMatchObject({ endpoint: 'images', state: 'sent' }))
  stop.abort()
  await ended
  await eventually(async () =>
    expect((await opened.rows())[0]).toMatchObject({ endpoint: 'images', state: 'cancelled', cancelledBy: 'app' }),
  )
  await eventually(() => expect(opened.core.activity.read().requests).toBe(0))
})

it('a client that disappears cancels its calls, and so does the end of its key', async () => {
  const opened = await studio()
  const agent = await connected(opened)
  const call = () =>
    agent
      .callTool({ name: 'generate_image', arguments: { prompt: randomUUID(), model: 'fault/stall' } })
      .catch(() => null)
  const first = call()
  await eventually(async () => expect((await opened.rows())[0]).toMatchObject({ endpoint: 'images', state: 'sent' }))
  await agent.close()
  await first
  await eventually(async () => expect((await opened.rows())[0]).toMatchObject({ state: 'cancelled' }))

  const other = await connected(opened)
  const second = other
    .callTool({ name: 'generate_image', arguments: { prompt: 'x', model: 'fault/stall' } })
    .catch(() => null)
  await eventually(async () => expect((await opened.rows())[0]).toMatchObject({ endpoint: 'images', state: 'sent' }))
  await opened.client.apps.pause({ id: opened.app.id, paused: true })
  await eventually(async () =>
    expect((await opened.rows()).find(({ endpoint }) => endpoint === 'images')).toMatchObject({ state: 'cancelled' }),
  )
  await other.close()
  await second
})

it('a client that asks for it gets progress', async () => {
  const opened = await studio()
  const agent = await connected(opened)
  const seen: string[] = []
  await agent.callTool(
    { name: 'speak', arguments: { text: 'The harbour is quiet.' } },
    { onprogress: ({ message = '' }) => seen.push(message) },
  )
  expect(seen[0]).toBe('Waiting for its turn.')
})

it('a session of one app is unknown to another', async () => {
  const opened = await studio()
  const { key: otherKey } = await opened.client.apps.add({ name: 'other', tools: true })
  const transport = new StreamableHTTPClientTransport(opened.url, {
    requestInit: { headers: { authorization: `Bearer ${opened.key}` } },
  })
  const agent = new Client({ name: 'test', version: '1' })
  await agent.connect(transport)
  onTestFinished(() => agent.close())
  const ask = async (key: string): Promise<number> => {
    const reply = await fetch(opened.url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': transport.sessionId ?? '',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
    await reply.text()
    return reply.status
  }
  expect(await ask(opened.key)).toBe(200)
  expect(await ask(otherKey)).toBe(404)
})

it('a folder that cannot be written to is said, and the result is not lost', async () => {
  const opened = await studio({ toolOutput: join(freshFolder(), 'gone') })
  const agent = await connected(opened)
  const drawn = await agent.callTool({ name: 'generate_image', arguments: { prompt: 'A lighthouse' } })
  expect(drawn.isError).toBeFalsy()
  expect(textOf(drawn)).toMatch(/was not saved in .*gone: it does not exist/)
  expect(drawn.content[1]?.type).toBe('image')
})

it('a path outside the folders of the app is refused, whatever leads to it', async () => {
  const folder = realpathSync(freshFolder())
  const secret = join(realpathSync(freshFolder()), 'secret.txt')
  writeFileSync(secret, 'canary')
  mkdirSync(join(folder, 'inner'))
  symlinkSync(secret, join(folder, 'link.txt'))
  const opened = await studio({ toolInputs: [folder] })
  const agent = await connected(opened)
  for (const path of [secret, join(folder, 'link.txt'), `${folder}/inner/../../${secret}`, 'notes.txt']) {
    const read = await agent.callTool({ name: 'read_document', arguments: { path } })
    expect(read.isError, path).toBe(true)
    expect(textOf(read), path).not.toContain('canary')
  }
})

it('the whole disk, and what is no whole path, can be no folder of an app', async () => {
  const { client, app } = await studio()
  const change = (changes: Partial<AppSettings>) => client.apps.update({ id: app.id, changes })
  for (const folder of ['/', '//', 'notes', '../notes', '', 'a\nb'])
    await expect(change({ toolInputs: [folder] }), JSON.stringify(folder)).rejects.toThrow(/whole path|below the root/)
  await expect(change({ toolOutput: '/' })).rejects.toThrow('below the root')
  const changed = await change({ toolInputs: ['/home/me/notes/', '/home/me/x/../notes'], toolOutput: null })
  expect(changed.toolInputs).toEqual(['/home/me/notes'])
})

it('a changed setting of the app holds for the next part of a speech that is being made', async () => {
  const opened = await studio()
  const agent = await connected(opened)
  const call = agent.callTool({
    name: 'speak',
    arguments: { text: 'The harbour is quiet. '.repeat(400), format: 'wav', speed: 4 },
  })
  await eventually(async () =>
    expect((await opened.rows()).filter(({ endpoint }) => endpoint === 'speech')).not.toHaveLength(0),
  )
  await opened.client.apps.update({ id: opened.app.id, changes: { endpoints: ['models'] } })
  const spoken = await call
  expect([spoken.isError, textOf(spoken)]).toEqual([true, expect.stringMatching(/may not use speech/)])
})

it('a request that the limits of its app refuse leaves nothing in the galleries and no file', async () => {
  const folder = freshFolder()
  writeFileSync(join(folder, 'sound.wav'), 'RIFF')
  const opened = await studio({ toolInputs: [folder], endpoints: ['models'] })
  const { client } = opened
  const agent = await connected(opened)
  for (const [name, given] of [
    ['transcribe', { path: join(folder, 'sound.wav') }],
    ['speak', { text: 'The harbour is quiet.' }],
    ['generate_image', { prompt: 'A lighthouse' }],
  ] as const) {
    const reply = await agent.callTool({ name, arguments: given })
    expect(textOf(reply)).toMatch(/may not use/)
  }
  expect((await client.transcription.find({ search: '', before: null, limit: 10 })).recordings).toEqual([])
  expect((await client.speech.find({ search: '', favourites: false, before: null, limit: 10 })).speeches).toEqual([])
  for await (const event of await client.images.watch()) {
    expect(event).toMatchObject({ type: 'snapshot', drawings: [] })
    break
  }
  expect(readdirSync(join(opened.dataDir, 'media'))).toEqual([])
  expect(readdirSync(folder)).toEqual(['sound.wav'])
})

it('a character of two units is never divided between two pieces of a document', async () => {
  const folder = freshFolder()
  writeFileSync(join(folder, 'notes.html'), `<p>${'a\u{1f600}b\u{1f680}\u{1f6f6}'.repeat(20)}</p>`)
  const agent = await connected(await studio({ toolInputs: [folder] }))
  const readIn = async (length: number): Promise<string> => {
    let whole = ''
    for (let start: number | null = 0; start !== null; ) {
      const given: object = { path: join(folder, 'notes.html'), start, length }
      const text = textOf(await agent.callTool({ name: 'read_document', arguments: { ...given } }))
      const [, piece, next]: readonly (string | undefined)[] =
        /^(.*?)(?:\n\n\[Characters .* Next: start (\d+)\.\])?$/s.exec(text) ?? []
      whole += piece
      start = next === undefined ? null : Number(next)
    }
    return whole
  }
  const whole = await readIn(1000)
  expect(whole).toContain('a\u{1f600}b\u{1f680}\u{1f6f6}a')
  for (const length of [1, 2, 3, 7]) expect(await readIn(length), `${length}`).toBe(whole)
})

/** A tool with dependencies of which only the given ones are used. */
function toolNamed(name: string, given: Partial<ToolsDependencies>) {
  const found = studioTools(given as ToolsDependencies).find((one) => one.name === name)
  return found ?? expect.unreachable()
}
const runOf = (given: Partial<StudioToolRun>): StudioToolRun =>
  ({ signal: new AbortController().signal, describe: () => '', ...given }) as StudioToolRun

it('a result that is too large to be sent is named, whatever its size, and not read', async () => {
  const { app } = await studio()
  const path = join(freshFolder(), 'speech.wav')
  writeFileSync(path, '')
  truncateSync(path, 5_000_000_000)
  const files = [{ path, mime: 'audio/wav', name: 'speech.wav' }]
  const speech = () => Promise.resolve({ id: 'one', files, cost: '1', costIs: 'measured' as const })
  const tool = toolNamed('speak', { media: { speech } as unknown as ToolsDependencies['media'] })
  expect(await tool.run({ text: 'Long.' }, runOf({ app }))).toEqual([
    {
      type: 'text',
      text: 'speech.wav (5000000 kB)\nIt is too large to be sent with this result.\nGallery id: one\nCost: 1 SC',
    },
  ])
})

it('a call that the log can’t record gives its place among the running ones back', async () => {
  const { app } = await studio({ concurrent: 1 })
  const nothing = { day: 0n, month: 0n, total: 0n }
  const allowance = new AppAllowance({
    spent: () => nothing,
    grants: () => ({ extra: nothing, open: new Set() }),
    hasUsed: () => true,
  })
  const open = (): never => {
    throw new Error('The log is full.')
  }
  const tool = toolNamed('usage_and_limits', { allowance, requestLog: { open, refused: () => undefined } })
  for (let n = 0; n < 2; n += 1) await expect(tool.run({}, runOf({ app }))).rejects.toThrow('The log is full.')
  expect(allowance.use(app.id).active).toBe(0)
})

it('models of an odd list are those that have a name, and a reply without a list is said in words', async () => {
  const { app } = await studio()
  const list = (body: string) => {
    const bytes = (async function* () {
      yield Buffer.from(body)
    })()
    const via = () => Promise.resolve({ status: 200, headers: [], bytes })
    return toolNamed('list_models', {}).run({}, runOf({ app, via }))
  }
  expect(await list('{"data":[{"id":"mirror"},{"name":"x"},null,{"id":7},"writer"]}')).toEqual([
    { type: 'text', text: 'mirror' },
  ])
  for (const body of ['<html>', '{"models":[]}'])
    await expect(list(body)).rejects.toMatchObject({
      kind: 'malformed_reply',
      message: 'The service’s reply is no list of models.',
    })
})
