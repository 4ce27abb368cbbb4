import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { reportedByKeyDays, reportedByKeys, reportedByUsage } from '../../src-main/core/features/usage/parseReplies.ts'
import { dayMs } from '../../src-main/core/shared/days.ts'
import { openAccountStore } from '../../src-main/core/store/account/open.ts'
import { openDatabase } from '../../src-main/core/store/database.ts'
import { requestLogFile } from '../../src-main/core/store/requestLog/open.ts'
import { requestLogDatabase } from '../../src-main/core/store/requestLog/schema.ts'

// A data folder with ten years of daily rows of the service and a log of many requests.

export const now = Math.floor(Date.now() / dayMs) * dayMs + dayMs / 2
const years = 10
export const days = Math.round(years * 365.25)
export const baseUrl = 'https://service.example'
const models = Array.from({ length: 12 }, (_, at) => `model-${at}`)
export const accountId = randomUUID()
export const dayText = (ago: number): string => new Date(now - ago * dayMs).toISOString().slice(0, 10)

/** The log of a busy person: seven apps and the studio, with three models each. The file has the first format, so a start migrates it. */
export function fillRequestLog(dataDir: string, rows: number): void {
  const [first = ''] = requestLogDatabase.migrations
  openDatabase(requestLogFile(dataDir), { ...requestLogDatabase, migrations: [first] }).close()
  const database = new DatabaseSync(requestLogFile(dataDir))
  database.exec('PRAGMA synchronous = OFF; BEGIN')
  const caller = database.prepare('INSERT INTO callers (id, who, model) VALUES (?, ?, ?)')
  for (let id = 1; id <= 24; id += 1) {
    const model = models[(id * 5) % models.length] ?? null
    caller.run(id, id > 21 ? 'studio:chat' : `tool:t${Math.ceil(id / 3)}`, model)
  }
  // Each day has requests of ten neighbouring callers, and the next day of others.
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

/** Days between fetches. Each reports thirty days, so that no day is missed. */
const every = 28
const daysPerReport = 30
const dayOfKey = (ago: number) => ({
  date: dayText(ago),
  total_requests: 9,
  total_tokens_in: 9,
  total_tokens_out: 9,
  total_cost_sc: '0.001',
})

/** The service's side: a fetch every four weeks, for twelve models and five keys. */
export function fillAccount(dataDir: string) {
  const store = openAccountStore(dataDir)
  const { no } = store.accounts.add({
    id: accountId,
    kind: 'service',
    baseUrl,
    userId: 'u',
    name: 'Account',
    usedAt: now,
  })
  // The next fetch corrects one day in twenty-five.
  const usage = (ago: number, asked: number) =>
    models.map((model, at) => ({
      user_id: 'u',
      date: `${dayText(ago)}T00:00:00Z`,
      model,
      requests: 20 + at,
      tokens_in: 9000,
      tokens_out: 900,
      tokens_cached: 100,
      cost_sc: `0.${String((ago * 7919 + at + (ago % 25 === 0 ? asked : 0)) % 1_000_000).padStart(6, '0')}00000001`,
    }))
  const from = performance.now()
  const keys = ['key-0', 'key-1', 'key-2', 'key-3', 'key-4']
  store.transaction(() => {
    for (let ago = days - (days % every); ago >= 0; ago -= every) {
      const asked = { askedAt: now - ago * dayMs, answeredAt: now - ago * dayMs }
      const window = Array.from({ length: daysPerReport }, (_, back) => ago + back)
      const rows = {
        usage: window.flatMap((day) => usage(day, ago)),
        balance: String(1000 + ago),
        total_spent: String(days - ago),
      }
      store.saveReply(no, reportedByUsage(asked, rows))
      for (const key of keys) store.saveReply(no, reportedByKeyDays(asked, key, { usage: window.map(dayOfKey) }))
    }
    const asked = { askedAt: now, answeredAt: now }
    store.saveReply(
      no,
      reportedByKeys(asked, { api_keys: keys.map((id) => ({ id, key_prefix: `sk-${id}`, rate_limit_rpm: 60 })) }),
    )
  })
  return { store, ms: performance.now() - from }
}
