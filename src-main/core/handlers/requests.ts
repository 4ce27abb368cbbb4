import type { Transfers } from '../features/transfers/transfers.ts'
import type { Host } from '../host.ts'
import type { SqliteRequestLog } from '../requestLog/requestLog.ts'
import { saveRows } from '../requestLog/saveRows.ts'
import { guarded } from './errors.ts'
import type { Implementer } from './implementer.ts'

/** Procedures about the request log. */
export const requestsHandlers = (
  os: Implementer['requests'],
  host: Host,
  { requestLog, transfers }: { requestLog: SqliteRequestLog; transfers: Transfers },
) => ({
  watch: os.watch.handler(({ input, signal }) => guarded(host, requestLog.watch(input.filter, input.newest, signal))),
  page: os.page.handler(async ({ input }) => ({
    rows: await requestLog.page(input.filter, input.before, input.limit),
  })),
  counts: os.counts.handler(({ input }) => requestLog.counts(input.filter)),
  get: os.get.handler(({ input }) => requestLog.get(input.id)),
  export: os.export.handler(({ input, signal }) => saveRows(requestLog, input.filter, transfers, signal)),
  stop: os.stop.handler(({ input }) => ({ stopped: requestLog.stop(input.id) })),
  deleteBodies: os.deleteBodies.handler(async ({ input }) => ({ erased: await requestLog.deleteBodies(input) })),
})
