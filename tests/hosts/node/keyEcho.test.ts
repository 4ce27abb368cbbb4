// @long A minute: every place of an echo. tests/core/upstream/reply/mask.test.ts has the mask alone.

import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { unzipSync } from 'fflate'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { connectWeb } from '../../../src-renderer/api/connect.ts'
import { compressions, type EchoingService, type EchoMode, startEchoingService } from '../../helpers/echoingService.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { realCommands } from './fixtures/inProcess.ts'
import { cookieOf, openSocket, uploadTo } from './fixtures/page.ts'
import { commandLine, type Running, studioEntry } from './fixtures/process.ts'

// Runs the studio as a process with a service that echoes the key in every place. Afterwards the key must be stored nowhere.

const key = 'sk-canary-Q7f3.d2A91~c05E4b68-hJ'
const home = temporaryFolder('studio-home-')
const out = temporaryFolder('studio-out-')
const dataDir = temporaryFolder('studio-data-')
const { start, run } = commandLine(studioEntry, { HOME: home, TMPDIR: home, INFERENCE_STUDIO_API_KEY: key })
let service: EchoingService
let host: Running | null = null

beforeAll(async () => {
  service = await startEchoingService(key)
})
afterAll(async () => {
  host?.child.kill('SIGKILL')
  await host?.ended
  await service.close()
  for (const folder of [home, out, dataDir]) rmSync(folder, { recursive: true, force: true })
})

/** Each place where the key was found. */
const leaks: string[] = []
function look(where: string, bytes: Uint8Array | string): void {
  if (Buffer.from(bytes).includes(key)) leaks.push(where)
}

/** Searches databases with their journals, media and all other files byte by byte, and the contents of archives. */
function lookIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  for (const { parentPath, name } of files) {
    const path = join(parentPath, name)
    const bytes = readFileSync(path)
    look(relative(tmpdir(), path), bytes)
    look(`the name of ${name}`, name)
    if (!name.endsWith('.zip')) continue
    for (const [inside, content] of Object.entries(unzipSync(bytes))) look(`${name}, ${inside}`, content)
  }
  return files.length
}

/** The page's side of the connection. Records every frame that the core sends. */
async function openWatchedPage(url: string) {
  const frames: Buffer[] = []
  let cookie = ''
  const page = connectWeb({
    async letIn() {
      cookie = await cookieOf(url)
      return cookie !== ''
    },
    openSocket() {
      const socket = openSocket(url, cookie)
      socket.addEventListener('message', ({ data }) => {
        frames.push(typeof data === 'string' ? Buffer.from(data) : Buffer.from(data as ArrayBuffer))
      })
      return socket
    },
  })
  return { client: page.client, frames }
}
type Client = Awaited<ReturnType<typeof openWatchedPage>>['client']

async function firstOf<T>(events: Promise<AsyncIterable<T>>, wanted: (event: T) => boolean): Promise<T | null> {
  for await (const event of await events) if (wanted(event)) return event
  return null
}

/** Sends every kind of request of the studio itself. The messages of failures are searched too. */
async function askAsStudio(url: string, client: Client): Promise<void> {
  const search = async (what: string, promise: Promise<unknown>): Promise<void> => {
    const result = await promise.catch((thrown: unknown) => thrown)
    look(`${service.mode}: ${what}`, JSON.stringify(result) + String(result))
  }
  await search('models', client.models.list({ refresh: true }))
  await search('usage', client.usage.refresh())
  await search('keys', client.keys.refresh())
  await search(
    'limits',
    firstOf(client.limits.watch(), () => true),
  )
  await search('chat', chat(client))
  await search('speech', speak(client))
  await search('images', draw(client))
  for (const format of ['json', 'text', 'vtt']) await search(`transcript as ${format}`, transcribe(url, client, format))
}

async function chat(client: Client): Promise<unknown> {
  const wish = { requestId: randomUUID(), conversationId: null, text: 'Say it.', models: ['echo'] }
  const { conversationId } = await client.chat.send(wish)
  return firstOf(client.chat.watch({ conversationId }), (event) =>
    event.type === 'snapshot'
      ? event.messages.at(-1)?.finishedAt != null
      : event.type === 'message' && event.message.finishedAt !== null,
  )
}

async function speak(client: Client): Promise<unknown> {
  const wish = {
    requestId: randomUUID(),
    text: 'Say it.',
    model: null,
    voice: null,
    format: 'pcm',
    speed: null,
  } as const
  const { id } = await client.speech.generate(wish)
  await expect.poll(async () => (await client.speech.get({ id })).state).not.toMatch(/waiting|making/)
  return client.speech.get({ id })
}

async function draw(client: Client): Promise<unknown> {
  const wish = { requestId: randomUUID(), prompt: 'A key', n: 4, model: null, size: null, responseFormat: null }
  const { id } = await client.images.generate(wish)
  const event = await firstOf(client.images.watch(), (change) => {
    const drawings = change.type === 'snapshot' ? change.drawings : change.type === 'drawing' ? [change.drawing] : []
    return drawings.some((drawing) => drawing.id === id && !/waiting|making/.test(drawing.state))
  })
  return event
}

async function transcribe(url: string, client: Client, format: string): Promise<unknown> {
  const audio = Buffer.alloc(1000, 1)
  const uploadId = await uploadTo(url, client, 'a.wav', audio)
  const { id } = await client.transcription.addFile({ uploadId })
  await client.transcription.transcribe({
    requestId: randomUUID(),
    recordingId: id,
    model: null,
    language: null,
    prompt: null,
    format,
    temperature: null,
  })
  const get = async () => (await client.transcription.get({ id })).transcripts[0]
  await expect.poll(async () => (await get())?.state).not.toMatch(/waiting|making/)
  return get()
}

interface Answer {
  head: string
  body: Buffer
}

function ask(url: string, appKey: string, mode: EchoMode, body: string | null): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${appKey}`,
      'x-echo-mode': mode,
      'accept-encoding': 'gzip, br, zstd, deflate',
      ...(body !== null && { 'content-type': 'application/json' }),
    }
    const request = httpRequest(url, { method: body === null ? 'GET' : 'POST', headers }, (reply: IncomingMessage) => {
      const chunks: Buffer[] = []
      const done = (): void => {
        const { statusCode, statusMessage, rawHeaders, rawTrailers } = reply
        resolve({
          head: [statusCode, statusMessage, ...rawHeaders, ...rawTrailers].join('\n'),
          body: Buffer.concat(chunks),
        })
      }
      reply.on('data', (chunk: Buffer) => chunks.push(chunk))
      reply.once('end', done)
      // The service cuts this reply, and so does the gateway.
      reply.once('error', done)
    })
    request.once('error', reject)
    request.end(body ?? undefined)
  })
}

const paths: [path: string, body: string | null][] = [
  ['/models', null],
  ['/keys/', null],
  ['/keys/current', null],
  ['/keys/k1/usage', null],
  ['/keys/current/usage/daily', null],
  ['/usage', null],
  ['/rate-limit', null],
  ['/service/files/a.png', null],
  ['/unknown', null],
  ['/chat/completions', '{"model":"echo","messages":[]}'],
  ['/chat/completions', '{"model":"echo","messages":[],"stream":true}'],
  ['/chat/completions', '{"model":"echo","messages":[],"stream":true,"stream_options":{"include_usage":true}}'],
  ['/responses', '{"model":"echo","input":"a"}'],
  ['/responses', '{"model":"echo","input":"a","stream":true,"store":false}'],
  ['/responses/compact', '{"model":"echo","input":"a"}'],
  ['/messages', '{"model":"echo","max_tokens":9,"messages":[{"role":"user","content":"a"}]}'],
  ['/messages', '{"model":"echo","max_tokens":9,"messages":[{"role":"user","content":"a"}],"stream":true}'],
  ['/messages/count_tokens', '{"model":"echo","messages":[{"role":"user","content":"a"}]}'],
  ['/completions', '{"model":"echo","prompt":""}'],
  ['/embeddings', '{"model":"echo","input":""}'],
  ['/audio/speech', '{"model":"echo","input":"a"}'],
  ['/audio/transcriptions', '{"model":"echo"}'],
  ['/images/generations', '{"prompt":"a"}'],
]

/** Replies in which the mask can't be read: sound, a refused tool call, and one that this computer makes. */
const withoutMask = new Set(['/audio/speech', '/responses/compact', '/messages/count_tokens'])

/** Sends every kind of request of an app. */
async function askAsApp(baseUrl: string, appKey: string, mode: EchoMode): Promise<void> {
  for (const [path, body] of paths) {
    const url = path.startsWith('/service/') ? baseUrl.replace(/\/v1$/, path) : baseUrl + path
    const answer = await ask(url, appKey, mode, body)
    look(`${mode}: the head of ${path}`, answer.head)
    look(`${mode}: the body of ${path}`, answer.body)
    expect(answer.head).not.toMatch(/content-encoding/i)
    if (mode === 'good' && !withoutMask.has(path)) expect([path, answer.body.includes('[key]')]).toEqual([path, true])
  }
}

const studioModes: EchoMode[] = [
  'good',
  'error frame',
  'refuses',
  'page',
  'no JSON',
  'cut',
  'no HTTP',
  'compressed with gzip',
]
const gatewayModes = new Set<EchoMode>([
  ...studioModes,
  ...compressions.map((name): EchoMode => `compressed with ${name}`),
])

it('a key that the service echoes in any place is never stored, sent, shown or exported [AUTH-03]', {
  timeout: 240_000,
}, async () => {
  const where = ['--data-dir', dataDir]
  host = start(['serve', '--json', '--base-url', service.url, '--web-port', '0', '--api-port', '0', ...where])
  const { web, proxy } = JSON.parse(await host.line())
  const { client, frames } = await openWatchedPage(web.url)
  await client.app.updateSettings({ metrics: true, chatBodies: true })

  const added = await client.apps.add({ name: 'app', logBodies: true, retries: false })
  for (const mode of gatewayModes) await askAsApp(proxy.baseUrl, added.key, mode)
  for (const mode of studioModes) {
    service.mode = mode
    await askAsStudio(web.url, client)
  }
  service.mode = 'good'
  expect(service.paths).toEqual(
    expect.arrayContaining(['/v1/keys/k1/usage', '/v1/usage', '/v1/rate-limit', '/files/a.png']),
  )

  const { rows } = await client.requests.page({ filter: {}, before: Number.MAX_SAFE_INTEGER, limit: 1000 })
  expect(rows.length).toBeGreaterThan(gatewayModes.size * paths.length)
  for (const { id } of rows) look(`request ${id}`, JSON.stringify(await client.requests.get({ id })))
  const token = new URLSearchParams(new URL(web.url).hash.slice(1)).get('token')
  const metrics = await fetch(new URL('/metrics', web.url), { headers: { authorization: `Bearer ${token}` } })
  expect(metrics.status).toBe(200)
  look('/metrics', await metrics.text())
  expect(frames.length).toBeGreaterThan(50)
  for (const frame of frames) look('a frame to the page', frame)
  // The write-ahead logs exist while the program runs.
  expect(lookIn(dataDir)).toBeGreaterThan(5)

  const shown: string[][] = [
    ['requests', '--limit', '1000'],
    ['usage', '--by', 'model'],
    ['limits'],
    ['keys'],
    ['apps', 'list'],
    ['connections'],
    ['doctor', '--base-url', service.url],
  ]
  const exported: string[][] = [
    ['backup', join(out, 'all.backup')],
    ['export', '--what', 'chats', '--format', 'zip', '--output', join(out, 'chats.zip')],
    ['export', '--what', 'chats', '--format', 'markdown', '--output', join(out, 'chats.md')],
    ...['requests', 'usage'].flatMap((what) =>
      ['csv', 'json', 'parquet'].map((format) => [
        'export',
        ...['--what', what, '--format', format, '--output', join(out, `${what}.${format}`)],
      ]),
    ),
  ]
  exported.push(['export', '--what', 'media', '--output', join(out, 'media')])
  // In this process, which takes a tenth of the time of one process per command.
  const here = realCommands({
    HOME: home,
    TMPDIR: home,
    INFERENCE_STUDIO_API_KEY: key,
    DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere',
  })
  for (const args of [...shown.flatMap((one) => [one, [...one, '--json']]), ...exported]) {
    const { stdout, stderr, code } = await here([...args, ...where])
    look(args.join(' '), stdout + stderr)
    if (exported.includes(args)) expect([args, code, stderr]).toEqual([args, 0, expect.anything()])
  }
  const typed = await run([
    'chat',
    'Say it.',
    '--model',
    'echo',
    '--base-url',
    service.url,
    '--data-dir',
    join(home, 'own'),
  ])
  expect(typed.stdout).toContain('It is [key]')
  look('chat', typed.stdout + typed.stderr)

  host.child.kill('SIGTERM')
  const ended = await host.ended
  look('the output of serve', ended.stdout + ended.stderr)
  for (const folder of [dataDir, home, out]) expect(lookIn(folder)).toBeGreaterThan(0)
  expect([...new Set(leaks)]).toEqual([])
})
