// A process that is killed while it deletes old rows of its log: node erase.ts FOLDER BEFORE
import { writeSync } from 'node:fs'
import { SqliteRequestLog } from '../../../../src-main/core/requestLog/requestLog.ts'
import { rightClock } from '../../helpers/deadlines.ts'

const requestLog = new SqliteRequestLog({
  dataDir: process.argv[2] ?? '',
  apps: () => [],
  bodyDays: () => 365,
  deadlines: rightClock(),
  log: () => undefined,
})
writeSync(1, 'ready\n')
await requestLog.rowRetention.erase(Number(process.argv[3]), { done: () => undefined, stopped: () => false })
writeSync(1, 'erased\n')
// The parent process ends it.
setInterval(() => undefined, 1000)
