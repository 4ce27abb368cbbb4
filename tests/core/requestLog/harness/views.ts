// Duration of the log's views over a million rows, ms: node tests/core/requestLog/harness/views.ts
import { rmSync, statSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { SqliteRequestLog } from '../../../../src-main/core/requestLog/requestLog.ts'
import { requestLogFile } from '../../../../src-main/core/store/requestLog/open.ts'
import type { RequestFilter } from '../../../../src-preload/contract/requests.ts'
import { temporaryFolder } from '../../../helpers/folders.ts'
import { rightClock } from '../../helpers/deadlines.ts'
import { fill } from './million.ts'

const folder = temporaryFolder('studio-million-')
await fill(folder, 1_000_000)
console.log(`file: ${Math.round(statSync(requestLogFile(folder)).size / 1e6)} MB`)
let from = performance.now()
const options = { dataDir: folder, apps: () => [], bodyDays: () => 7, deadlines: rightClock(), log: console.error }
const requestLog = new SqliteRequestLog({ ...options })
console.log(`start: ${(performance.now() - from).toFixed(1)}`)

const middle = new Date(Date.now() - 500_000 * 2000).toISOString()
const filters: Record<string, RequestFilter> = {
  all: {},
  'one app': { who: 't3' },
  'a rare app': { who: 'rare' },
  'no such app': { who: 'nobody' },
  studio: { who: 'studio' },
  strangers: { who: 'strangers' },
  'a model': { model: 'model-2' },
  'an app and a model': { who: 't3', model: 'model-2' },
  failed: { outcome: 'failed' },
  ok: { outcome: 'ok' },
  refused: { outcome: 'refused' },
  'until the middle': { until: middle },
  'an app, failed, until the middle': { who: 't3', outcome: 'failed', until: middle },
  'text in the path': { text: 'completions' },
  'text of a problem': { text: 'not available' },
  'text of an app, nowhere else': { text: 't19' },
  'text that is nowhere': { text: 'zzzzzz' },
  'text that is nowhere, of an app': { text: 'zzzzzz', who: 't3' },
  'an old request id': { text: 'req_3F1A' },
}
for (const [name, filter] of Object.entries(filters)) {
  const times: string[] = []
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  for (const before of [Number.MAX_SAFE_INTEGER, 300_000]) {
    from = performance.now()
    const rows = await requestLog.page(filter, before, 200)
    times.push(`${(performance.now() - from).toFixed(1)} (${rows.length})`)
  }
  from = performance.now()
  const { stored: kept } = await requestLog.counts(filter)
  times.push(`count ${(performance.now() - from).toFixed(1)} (${kept})`)
  from = performance.now()
  await requestLog.counts(filter)
  times.push(`again ${(performance.now() - from).toFixed(1)}`)
  delay.disable()
  console.log(`${name.padEnd(34)} ${times.join('  ')}  longest hold ${(delay.max / 1e6).toFixed(0)}`)
}
await requestLog.close()
from = performance.now()
const whole = new SqliteRequestLog({ ...options, checkWhole: true })
console.log(`start with every page read: ${(performance.now() - from).toFixed(0)}`)
await whole.close()
rmSync(folder, { recursive: true })
