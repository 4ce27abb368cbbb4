// A process that is killed. It logs requests without end and prints a line for each commitment of its log. node flights.ts FOLDER
import { writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { SqliteRequestLog } from '../../../../src-main/core/requestLog/requestLog.ts'
import { rightClock } from '../../helpers/deadlines.ts'
import { notice, reading, service, usage } from '../samples.ts'

const dataDir = process.argv[2] ?? ''
const requestLog = new SqliteRequestLog({
  dataDir,
  apps: () => [],
  bodyDays: () => 7,
  deadlines: rightClock(),
  log: () => undefined,
})
requestLog.learn(usage, service)
// Synchronous, so that output from before the kill has left the process.
const print = (line: object): void => void writeSync(1, `${JSON.stringify(line)}\n`)
requestLog.ended.add((row) => print({ ended: row.id, cost: row.cost }))

async function lane(): Promise<never> {
  for (;;) {
    const trace = requestLog.open(notice())
    if (trace.written) await trace.written
    print({ sent: trace.id })
    trace.connected()
    trace.replied(200, `req-${trace.id}`)
    await nextTurn()
    trace.ends({ state: 'done' }, reading(1000 + trace.id, 10))
  }
}
// Stores Node's compile cache before the kill. The next process starts in half the time.
flushCompileCache()
for (let n = 0; n < 5; n += 1) void lane()
