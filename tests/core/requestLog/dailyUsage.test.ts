import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CallerDay } from '../../../src-main/core/requestLog/dailyUsage.ts'
import { dayMs } from '../../../src-main/core/shared/days.ts'
import { openDatabase } from '../../../src-main/core/store/database.ts'
import { requestLogFile } from '../../../src-main/core/store/requestLog/open.ts'
import { requestLogDatabase } from '../../../src-main/core/store/requestLog/schema.ts'
import { tries } from '../../helpers/effort.ts'
import { randomNumbers } from '../../helpers/random.ts'
import { freshFolder } from '../helpers/core.ts'
import {
  appRequester,
  endTwentyAtOnce,
  notice,
  openRequestLog,
  RestartingLog,
  reading,
  service,
  usage,
} from './helpers.ts'

const always = [0, 100_000] as const

/** The sums by a single query over the rows. `account` maps a row to its account. */
function summed(dataDir: string, account: (row: number) => string | null): Record<string, CallerDay[]> {
  const database = new DatabaseSync(requestLogFile(dataDir), { readOnly: true })
  const rows = database
    .prepare(
      `SELECT r.id, r.at / 86400000 AS day, c.who, c.model, r.outcome, coalesce(tokens_in, 0) AS i, coalesce(tokens_out, 0) AS o,
        coalesce(tokens_cached, 0) AS c, CAST(r.cost AS TEXT) AS cost, r.cost_is FROM requests AS r JOIN callers AS c ON c.id = r.caller
        WHERE r.outcome IS NOT NULL AND r.outcome <> 2 AND NOT (r.attempts = 0 AND coalesce(r.state, -1) IN (1, 3, 4)) ORDER BY 2, r.caller`,
    )
    .all()
  database.close()
  const requestLog: Record<string, Map<string, CallerDay>> = {}
  for (const row of rows) {
    const name = account(Number(row.id)) ?? '-'
    const days = requestLog[name] ?? new Map<string, CallerDay>()
    requestLog[name] = days
    const [who, model] = [String(row.who), row.model === null ? null : String(row.model)]
    const none = { requests: 0, tokensIn: 0, tokensOut: 0, tokensCached: 0, cost: 0n, estimated: 0, unpriced: 0 }
    const day = Number(row.day)
    const before = days.get(`${day} ${who} ${model}`) ?? { day, who, model, ...none, failed: 0 }
    days.set(`${day} ${who} ${model}`, {
      ...before,
      requests: before.requests + 1,
      tokensIn: before.tokensIn + Number(row.i),
      tokensOut: before.tokensOut + Number(row.o),
      tokensCached: before.tokensCached + Number(row.c),
      cost: before.cost + BigInt(row.cost === null ? 0 : String(row.cost)),
      estimated: before.estimated + (row.cost !== null && row.cost_is === 1 ? 1 : 0),
      unpriced: before.unpriced + (row.cost === null ? 1 : 0),
      failed: before.failed + (row.outcome === 1 ? 1 : 0),
    })
  }
  return Object.fromEntries(Object.entries(requestLog).map(([name, days]) => [name, [...days.values()]]))
}

const one = fc.record({
  lane: fc.nat(5),
  who: fc.constantFrom('a', 'b'),
  model: fc.constantFrom('writer-small', 'x', null),
  tokens: fc.tuple(fc.nat(5000), fc.nat(5000)),
  end: fc.constantFrom('done', 'done', 'cancelled', 'refused', 'failed' as const),
  forward: fc.constantFrom(0, 0, 1000, 3_600_000, dayMs),
})
const step = fc.oneof(
  { weight: 12, arbitrary: one },
  { weight: 1, arbitrary: fc.record({ connect: fc.constantFrom(service, 'https://other.example') }) },
  { weight: 2, arbitrary: fc.record({ belongs: fc.constantFrom('red', 'blue') }) },
  { weight: 1, arbitrary: fc.constant({ restart: true }) },
  { weight: 3, arbitrary: fc.constant({ look: true }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** Requests of several apps across days, restarts, services and accounts, with a simple model of each row beside it. */
class Life extends RestartingLog {
  #connected: { base: string; account: string | null } = { base: '', account: null }
  readonly #rows = new Map<number, { base: string; account: string | null }>()

  async take(taken: Step): Promise<void> {
    if ('connect' in taken) {
      this.requestLog.connectedTo(taken.connect)
      this.#connected = { base: taken.connect, account: null }
    } else if ('belongs' in taken) this.#belongs(taken.belongs)
    else if ('look' in taken) for (const account of ['red', 'blue']) this.requestLog.usage.usedByDay(account, ...always)
    else if ('restart' in taken) await this.restart()
    else this.#request(taken)
  }

  accountOf = (row: number): string | null => this.#rows.get(row)?.account ?? null

  #belongs(account: string): void {
    this.requestLog.belongsTo(account)
    const same = this.#connected.account === account
    this.#connected = { ...this.#connected, account }
    if (same) return
    for (const [id, row] of this.#rows) {
      const here = row.base === this.#connected.base || row.base === ''
      if (row.account === null && here) this.#rows.set(id, { ...row, account })
    }
  }

  #request({ lane, who, model, tokens, end, forward }: typeof one extends fc.Arbitrary<infer T> ? T : never): void {
    this.now += forward
    const under = this.lanes.get(lane)
    if (under) {
      under.replied(end === 'failed' ? 503 : 200, null)
      under.ends({ state: end }, reading(...tokens))
      this.lanes.delete(lane)
      return
    }
    const trace = this.requestLog.open(notice({ requester: appRequester(who), model }))
    if (end !== 'refused') trace.connected()
    this.#rows.set(trace.id, { ...this.#connected })
    this.lanes.set(lane, trace)
  }
}

describe('usage by day', () => {
  it('equals a GROUP BY over the rows, in any order and across days, restarts and accounts', {
    tags: 'long',
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60, size: 'max' }), async (steps) => {
        const life = new Life(usage)
        for (const taken of steps) await life.take(taken)
        const red = life.requestLog.usage.usedByDay('red', ...always)
        const blue = life.requestLog.usage.usedByDay('blue', ...always)
        const expected = summed(life.dataDir, life.accountOf)
        const byDay = (days: CallerDay[] = []): CallerDay[] =>
          days.toSorted((a, b) => `${a.day} ${a.who} ${a.model}`.localeCompare(`${b.day} ${b.who} ${b.model}`))
        // An account at two base addresses has a row for each.
        expect(merged(byDay(red))).toEqual(byDay(expected.red))
        expect(merged(byDay(blue))).toEqual(byDay(expected.blue))
        const days = (expected.red ?? []).map(({ day }) => day)
        expect(life.requestLog.usage.firstDayOf('red')).toBe(days.length === 0 ? null : Math.min(...days))
        await life.requestLog.close()
      }),
      { numRuns: 40 },
    )
  })

  it('is in the same transaction as the rows', async () => {
    const { requestLog, dataDir } = openRequestLog()
    requestLog.learn(usage, service)
    const reader = new DatabaseSync(requestLogFile(dataDir), { readOnly: true })
    await endTwentyAtOnce(requestLog)
    expect(reader.prepare('SELECT requests, cost, estimated FROM use_days').all()).toEqual([
      { requests: 20, cost: 20 * 515_000, estimated: 20 },
    ])
    reader.close()
    await requestLog.close()
  })

  it('returns the requested days, and nothing for an unknown account', async () => {
    let now = Date.UTC(2026, 10, 20, 23, 59)
    const { requestLog } = openRequestLog({ now: () => now })
    requestLog.connectedTo(service)
    requestLog.belongsTo('red')
    const today = Math.floor(now / dayMs)
    // A request that starts before midnight and ends after it belongs to the day of its start.
    const late = requestLog.open(notice())
    now += 120_000
    late.ends({ state: 'done' }, null)
    requestLog.open(notice()).ends({ state: 'done' }, null)
    expect(requestLog.usage.usedByDay('red', today, today).map(({ day, requests }) => [day, requests])).toEqual([
      [today, 1],
    ])
    expect(requestLog.usage.usedByDay('red', today, today + 1)).toHaveLength(2)
    expect(requestLog.usage.usedByDay('red', today + 2, today + 9)).toEqual([])
    expect(requestLog.usage.usedByDay('green', ...always)).toEqual([])
    expect(requestLog.usage.firstDayOf('red')).toBe(today)
    expect(requestLog.usage.firstDayOf('green')).toBeNull()
    await requestLog.close()
  })

  it('is correct after a view: for requests that end days later, and for rows that move to another account', async () => {
    let now = Date.UTC(2026, 0, 1)
    const { requestLog } = openRequestLog({ now: () => now })
    requestLog.connectedTo(service)
    requestLog.belongsTo('red')
    const slow = requestLog.open(notice())
    for (let day = 0; day < 200; day += 1) {
      requestLog.open(notice()).ends({ state: 'done' }, null)
      if (day % 20 === 0) requestLog.usage.usedByDay('red', ...always)
      now += dayMs
    }
    const sum = (account: string): number =>
      requestLog.usage.usedByDay(account, ...always).reduce((all, { requests }) => all + requests, 0)
    expect(sum('red')).toBe(200)
    slow.ends({ state: 'done' }, null)
    expect(sum('red')).toBe(201)
    const first = Math.floor(Date.UTC(2026, 0, 1) / dayMs)
    expect(requestLog.usage.usedByDay('red', first, first + 120)).toHaveLength(121)
    expect(requestLog.usage.usedByDay('red', first, first + 120)[0]).toMatchObject({ day: first, requests: 2 })
    expect(requestLog.usage.usedByDay('red', first + 190, first + 400)).toHaveLength(10)
    // The clock is set back: these days are already over.
    now = Date.UTC(2026, 2, 1)
    requestLog.connectedTo(service)
    for (let n = 0; n < 5; n += 1) requestLog.open(notice()).ends({ state: 'done' }, null)
    expect(sum('red')).toBe(201)
    requestLog.belongsTo('red')
    expect(sum('red')).toBe(206)
    await requestLog.close()
  })

  it('counts read-outs for the feature that sent them, without a model', async () => {
    const { requestLog } = openRequestLog()
    requestLog.connectedTo(service)
    const requester = { kind: 'studio', feature: 'account' } as const
    const trace = requestLog.open(
      notice({ requester, method: 'GET', path: '/v1/usage', endpoint: 'account', model: null }),
    )
    trace.connected()
    trace.ends({ state: 'done' }, null)
    requestLog.belongsTo('red')
    expect(requestLog.usage.usedByDay('red', ...always)).toMatchObject([
      { who: 'studio:account', model: null, requests: 1, cost: 0n },
    ])
    await requestLog.close()
  })

  it('has few account links: a restart with the same account adds none', async () => {
    const { requestLog, dataDir } = openRequestLog()
    await requestLog.close()
    for (let start = 0; start < 5; start += 1) {
      const { requestLog: again } = openRequestLog({ dataDir })
      again.connectedTo(service)
      again.open(notice()).ends({ state: 'done' }, null)
      again.belongsTo('red')
      again.open(notice()).ends({ state: 'done' }, null)
      await again.close()
    }
    const database = new DatabaseSync(requestLogFile(dataDir), { readOnly: true })
    expect(database.prepare('SELECT first_row FROM links').all()).toEqual([{ first_row: 0 }])
    expect(database.prepare('SELECT base_url, book FROM accounts').all()).toEqual([{ base_url: service, book: 'red' }])
    expect(database.prepare('SELECT sum(requests) AS n FROM use_days').get()).toEqual({ n: 10 })
    database.close()
  })
})

describe('a log from before usage by day', () => {
  it('gets its sums once, exactly, with rows that never ended', async () => {
    const dataDir = freshFolder()
    oldLog(dataDir, 2000)
    const old = new DatabaseSync(requestLogFile(dataDir))
    // An absurd reply with more than 64 bits of tokens, so that the sum stops at its maximum.
    old.exec(`INSERT INTO callers (id, who, model) VALUES (9, 'tool:mad', 'mad');
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
      INSERT INTO requests (id, at, caller, endpoint, outcome, cost, cost_is) SELECT 5000 + i, 0, 9, 0, 0, 100000000000000000, 1 FROM n`)
    old.close()
    const { requestLog, lines } = openRequestLog({ dataDir })
    expect(requestLog.recovered).toBeGreaterThan(0)
    expect(lines).toEqual([])
    requestLog.connectedTo('https://other.example')
    requestLog.belongsTo('blue')
    expect(requestLog.usage.usedByDay('blue', ...always)).toEqual([])
    requestLog.connectedTo(service)
    requestLog.belongsTo('red')
    const used = requestLog.usage.usedByDay('red', ...always)
    const most = 9_223_372_036_854_775_807n
    const expected = summed(dataDir, () => 'red').red?.map((day) => (day.cost > most ? { ...day, cost: most } : day))
    expect(used).toEqual(expected)
    expect(used.length).toBeGreaterThan(50)
    expect(used.find(({ who }) => who === 'tool:mad')).toMatchObject({ requests: 100, cost: most })
    expect(used.some(({ unpriced }) => unpriced > 0)).toBe(true)
    // Another reply, after the restart, when the sum is already at its maximum.
    const trace = requestLog.open(notice({ requester: appRequester('mad') }))
    trace.ends({ state: 'done' }, null)
    await requestLog.close()
  })

  it('is migrated completely or not at all, whenever the process is killed', {
    tags: 'long',
  }, async () => {
    const random = randomNumbers()
    for (let round = 0; round < tries(2, 10); round += 1) {
      const dataDir = freshFolder()
      oldLog(dataDir, 40_000)
      const child = spawn(process.execPath, [harness('migrate'), dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
      const exited = once(child, 'exit')
      await once(child.stdout, 'data')
      setTimeout(() => child.kill('SIGKILL'), random() * 160)
      await exited
      const database = new DatabaseSync(requestLogFile(dataDir), { readOnly: true })
      expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
      const version = Number(database.prepare('PRAGMA user_version').get()?.user_version)
      const tables = database.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'use_days'").get()
      database.close()
      const ours = requestLogDatabase.migrations.length
      expect([1, ours]).toContain(version)
      expect(tables).toEqual({ n: version === ours ? 1 : 0 })
      const { requestLog } = openRequestLog({ dataDir })
      requestLog.connectedTo(service)
      requestLog.belongsTo('red')
      expect(requestLog.usage.usedByDay('red', ...always)).toEqual(summed(dataDir, () => 'red').red)
      await requestLog.close()
    }
  })
})

const harness = (name: string): string => fileURLToPath(new URL(`harness/${name}.ts`, import.meta.url))

/** Merges sums of the same day and caller over several base addresses. */
function merged(days: CallerDay[]): CallerDay[] {
  const all: CallerDay[] = []
  for (const day of days) {
    const last = all.at(-1)
    if (last?.day !== day.day || last.who !== day.who || last.model !== day.model) {
      all.push({ ...day })
      continue
    }
    last.requests += day.requests
    last.tokensIn += day.tokensIn
    last.tokensOut += day.tokensOut
    last.tokensCached += day.tokensCached
    last.cost += day.cost
    last.estimated += day.estimated
    last.unpriced += day.unpriced
    last.failed += day.failed
  }
  return all
}

/** A log as the first version left it: rows of all kinds over twenty days, some of which never ended. */
function oldLog(dataDir: string, rows: number): void {
  const [first = ''] = requestLogDatabase.migrations
  openDatabase(requestLogFile(dataDir), { ...requestLogDatabase, migrations: [first] }).close()
  const database = new DatabaseSync(requestLogFile(dataDir))
  database.exec('BEGIN')
  for (const id of [1, 2, 3])
    database.exec(`INSERT INTO callers (id, who, model) VALUES (${id}, 'tool:t${id}', 'model')`)
  database.exec(`INSERT INTO prices VALUES ('${service}', 'model', 'exact', '1', '1', '1', '1', 3, 9),
    ('https://other.example', 'model', 'exact', '1', '1', '1', '1', 3, 8)`)
  database
    .prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :rows)
      INSERT INTO requests (id, at, caller, endpoint, outcome, state, tokens_in, tokens_out, tokens_cached, cost, cost_is)
      SELECT i, 1700000000000 + i * (1728000000 / :rows), 1 + i % 3, 0,
        CASE WHEN i % 11 = 1 THEN 1 WHEN i % 13 = 1 THEN 2 WHEN i % 97 = 1 THEN NULL ELSE 0 END, 0,
        CASE WHEN i % 7 = 1 THEN NULL ELSE i END, i % 50, NULL,
        CASE WHEN i % 17 = 1 THEN NULL ELSE 90071992547409931 % (i * 1000003) END, i % 2 FROM n`,
    )
    .run({ rows })
  database.exec('COMMIT')
  database.close()
}
