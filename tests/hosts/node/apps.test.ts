import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { request } from 'node:http'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { defaultAppSettings } from '../../../src-main/core/gateway/apps/appSettings.ts'
import { openApps, openAppsReadOnly } from '../../../src-main/core/gateway/apps/apps.ts'
import { readAppOptions } from '../../../src-main/hosts/node/commands/appOptions.ts'
import type { Parts } from '../../../src-main/hosts/node/dependencies.ts'
import { run as runHere } from '../../../src-main/hosts/node/program.ts'
import { temporaryFolder } from '../../helpers/folders.ts'
import { jsonDocuments } from './fixtures/jsonDocuments.ts'
import { commandLine, documents, type Running, studioEntry } from './fixtures/process.ts'

const home = temporaryFolder('studio-home-')
const { start, run } = commandLine(studioEntry, { HOME: home, TMPDIR: home })
let dataDir: string
let host: Running | null = null
beforeEach(() => {
  dataDir = temporaryFolder('studio-data-')
})
afterEach(async () => {
  host?.child.kill('SIGKILL')
  await host?.ended
  host = null
  rmSync(dataDir, { recursive: true, force: true })
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

const unused = (): never => {
  throw new Error('The apps commands do not need this.')
}
const parts: Parts = {
  startCore: unused,
  openConnections: unused,
  openConnectionList: unused,
  startSandbox: unused,
  openRequestLog: unused,
  openUsage: unused,
  openData: unused,
  openExport: unused,
  openErase: unused,
  openPrograms: unused,
  openApps: async (folder) => openApps(folder),
  openAppsReadOnly: async (folder) => openAppsReadOnly(folder),
}

/** Runs one command in this process with the real database. Returns its exit code and output. */
async function here(args: string[]): Promise<{ code: number; stdout: string }> {
  const printed: string[] = []
  const spies = [
    vi.spyOn(process.stdout, 'on').mockReturnThis(),
    vi.spyOn(process.stderr, 'on').mockReturnThis(),
    vi.spyOn(process.stderr, 'write').mockReturnValue(true),
    vi.spyOn(process.stdout, 'write').mockImplementation((text: string | Uint8Array, ...rest: unknown[]) => {
      printed.push(String(text))
      for (const written of rest) if (typeof written === 'function') written()
      return true
    }),
  ]
  try {
    const code = await runHere(args, parts)
    return { code, stdout: printed.join('') }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

/** Runs one command as a separate process. */
const alone = (args: string[]) => run(args)

type Way = (args: string[]) => Promise<{ code: number | null; stdout: string }>

async function apps(way: Way, ...args: string[]) {
  const { code, stdout } = await way(['apps', ...args, '--json', '--data-dir', dataDir])
  const all = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
  return { code, document: args[0] === 'list' ? all : all[0] }
}
async function done(way: Way, ...args: string[]) {
  const { code, document } = await apps(way, ...args)
  expect([code, document.problem]).toEqual([0, undefined])
  return document
}
const words = async (...args: string[]): Promise<string> =>
  (await here(['apps', ...args, '--data-dir', dataDir])).stdout

describe('the commands', () => {
  it('apps set changes every field, and none clears it', async () => {
    const before = Date.now()
    const { id } = await done(
      here,
      ...['add', 'agent', '--colour', 'rose', '--expires', '+30d', '--models', 'a, b', '--endpoints', 'chat,models'],
      ...['--map', '*-haiku-*=a', '--map', ' claude-** = b=1 '],
      ...[
        '--rpm',
        '60',
        '--tpm',
        '90000',
        '--concurrent',
        '4',
        '--log-bodies',
        '--no-retries',
        '--fail-fast',
        '--no-adapt',
      ],
      ...['--budget-day', '2.50', '--budget-month', '20', '--budget-total', '0.000000001'],
    )
    const shown = await done(here, 'show', id)
    expect(shown).toMatchObject({
      id,
      name: 'agent',
      colour: 'rose',
      modelMap: [
        { pattern: '*-haiku-*', model: 'a' },
        { pattern: 'claude-*', model: 'b=1' },
      ],
      models: ['a', 'b'],
      endpoints: ['chat', 'models'],
      requestsPerMinute: 60,
      tokensPerMinute: 90_000,
      concurrent: 4,
      budgetDay: '2.5',
      budgetMonth: '20',
      budgetTotal: '0.000000001',
      logBodies: true,
      retries: false,
      failFast: true,
      adaptRequests: false,
    })
    const month = 30 * 86_400_000
    expect(Date.parse(shown.expiresAt) - month).toBeGreaterThanOrEqual(before)
    expect(Date.parse(shown.expiresAt) - month).toBeLessThanOrEqual(Date.now())
    const limits = ['expires', 'map', 'models', 'endpoints', 'rpm', 'tpm', 'concurrent']
    const none = [...limits, 'budget-day', 'budget-month', 'budget-total'].flatMap((name) => [`--${name}`, 'none'])
    const cleared = await done(
      here,
      'set',
      'agent',
      ...none,
      '--no-log-bodies',
      '--retries',
      '--no-fail-fast',
      '--adapt',
    )
    expect(cleared).toEqual({ ...shown, ...defaultAppSettings })
    expect(await done(here, 'list')).toEqual([cleared])
  })

  it('apps set --map replaces all rules, and apps show and list name them', async () => {
    await done(here, 'add', 'agent', '--map', 'gpt-*=a', '--map', 'claude-*=b')
    const { modelMap } = await done(here, 'set', 'agent', '--map', 'o3=c')
    expect(modelMap).toEqual([{ pattern: 'o3', model: 'c' }])
    expect(await words('show', 'agent')).toMatch(/^model map +o3 -> c$/m)
    expect(await words('list')).toMatch(/1 model rule$/m)
    expect(await words('set', 'agent', '--map', 'none')).toMatch(/: no limits\.\n$/)
    expect(await words('show', 'agent')).toMatch(/^model map +none$/m)
  })

  it('apps set refuses a revoked app', async () => {
    const { id } = await done(here, 'add', 'agent')
    const revoked = await done(here, 'revoke', id)
    for (const which of [id, 'agent']) {
      expect(await apps(here, 'set', which, '--rpm', '60')).toEqual({
        code: 1,
        document: { problem: { kind: 'bad_input', message: expect.stringMatching(/agent was revoked/) } },
      })
    }
    expect(await done(here, 'show', id)).toEqual(revoked)
  })

  it('apps set changes only the given fields', async () => {
    const { id } = await done(here, 'add', 'agent', '--rpm', '60', '--no-retries')
    const before = await done(here, 'show', id)
    expect(await done(here, 'set', id, '--name', 'the agent', '--expires', '2099-12-31T18:00:00+01:00')).toEqual({
      ...before,
      name: 'the agent',
      expiresAt: '2099-12-31T17:00:00.000Z',
    })
  })

  it('two apps can’t have one name, and --ensure returns the app that has it', async () => {
    const first = await done(here, 'add', 'editor')
    expect(await done(here, 'revoke', 'editor')).toMatchObject({ id: first.id, revokedAt: expect.any(String) })
    const second = await done(here, 'add', 'editor')
    expect(await done(here, 'pause', 'editor')).toMatchObject({ id: second.id, pausedAt: expect.any(String) })
    const { code, document } = await apps(here, 'add', 'Editor')
    expect([code, document.problem]).toMatchObject([
      1,
      { kind: 'bad_input', message: expect.stringContaining('editor') },
    ])
    expect(await apps(here, 'add', 'Editor', '--ensure')).toEqual({
      code: 0,
      document: { id: second.id, name: 'editor', key: null },
    })
    const other = await done(here, 'add', 'other')
    expect((await apps(here, 'set', other.id, '--name', 'editor')).code).toBe(1)
    expect(await done(here, 'list')).toHaveLength(3)
    expect(await apps(here, 'show', 'nobody')).toMatchObject({
      code: 1,
      document: { problem: { kind: 'no_such_item' } },
    })
  })

  it('apps pause and resume change one app, or all that are not revoked', async () => {
    const [one, two] = [await done(here, 'add', 'one'), await done(here, 'add', 'two')]
    await done(here, 'revoke', two.id)
    const three = await done(here, 'add', 'three')
    expect(await done(here, 'pause', one.id)).toMatchObject({ pausedAt: expect.any(String) })
    expect(await done(here, 'pause', '--all')).toEqual({ changed: 1 })
    const paused = (list: { id: string; pausedAt: string | null }[]) =>
      list.flatMap(({ id, pausedAt }) => (pausedAt === null ? [] : [id]))
    expect(paused(await done(here, 'list'))).toEqual([three.id, one.id])
    expect(await done(here, 'resume', 'three')).toMatchObject({ pausedAt: null })
    expect(await done(here, 'resume', '--all')).toEqual({ changed: 1 })
    expect(paused(await done(here, 'list'))).toEqual([])
    expect(await apps(here, 'pause', two.id)).toMatchObject({ code: 1, document: { problem: { kind: 'bad_input' } } })
  })

  it('apps list prints limits and state, one app per line', async () => {
    await words('add', 'agent', '--budget-day', '2', '--rpm', '1', '--models', 'a,b,c', '--fail-fast')
    await words('add', 'b')
    expect(await words('pause', 'b')).toMatch(/^Paused b \([a-f0-9]{10}\)\.\n$/)
    const [, b = '', agent = ''] = (await words('list')).split('\n')
    expect(agent).toMatch(
      /^agent +never used +.{20} {2}[a-f0-9]{10} {2}2 SC per day, 1 request per minute, 3 models, fails fast$/,
    )
    expect(b).toMatch(/^b {6}paused \d{4}-\d\d-\d\d \d\d:\d\d UTC +.{20} {2}[a-f0-9]{10}$/)
    expect(await words('set', 'agent', '--rpm', 'none')).toMatch(
      /^Changed agent \(.*\): 2 SC per day, 3 models, fails fast\.\n$/,
    )
    const shown = await words('show', 'agent')
    expect(shown).toMatch(/^budget per day +2 SC$/m)
    expect(shown).toMatch(/^requests per minute +no limit$/m)
    expect(shown).toMatch(/^models +a, b, c$/m)
    expect(shown).not.toMatch(/isk_/)
  })
})

describe('usage', () => {
  it.each([
    [['set', 'x'], /setting to change/],
    [['add', 'x', '--colour', 'pink'], /pink.*blue/],
    [['pause'], /--all/],
    [['resume', 'x', '--all'], /--all/],
    [['rotate', 'x', '--grace', '2h'], /none, 1h, 24h/],
  ])('%j is a usage error with a reason', async (args, why) => {
    const { code, document } = await apps(here, ...args)
    expect([code, document]).toEqual([2, { problem: { kind: 'bad_input', message: expect.stringMatching(why) } }])
  })

  it.each([
    [{ name: 'x'.repeat(81) }, /80/],
    [{ endpoints: 'chat,video' }, /video.*speech/],
    [{ models: 'a,,b' }, /model/],
    [{ expires: 'tomorrow' }, /\+30d/],
    [{ expires: '2030-01-01' }, /instant/],
    [{ expires: '2020-01-01T00:00:00Z' }, /past/],
    [{ expires: '+0d' }, /past/],
    [{ map: ['claude-*'] }, /--map/],
    [{ map: ['=a'] }, /--map/],
    [{ map: ['a='] }, /--map/],
    [{ map: ['a=b', 'none'] }, /--map/],
    [{ map: ['a\nb=c'] }, /--map: Rule 1/],
    [{ map: Array.from({ length: 51 }, () => 'a=b') }, /--map: .*50 rules/],
    [{ rpm: '0' }, /requests a minute/],
    [{ tpm: '1e3' }, /--tpm/],
    [{ concurrent: '-1' }, /--concurrent/],
    [{ budgetDay: '1e3' }, /--budget-day/],
    [{ budgetMonth: '' }, /--budget-month/],
    [{ budgetTotal: '0.0000000001' }, /nine digits/],
  ])('%j is refused with a message', (typed, why) => {
    expect(() => readAppOptions(typed)).toThrow(
      expect.objectContaining({ kind: 'bad_input', message: expect.stringMatching(why) }),
    )
  })

  it('--expires accepts minutes, hours, days and weeks from now', () => {
    for (const [typed, ms] of [
      ['+45m', 45 * 60_000],
      ['+12h', 43_200_000],
      ['+30d', 2_592_000_000],
      ['+2w', 1_209_600_000],
    ] as const) {
      const before = Date.now()
      const expiresAt = Date.parse(readAppOptions({ expires: typed }).expiresAt ?? '')
      expect(expiresAt - ms).toBeGreaterThanOrEqual(before)
      expect(expiresAt - ms).toBeLessThanOrEqual(Date.now())
    }
  })
})

// The serving process is a separate one. With `alone`, the command is too.
describe('beside a running serve', { timeout: 120_000 }, () => {
  async function serve(): Promise<string> {
    const free = ['--web-port', '0', '--api-port', '0', '--data-dir', dataDir]
    host = start(['serve', '--sandbox', '--json', ...free])
    return JSON.parse(await host.line()).proxy.baseUrl
  }
  const ask = async (baseUrl: string, key: string): Promise<number> => {
    const reply = await fetch(`${baseUrl}/models`, { headers: { authorization: `Bearer ${key}` } })
    await reply.arrayBuffer()
    return reply.status
  }
  /** A reply that streams for minutes unless it is cancelled. */
  async function stream(baseUrl: string, key: string) {
    const sandbox = { tokens: 20_000, tokens_per_second: 100 }
    const body = { model: 'writer-small', stream: true, sandbox, messages: [{ role: 'user', content: 'Go on' }] }
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const asked = request(`${baseUrl}/chat/completions`, { method: 'POST', headers })
    asked.end(JSON.stringify(body))
    const [reply] = await once(asked, 'response')
    expect(reply.statusCode).toBe(200)
    await once(reply, 'data')
    const cut = new Promise<void>((resolve) => reply.once('close', () => resolve()).on('error', () => undefined))
    reply.resume()
    return { cut, isWhole: (): boolean => reply.complete }
  }

  it('a pause applies to the next request and cancels running ones, and a resumed app works again', {
    tags: 'long',
  }, async () => {
    const baseUrl = await serve()
    const [one, other] = [await done(here, 'add', 'one'), await done(here, 'add', 'other')]
    const running = await stream(baseUrl, one.key)
    await done(alone, 'pause', one.id)
    expect(await ask(baseUrl, one.key)).not.toBe(200)
    await running.cut
    expect(running.isWhole()).toBe(false)
    expect(await ask(baseUrl, other.key)).toBe(200)
    await done(here, 'pause', '--all')
    expect(await ask(baseUrl, other.key)).not.toBe(200)
    await done(here, 'resume', '--all')
    expect([await ask(baseUrl, one.key), await ask(baseUrl, other.key)]).toEqual([200, 200])
  })

  it('a revoked app is refused with the next request, and its running requests are cancelled', {
    tags: 'long',
  }, async () => {
    const baseUrl = await serve()
    const { id, key } = await done(here, 'add', 'one')
    const running = await stream(baseUrl, key)
    await done(alone, 'revoke', id)
    expect(await ask(baseUrl, key)).toBe(401)
    await running.cut
    expect(running.isWhole()).toBe(false)
  })

  it('a rotated key stops at once or after its grace, and the app stays the same', { tags: 'long' }, async () => {
    const baseUrl = await serve()
    const { id, key } = await done(here, 'add', 'one')
    const running = await stream(baseUrl, key)
    const second = await done(alone, 'rotate', 'one', '--grace', '1h')
    expect(second).toMatchObject({ id, name: 'one', previousKeyUntil: expect.any(String) })
    expect([await ask(baseUrl, key), await ask(baseUrl, second.key)]).toEqual([200, 200])
    const third = await done(alone, 'rotate', id)
    expect([key, second.key, third.key].map((each) => each.slice(0, 15))).toEqual(Array(3).fill(key.slice(0, 15)))
    await running.cut
    expect(running.isWhole()).toBe(false)
    expect(await Promise.all([key, second.key, third.key].map((each) => ask(baseUrl, each)))).toEqual([401, 401, 200])
    const log = await run(['requests', '--json', '--data-dir', dataDir])
    const rows = log.stdout
      .trim()
      .split('\n')
      .flatMap((line) => JSON.parse(line))
    const names = rows.filter(({ who }) => who.kind === 'app').map(({ who }) => `${who.id} ${who.name}`)
    expect(new Set(names)).toEqual(new Set([`${id} one`]))
    expect(await words('show', id)).toMatch(/^previous key +stopped /m)
  })

  it('limits apply to the next request after they are set, and end when cleared', { tags: 'long' }, async () => {
    const baseUrl = await serve()
    const { id, key } = await done(here, 'add', 'one')
    const chat = async (model: string) => {
      const reply = await fetch(`${baseUrl}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, max_tokens: 5, messages: [{ role: 'user', content: 'Hello' }] }),
      })
      const { error } = JSON.parse(await reply.text())
      return { status: reply.status, code: error?.code, retryAfter: reply.headers.get('retry-after') }
    }
    const fine = { status: 200, code: undefined, retryAfter: null }
    expect(await chat('writer-small')).toEqual(fine)
    await done(here, 'set', id, '--budget-day', '0', '--models', 'mirror')
    expect(await chat('mirror')).toEqual({ status: 402, code: 'budget_day', retryAfter: null })
    await done(here, 'set', id, '--budget-day', 'none')
    expect(await chat('writer-small')).toEqual({ status: 403, code: 'model_not_allowed', retryAfter: null })
    expect(await chat('mirror')).toEqual(fine)
    await done(here, 'set', id, '--models', 'none', '--rpm', '1')
    expect(await chat('writer-small')).toEqual(fine)
    const over = await chat('writer-small')
    expect(over).toMatchObject({ status: 429, code: 'rate_limit_requests' })
    expect(Number(over.retryAfter)).toBeGreaterThan(0)
    expect(Number(over.retryAfter)).toBeLessThanOrEqual(60)
    await done(here, 'set', id, '--rpm', 'none', '--endpoints', 'models')
    expect(await chat('writer-small')).toEqual({ status: 403, code: 'endpoint_not_allowed', retryAfter: null })
    expect(await ask(baseUrl, key)).toBe(200)
    await done(here, 'set', id, '--endpoints', 'none', '--concurrent', '1')
    const running = await stream(baseUrl, key)
    expect(await chat('writer-small')).toMatchObject({ status: 429, code: 'rate_limit_concurrent', retryAfter: '1' })
    await done(here, 'revoke', id)
    await running.cut
  })

  it('apps answer lists a waiting request of a running studio, and lets it go on or refuses it', async () => {
    const baseUrl = await serve()
    const { id, key } = await done(here, 'add', 'one', '--budget-day', '0', '--at-budget', 'ask')
    const chat = () =>
      fetch(`${baseUrl}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'mirror', max_tokens: 5, messages: [{ role: 'user', content: 'Hello' }] }),
      })
    const questions = async () => {
      const asked = documents((await run(['apps', 'answer', '--json', '--data-dir', dataDir])).stdout)
      for (const question of asked) expect(jsonDocuments['apps answer']?.parse(question)).toEqual(question)
      return asked
    }
    const waits = () =>
      vi.waitFor(async () => expect(await questions()).toHaveLength(1), { timeout: 20_000, interval: 200 })
    const allowed = chat()
    await waits()
    expect(await words('answer')).toMatch(/^one +1 request +mirror +/m)
    expect(await done(here, 'answer', 'one', '--once')).toEqual({ answer: 'once', isFirst: true })
    expect((await allowed).status).toBe(200)
    expect(await words('answer')).toBe('No app waits for an answer.\n')
    const refused = chat()
    await waits()
    await done(alone, 'answer', id, '--refuse')
    expect((await refused).status).toBe(402)
    expect((await apps(here, 'answer', 'one', '--once')).document).toMatchObject({ problem: { kind: 'no_such_item' } })
    const killed = chat().catch(() => null)
    await waits()
    host?.child.kill('SIGKILL')
    await Promise.all([host?.ended, killed])
    await serve()
    expect(await questions()).toEqual([])
    const log = await run(['requests', '--json', '--app', 'one', '--data-dir', dataDir])
    const rows = log.stdout
      .trim()
      .split('\n')
      .flatMap((line) => JSON.parse(line))
    // The request that waited when the studio was killed has no row, because nothing was sent.
    expect(rows).toHaveLength(2)
    expect(rows.find(({ state }) => state === 'done')).toMatchObject({ answer: 'once' })
    expect(rows.find(({ state }) => state === 'refused')).toMatchObject({ answer: 'refuse', status: 402 })
  })

  it('an expiry cancels running requests when it is reached', { tags: 'long' }, async () => {
    const baseUrl = await serve()
    const { id, key } = await done(here, 'add', 'one')
    const running = await stream(baseUrl, key)
    const begun = Date.now()
    await done(here, 'show', id)
    // Enough time for one more command and one more request, even on a busy machine.
    const expiresAt = Date.now() + 2000 + 5 * (Date.now() - begun)
    await done(here, 'set', id, '--expires', new Date(expiresAt).toISOString())
    expect(await ask(baseUrl, key)).toBe(200)
    await running.cut
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt)
    expect(await ask(baseUrl, key)).not.toBe(200)
  })
})
