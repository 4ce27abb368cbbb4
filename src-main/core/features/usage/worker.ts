import { writeFileSync } from 'node:fs'
import { parentPort, Worker, workerData } from 'node:worker_threads'
import { packView } from '../../../../src-preload/contract/columns.ts'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import type { Comparison, PackedView, ViewQuery } from '../../../../src-preload/contract/usage.ts'
import { asStudioError, StudioError } from '../../errors.ts'
import { openRequestLogReader } from '../../requestLog/reader.ts'
import { openAccountReadOnly } from '../../store/account/open.ts'
import { asStoreError } from '../../store/database.ts'
import type { ReadParts } from './dependencies.ts'
import { type ExportFormat, exportRows } from './export.ts'
import { rowsOf } from './exportRows.ts'
import { openUsageReader, type UsageReader } from './reader.ts'

// Both ends of the thread that reads the books, as in library/search/thread.ts: imported, this file starts a Worker of itself. It is only ever
// imported lazily, so that it is a chunk of its own in a bundle.
const role = 'inference-studio-books'

type Range = Parameters<UsageReader['compare']>[0]

export type UsageQuestion =
  | { what: 'view'; query: ViewQuery }
  | { what: 'compare'; query: Range }
  | { what: 'corrections'; query: Range }
  /** Writes a file. */
  | { what: 'export'; query: ViewQuery; format: ExportFormat; path: string }

export interface UsageReplies {
  view: PackedView
  compare: Comparison[]
  corrections: ReturnType<UsageReader['corrections']>
  /** How many bytes the file has. */
  export: number
}

export interface UsageJob {
  id: number
  ask: UsageQuestion
  tools: ReturnType<ReadParts['tools']>
  /** Another number than the one before: days that are over have changed in the log. */
  settled: number
}
export type UsageWorkerReply =
  | { id: number; answer: UsageReplies[UsageQuestion['what']] }
  | { id: number; problem: Problem }

export const startThread = (dataDir: string): Worker =>
  new Worker(new URL(import.meta.url), { workerData: { role, dataDir } })

/** A table has a place for each. */
const everySeries = { most: Number.POSITIVE_INFINITY }

/** Answers from connections of its own that can't write: the core's thread never waits for it, and it for no write (WAL). */
function openBeside(dataDir: string) {
  const accountStore = openAccountReadOnly(dataDir)
  if (!accountStore) throw new StudioError('store_damaged', 'The books are not where they were opened.')
  const here = openRequestLogReader(dataDir, () => tools, { remember: true })
  let tools: UsageJob['tools'] = []
  let settled = Number.NaN
  const reading = openUsageReader({ accountStore, local: here, tools: () => tools, now: Date.now })

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
    answer(job: UsageJob): UsageWorkerReply {
      tools = job.tools
      if (job.settled !== settled) here.forget()
      settled = job.settled
      try {
        return { id: job.id, answer: answerTo(job.ask) }
      } catch (thrown) {
        return { id: job.id, problem: asStudioError(asStoreError(thrown)).toProblem() }
      }
    },
    close(): void {
      accountStore.close()
      here.close()
    },
  }
}

const port = parentPort
if (port && workerData?.role === role) {
  const beside = openBeside(String(workerData.dataDir))
  port.on('message', (job: UsageJob) => port.postMessage(beside.answer(job)))
  port.on('close', () => beside.close())
}
