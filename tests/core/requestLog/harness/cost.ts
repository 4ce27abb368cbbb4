// Processor time that the log costs a request, in microseconds, by the number of concurrent requests. node
// tests/core/requestLog/harness/cost.ts
import { rmSync } from 'node:fs'
import type { RequestNotice } from '../../../../src-main/core/ports/requests.ts'
import { SqliteRequestLog } from '../../../../src-main/core/requestLog/requestLog.ts'
import { temporaryFolder } from '../../../helpers/folders.ts'
import { rightClock } from '../../helpers/deadlines.ts'

const requests = 30_000
const folder = temporaryFolder('studio-ledger-')
const requestLog = new SqliteRequestLog({
  dataDir: folder,
  apps: () => [],
  bodyDays: () => 7,
  deadlines: rightClock(),
  log: console.error,
})

const notice: RequestNotice = {
  requester: { kind: 'app', id: 'k3f9a2', failFast: false },
  method: 'POST',
  path: '/v1/chat/completions',
  endpoint: 'chat',
  model: null,
  stream: false,
  logBodies: false,
}
const reading = {
  usage: { promptTokens: 800, completionTokens: 240, totalTokens: 1040, cachedTokens: 100 },
  measured: true,
  output: true,
}
const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** One lane runs one request after the other. A turn of the event loop replaces the service's answer. */
async function lane(count: number): Promise<void> {
  for (let made = 0; made < count; made += 1) {
    const trace = requestLog.open(notice)
    trace.asks({ model: 'writer-small', stream: false })
    if (trace.written) await trace.written
    trace.connected()
    trace.sentBytes(1200)
    await nextTurn()
    trace.replied(200, 'req_0123456789abcdef')
    trace.receivedBytes(700)
    trace.receivedBytes(1600)
    trace.ends({ state: 'done' }, reading)
  }
}

/** The same turns without the log. */
async function bareLane(count: number): Promise<void> {
  for (let made = 0; made < count; made += 1) {
    await nextTurn()
    await nextTurn()
  }
}

async function cpu(at: number, run: (count: number) => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  await Promise.all(Array.from({ length: at }, () => run(requests / at)))
  const { user, system } = process.cpuUsage(before)
  return (user + system) / requests
}

for (const round of ['warm-up', 'measured']) {
  for (const at of [1, 16, 64]) {
    const bare = await cpu(at, bareLane)
    const all = await cpu(at, lane)
    if (round === 'measured') console.log(`${at} at once: ${(all - bare).toFixed(1)} us a request`)
  }
}
await requestLog.close()
rmSync(folder, { recursive: true })
