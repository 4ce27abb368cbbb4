import { expect, onTestFinished } from 'vitest'
import type { RequestNotice, RequestTrace } from '../../../src-main/core/ports/requests.ts'
import { type RequestLogOptions, SqliteRequestLog } from '../../../src-main/core/requestLog/requestLog.ts'
import type { RequestRow } from '../../../src-preload/contract/requests.ts'
import { freshFolder } from '../helpers/core.ts'
import { notice, reading } from './samples.ts'

export * from './samples.ts'

export function openRequestLog(options: Partial<RequestLogOptions> = {}) {
  const dataDir = options.dataDir ?? freshFolder()
  const lines: string[] = []
  const requestLog = new SqliteRequestLog({
    apps: () => [{ id: 'editor', name: 'My editor', colour: 'teal' }],
    bodyDays: () => 7,
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
