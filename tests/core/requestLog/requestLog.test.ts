import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, describe, expect, it } from 'vitest'
import type { SqliteRequestLog } from '../../../src-main/core/requestLog/requestLog.ts'
import { bodiesFile, requestLogFile } from '../../../src-main/core/store/requestLog/open.ts'
import { requestRow } from '../../../src-preload/contract/requests.ts'
import { freshFolder } from '../helpers/core.ts'
import { notice, openLedger, reading, rowOf, sent, service, tool, usage } from './helpers.ts'

const open: SqliteRequestLog[] = []
afterEach(async () => {
  for (const ledger of open.splice(0)) await ledger.close()
})
function fresh(options: Parameters<typeof openLedger>[0] = {}) {
  const made = openLedger(options)
  open.push(made.ledger)
  return made
}

/** Another connection: sees what is committed and nothing else. */
function committed(dataDir: string): unknown[] {
  const other = new DatabaseSync(requestLogFile(dataDir), { readOnly: true })
  const rows = other.prepare('SELECT id, outcome FROM requests ORDER BY id').all()
  other.close()
  return rows.map((row) => ({ ...row }))
}

describe('the files of the books', () => {
  it('are readable by their owner alone, and apart from the database that must not change with each request', () => {
    const { dataDir } = fresh()
    expect(statSync(requestLogFile(dataDir)).mode & 0o777).toBe(0o600)
    expect(statSync(bodiesFile(dataDir)).mode & 0o777).toBe(0o600)
  })

  it.each([
    ['ledger', requestLogFile],
    ['bodies', bodiesFile],
  ])('of a newer version (%s) are refused and keep every byte', async (_, fileOf) => {
    const { ledger, dataDir } = openLedger()
    await ledger.close()
    const newer = new DatabaseSync(fileOf(dataDir))
    newer.exec('PRAGMA user_version = 999')
    newer.close()
    const before = readFileSync(fileOf(dataDir))
    expect(() => openLedger({ dataDir })).toThrow(expect.objectContaining({ kind: 'store_newer' }))
    expect(readFileSync(fileOf(dataDir)).equals(before)).toBe(true)
  })

  it.each([
    ['ledger', requestLogFile],
    ['bodies', bodiesFile],
  ])('that are damaged (%s) are told so when they are read whole, and keep every byte', async (_, fileOf) => {
    const { ledger, dataDir } = openLedger()
    for (let n = 0; n < 300; n += 1) {
      const trace = sent(ledger, { logBodies: true })
      trace.bodies({ text: 'x'.repeat(500), bytes: 500, capped: false }, null)
      trace.ends({ state: 'done' }, null)
    }
    await ledger.close()
    const bytes = readFileSync(fileOf(dataDir))
    bytes.fill(0xff, bytes.length / 2, bytes.length / 2 + 4096)
    writeFileSync(fileOf(dataDir), bytes)
    expect(() => openLedger({ dataDir, checkWhole: true })).toThrow(expect.objectContaining({ kind: 'store_damaged' }))
    expect(readFileSync(fileOf(dataDir)).equals(bytes)).toBe(true)
  })

  it('are not taken for each other', async () => {
    const { ledger, dataDir } = openLedger()
    await ledger.close()
    const other = freshFolder()
    writeFileSync(requestLogFile(other), readFileSync(bodiesFile(dataDir)))
    expect(() => openLedger({ dataDir: other })).toThrow(expect.objectContaining({ kind: 'store_damaged' }))
  })
})

describe('a request', () => {
  it('stands in the database before whoever opened it may send it', async () => {
    const { ledger, dataDir } = fresh()
    const trace = ledger.open(notice())
    expect(trace.written).toBeInstanceOf(Promise)
    expect(committed(dataDir)).toEqual([])
    await trace.written
    expect(trace.written).toBeNull()
    expect(committed(dataDir)).toEqual([{ id: trace.id, outcome: null }])
  })

  it('is one commit with all others of the same turn', async () => {
    const { ledger, dataDir } = fresh()
    const other = new DatabaseSync(requestLogFile(dataDir), { readOnly: true })
    const seen: number[] = []
    const traces = Array.from({ length: 50 }, () => ledger.open(notice()))
    const look = (): void => {
      seen.push(Number(other.prepare('SELECT count(*) AS n FROM requests').get()?.n))
      if (seen.at(-1) === 0) setImmediate(look)
      else looked.resolve()
    }
    const looked = Promise.withResolvers<void>()
    look()
    for (const trace of traces) await trace.written
    await looked.promise
    expect(new Set(seen)).toEqual(new Set([0, 50]))
    other.close()
  })

  it('shows every part of what happened to it, in the contract’s words', async () => {
    let now = Date.UTC(2026, 10, 21, 10)
    const { ledger } = fresh({ now: () => now })
    ledger.learn(usage, service)
    const trace = ledger.open(notice({ model: null, stream: false }))
    expect(await rowOf(ledger, trace.id)).toMatchObject({
      state: 'waiting',
      model: null,
      attempts: 0,
      costIs: 'unknown',
    })
    trace.asks({ model: 'writer-small', stream: true })
    now += 5
    trace.queued()
    now += 30
    expect(await rowOf(ledger, trace.id)).toMatchObject({ state: 'waiting', queuedMs: 30 })
    trace.admitted()
    now += 7
    trace.connected()
    trace.sentBytes(100)
    expect(await rowOf(ledger, trace.id)).toMatchObject({ state: 'sent', attempts: 1, connectMs: 7, bytesUp: 100 })
    now += 10
    trace.replied(503, 'first')
    trace.backsOff(503)
    now += 400
    expect(await rowOf(ledger, trace.id)).toMatchObject({ state: 'backing_off', retriedAfter: [503], backoffMs: 400 })
    trace.queued()
    now += 20
    trace.admitted()
    now += 3
    trace.connected()
    trace.sentBytes(100)
    now += 25
    trace.replied(200, 'req-2')
    expect(await rowOf(ledger, trace.id)).toMatchObject({ state: 'streaming', status: 200, requestId: 'req-2' })
    now += 5
    trace.receivedBytes(40)
    now += 95
    trace.receivedBytes(60)
    trace.ends({ state: 'done' }, reading(1000, 300, 200))
    trace.ends({ state: 'failed' }, null)
    trace.receivedBytes(1)
    const row = await rowOf(ledger, trace.id)
    expect(row).toEqual({
      id: trace.id,
      at: '2026-11-21T10:00:00.000Z',
      who: { kind: 'tool', id: 'editor', name: 'My editor', colour: 'teal' },
      method: 'POST',
      path: '/v1/chat/completions',
      endpoint: 'chat',
      model: 'writer-small',
      state: 'done',
      stream: true,
      status: 200,
      problem: null,
      cancelledBy: null,
      attempts: 2,
      retriedAfter: [503],
      queuedMs: 50,
      backoffMs: 400,
      connectMs: 3,
      firstByteMs: 505,
      durationMs: 600,
      bytesUp: 100,
      bytesDown: 100,
      tokensIn: 1000,
      tokensOut: 300,
      tokensCached: 200,
      tokensAre: 'measured',
      cost: '0.00086',
      costIs: 'estimated',
      requestId: 'req-2',
      times: 1,
      hasBodies: false,
    })
    expect(requestRow.parse(row)).toEqual(row)
    expect(ledger.live()).toBe(0)
  })

  it('keeps an unusual method, path, model and problem as they were, without a local key that stood in them', async () => {
    const { ledger } = fresh()
    const key = `isk_abcdefgh_${'A'.repeat(43)}`
    const trace = ledger.open(
      notice({ method: 'GET', path: `/v1/things/${key}`, endpoint: 'other', model: `m ${key}`, stream: false }),
    )
    trace.connected()
    trace.ends({ state: 'failed', problem: { kind: 'connection_lost', message: `Lost ${key}` } }, null)
    const row = await rowOf(ledger, trace.id)
    expect(row).toMatchObject({ method: 'GET', path: '/v1/things/isk_…', model: 'm isk_…', state: 'failed' })
    expect(row.problem).toEqual({ kind: 'connection_lost', message: 'Lost isk_…' })
    expect(JSON.stringify(ledger.get(trace.id))).not.toContain('AAAA')
  })

  it('carries a tool’s name and colour as they are now, and its id once the key is gone', async () => {
    let tools = [{ id: 'editor', name: 'Old', colour: 'teal' as const }]
    const { ledger } = fresh({ tools: () => tools })
    const { id } = sent(ledger)
    expect((await rowOf(ledger, id)).who).toMatchObject({ name: 'Old' })
    tools = [{ id: 'editor', name: 'New', colour: 'teal' }]
    expect((await rowOf(ledger, id)).who).toMatchObject({ name: 'New', colour: 'teal' })
    tools = []
    expect((await rowOf(ledger, id)).who).toMatchObject({ kind: 'tool', id: 'editor', name: 'editor' })
  })

  it('is stopped by a person: its carrier is told, also when it comes later, and the row says who', async () => {
    const { ledger } = fresh()
    const early = ledger.open(notice())
    expect(ledger.stop(early.id)).toBe(true)
    let told = 0
    early.onStop = () => {
      told += 1
      early.ends({ state: 'cancelled', by: 'tool' }, null)
    }
    expect(told).toBe(1)
    expect(await rowOf(ledger, early.id)).toMatchObject({ state: 'cancelled', cancelledBy: 'person' })
    expect(ledger.stop(early.id)).toBe(false)
    expect(ledger.stop(4711)).toBe(false)
    const late = sent(ledger)
    late.ends({ state: 'cancelled', by: 'tool' }, null)
    expect(await rowOf(ledger, late.id)).toMatchObject({ cancelledBy: 'tool' })
  })

  it('ends for those who listen, once its row stands', async () => {
    const { ledger, dataDir } = fresh()
    const heard = Promise.withResolvers<unknown[]>()
    ledger.ended.add((row) => heard.resolve([row, committed(dataDir)]))
    const trace = sent(ledger)
    trace.ends({ state: 'done' }, reading(1, 2))
    const [row, rows] = await heard.promise
    expect(row).toEqual(await rowOf(ledger, trace.id))
    expect(rows).toEqual([{ id: trace.id, outcome: 0 }])
  })

  it('that is not in the log is told so', () => {
    const { ledger } = fresh()
    expect(() => ledger.get(1)).toThrow(expect.objectContaining({ kind: 'no_such_item' }))
  })

  it('stays in the log when the program ends, with ids that go on', async () => {
    const { ledger, dataDir } = openLedger()
    const first = sent(ledger)
    first.ends({ state: 'done' }, reading(3, 4))
    await ledger.close()
    const again = fresh({ dataDir }).ledger
    expect(await rowOf(again, first.id)).toMatchObject({ state: 'done', tokensOut: 4, model: 'writer-small' })
    expect(again.open(notice()).id).toBe(first.id + 1)
    expect((await again.counts({})).kept).toBe(2)
  })

  it('is never sent when the disk does not take its row', async () => {
    const { ledger, dataDir, lines } = fresh()
    const other = new DatabaseSync(requestLogFile(dataDir))
    other.exec('ALTER TABLE requests RENAME TO elsewhere')
    const trace = ledger.open(notice())
    await expect(trace.written).rejects.toThrow()
    trace.ends({ state: 'failed', problem: { kind: 'store_damaged', message: 'Not written.' } }, null)
    for (let n = 0; n < 200; n += 1) ledger.open(notice()).ends({ state: 'failed' }, null)
    await expect(ledger.open(notice()).written).rejects.toThrow()
    expect(lines).toHaveLength(1)
    other.exec('ALTER TABLE elsewhere RENAME TO requests')
    other.close()
    const next = ledger.open(notice({ asker: tool('another') }))
    await next.written
    expect(await rowOf(ledger, next.id)).toMatchObject({ who: { id: 'another' } })
    // What was not sent is written down all the same, once the disk takes rows again.
    expect(await rowOf(ledger, trace.id)).toMatchObject({ state: 'failed', problem: { kind: 'store_damaged' } })
    expect((await ledger.counts({ outcome: 'failed' })).kept).toBe(201)
    expect(ledger.spent('editor').requestsToday).toBe(201)
  })
})
