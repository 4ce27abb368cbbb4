import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { exportRows } from '../../src-main/core/books/export.ts'
import { rowsOf } from '../../src-main/core/books/exportRows.ts'
import { openReading } from '../../src-main/core/books/read.ts'
import { toldByKeyDays, toldByUsage } from '../../src-main/core/books/replies.ts'
import { Ledger } from '../../src-main/core/ledger/ledger.ts'
import { openAccountStore } from '../../src-main/core/store/account/open.ts'
import { openDatabase } from '../../src-main/core/store/database.ts'
import { ledgerFile } from '../../src-main/core/store/ledger/open.ts'
import { ledgerDatabase } from '../../src-main/core/store/ledger/schema.ts'
import type { ViewQuery } from '../../src-preload/contract/usage.ts'

/** Measures views of usage over so many requests and ten years of daily rows, and the writing of requests; prints JSON. */
const rows = Number(process.argv[2] ?? 1_000_000)
const rounds = Number(process.argv[3] ?? 20)

const dayMs = 86_400_000
const now = Math.floor(Date.now() / dayMs) * dayMs + dayMs / 2
const years = 10
const days = Math.round(years * 365.25)
const baseUrl = 'https://service.example'
const models = Array.from({ length: 12 }, (_, at) => `model-${at}`)
const bookId = randomUUID()
const dayText = (ago: number): string => new Date(now - ago * dayMs).toISOString().slice(0, 10)

/** Eight tools, each with three models of its own liking, and the studio: what a busy person has. As an earlier version left it. */
function fillLedger(dataDir: string): void {
  const [first = ''] = ledgerDatabase.migrations
  openDatabase(ledgerFile(dataDir), { ...ledgerDatabase, migrations: [first] }).close()
  const database = new DatabaseSync(ledgerFile(dataDir))
  database.exec('PRAGMA synchronous = OFF; BEGIN')
  const caller = database.prepare('INSERT INTO callers (id, who, model) VALUES (?, ?, ?)')
  for (let id = 1; id <= 24; id += 1) {
    const model = models[(id * 5) % models.length] ?? null
    caller.run(id, id > 21 ? 'studio:chat' : `tool:t${Math.ceil(id / 3)}`, model)
  }
  // A day has a handful of them: whoever is used today is used for most of it.
  database
    .prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :rows)
      INSERT INTO requests (id, at, caller, endpoint, stream, outcome, state, status, attempts, connect_us, first_byte_us,
        duration_us, bytes_up, bytes_down, tokens_in, tokens_out, tokens_cached, tokens_are, cost, cost_is, request_id)
      SELECT i, :now - (:rows - i) * :every, 1 + ((:rows - i) * :every / 86400000 * 7 + i * 7919 % 10) % 24,
        0, 1, CASE WHEN i % 40 = 3 THEN 1 ELSE 0 END, 0, 200, 1, 1200, 45000, 900000, 1200, 5400, 800 + i % 500,
        240 + i % 100, 0, 0, CASE WHEN i % 50 = 3 THEN NULL ELSE 100000 + i % 1000 END, 1, 'req_' || hex(i) FROM n`,
    )
    .run({ rows, now, every: Math.floor((days * dayMs) / rows) })
  database.prepare("INSERT OR REPLACE INTO facts (name, value) VALUES ('floor', ?)").run(rows + 1)
  database
    .prepare('INSERT INTO prices VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
    .run(baseUrl, 'm', 'exact', '1', '1', '1', '0', 1, 1)
  database.exec('COMMIT')
  database.close()
}

/** The service's side: a fetch each day, of the day before and of that day, for twelve models and five keys. */
function fillAccount(dataDir: string) {
  const store = openAccountStore(dataDir)
  const { no } = store.books.add({ id: bookId, kind: 'service', baseUrl, userId: 'u', name: 'Account', usedAt: now })
  const usage = (ago: number) =>
    models.map((model, at) => ({
      ...{
        user_id: 'u',
        date: `${dayText(ago)}T00:00:00Z`,
        model,
        requests: 20 + at,
        tokens_in: 9000,
        tokens_out: 900,
      },
      ...{ tokens_cached: 100, cost_sc: `0.${String((ago * 7919 + at) % 1_000_000).padStart(6, '0')}00000001` },
    }))
  const from = performance.now()
  store.transaction(() => {
    for (let ago = days; ago >= 0; ago -= 1) {
      const asked = { askedAt: now - ago * dayMs, answeredAt: now - ago * dayMs }
      const told = [...(ago === days ? [] : usage(ago + 1)), ...usage(ago)]
      store.keep(no, toldByUsage(asked, { usage: told, balance: String(1000 + ago), total_spent: String(days - ago) }))
      for (let key = 0; key < 5; key += 1) {
        const row = {
          date: dayText(ago),
          total_requests: 9,
          total_tokens_in: 9,
          total_tokens_out: 9,
          total_cost_sc: '0.001',
        }
        store.keep(no, toldByKeyDays(asked, `key-${key}`, { usage: [row] }))
      }
    }
  })
  return { store, ms: performance.now() - from }
}

interface Figure {
  cpu: number
  p50: number
  worst: number
}

/** Milliseconds: of CPU in the middle, of the clock in the middle and at worst. */
function measure(work: () => unknown): Figure {
  const wall: number[] = []
  const cpu: number[] = []
  for (let round = 0; round < rounds + 2; round += 1) {
    const before = process.cpuUsage()
    const from = performance.now()
    work()
    const { user, system } = process.cpuUsage(before)
    if (round < 2) continue
    wall.push(performance.now() - from)
    cpu.push((user + system) / 1000)
  }
  const middle = (all: number[]): number => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0
  return { cpu: middle(cpu), p50: middle(wall), worst: Math.max(...wall) }
}

/** Requests a second that come, go out, are written down before, and end; 64 at once. */
async function writing(ledger: Ledger, count: number): Promise<number> {
  const from = performance.now()
  const reading = {
    usage: { promptTokens: 800, completionTokens: 240, totalTokens: 1040, cachedTokens: 100 },
    ...{ measured: true, output: true },
  }
  const lane = async (): Promise<void> => {
    for (let made = 0; made < count / 64; made += 1) {
      const trace = ledger.open({
        ...{ asker: { kind: 'tool', id: 't1', failFast: false }, method: 'POST', path: '/v1/chat/completions' },
        ...{ endpoint: 'chat', model: 'model-5', stream: true, logBodies: false },
      })
      if (trace.written) await trace.written
      trace.connected()
      await nextTurn()
      trace.replied(200, 'req_0123456789abcdef')
      trace.receivedBytes(1600)
      trace.ends({ state: 'done' }, reading)
    }
  }
  await Promise.all(Array.from({ length: 64 }, lane))
  return count / ((performance.now() - from) / 1000)
}

const folder = mkdtempSync(join(tmpdir(), 'studio-usage-'))
try {
  fillLedger(folder)
  const account = fillAccount(folder)
  let from = performance.now()
  const ledger = new Ledger({ dataDir: folder, tools: () => [], bodyDays: () => 7, log: console.error })
  const migrated = performance.now() - from
  ledger.connectedTo(baseUrl)
  from = performance.now()
  ledger.belongsTo(bookId)
  const labelled = performance.now() - from
  const reading = openReading({ account: account.store, here: ledger, tools: () => [], now: () => now })

  const query = (more: Partial<ViewQuery>): ViewQuery => ({
    ...{ bookId, from: dayText(days - 1), to: dayText(0), grain: 'month', by: 'model', source: 'service', search: '' },
    ...more,
  })
  const year = dayText(364)
  const month = dayText(29)
  const all = { bookId, from: dayText(days - 1), to: dayText(0) }
  const views: Record<string, () => unknown> = {
    'service, 30 days by model': () => reading.view(query({ from: month, grain: 'day' })),
    'service, a year of days by model': () => reading.view(query({ from: year, grain: 'day' })),
    'service, ten years of months by model': () => reading.view(query({})),
    'service, ten years of days by model': () => reading.view(query({ grain: 'day' })),
    'service, ten years of months by key': () => reading.view(query({ by: 'key' })),
    'here, 30 days by tool': () => reading.view(query({ from: month, grain: 'day', by: 'tool', source: 'here' })),
    'here, a year of days by tool': () => reading.view(query({ from: year, grain: 'day', by: 'tool', source: 'here' })),
    'here, ten years of months by tool': () => reading.view(query({ by: 'tool', source: 'here' })),
    'here, ten years of months by model': () => reading.view(query({ source: 'here' })),
    'here, ten years of days by room': () => reading.view(query({ grain: 'day', by: 'room', source: 'here' })),
    'here, ten years, searched': () => reading.view(query({ source: 'here', search: 'el-7' })),
    'both sides of ten years compared': () => reading.compare(all),
    'both sides of 30 days compared, daily': () => reading.compare({ ...all, from: month, daily: true }),
    'corrections of ten years': () => reading.corrections(all),
    summary: () => reading.summary({ bookId }),
    keys: () => reading.keys({ bookId }),
    'a year of a key': () => reading.keyDaily({ ...all, keyId: 'key-1', from: year }),
    'history of 429s': () => ledger.limited(100),
  }
  const figures = Object.fromEntries(Object.entries(views).map(([name, work]) => [name, measure(work)]))
  const table = rowsOf(reading.view(query({ grain: 'day' }), { most: 1000 }))
  from = performance.now()
  const parquet = exportRows(table, 'parquet').length
  const exported = { rows: table.length, bytes: parquet, ms: performance.now() - from }
  const rate = await writing(ledger, rows)
  const bytes = statSync(ledgerFile(folder)).size
  await ledger.close()
  account.store.close()
  console.log(JSON.stringify({ migrated, labelled, fetched: account.ms, days, figures, exported, rate, bytes }))
} finally {
  rmSync(folder, { recursive: true })
}
