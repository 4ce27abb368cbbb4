import { expect, onTestFinished } from 'vitest'
import type { RequestNotice, RequestTrace } from '../../../src-main/core/ports/requests.ts'
import { type RequestLogOptions, SqliteRequestLog } from '../../../src-main/core/requestLog/requestLog.ts'
import type { AccountUsage } from '../../../src-main/core/upstream/reply/schemas.ts'
import type { RequestRow } from '../../../src-preload/contract/requests.ts'
import { freshFolder } from '../helpers/core.ts'
import { rightClock } from '../helpers/deadlines.ts'
import { notice, reading, service } from './samples.ts'

export * from './samples.ts'

export function openRequestLog(options: Partial<RequestLogOptions> = {}) {
  const dataDir = options.dataDir ?? freshFolder()
  const lines: string[] = []
  const requestLog = new SqliteRequestLog({
    apps: () => [{ id: 'editor', name: 'My editor', colour: 'teal' }],
    bodyDays: () => 7,
    deadlines: rightClock(options.now),
    log: (level, line) => lines.push(`${level} ${line}`),
    ...options,
    dataDir,
  })
  return { requestLog, dataDir, lines }
}

/** A request log that is closed when the test ends, unless the test closed it with `close`. */
export function testRequestLog(options: Partial<RequestLogOptions> = {}) {
  const opened = openRequestLog(options)
  let closed: Promise<void> | null = null
  const close = (): Promise<void> => (closed ??= opened.requestLog.close())
  onTestFinished(close)
  return { ...opened, close }
}

/** A request log that is closed and opened again, with a clock that the test sets and several requests at a time, one in each lane. */
export class RestartingLog {
  now = Date.UTC(2026, 10, 29, 20)
  readonly dataDir: string
  requestLog: SqliteRequestLog
  /** The traces of running requests, by lane. */
  protected readonly lanes = new Map<number, RequestTrace>()

  constructor(report: AccountUsage) {
    const { requestLog, dataDir } = openRequestLog({ now: () => this.now })
    this.requestLog = requestLog
    this.dataDir = dataDir
    requestLog.learn(report, service)
  }

  /** Traces are ended before the log is closed. */
  protected async restart(): Promise<void> {
    for (const left of this.lanes.values()) left.ends({ state: 'cancelled', by: 'studio' }, null)
    this.lanes.clear()
    await this.requestLog.close()
    this.requestLog = openRequestLog({ dataDir: this.dataDir, now: () => this.now }).requestLog
  }
}

/** Records 20 requests that end at once, and resolves when the log has written the first end. */
export async function endTwentyAtOnce(requestLog: SqliteRequestLog): Promise<void> {
  const written = Promise.withResolvers<void>()
  requestLog.ended.add(() => written.resolve())
  for (let n = 0; n < 20; n += 1) {
    const trace = requestLog.open(notice())
    trace.connected()
    trace.ends({ state: 'done' }, reading(1000, 10))
  }
  await written.promise
}

/** A request that was sent and got this status. */
export function sent(requestLog: SqliteRequestLog, changes: Partial<RequestNotice> = {}, status = 200): RequestTrace {
  const trace = requestLog.open(notice(changes))
  trace.connected()
  trace.replied(status, null)
  return trace
}

export async function rowOf(requestLog: SqliteRequestLog, id: number): Promise<RequestRow> {
  const [row] = await requestLog.page({}, id + 1, 1)
  expect(row?.id).toBe(id)
  return row ?? expect.unreachable()
}
