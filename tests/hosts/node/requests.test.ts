import { expect, it } from 'vitest'
import type { RequestRow } from '../../../src-preload/contract/requests.ts'
import type { AgentSession, CacheLoss } from '../../../src-preload/contract/sessions.ts'
import { documents } from './fixtures/process.ts'
import { testCommandLine } from './fixtures/testCommandLine.ts'

const cli = testCommandLine()
const { start, run } = cli

const requests = (...args: string[]) => run(['requests', ...args, '--data-dir', cli.dataDir])

const hello = { role: 'user', content: 'Hello' }

async function serve() {
  const host = start(['serve', '--sandbox', '--json', '--no-web', '--api-port', '0', '--data-dir', cli.dataDir])
  const { proxy } = JSON.parse(await host.line())
  const addApp = async (name: string) => {
    const { stdout } = await run(['apps', 'add', name, '--json', '--data-dir', cli.dataDir])
    const { key } = JSON.parse(stdout)
    return (model: string, headers: Record<string, string> = {}, messages: object[] = [hello]) =>
      fetch(`${proxy.baseUrl}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ model, messages }),
      }).then((reply) => reply.text())
  }
  return { host, addApp }
}

it('the request log is empty before the first request, also without a data folder', async () => {
  expect(await requests()).toMatchObject({ code: 0, stdout: 'No requests.\n' })
  expect(await requests('--json')).toMatchObject({ code: 0, stdout: '' })
})

it('requests of apps and of the studio are shown while serve runs and after its end', { tags: 'long' }, async () => {
  const { host, addApp } = await serve()
  const editor = await addApp('An editor')
  await run(['apps', 'set', 'An editor', '--map', 'gpt-*=mirror', '--data-dir', cli.dataDir])
  const notebook = await addApp('notebook')
  await editor('mirror')
  await editor('no-such-model')
  await editor('gpt-5')
  await notebook('writer-small')

  const beside = await requests('--app', 'An editor')
  expect(beside.stdout.split('\n')[0]).toMatch(/^TIME \(UTC\) +APP +ENDPOINT +MODEL +STATUS/)
  expect(beside.stdout).toMatch(/An editor +chat +mirror +200/)
  expect(beside.stdout).toMatch(/An editor +chat +no-such-model +404/)
  expect(beside.stdout).toMatch(/An editor +chat +gpt-5 > mirror +200/)
  expect(beside.stdout).not.toContain('notebook')
  expect(await requests('--app', 'nobody')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'error: No app has the id or name nobody.\n',
  })

  host.child.kill('SIGTERM')
  await host.ended
  const rows = documents((await requests('--json')).stdout) as RequestRow[]
  const chats = rows.filter(({ endpoint }) => endpoint === 'chat')
  expect(chats.map(({ model, status, state }) => [model, status, state])).toEqual([
    ['mirror', 200, 'done'],
    ['no-such-model', 404, 'done'],
    ['mirror', 200, 'done'],
    ['writer-small', 200, 'done'],
  ])
  expect(rows.some(({ who }) => who.kind === 'studio')).toBe(true)
  expect(documents((await requests('--json', '--outcome', 'failed', '--limit', '5')).stdout)).toHaveLength(1)
})

it('sessions are one line each, and the requests of one say what they lost of the cache', {
  tags: 'long',
}, async () => {
  expect(await requests('--sessions')).toMatchObject({ code: 0, stdout: 'No sessions.\n' })
  expect((await requests('--session', '1')).stderr).toBe('error: This session is not in the log.\n')
  const { addApp } = await serve()
  const system = 'You are an agent that works on the files of this folder, one step at a time. '.repeat(120)
  for (const app of ['An agent', 'Another']) {
    const send = await addApp(app)
    const turn = (length: number, time = '') => [
      { role: 'system', content: time + system },
      ...Array.from({ length: 2 * length - 1 }, (_, at) => ({
        role: at % 2 ? 'assistant' : 'user',
        content: `Step ${at}`,
      })),
    ]
    // The second app sends no time, so that its prompts keep the cache.
    for (const length of [1, 2, 3])
      await send('mirror', { 'x-session-id': 'one' }, turn(length, app === 'An agent' ? `It is 12:0${length}. ` : ''))
  }
  const listed = async (...args: string[]) =>
    documents((await requests('--sessions', '--json', ...args)).stdout) as AgentSession[]
  await expect.poll(async () => (await listed()).map(({ turns }) => turns)).toEqual([3, 3])
  const [first, second] = await listed()
  expect(first).toMatchObject({ who: { kind: 'app', name: 'An agent' }, model: 'mirror', turns: 3, lostTurns: 2 })
  expect(second).toMatchObject({ who: { kind: 'app', name: 'Another' }, lostTurns: 0 })
  const ids = async (...args: string[]) => (await listed(...args)).map(({ id }) => id)
  expect(await ids('--app', 'Another')).toEqual([second?.id])
  expect(await ids('--limit', '1')).toEqual([second?.id])
  expect(await ids('--model', 'writer-small')).toEqual([])
  expect(await ids('--since', '1h', '--app', 'An agent')).toEqual([first?.id])
  expect(await ids('--until', '2026-01-01')).toEqual([])
  const table = (await requests('--sessions')).stdout
  expect(table).toMatch(/^SESSION +LAST \(UTC\) +APP +MODEL +TURNS +TOOLS +IN +CACHED +OUT +SC +TOOK +LOST\n/)
  expect(table).toMatch(/An agent +mirror +3 +0 +\d,\d{3} +[\d,]+ +\d+ .* 2x, \d,\d{3} tokens/)

  const session = String(first?.id)
  const turns = documents((await requests('--session', session, '--json')).stdout) as (RequestRow & {
    loss: CacheLoss
  })[]
  expect(turns.map(({ model, loss }) => [model, loss.change])).toEqual([
    ['mirror', 'first'],
    ['mirror', 'system_time'],
    ['mirror', 'system_time'],
  ])
  const rows = (await requests('--session', session, '--limit', '2')).stdout.trimEnd().split('\n')
  expect(rows).toHaveLength(3)
  expect(rows[2]).toMatch(/An agent +chat +mirror +200 .*lost \d,\d{3} tokens.*: system time$/)
  expect((await requests('--session', '999')).stderr).toBe('error: This session is not in the log.\n')
})

it('each request is one line in columns, whatever the names of app and model', { tags: 'long' }, async () => {
  const { addApp } = await serve()
  const wide = await addApp('漢字 😀😀😀😀😀😀')
  await wide('mirror\n12:00:00 forged')
  await wide('mirror')
  // A row that has ended is written a moment after its reply.
  const rows = async () => (await requests('--text', 'mirror')).stdout.trimEnd().split('\n').slice(1)
  await expect
    .poll(async () => (await rows()).map((line) => line.replace(/^[\d-]{10} [\d:]{8} +/, '')))
    .toEqual([
      expect.stringMatching(/^漢字 😀😀😀😀😀😀 +chat +mirror 12:00:00 forged +404 /),
      expect.stringMatching(/^漢字 😀😀😀😀😀😀 +chat +mirror +200 /),
    ])
})

it('--follow prints each request when it starts and when it ends, until a signal', { tags: 'long' }, async () => {
  const { addApp } = await serve()
  const editor = await addApp('editor')
  const follow = start(['requests', '--follow', '--json', '--app', 'editor', '--data-dir', cli.dataDir])
  const asked = editor('mirror')
  const seen: RequestRow[] = []
  while (seen.at(-1)?.state !== 'done') seen.push(JSON.parse(await follow.line()))
  await asked
  expect(seen.at(-1)).toMatchObject({ model: 'mirror', status: 200, who: { kind: 'app', name: 'editor' } })
  follow.child.kill('SIGINT')
  expect((await follow.ended).code).toBe(0)
})

it('invalid options are reported', { tags: 'long' }, async () => {
  for (const args of [
    ['--outcome', 'bad'],
    ['--limit', '0'],
    ['--since', 'last week'],
    ['--tz', 'Nowhere/City'],
    ['--app', ''],
    ['--sessions', '--follow'],
    ['--sessions', '--text', 'a'],
    ['--session', 'abc'],
    ['--session', '1', '--app', 'editor'],
    ['--session', '1', '--sessions'],
  ]) {
    expect((await requests(...args)).code).toBe(2)
  }
})
