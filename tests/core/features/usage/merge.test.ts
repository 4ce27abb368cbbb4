import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { createUsage } from '../../../../src-main/core/features/usage/usage.ts'
import { accountFile } from '../../../../src-main/core/store/account/open.ts'
import { startSandbox } from '../../../../src-main/sandbox/sandbox.ts'
import { notice, testRequestLog } from '../../requestLog/helpers.ts'
import { client, noon, openAccount, parts, placeAt } from './helpers.ts'

const day = (text: string): number => Math.floor(noon(text) / 86_400_000)
const row = (text: string, requests: number) => ({
  day: day(text),
  date: text,
  model: 'm',
  requests,
  tokensIn: 10 * requests,
  tokensOut: requests,
  tokensCached: 0,
  cost: BigInt(requests) * 10n ** 18n,
})

/** Two accounts in a real database: the earlier one reported the 1st to the 3rd, the present one the 3rd and 4th. */
function twoAccounts() {
  const opened = openAccount()
  const { accountStore } = opened
  const add = (id: string, baseUrl: string) =>
    accountStore.accounts.add({ id, kind: 'service', baseUrl, userId: null, name: id, usedAt: 0 })
  const [earlier, present] = [add('earlier', 'https://old.example'), add('present', 'https://new.example')]
  accountStore.accounts.place({ profile: 'p', baseUrl: 'https://old.example' }, earlier)
  accountStore.accounts.place({ profile: 'p', baseUrl: 'https://new.example' }, present)
  const save = (no: number, at: string, from: string, rows: ReturnType<typeof row>[], balance: string): void =>
    accountStore.transaction(() =>
      accountStore.saveReply(no, {
        what: 'usage',
        at: noon(at),
        days: { from: day(from), to: day(at) },
        rows,
        values: [{ what: 'account', value: JSON.stringify({ balance, spent: null }) }],
      }),
    )
  save(earlier.no, '2026-11-03', '2026-11-01', [row('2026-11-01', 1), row('2026-11-02', 2), row('2026-11-03', 3)], '9')
  save(present.no, '2026-11-04', '2026-11-03', [row('2026-11-03', 4), row('2026-11-04', 5)], '7')
  return { ...opened, earlier, present }
}

it('a merge adds the days that only the earlier account has, and counts no day twice', () => {
  const { accountStore, dataDir, earlier, present } = twoAccounts()
  const usage = createUsage(parts({ accountStore }))
  onTestFinished(() => usage.close())
  const merged = usage.merge({ from: 'earlier', into: 'present' })
  expect(merged).toMatchObject({ id: 'present', balance: { value: '7' }, firstDay: '2026-11-01' })
  const days = accountStore.sums.models(present.no, day('2026-11-01'), day('2026-11-30'))
  expect(days.map((one) => [one.day - day('2026-11-01') + 1, one.requests])).toEqual([
    [1, 1],
    [2, 2],
    [3, 4],
    [4, 5],
  ])
  expect(usage.list().map(({ id }) => id)).toEqual(['present'])
  // The profile that used the earlier address finds the account there.
  expect(usage.accountOf({ profile: 'p', baseUrl: 'https://old.example' })).toBe('present')
  const handle = new DatabaseSync(accountFile(dataDir), { readOnly: true })
  onTestFinished(() => handle.close())
  for (const table of ['days', 'closed', 'coverage', 'undated', 'versions', 'fetches', 'limits', 'places']) {
    expect(handle.prepare(`SELECT count(*) AS n FROM ${table} WHERE book = ?`).get(earlier.no)).toEqual({ n: 0 })
  }
  expect(() => usage.merge({ from: 'earlier', into: 'present' })).toThrow(/account/)
})

it('a merge gives the requests of the log to the present account, in totals and in ranges of rows', () => {
  const { requestLog: log } = testRequestLog()
  const ask = (): void => {
    const trace = log.open(notice())
    trace.replied(200, null)
    trace.ends({ state: 'done' }, null)
  }
  log.connectedTo('https://old.example', 'p')
  ask()
  ask()
  log.belongsTo('earlier')
  log.connectedTo('https://new.example', 'p')
  ask()
  log.belongsTo('present')
  const today = Math.floor(Date.now() / 86_400_000)
  const requestsOf = (account: string): number =>
    log.usage.usedByDay(account, 0, today + 1).reduce((sum, { requests }) => sum + requests, 0)
  expect([requestsOf('earlier'), requestsOf('present')]).toEqual([2, 1])
  log.merge('present', ({ account }) => account === 'earlier')
  expect([requestsOf('earlier'), requestsOf('present')]).toEqual([0, 3])
  expect(log.rowRangesOf('earlier')).toEqual([])
  log.merge('present', ({ account }) => account === 'earlier')
  expect(requestsOf('present')).toBe(3)
})

it('the connected account, and an account with itself, are never merged away', async () => {
  const sandbox = await startSandbox()
  onTestFinished(() => sandbox.close())
  const { accountStore } = twoAccounts()
  const usage = createUsage(parts({ accountStore }))
  onTestFinished(() => usage.close())
  usage.follow(client(sandbox.baseUrl, sandbox.apiKey), placeAt(sandbox.baseUrl))
  const active = usage.active()?.id ?? ''
  expect(() => usage.merge({ from: active, into: 'present' })).toThrow(/in use/)
  expect(() => usage.merge({ from: 'present', into: 'present' })).toThrow(/in use/)
  expect(usage.list()).toHaveLength(3)
})
