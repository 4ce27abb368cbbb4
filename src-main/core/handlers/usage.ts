import type { Transfers } from '../features/transfers/transfers.ts'
import { exportView } from '../features/usage/export.ts'
import { topConversations } from '../features/usage/topConversations.ts'
import type { UsageFeature } from '../features/usage/usage.ts'
import type { UsageWorkerClient } from '../features/usage/workerClient.ts'
import type { Host } from '../host.ts'
import type { SqliteRequestLog } from '../requestLog/requestLog.ts'
import type { Store } from '../store/store.ts'
import { guarded } from './errors.ts'
import type { Implementer } from './implementer.ts'

interface UsageDependencies {
  usage: UsageFeature
  usageWorker: UsageWorkerClient
  store: Store
  requestLog: Pick<SqliteRequestLog, 'rowRangesOf'>
  transfers: Transfers
}

/** Procedures about usage and costs. */
export const usageHandlers = (
  os: Implementer['usage'],
  host: Host,
  { usage, usageWorker, store, requestLog, transfers }: UsageDependencies,
) => ({
  watch: os.watch.handler(({ signal }) => guarded(host, usage.watch(signal))),
  watchSpend: os.watchSpend.handler(({ signal }) => guarded(host, usage.watchSpend(signal))),
  refresh: os.refresh.handler(() => usage.refresh()),
  merge: os.merge.handler(({ input }) => usage.merge(input)),
  rename: os.rename.handler(({ input }) => usage.rename(input)),
  summary: os.summary.handler(({ input }) => usage.summary(input)),
  view: os.view.handler(({ input: query, signal }) => usageWorker.ask({ what: 'view', query }, signal)),
  compare: os.compare.handler(({ input: query, signal }) => usageWorker.ask({ what: 'compare', query }, signal)),
  corrections: os.corrections.handler(({ input: query, signal }) =>
    usageWorker.ask({ what: 'corrections', query }, signal),
  ),
  undated: os.undated.handler(({ input }) => usage.reading.undated(input)),
  topConversations: os.topConversations.handler(({ input }) =>
    topConversations({ top: store.conversationCosts.top, rowRangesOf: (id) => requestLog.rowRangesOf(id) }, input),
  ),
  export: os.export.handler(({ input: { format, ...query }, signal }) =>
    exportView(
      (path) => usageWorker.ask({ what: 'export', query, format, path }, signal),
      { query, format },
      transfers,
    ),
  ),
})
