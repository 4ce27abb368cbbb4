import { on } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Readable } from 'node:stream'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { claimFolder } from '../../../src-main/core/store/dataFolder.ts'
import { databaseFile } from '../../../src-main/core/store/store.ts'
import { listenOn } from '../../../src-main/hosts/node/listen.ts'
import { type Sandbox, startSandbox } from '../../../src-main/sandbox/sandbox.ts'
import { onlyLong } from '../../helpers/effort.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { lacks } from '../../helpers/programs.mjs'
import { openPage } from './fixtures/page.ts'
import { commandLine, documents, type Running, sourceEntry, studioEntry } from './fixtures/process.ts'

// Tests the command line with the real core and sandbox. Each command is a separate process.

const canary = 'sk-canary-71d0e4b29c58a3f6'
const withKey = { INFERENCE_STUDIO_API_KEY: canary }
const home = temporaryFolder('studio-home-')
const { start, run } = commandLine(studioEntry, { HOME: home, TMPDIR: home })
let service: Sandbox
let dataDir: string
const running = new Set<Running>()

beforeAll(async () => {
  service = await startSandbox({ apiKey: canary })
})
beforeEach(() => {
  dataDir = temporaryFolder('studio-data-')
})
afterEach(async () => {
  for (const each of running) {
    each.child.kill('SIGKILL')
    await each.ended
  }
  running.clear()
  rmSync(dataDir, { recursive: true, force: true })
})
afterAll(async () => {
  await service.close()
  rmSync(home, { recursive: true, force: true })
})

const watched = (one: Running): Running => {
  running.add(one)
  void one.ended.then(() => running.delete(one))
  return one
}
const begin = (...given: Parameters<typeof start>): Running => watched(start(...given))

async function serve(...args: string[]) {
  const free = ['--web-port', '0', '--api-port', '0', '--data-dir', dataDir]
  const host = begin(['serve', '--json', ...free, ...args], withKey)
  return { host, ready: JSON.parse(await host.line()) }
}

async function endOf(host: Running, signal: NodeJS.Signals = 'SIGTERM') {
  host.child.kill(signal)
  return await host.ended
}

/** The first group of the first line that matches. */
async function lineOf(stream: Readable, pattern: RegExp): Promise<string> {
  let text = ''
  for await (const [part] of on(stream, 'data')) {
    text += part
    const [, found] = pattern.exec(text) ?? []
    if (found) return found
  }
  throw new Error(`No line matches: ${text}`)
}

/** Reads the stored data on a separate connection, after an integrity check. */
function stored(sql: string): unknown[] {
  const database = new DatabaseSync(databaseFile(dataDir), { readOnly: true })
  try {
    expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
    return database.prepare(sql).all()
  } finally {
    database.close()
  }
}
const storedReplies = () =>
  stored("SELECT status, length(text) AS length, problem FROM messages WHERE role = 'assistant'")

const keptIn = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')

describe('serve', () => {
  it('the ready line has the addresses of the page, the local API and the sandbox, and they respond', async () => {
    const { host, ready } = await serve('--sandbox')
    expect(ready).toEqual({
      web: { url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}$/) },
      proxy: { baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1$/) },
      sandbox: { baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/), apiKey: expect.any(String) },
      dataDir,
    })
    const { baseUrl, apiKey } = ready.sandbox
    const models = await fetch(`${baseUrl}/v1/models`, { headers: { authorization: `Bearer ${apiKey}` } })
    expect(models.status).toBe(200)
    expect((await fetch(`${ready.proxy.baseUrl}/models`)).status).toBe(401)
    const page = openPage(() => ready.web.url)
    expect((await page.client.models.list({})).models.length).toBeGreaterThan(0)
    page.close()
    const { code, stdout, stderr } = await endOf(host)
    expect([code, documents(stdout).length, stderr]).toEqual([0, 1, ''])
  })

  it.each(['SIGTERM', ...onlyLong('SIGINT')] as const)(
    'ends with 0 on %s while a reply streams, which is kept and marked',
    async (signal) => {
      const { host, ready } = await serve('--base-url', service.baseUrl)
      const page = openPage(() => ready.web.url)
      const sent = await page.client.chat.send({
        requestId: crypto.randomUUID(),
        conversationId: null,
        text: 'Go on.',
        models: ['writer-large'],
      })
      let shown = 0
      for await (const event of await page.client.chat.watch({ conversationId: sent.conversationId })) {
        if (event.type === 'delta') shown += event.append.length
        if (shown > 40) break
      }
      const asked = service.observe.requests().findLast((request) => request.stream)
      const ended = endOf(host, signal)
      expect((await service.observe.whenClosed(asked?.id ?? '')).closedByClient).toBe(true)
      expect((await ended).code).toBe(0)
      page.close()
      const [reply] = storedReplies() as { status: string; length: number; problem: string }[]
      expect(reply?.status).toBe('incomplete')
      expect(reply?.length).toBeGreaterThanOrEqual(shown)
      expect(JSON.parse(reply?.problem ?? '')).toMatchObject({ kind: 'cancelled', outputStarted: true })
      expect(stored('SELECT count(*) AS n FROM pieces')).toEqual([{ n: 0 }])
      expect(readdirSync(dataDir)).not.toContain('studio.owner.json')
    },
  )

  it('a serve whose database another program has locked answers with the reason, and becomes ready when the lock ends', {
    tags: 'long',
  }, async () => {
    const { host: first } = await serve()
    await endOf(first)
    const locked = new DatabaseSync(databaseFile(dataDir))
    try {
      locked.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
      const host = begin(['serve', '--json', '--web-port', '0', '--api-port', '0', '--data-dir', dataDir])
      const progress = await lineOf(host.child.stderr, /Progress: (\S+)/)
      const { status, headers } = await fetch(progress)
      expect([status, headers.get('retry-after')]).toEqual([503, '1'])
      locked.close()
      const ready = JSON.parse(await host.line())
      // Standard error of a service is kept, so it has no token.
      expect(new URL(ready.web.url).origin).toBe(progress)
      expect((await fetch(progress)).status).toBe(200)
      const { code, stderr } = await endOf(host)
      expect([code, stderr]).toEqual([0, expect.stringContaining('Another program has locked studio.sqlite.')])
    } finally {
      if (locked.isOpen) locked.close()
    }
  })

  it('a second serve on the same folder is refused with the address of the first, without its token', async () => {
    const { host, ready } = await serve('--sandbox')
    const { origin, hash } = new URL(ready.web.url)
    const second = await run(['serve', '--json', '--web-port', '0', '--data-dir', dataDir])
    expect(second.code).toBe(1)
    const [{ problem }] = documents(second.stdout) as [{ problem: { kind: string; message: string } }]
    expect(problem.kind).toBe('folder_in_use')
    expect(problem.message).toContain(`Process ${host.child.pid} (${origin})`)
    expect(second.stderr).toContain(origin)
    expect(second.stdout + second.stderr + keptIn(dataDir)).not.toContain(hash.slice('#token='.length))
    expect((await endOf(host)).code).toBe(0)
    const third = await serve()
    expect((await endOf(third.host)).code).toBe(0)
  })

  it('without --json the same facts are printed one per line', { tags: 'long' }, async () => {
    const args = ['serve', '--sandbox', '--web-port', '0', '--api-port', '0', '--data-dir', dataDir]
    const host = begin(args)
    const lines = [
      /^Inference Studio {2}http:\/\/127\.0\.0\.1:\d+$/,
      /^Local API {9}http:\/\/127\.0\.0\.1:\d+\/v1$/,
      /^Sandbox {11}http:\/\/127\.0\.0\.1:\d+$/,
      /^Sandbox key {7}\S+$/,
      /^Data folder {7}\//,
      /^Open the page with: inference-studio open$/,
      /^Press Ctrl-C to stop\.$/,
    ]
    for (const line of lines) expect(await host.line()).toMatch(line)
    expect((await endOf(host, 'SIGINT')).code).toBe(0)
  })
})

describe('apps beside a running serve', () => {
  it('an added app works with the next request, and a revoked app is refused with the next request', async () => {
    const { host, ready } = await serve('--sandbox')
    const where = ['--json', '--data-dir', dataDir]
    const ask = async (key: string) => {
      const reply = await fetch(`${ready.proxy.baseUrl}/models`, { headers: { authorization: `Bearer ${key}` } })
      await reply.arrayBuffer()
      return reply.status
    }
    const added = await run(['apps', 'add', 'editor', ...where])
    const { id, key } = JSON.parse(added.stdout)
    expect([await ask(key), await ask(key)]).toEqual([200, 200])
    const revoked = await run(['apps', 'revoke', id, ...where])
    expect([revoked.code, await ask(key)]).toEqual([0, 401])
    const listed = await run(['apps', 'list', ...where])
    expect(JSON.parse(listed.stdout)).toMatchObject({ id, name: 'editor', revokedAt: expect.any(String) })
    expect(listed.stdout + keptIn(dataDir)).not.toContain(key)
    expect((await endOf(host)).code).toBe(0)
  })

  it('apps add prints the app key on its own line, and apps list prints columns', { tags: 'long' }, async () => {
    const where = ['--data-dir', dataDir]
    const { stdout } = await run(['apps', 'add', 'a long name', ...where])
    await run(['apps', 'add', 'b', ...where])
    expect(stdout.split('\n').filter((line) => /^isk_[\w-]+$/.test(line))).toHaveLength(1)
    const rows = (await run(['apps', 'list', ...where])).stdout.trimEnd().split('\n')
    expect(rows).toHaveLength(3)
    const [head = '', first = '', second = ''] = rows
    expect(head).toMatch(/^NAME +STATE +CREATED +ID +LIMITS$/)
    expect(first).toMatch(/^b +never used +\d{4}-\d\d-\d\d \d\d:\d\d UTC {2}[a-f\d]{10}$/)
    expect(second.indexOf('never used')).toBe(first.indexOf('never used'))
  })
})

describe('doctor', () => {
  const checksOf = (stdout: string): Record<string, [string, string]> => {
    const { checks } = JSON.parse(stdout)
    return Object.fromEntries(checks.map((check: Record<string, string>) => [check.name, [check.status, check.detail]]))
  }
  const args = (baseUrl = service.baseUrl) => [
    'doctor',
    '--ignore-warnings',
    '--json',
    '--base-url',
    baseUrl,
    '--data-dir',
    dataDir,
  ]

  it('doctor reports an accepted API key without printing it', async () => {
    const { code, stdout, stderr } = await run(args(), withKey)
    expect(code).toBe(0)
    expect(checksOf(stdout)).toMatchObject({
      node: ['ok', process.versions.node],
      keychain: ['warning', expect.stringMatching(lacks('keyring') === null ? /D-Bus/ : /D-Bus|libsecret-1-0/)],
      dataFolder: ['ok', expect.stringContaining(dataDir)],
      baseAddress: ['ok', `${service.baseUrl} responds`],
      key: ['ok', 'accepted'],
    })
    expect(stdout + stderr + keptIn(dataDir)).not.toContain(canary)
  })

  it.each([
    ['too short', (file: string) => writeFileSync(file, 'x'), /studio\.sqlite is damaged/],
    ...onlyLong(
      ['no database', (file: string) => writeFileSync(file, 'x'.repeat(8192)), /studio\.sqlite is damaged/] as const,
      ['a folder', (file: string) => mkdirSync(file), /studio\.sqlite is a folder/] as const,
    ),
  ] as const)(
    'doctor names a database that can’t be opened, because it is %s',
    { tags: 'long' },
    async (_why, spoil, words) => {
      claimFolder(dataDir)
      spoil(databaseFile(dataDir))
      const { code, stdout } = await run(['doctor', '--json', '--sandbox', '--data-dir', dataDir])
      expect(checksOf(stdout).dataFolder).toEqual(['failed', expect.stringMatching(words)])
      expect(code).toBe(1)
    },
  )

  it('doctor distinguishes a refused API key from an unreachable service', { tags: 'long' }, async () => {
    const refused = await run(args(), { INFERENCE_STUDIO_API_KEY: service.keys.revoked })
    expect(refused.code).toBe(1)
    expect(checksOf(refused.stdout)).toMatchObject({
      baseAddress: ['ok', expect.anything()],
      key: ['failed', expect.anything()],
    })
    expect(refused.stdout + refused.stderr).not.toContain(service.keys.revoked)
    const nobody = createServer()
    const port = await listenOn(nobody, 0, false)
    await new Promise((resolve) => nobody.close(resolve))
    const silent = await run(args(`http://127.0.0.1:${port}`), withKey)
    expect(silent.code).toBe(1)
    expect(checksOf(silent.stdout)).toMatchObject({
      baseAddress: ['failed', expect.anything()],
      key: ['warning', 'not checked'],
    })
  })

  it('doctor works beside a running serve: it names the process, and checks a given connection', {
    tags: 'long',
  }, async () => {
    const { host, ready } = await serve('--sandbox')
    const stored = await run(['doctor', '--ignore-warnings', '--json', '--data-dir', dataDir])
    const { baseAddress } = checksOf(stored.stdout)
    expect([stored.code, baseAddress?.[0]]).toEqual([0, 'warning'])
    expect(baseAddress?.[1]).toContain(new URL(ready.web.url).origin)
    const given = await run(args(), withKey)
    expect(checksOf(given.stdout)).toMatchObject({ key: ['ok', 'accepted'] })
    expect(readdirSync(home).filter((name) => name.startsWith('inference-studio-'))).toEqual([])
    expect((await endOf(host)).code).toBe(0)
  })
})

describe('chat', () => {
  const args = (...more: string[]) => ['chat', ...more, '--base-url', service.baseUrl, '--data-dir', dataDir]
  const lastStream = () => service.observe.requests().findLast((request) => request.stream)?.id ?? ''

  it('chat --json streams documents, ends with the whole reply and stores it', { tags: 'long' }, async () => {
    const chat = begin([...args('Say something.', '--model', 'mirror'), '--json'], withKey)
    expect(JSON.parse(await chat.line())).toEqual({
      chat: expect.any(String),
      reply: expect.any(String),
      model: 'mirror',
    })
    const { code, stdout, stderr } = await chat.ended
    const said = documents(stdout) as { delta?: string; status?: string; text?: string }[]
    const whole = said.at(-1)
    expect([code, stderr]).toEqual([0, ''])
    expect(whole).toMatchObject({ status: 'complete', model: 'mirror', finishReason: 'stop' })
    expect(said.length).toBeGreaterThan(3)
    expect(said.map(({ delta = '' }) => delta).join('')).toBe(whole?.text)
    expect(storedReplies()).toMatchObject([{ status: 'complete', length: whole?.text?.length }])
  })

  it('Ctrl-C stores the text so far and closes the request to the service', { tags: 'long' }, async () => {
    const chat = begin([...args('Go on.', '--model', 'writer-large'), '--json'], withKey)
    await chat.line()
    await chat.line()
    chat.child.kill('SIGINT')
    const { code, stdout } = await chat.ended
    expect([code, documents(stdout).at(-1)]).toMatchObject([
      130,
      { status: 'stopped', text: expect.stringMatching(/./) },
    ])
    expect((await service.observe.whenClosed(lastStream())).closedByClient).toBe(true)
    expect(storedReplies()).toMatchObject([{ status: 'stopped' }])
  })

  it('chat stops silently with exit code 141 when the reader of its output ends', { tags: 'long' }, async () => {
    const chat = begin(args('Go on.', '--model', 'writer-large'), withKey)
    await new Promise((resolve) => chat.child.stdout.once('data', resolve))
    chat.child.stdout.destroy()
    expect(await chat.ended).toMatchObject({ code: 141, stderr: '' })
    expect((await service.observe.whenClosed(lastStream())).closedByClient).toBe(true)
    expect(storedReplies()).toMatchObject([{ status: 'stopped' }])
  })

  it('Ctrl-C stops chat at once while it waits for the service', { tags: 'long' }, async () => {
    const asked = Promise.withResolvers<void>()
    const silent = createServer(() => asked.resolve())
    const port = await listenOn(silent, 0, false)
    const where = ['--base-url', `http://127.0.0.1:${port}`, '--data-dir', dataDir]
    const chat = begin(['chat', 'Hello', '--json', ...where], withKey)
    await asked.promise
    chat.child.kill('SIGINT')
    const { code, stdout } = await chat.ended
    silent.closeAllConnections()
    silent.close()
    expect([code, documents(stdout)]).toMatchObject([130, [{ problem: { kind: 'cancelled' } }]])
  })

  it('control characters of a reply are not printed', { tags: 'long' }, async () => {
    const { code, stdout } = await run(args('\u001b]0;title\u0007\u001b[31mred', '--model', 'mirror'), withKey)
    expect([code, stdout]).toEqual([0, expect.stringContaining('[31mred')])
    expect(stdout).not.toMatch(/(?![\n\t])\p{Cc}/u)
  })

  it('chat goes through the studio that serve runs on the folder; with another service it is not stored', {
    tags: 'long',
  }, async () => {
    const { host, ready } = await serve('--sandbox')
    const given = await run(args('Hello', '--model', 'mirror'), withKey)
    expect([given.code, given.stdout, given.stderr]).toEqual([
      0,
      expect.stringContaining('Hello'),
      expect.stringContaining('not stored'),
    ])
    expect(readdirSync(home).filter((name) => name.startsWith('inference-studio-'))).toEqual([])
    const stored = await run(['chat', 'Hello', '--json', '--data-dir', dataDir])
    expect([stored.code, stored.stderr]).toEqual([0, ''])
    expect(documents(stored.stdout).at(-1)).toMatchObject({ status: 'complete', text: expect.stringMatching(/./) })
    expect(storedReplies()).toMatchObject([{ status: 'complete' }])
    expect(await run(['open', '--print', '--data-dir', dataDir])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(new URL(ready.web.url).origin),
    })
    expect((await endOf(host)).code).toBe(0)
  })

  it('a missing connection is reported with a message', { tags: 'long' }, async () => {
    const { code, stdout, stderr } = await run(['chat', 'Hello', '--json', '--data-dir', dataDir])
    expect([code, documents(stdout)]).toMatchObject([1, [{ problem: { kind: 'not_connected' } }]])
    expect(stderr).toMatch(/^error: .+\.\n$/)
  })
})

describe('sandbox', () => {
  it.each([
    ['the build', start] as const,
    ...onlyLong(['the sources without a build', commandLine(sourceEntry, { HOME: home, TMPDIR: home }).start] as const),
  ])(
    'sandbox prints its address and API key on one line, responds, and ends on a signal: %s',
    { tags: 'long' },
    async (_, starts) => {
      const sandbox = watched(starts(['sandbox', '--json', '--port', '0']))
      const { baseUrl, apiKey } = JSON.parse(await sandbox.line())
      const reply = await fetch(`${baseUrl}/v1/models`, { headers: { authorization: `Bearer ${apiKey}` } })
      expect([reply.status, (await reply.json()).object]).toEqual([200, 'list'])
      const { port } = new URL(baseUrl)
      const second = await run(['sandbox', '--json', '--port', port])
      expect([second.code, documents(second.stdout)]).toMatchObject([1, [{ problem: { kind: 'port_taken' } }]])
      expect(await endOf(sandbox)).toMatchObject({ code: 0, stderr: '' })
    },
  )
})

describe('login without a keychain', () => {
  it('login without a keychain fails with a message and stores nothing', { tags: 'long' }, async () => {
    const args = ['login', '--json', '--base-url', service.baseUrl, '--data-dir', dataDir]
    const { code, stdout, stderr } = await run(args, {}, `${canary}\n`)
    expect([code, documents(stdout)]).toMatchObject([1, [{ problem: { kind: 'keychain_missing' } }]])
    expect(stderr).toMatch(/keychain/)
    expect(stored('SELECT * FROM profiles')).toEqual([])
    expect(stdout + stderr + keptIn(dataDir)).not.toContain(canary)
  })
})
