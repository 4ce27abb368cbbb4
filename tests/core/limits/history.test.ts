import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { openLedgerReader } from '../../../src-main/core/ledger/reader.ts'
import { limitedOf } from '../../../src-main/core/limits/history.ts'
import { ledgerFile } from '../../../src-main/core/store/ledger/open.ts'
import { notice, openLedger } from '../ledger/helpers.ts'

it('what a request waited for its 429s is told apart from what it waited for anything else [LIM-03]', async () => {
  let now = Date.UTC(2026, 10, 21, 12)
  const { ledger, dataDir } = openLedger({ now: () => now })
  onTestFinished(() => ledger.close())
  /** Each wait is for a status, in ms. */
  const request = (waits: [status: number, ms: number][]) => {
    const trace = ledger.open(notice())
    for (const [status, ms] of waits) {
      trace.connected()
      trace.backsOff(status)
      now += ms
    }
    trace.connected()
    return trace
  }
  const end = (trace: ReturnType<typeof request>): void => {
    trace.replied(200, null)
    trace.ends({ state: 'done' }, null)
  }
  const only503 = request([[503, 700]])
  const mixed = [
    [503, 4000],
    [429, 250],
    [0, 9000],
    [429, 1500],
  ] as [number, number][]
  const told = () => ledger.limited(10).map(limitedOf)
  const under = request(mixed)
  expect(told()).toMatchObject([{ row: under.id, times: 2, waitedMs: 1750, ended: 'running' }])
  end(under)
  end(only503)
  expect(told()).toMatchObject([{ row: under.id, times: 2, waitedMs: 1750, ended: 'done' }])
  const open = ledger.open(notice())
  open.connected()
  open.backsOff(429)
  now += 300
  expect(told()[0]).toMatchObject({ row: open.id, waitedMs: 300, ended: 'running' })
  open.ends({ state: 'cancelled', by: 'person' }, null)
  const alone = request([[429, 60]])
  end(alone)

  // As rows of an earlier version stand in the file: one that met 429s alone, and one whose waits were never told apart.
  ledger.flush()
  const file = new DatabaseSync(ledgerFile(dataDir))
  file.exec(`UPDATE requests SET backoff_429_us = NULL WHERE id IN (${alone.id}, ${under.id})`)
  file.close()
  const reader = openLedgerReader(dataDir)
  onTestFinished(() => reader.close())
  expect(reader.limited(10).map(limitedOf)).toMatchObject([
    { row: alone.id, times: 1, waitedMs: 60 },
    { row: open.id, times: 1, waitedMs: 300, ended: 'cancelled' },
    { row: under.id, times: 2, waitedMs: null },
  ])
})
