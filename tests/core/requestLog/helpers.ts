import { expect } from 'vitest'
import type { RequestNotice, RequestTrace } from '../../../src-main/core/ports/requests.ts'
import { type RequestLogOptions, SqliteRequestLog } from '../../../src-main/core/requestLog/requestLog.ts'
import type { RequestRow } from '../../../src-preload/contract/requests.ts'
import { freshFolder } from '../helpers/core.ts'
import { notice } from './samples.ts'

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
