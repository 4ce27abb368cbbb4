import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { Decimal } from 'decimal.js'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { openUsage } from '../../../src-main/core/compose/stored/usage.ts'
import {
  reportedByKeys,
  reportedByTotals,
  reportedByUsage,
} from '../../../src-main/core/features/usage/parseReplies.ts'
import { openAccountStore } from '../../../src-main/core/store/account/open.ts'
import type { Parts } from '../../../src-main/hosts/node/dependencies.ts'
import { runInProcess, unusedParts } from './fixtures/inProcess.ts'
import { documents } from './fixtures/process.ts'
import { testCommandLine } from './fixtures/testCommandLine.ts'

// Without a session bus no keychain answers. None of these commands needs one.
const cli = testCommandLine({ DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' })
const { start, run } = cli

const parts: Parts = { ...unusedParts, openUsage: async (folder) => openUsage(folder) }

/** Runs one command in this process with the real files. Returns its exit code and output. */
const ask = (...args: string[]) => runInProcess([...args, '--data-dir', cli.dataDir], parts)

interface Row {
  from: string
  source: string
  id: string
  name: string
  requests: number
  cost_sc: string
  state: string
}
const rowsOf = async (...args: string[]): Promise<Row[]> =>
  documents((await ask('usage', '--format', 'json', ...args)).stdout) as Row[]
const total = (rows: readonly Row[]): string =>
  rows.reduce((sum, row) => sum.plus(row.cost_sc), new Decimal(0)).toFixed()

/** Waits until the condition is true, because another process writes the data. */
const seen = (look: () => Promise<void>): Promise<void> => vi.waitFor(look, { timeout: 60_000, interval: 50 })

it('a folder without an account is reported', async () => {
  expect(await ask('usage')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('No account was ever connected'),
  })
  expect(await ask('usage', '--format', 'json')).toMatchObject({ code: 0, stdout: '' })
  expect(await ask('limits')).toMatchObject({ code: 0, stdout: 'No account was ever connected.\n' })
  expect(documents((await ask('limits', '--json')).stdout)).toEqual([
    { account: null, status: null, key: null, history: [] },
  ])
  expect(await ask('keys', '--json')).toMatchObject({ code: 0, stdout: '' })
})

describe('with generated usage data', () => {
  /** Two accounts. The one used last has two models over days with a gap between them, and keys. */
  beforeEach(() => {
    const store = openAccountStore(cli.dataDir)
    const today = Date.UTC(2026, 10, 20, 12)
    const base = { kind: 'service', baseUrl: 'https://service.example' } as const
    store.accounts.add({ ...base, id: randomUUID(), userId: 'b', name: 'Old', usedAt: 1 })
    const { no } = store.accounts.add({ ...base, id: randomUUID(), userId: 'a', name: 'Mine', usedAt: today })
    const row = (date: string, model: string, requests: number, cost_sc: string) => ({
      user_id: 'a',
      date,
      model,
      requests,
      tokens_in: 1000,
      tokens_out: 10,
      tokens_cached: 1,
      cost_sc,
    })
    const fetch = (at: number, usage: ReturnType<typeof row>[]): void =>
      store.saveReply(no, reportedByUsage({ askedAt: at, answeredAt: at }, { usage, balance: '7.5', total_spent: '3' }))
    store.transaction(() => {
      fetch(today, [row('2026-11-19', 'writer', 2, '0.000000000000000001'), row('2026-11-20', '=cmd()', 3, '0.1')])
      // More than a window earlier, so the days between were never fetched.
      fetch(today - 60 * 86_400_000, [row('2026-09-10T00:00:00Z', 'writer', 1, '0.2')])
      const asked = { askedAt: today, answeredAt: today }
      const key = { key_prefix: 'sk-a', name: 'Laptop', rate_limit_rpm: 60, balance_enabled: true, balance_sc: '5.25' }
      const revoked = { id: 'k2', key_prefix: 'sk-b', name: null, revoked_at: '2026-01-02T03:04:05Z' }
      store.saveReply(no, reportedByKeys(asked, { api_keys: [revoked, { id: 'k1', ...key, balance_limit_sc: '10' }] }))
      store.saveReply(
        no,
        reportedByTotals(asked, 'k1', {
          total_requests: 9,
          total_tokens_in: 1,
          total_tokens_out: 2,
          total_cost_sc: '0.3',
        }),
      )
      store.accounts.calling(no, 'k1')
    })
    store.close()
  })

  const counts = { tokens_in: 1, tokens_out: 1, tokens_cached: 0, cost_sc: '0.5' }
  const autumn = ['--since', '2026-09-01', '--until', '2026-11-20', '--source', 'service']

  it('totals are exact for every grouping, and a gap is not zero', async () => {
    expect(await rowsOf(...autumn)).toMatchObject([
      { name: 'writer', requests: 3, cost_sc: '0.200000000000000001', state: 'partial', from: '2026-09-01' },
      { name: '=cmd()', requests: 3, cost_sc: '0.1' },
    ])
    const days = await rowsOf(...autumn, '--by', 'day')
    expect(days).toHaveLength(81)
    const of = (day: string): Row | undefined => days.find(({ from }) => from === day)
    expect(of('2026-09-10')).toMatchObject({ requests: 1, cost_sc: '0.2', state: 'whole' })
    expect(of('2026-09-11')).toMatchObject({ requests: 0, cost_sc: '0' })
    expect(of('2026-10-01')).toMatchObject({ requests: null, cost_sc: null, state: 'gap' })
    expect(await rowsOf(...autumn, '--account', 'Old')).toEqual([])
    const table = (await ask('usage', ...autumn)).stdout
    expect(table).toMatch(/^Mine \(https:\/\/service.example\), 2026-09-01 to 2026-11-20\n/)
    expect(table).toMatch(/service +writer +3 +2,000 +20 +2 +0\.200000000000000001\n/)
    expect(table).toMatch(/service +all +6 +3,000 +30 +3 +0\.300000000000000001\n/)
    expect(table).toMatch(/The cost of \d+ days is unknown/)
  })

  it('CSV and Parquet have the same totals in another program', async () => {
    const instance = await DuckDBInstance.create(':memory:')
    const duck = await instance.connect()
    const sum = async (from: string) => {
      const sums = await duck.runAndReadAll(
        `SELECT sum(cost_sc::DECIMAL(38, 18))::VARCHAR AS cost, sum(requests)::INT AS n, count(*)::INT AS rows FROM ${from}`,
      )
      return sums.getRowObjectsJson()[0]
    }
    const expected = { cost: '0.300000000000000001', n: 6, rows: 2 * 81 }
    const file = (name: string): string => join(cli.dataDir, name)
    const csv = await ask('usage', ...autumn, '--each', 'day', '--format', 'csv')
    writeFileSync(file('a.csv'), csv.stdout)
    expect(await sum(`read_csv('${file('a.csv')}', types = {'cost_sc': 'VARCHAR'})`)).toEqual(expected)
    const parquet = ['--format', 'parquet', '--output', file('a.parquet')]
    expect(await ask('usage', ...autumn, '--each', 'day', ...parquet)).toMatchObject({ code: 0, stdout: '' })
    expect(await sum(`read_parquet('${file('a.parquet')}')`)).toEqual(expected)
    duck.closeSync()
    instance.closeSync()
  })

  it('keys lists the key in use first, and says what the service does not offer [KEY-01] [KEY-04]', async () => {
    const keys = documents((await ask('keys', '--json')).stdout)
    expect(keys).toMatchObject([
      {
        id: 'k1',
        calling: true,
        rpm: 60,
        tpm: null,
        balance: '5.25',
        balanceLimit: '10',
        totals: { requests: 9, cost: '0.3' },
      },
      { id: 'k2', calling: false, revokedAt: '2026-01-02T03:04:05Z', totals: null },
    ])
    const { stdout } = await ask('keys')
    expect(stdout).toMatch(/\* +sk-a +Laptop +9 +0\.3 +5\.25 of 10 +60 +- +- .*in use\n/)
    expect(stdout).toMatch(/sk-b .*revoked 2026-01-02T03:04:05Z\n/)
    // Keys that the service no longer lists are marked. A balance that is not switched on is omitted.
    const store = openAccountStore(cli.dataDir)
    const later = { askedAt: Date.UTC(2026, 10, 20, 13), answeredAt: Date.UTC(2026, 10, 20, 13) }
    const off = {
      id: 'k1',
      key_prefix: 'sk-a',
      name: null,
      rate_limit_rpm: 60,
      balance_enabled: false,
      balance_sc: '5.25',
    }
    store.transaction(() =>
      store.saveReply(
        store.accounts.all()[0]?.no ?? 0,
        reportedByKeys(later, { api_keys: [off, { id: 'k3', key_prefix: 'sk-c' }] }),
      ),
    )
    const gone = { id: 'k1', key_prefix: 'sk-a', name: null }
    const after = { askedAt: later.askedAt + 1, answeredAt: later.askedAt + 1 }
    store.transaction(() =>
      store.saveReply(store.accounts.all()[0]?.no ?? 0, reportedByKeys(after, { api_keys: [{ ...off, ...gone }] })),
    )
    store.close()
    const again = (await ask('keys')).stdout
    expect(again).toMatch(/sk-c .*no longer listed\n/)
    expect(again).not.toContain('5.25')
    expect(stdout).toContain('Create, change and revoke keys at the service.')
    const [limits] = documents((await ask('limits', '--json')).stdout)
    expect(limits).toMatchObject({
      account: { name: 'Mine' },
      status: null,
      key: { rpm: 60, tpm: null, concurrent: null },
    })
  })

  /** Simulates a terminal with this many columns as standard output. */
  async function atTerminal(columns: number, ...args: string[]): Promise<string> {
    const { isTTY, columns: before } = process.stdout
    Object.assign(process.stdout, { isTTY: true, columns })
    try {
      return (await ask(...args)).stdout
    } finally {
      Object.assign(process.stdout, { isTTY, columns: before })
    }
  }

  it("hostile names stay on one line in their columns and can't command the terminal", async () => {
    const store = openAccountStore(cli.dataDir)
    const at = Date.UTC(2026, 10, 20, 13)
    const names = [
      'fake\nservice  all  0',
      '\u001b[2Jclear',
      '模型',
      'a\u202eb',
      'e\u0301',
      '\u009b31m',
      'x'.repeat(150),
    ]
    const rows = names.map((model) => ({ user_id: 'a', date: '2026-11-20', model, requests: 1, ...counts }))
    const free = {
      user_id: 'a',
      date: '2026-11-20',
      model: 'cost alone',
      ...counts,
      requests: 0,
      tokens_in: 0,
      tokens_out: 0,
    }
    store.transaction(() =>
      store.saveReply(
        store.accounts.all()[0]?.no ?? 0,
        reportedByUsage({ askedAt: at, answeredAt: at }, { usage: [...rows, free], balance: null, total_spent: null }),
      ),
    )
    store.close()
    const asked = ['usage', '--since', '2026-11-20', '--until', '2026-11-20', '--source', 'service']
    const piped = (await ask(...asked)).stdout
    const lines = piped.split('\n').filter((line) => line.startsWith('service '))
    expect(lines).toHaveLength(names.length + 2)
    expect(lines).toContainEqual(expect.stringMatching(/cost alone +0 +0 +0 +0 +0\.5$/))
    expect(piped.replace(/[\n\x20-\x7e模型é]|\u0301/gu, '')).toBe('')
    const columnsOf = (line: string): number =>
      Array.from(line).reduce((n, one) => n + (one > '\u2e80' ? 2 : one === '\u0301' ? 0 : 1), 0)
    expect(new Set(lines.map(columnsOf)).size).toBe(1)
    expect(piped).toContain('x'.repeat(150))
    const narrow = await atTerminal(80, ...asked)
    expect(narrow).toMatch(/x{5,}… /)
    for (const line of narrow.split('\n').slice(3, 12)) expect(columnsOf(line)).toBeLessThanOrEqual(80)
    // A file gets the exact text; a terminal gets it without control characters.
    expect((await ask(...asked, '--format', 'csv')).stdout).toContain('\u001b[2Jclear')
    const shown = await atTerminal(80, ...asked, '--format', 'csv')
    expect(shown).toContain('[2Jclear')
    for (const command of ['\u001b', '\u009b']) expect(shown).not.toContain(command)
    expect(shown.split('\r\n')).toHaveLength(names.length + 4)
  })

  it('lost days and days that can still be fetched are reported separately, future days not at all', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 23, 12) })
    try {
      const { stdout } = await ask('usage', '--since', '2026-09-01', '--until', '2026-11-23', '--source', 'service')
      expect(stdout).toContain('The figures of 4 days are not complete yet.')
      expect(stdout).toMatch(/The cost of 31 days is unknown/)
      const young = (await ask('usage', '--since', '2026-11-01', '--source', 'service')).stdout
      expect(young).not.toContain('is unknown')
      const days = await rowsOf('--by', 'day', '--since', '2026-11-19', '--until', '2026-11-25', '--source', 'service')
      expect(days.map(({ requests, state }) => [requests, state])).toEqual([
        ...[
          [2, 'whole'],
          [3, 'partial'],
          [null, 'gap'],
          [null, 'gap'],
          [null, 'gap'],
        ],
        ...[
          [null, 'running'],
          [null, 'running'],
        ],
      ])
      const usual = await rowsOf('--by', 'day', '--source', 'service')
      expect([usual.length, usual[0]?.from, usual.at(-1)?.from]).toEqual([30, '2026-10-25', '2026-11-23'])
    } finally {
      vi.useRealTimers()
    }
  })

  it.each([
    ['a day that is none', 2, ['--since', '2026-02-30']],
    ['a day in another form', 2, ['--since', '20.11.2026']],
    ['a day of no year', 2, ['--since', '0026-11-20']],
    ['more than a hundred years', 1, ['--since', '1970-01-01', '--until', '2099-12-31']],
    ['what nothing is by', 2, ['--by', 'week']],
    ['rooms of the service', 1, ['--by', 'feature', '--source', 'service']],
    ['keys of this machine', 1, ['--by', 'key', '--source', 'here']],
    ['a part of an account’s name', 1, ['--account', 'Min']],
    ['a last day before the first', 2, ['--since', '2026-11-20', '--until', '2026-11-19']],
    ['a side that does not know what is asked', 1, ['--by', 'app', '--source', 'service']],
    ['an account that is not there', 1, ['--account', 'nobody']],
    ['a file without a format', 2, ['--output', 'x']],
    ['a file that can’t be written', 1, ['--format', 'csv', '--output', '/nowhere/x']],
  ])('refuses %s', async (_, code, args) => {
    const ended = await ask('usage', ...args)
    expect(ended).toMatchObject({ code, stdout: '' })
    expect(ended.stderr.length).toBeGreaterThan(20)
  })
})

/** A sandbox in its own process, so that it continues when the core ends, and a core that is connected to it. */
async function serve() {
  const sandbox = start(['sandbox', '--json'])
  const { baseUrl, apiKey } = JSON.parse(await sandbox.line())
  const connect = ['--base-url', baseUrl, '--api-key-env', 'TEST_KEY']
  const host = start(['serve', ...connect, '--json', '--no-web', '--api-port', '0', '--data-dir', cli.dataDir], {
    TEST_KEY: apiKey,
  })
  const { proxy } = JSON.parse(await host.line())
  const { key } = JSON.parse((await run(['apps', 'add', 'An editor', '--json', '--data-dir', cli.dataDir])).stdout)
  const chat = (model: string) =>
    fetch(`${proxy.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
    }).then((reply) => reply.text())
  const service = (path: string) =>
    fetch(`${baseUrl}/v1${path}`, { headers: { authorization: `Bearer ${apiKey}` } }).then((reply) => reply.json())
  return { sandbox, host, chat, service }
}

it('usage and limits are the same beside the core and without it, a network or a keychain [USE-01] [LIM-01]', {
  tags: 'long',
}, async () => {
  const { sandbox, host, chat, service } = await serve()
  // The program fetches automatically after connecting.
  await seen(async () => expect(await rowsOf('--source', 'service')).not.toEqual([]))
  await chat('mirror')
  const reported: { usage: { model: string; requests: number; cost_sc: number }[] } = await service('/usage')
  const beside = await rowsOf('--source', 'service')
  // Compares with the service's own figures, row by row. They may already include the one request since then.
  const before = reported.usage.filter(({ model }) => model !== 'mirror')
  const sum = before.reduce((all, row) => all.plus(row.cost_sc), new Decimal(0))
  expect(total(beside.filter(({ name }) => name !== 'mirror'))).toBe(sum.toFixed())

  // The row of an ended request is written shortly after its end.
  await seen(async () =>
    expect(await rowsOf('--source', 'here', '--by', 'app')).toMatchObject([
      { source: 'here', name: 'An editor', requests: 1 },
    ]),
  )
  const both = await rowsOf()
  expect(both.some(({ source, id }) => source === 'here' && id === 'mirror')).toBe(true)
  const days = await rowsOf('--by', 'day', '--source', 'service')
  expect(days).toHaveLength(30)
  expect(total(days)).toBe(total(beside))
  const each = await rowsOf('--each', 'week', '--source', 'service')
  expect(total(each)).toBe(total(beside))
  expect((await rowsOf('--by', 'feature')).every(({ source }) => source === 'here')).toBe(true)

  host.child.kill('SIGTERM')
  await host.ended
  sandbox.child.kill('SIGTERM')
  await sandbox.ended
  const alone = await run(['usage', '--source', 'service', '--format', 'json', '--data-dir', cli.dataDir])
  expect(alone).toMatchObject({ code: 0, stderr: '' })
  expect(documents(alone.stdout)).toEqual(beside)
  const table = (await ask('usage', '--since', '2020-01-01')).stdout
  expect(table).toMatch(/Figures of the service from \d{4}-\d\d-\d\d \d\d:\d\d UTC\./)
  expect(table).toMatch(/SOURCE +MODEL +REQUESTS +TOKENS IN +OUT +CACHED +SC\n/)
  expect(table).toMatch(/the service was not queried in time/)
  const [limits] = documents((await ask('limits', '--json')).stdout)
  expect(limits).toMatchObject({
    status: { minute: { limit: 600 }, banned: false, resetSeconds: expect.any(Number) },
    history: [],
  })
  expect((await ask('limits')).stdout).toMatch(/Requests per minute +\d+ used, \d+ left of 600, resets in \d+ s/)
})
