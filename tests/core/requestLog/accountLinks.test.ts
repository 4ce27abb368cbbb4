import { DatabaseSync } from 'node:sqlite'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ProfileLocation } from '../../../src-main/core/ports/requests.ts'
import type { SqliteRequestLog } from '../../../src-main/core/requestLog/requestLog.ts'
import { requestLogFile } from '../../../src-main/core/store/requestLog/open.ts'
import { requestLogDatabase } from '../../../src-main/core/store/requestLog/schema.ts'
import { freshFolder } from '../helpers/core.ts'
import { notice, openRequestLog, reading, service, usage } from './helpers.ts'

// Two profiles at one address, and one of them also at another address.
const places: ProfileLocation[] = [
  { profile: 'p', baseUrl: service },
  { profile: 'q', baseUrl: service },
  { profile: 'q', baseUrl: 'https://other.example' },
]
const accounts = ['red', 'blue', 'green']
const place = fc.nat(places.length - 1)
const step = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ ask: 'now' } as const) },
  { weight: 3, arbitrary: fc.record({ late: place }) },
  { weight: 3, arbitrary: fc.record({ connect: place }) },
  { weight: 3, arbitrary: fc.record({ belongs: fc.constantFrom(...accounts) }) },
  { weight: 1, arbitrary: fc.record({ restart: place }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** A simple model: each row knows its place, and its account after that was reported. */
class ExpectedAccounts {
  readonly rows: { place: number; account: string | null }[] = []
  readonly #known = new Map<number, string | null>()
  #connected = 0

  connect(to: number): void {
    this.#connected = to
    this.#known.set(to, null)
  }

  row(at: number | null): void {
    const to = at ?? this.#connected
    this.rows.push({ place: to, account: this.#known.get(to) ?? null })
  }

  belongs(account: string): void {
    this.#known.set(this.#connected, account)
    for (const row of this.rows) if (row.place === this.#connected) row.account ??= account
  }

  restart(): void {
    this.#known.clear()
  }
}

async function live(steps: readonly Step[]): Promise<void> {
  const opened = openRequestLog()
  let requestLog: SqliteRequestLog = opened.requestLog
  const expected = new ExpectedAccounts()
  const connect = (at: number): void => {
    const { baseUrl, profile } = places[at] ?? expect.unreachable()
    requestLog.connectedTo(baseUrl, profile)
    expected.connect(at)
  }
  connect(0)
  const ids: number[] = []
  for (const taken of steps) {
    if ('connect' in taken) connect(taken.connect)
    else if ('belongs' in taken) {
      requestLog.belongsTo(taken.belongs)
      expected.belongs(taken.belongs)
    } else if ('restart' in taken) {
      await requestLog.close()
      requestLog = openRequestLog({ dataDir: opened.dataDir }).requestLog
      expected.restart()
      connect(taken.restart)
    } else {
      const late = 'late' in taken ? taken.late : null
      const from = late === null ? requestLog : requestLog.requestLogOf(places[late] ?? expect.unreachable())
      const trace = from.open(notice({}))
      trace.connected()
      trace.replied(200, null)
      trace.ends({ state: 'done' }, reading(1, 1))
      expected.row(late)
      ids.push(trace.id)
    }
  }
  for (const account of accounts) {
    const count = requestLog.usage.usedByDay(account, 0, 100_000).reduce((sum, { requests }) => sum + requests, 0)
    expect(count).toBe(expected.rows.filter((row) => row.account === account).length)
    const ranges = requestLog.rowRangesOf(account)
    const within = ids.filter((id) => ranges.some(({ from, before }) => id >= from && (before === null || id < before)))
    expect(within).toEqual(ids.filter((_, at) => expected.rows[at]?.account === account))
  }
  await requestLog.close()
}

describe('rows of several connections', () => {
  it('belong to the account whose key sent them, in any order of switches, late requests, reported accounts and restarts', {
    tags: 'long',
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 40 }), (steps) => live(steps)),
      { numRuns: 60 },
    )
  })

  it('are priced with the connection that sent them, even if they end during another one', () => {
    const { requestLog } = openRequestLog()
    requestLog.connectedTo(service, 'p')
    requestLog.learn(usage, service, 'p')
    const trace = requestLog.open(notice({ model: 'writer-small' }))
    trace.connected()
    trace.replied(200, null)
    requestLog.connectedTo(service, 'q')
    const none = { tokensIn: 1000, tokensCached: 0, tokensOut: 0, bytesUp: 0, count: 1 }
    expect(requestLog.prices.price('chat', 'writer-small', none)).toBeNull()
    trace.ends({ state: 'done' }, reading(1_000_000, 0))
    expect(requestLog.row(trace.id)).toMatchObject({ cost: '0.5' })
  })

  it('and prices from before profiles existed belong to the first profile that is connected there', async () => {
    const dataDir = freshFolder()
    const old = new DatabaseSync(requestLogFile(dataDir))
    const at = requestLogDatabase.migrations.findIndex((sql) => sql.includes('prices_of_profiles'))
    for (const sql of requestLogDatabase.migrations.slice(0, at)) old.exec(sql)
    old.exec(`PRAGMA application_id = ${requestLogDatabase.applicationId}; PRAGMA user_version = ${at};
      INSERT INTO prices VALUES ('${service}', 'm', 'tokens', '500000000000', '0', '0', '0', 3, 1)`)
    old.close()
    const { requestLog } = openRequestLog({ dataDir })
    const use = { tokensIn: 1_000_000, tokensCached: 0, tokensOut: 0, bytesUp: 0, count: 1 }
    expect(requestLog.prices.price('chat', 'm', use)).toBe(500_000_000n)
    requestLog.connectedTo(service, 'p')
    expect(requestLog.prices.price('chat', 'm', use)).toBe(500_000_000n)
    requestLog.connectedTo(service, 'q')
    expect(requestLog.prices.price('chat', 'm', use)).toBeNull()
    requestLog.connectedTo(service, 'p')
    expect(requestLog.prices.price('chat', 'm', use)).toBe(500_000_000n)
    await requestLog.close()
  })
})
