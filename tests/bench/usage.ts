import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { exportRows } from '../../src-main/core/features/usage/export.ts'
import { rowsOf } from '../../src-main/core/features/usage/exportRows.ts'
import { openUsageReader } from '../../src-main/core/features/usage/reader.ts'
import { SqliteRequestLog } from '../../src-main/core/requestLog/requestLog.ts'
import { requestLogFile } from '../../src-main/core/store/requestLog/open.ts'
import type { ViewQuery } from '../../src-preload/contract/usage.ts'
import { rightClock } from '../core/helpers/deadlines.ts'
import { accountId, baseUrl, days, dayText, fillAccount, fillRequestLog, now } from './usage-data.ts'

/** Measures views of usage over this many requests and ten years of daily rows, and the writing of requests. Prints JSON. */
const rows = Number(process.argv[2] ?? 1_000_000)
const rounds = Number(process.argv[3] ?? 20)

interface Figure {
  cpu: number
  p50: number
  worst: number
}

/** Measures `work` over all rounds: median CPU time, median clock time and the longest clock time, ms. */
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

/** Requests a second that are logged, sent and ended, 64 at once. */
async function writing(requestLog: SqliteRequestLog, count: number): Promise<number> {
  const from = performance.now()
  const reading = {
    usage: { promptTokens: 800, completionTokens: 240, totalTokens: 1040, cachedTokens: 100 },
    measured: true,
    output: true,
  }
  const lane = async (): Promise<void> => {
    for (let made = 0; made < count / 64; made += 1) {
      const trace = requestLog.open({
        requester: { kind: 'app', id: 't1', failFast: false },
        method: 'POST',
        path: '/v1/chat/completions',
        endpoint: 'chat',
        model: 'model-5',
        stream: true,
        logBodies: false,
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
  fillRequestLog(folder, rows)
  const accountStore = fillAccount(folder)
  let from = performance.now()
  const requestLog = new SqliteRequestLog({
    dataDir: folder,
    apps: () => [],
    bodyDays: () => 7,
    deadlines: rightClock(),
    log: console.error,
  })
  const migrated = performance.now() - from
  requestLog.connectedTo(baseUrl)
  from = performance.now()
  requestLog.belongsTo(accountId)
  const labelled = performance.now() - from
  const reading = openUsageReader({
    accountStore: accountStore.store,
    local: requestLog.usage,
    apps: () => [],
    now: () => now,
  })

  const query = (more: Partial<ViewQuery>): ViewQuery => ({
    accountId,
    from: dayText(days - 1),
    to: dayText(0),
    grain: 'month',
    by: 'model',
    source: 'service',
    search: '',
    ...more,
  })
  const year = dayText(364)
  const month = dayText(29)
  const all = { accountId, from: dayText(days - 1), to: dayText(0) }
  const views: Record<string, () => unknown> = {
    'service, 30 days by model': () => reading.view(query({ from: month, grain: 'day' })),
    'service, a year of days by model': () => reading.view(query({ from: year, grain: 'day' })),
    'service, ten years of months by model': () => reading.view(query({})),
    'service, ten years of days by model': () => reading.view(query({ grain: 'day' })),
    'service, ten years of months by key': () => reading.view(query({ by: 'key' })),
    'here, 30 days by app': () => reading.view(query({ from: month, grain: 'day', by: 'app', source: 'here' })),
    'here, a year of days by app': () => reading.view(query({ from: year, grain: 'day', by: 'app', source: 'here' })),
    'here, ten years of months by app': () => reading.view(query({ by: 'app', source: 'here' })),
    'here, ten years of months by model': () => reading.view(query({ source: 'here' })),
    'here, ten years of days by feature': () => reading.view(query({ grain: 'day', by: 'feature', source: 'here' })),
    'here, ten years, searched': () => reading.view(query({ source: 'here', search: 'el-7' })),
    'both sides of ten years compared': () => reading.compare(all),
    'both sides of 30 days compared, daily': () => reading.compare({ ...all, from: month, daily: true }),
    'corrections of ten years': () => reading.corrections(all),
    summary: () => reading.summary({ accountId }),
    keys: () => reading.keys({ accountId }),
    'a year of a key': () => reading.keyDaily({ ...all, keyId: 'key-1', from: year }),
    'history of 429s': () => requestLog.limited(100, null),
  }
  const figures = Object.fromEntries(Object.entries(views).map(([name, work]) => [name, measure(work)]))
  const table = rowsOf(reading.view(query({ grain: 'day' }), { most: 1000 }))
  from = performance.now()
  const parquet = exportRows(table, 'parquet').length
  const exported = { rows: table.length, bytes: parquet, ms: performance.now() - from }
  const rate = await writing(requestLog, rows)
  const bytes = statSync(requestLogFile(folder)).size
  await requestLog.close()
  accountStore.store.close()
  console.log(JSON.stringify({ migrated, labelled, fetched: accountStore.ms, days, figures, exported, rate, bytes }))
} finally {
  rmSync(folder, { recursive: true })
}
