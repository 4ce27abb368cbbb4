import { writeFileSync } from 'node:fs'
import type { Worker } from 'node:worker_threads'
import { packView } from '../../../../src-preload/contract/columns.ts'
import type { Comparison, PackedView, TableFormat, ViewQuery } from '../../../../src-preload/contract/usage.ts'
import { StudioError } from '../../errors.ts'
import { openRequestLogReader } from '../../requestLog/reader.ts'
import { serveJobs, startWorker } from '../../shared/worker.ts'
import { openAccountReadOnly } from '../../store/account/open.ts'
import { asStoreError } from '../../store/databaseErrors.ts'
import type { ReadParts } from './dependencies.ts'
import { exportRows } from './export.ts'
import { rowsOf } from './exportRows.ts'
import { openUsageReader, type UsageReader } from './reader.ts'

const role = 'inference-studio-usage'

type Range = Parameters<UsageReader['compare']>[0]

export type UsageQuestion =
  | { what: 'view'; query: ViewQuery }
  | { what: 'compare'; query: Range }
  | { what: 'corrections'; query: Range }
  /** Writes a file. */
  | { what: 'export'; query: ViewQuery; format: TableFormat; path: string }

export interface UsageReplies {
  view: PackedView
  compare: Comparison[]
  corrections: ReturnType<UsageReader['corrections']>
  /** Size of the written file, bytes. */
  export: number
}

export interface UsageJob {
  ask: UsageQuestion
  apps: ReturnType<ReadParts['apps']>
  /** A number that changes when past days change in the log, to invalidate cached days. */
  settled: number
}

export const startUsageWorker = (dataDir: string): Worker => startWorker(import.meta.url, role, dataDir)

/** View options for a table, which shows every series. */
const everySeries = { most: Number.POSITIVE_INFINITY }

/**
 * Answers from its own read-only connections. The core's thread never waits for this worker, and this worker never waits for a write
 * (WAL).
 */
serveJobs<UsageJob, UsageReplies[UsageQuestion['what']]>(role, (data) => {
  const dataDir = String(data)
  const accountStore = openAccountReadOnly(dataDir)
  if (!accountStore) throw new StudioError('store_damaged', 'The account database is gone.')
  const here = openRequestLogReader(dataDir, () => apps, { remember: true })
  let apps: UsageJob['apps'] = []
  let settled = Number.NaN
  const reading = openUsageReader({ accountStore, local: here, apps: () => apps, now: Date.now })

  function answerTo(ask: UsageQuestion): UsageReplies[UsageQuestion['what']] {
    switch (ask.what) {
      case 'view':
        return packView(reading.view(ask.query))
      case 'compare':
        return reading.compare(ask.query)
      case 'corrections':
        return reading.corrections(ask.query)
      case 'export': {
        const bytes = exportRows(rowsOf(reading.view(ask.query, everySeries)), ask.format)
        writeFileSync(ask.path, bytes, { mode: 0o600 })
        return bytes.length
      }
    }
  }

  return {
    handle(job) {
      apps = job.apps
      if (job.settled !== settled) here.forget()
      settled = job.settled
      try {
        return answerTo(job.ask)
      } catch (thrown) {
        throw asStoreError(thrown)
      }
    },
    close() {
      accountStore.close()
      here.close()
    },
  }
})
