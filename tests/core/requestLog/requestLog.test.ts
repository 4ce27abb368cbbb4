import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { bodiesFile, requestLogFile } from '../../../src-main/core/store/requestLog/open.ts'
import { requestRow } from '../../../src-preload/contract/requests.ts'
import { plainRequest } from '../../helpers/contractRows.ts'
import { freshFolder } from '../helpers/core.ts'
import {
  appRequester,
  notice,
  openRequestLog,
  reading,
  rowOf,
  sent,
  service,
  testRequestLog,
  usage,
} from './helpers.ts'

/** Another connection, which sees only committed rows. */
function committed(dataDir: string): unknown[] {
  const other = new DatabaseSync(requestLogFile(dataDir), { readOnly: true })
  const rows = other.prepare('SELECT id, outcome FROM requests ORDER BY id').all()
  other.close()
  return rows.map((row) => ({ ...row }))
}

describe('the files of the request log', () => {
  it('are readable only by their owner, and separate from the database that must not change with each request', () => {
    const { dataDir } = testRequestLog()
    expect(statSync(requestLogFile(dataDir)).mode & 0o777).toBe(0o600)
    expect(statSync(bodiesFile(dataDir)).mode & 0o777).toBe(0o600)
  })

  it.each([
    ['ledger', requestLogFile],
    ['bodies', bodiesFile],
  ])('of a newer version (%s) are refused and unchanged', async (_, fileOf) => {
    const { requestLog, dataDir } = openRequestLog()
    await requestLog.close()
    const newer = new DatabaseSync(fileOf(dataDir))
    newer.exec('PRAGMA user_version = 999')
    newer.close()
    const before = readFileSync(fileOf(dataDir))
    expect(() => openRequestLog({ dataDir })).toThrow(expect.objectContaining({ kind: 'store_newer' }))
    expect(readFileSync(fileOf(dataDir)).equals(before)).toBe(true)
  })

  it.each([
    ['ledger', requestLogFile],
    ['bodies', bodiesFile],
  ])('that are damaged (%s) are reported when they are read whole, and unchanged', async (_, fileOf) => {
    const { requestLog, dataDir } = openRequestLog()
    for (let n = 0; n < 300; n += 1) {
      const trace = sent(requestLog, { logBodies: true })
      trace.bodies({ text: 'x'.repeat(500), bytes: 500, capped: false }, null)
      trace.ends({ state: 'done' }, null)
    }
    await requestLog.close()
    const bytes = readFileSync(fileOf(dataDir))
    bytes.fill(0xff, bytes.length / 2, bytes.length / 2 + 4096)
    writeFileSync(fileOf(dataDir), bytes)
    expect(() => openRequestLog({ dataDir, checkWhole: true })).toThrow(
      expect.objectContaining({ kind: 'store_damaged' }),
    )
    expect(readFileSync(fileOf(dataDir)).equals(bytes)).toBe(true)
  })

  it('can’t be mistaken for each other', async () => {
    const { requestLog, dataDir } = openRequestLog()
    await requestLog.close()
    const other = freshFolder()
    writeFileSync(requestLogFile(other), readFileSync(bodiesFile(dataDir)))
    expect(() => openRequestLog({ dataDir: other })).toThrow(expect.objectContaining({ kind: 'store_damaged' }))
  })
})

describe('a request', () => {
  it('is in the database before it may be sent', async () => {
    const { requestLog, dataDir } = testRequestLog()
    const trace = requestLog.open(notice())
    expect(trace.written).toBeInstanceOf(Promise)
    expect(committed(dataDir)).toEqual([])
    await trace.written
    expect(trace.written).toBeNull()
    expect(committed(dataDir)).toEqual([{ id: trace.id, outcome: null }])
  })

  it('shares one commit with all others of the same turn', async () => {
    const { requestLog, dataDir } = testRequestLog()
    const other = new DatabaseSync(requestLogFile(dataDir), { readOnly: true })
    const seen: number[] = []
    const traces = Array.from({ length: 50 }, () => requestLog.open(notice()))
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

  it('shows all of its history as the contract defines it', async () => {
    let now = Date.UTC(2026, 10, 21, 10)
    const { requestLog } = testRequestLog({ now: () => now })
    requestLog.learn(usage, service)
    const trace = requestLog.open(notice({ model: null, stream: false }))
    expect(await rowOf(requestLog, trace.id)).toMatchObject({
      state: 'waiting',
      model: null,
      attempts: 0,
      costIs: 'unknown',
    })
    trace.asks({ model: 'writer-small', stream: true })
    now += 5
    trace.queued()
    now += 30
    expect(await rowOf(requestLog, trace.id)).toMatchObject({ state: 'waiting', queuedMs: 30 })
    trace.admitted()
    now += 7
    trace.connected()
    trace.sentBytes(100)
    expect(await rowOf(requestLog, trace.id)).toMatchObject({ state: 'sent', attempts: 1, connectMs: 7, bytesUp: 100 })
    now += 10
    trace.replied(503, 'first')
    trace.backsOff(503)
    now += 400
    expect(await rowOf(requestLog, trace.id)).toMatchObject({
      state: 'backing_off',
      retriedAfter: [503],
      backoffMs: 400,
    })
    trace.queued()
    now += 20
    trace.admitted()
    now += 3
    trace.connected()
    trace.sentBytes(100)
    now += 25
    trace.replied(200, 'req-2')
    expect(await rowOf(requestLog, trace.id)).toMatchObject({ state: 'streaming', status: 200, requestId: 'req-2' })
    now += 5
    trace.receivedBytes(40)
    now += 95
    trace.receivedBytes(60)
    trace.ends({ state: 'done' }, reading(1000, 300, 200))
    trace.ends({ state: 'failed' }, null)
    trace.receivedBytes(1)
    const row = await rowOf(requestLog, trace.id)
    expect(row).toEqual(
      plainRequest({
        id: trace.id,
        at: '2026-11-21T10:00:00.000Z',
        who: { kind: 'app', id: 'editor', name: 'My editor', colour: 'teal' },
        model: 'writer-small',
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
        cost: '0.00086',
        requestId: 'req-2',
      }),
    )
    expect(requestRow.parse(row)).toEqual(row)
    expect(requestLog.live()).toBe(0)
  })

  it('preserves an unusual method, path, model and problem, without a local key in them', async () => {
    const { requestLog } = testRequestLog()
    const key = `isk_abcdefgh_${'A'.repeat(43)}`
    const trace = requestLog.open(
      notice({ method: 'GET', path: `/v1/things/${key}`, endpoint: 'other', model: `m ${key}`, stream: false }),
    )
    trace.connected()
    trace.ends({ state: 'failed', problem: { kind: 'connection_lost', message: `Lost ${key}` } }, null)
    const row = await rowOf(requestLog, trace.id)
    expect(row).toMatchObject({ method: 'GET', path: '/v1/things/isk_…', model: 'm isk_…', state: 'failed' })
    expect(row.problem).toEqual({ kind: 'connection_lost', message: 'Lost isk_…' })
    expect(JSON.stringify(requestLog.get(trace.id))).not.toContain('AAAA')
  })

  it('has the current name and colour of its app, and the id after the app was revoked', async () => {
    let apps = [{ id: 'editor', name: 'Old', colour: 'teal' as const }]
    const { requestLog } = testRequestLog({ apps: () => apps })
    const { id } = sent(requestLog)
    expect((await rowOf(requestLog, id)).who).toMatchObject({ name: 'Old' })
    apps = [{ id: 'editor', name: 'New', colour: 'teal' }]
    expect((await rowOf(requestLog, id)).who).toMatchObject({ name: 'New', colour: 'teal' })
    apps = []
    expect((await rowOf(requestLog, id)).who).toMatchObject({ kind: 'app', id: 'editor', name: 'editor' })
  })

  it('can be stopped by a person, also before it has a carrier, and its row says so', async () => {
    const { requestLog } = testRequestLog()
    const early = requestLog.open(notice())
    expect(requestLog.stop(early.id)).toBe(true)
    let calls = 0
    early.onStop = () => {
      calls += 1
      early.ends({ state: 'cancelled', by: 'app' }, null)
    }
    expect(calls).toBe(1)
    expect(await rowOf(requestLog, early.id)).toMatchObject({ state: 'cancelled', cancelledBy: 'person' })
    expect(requestLog.stop(early.id)).toBe(false)
    expect(requestLog.stop(4711)).toBe(false)
    const late = sent(requestLog)
    late.ends({ state: 'cancelled', by: 'app' }, null)
    expect(await rowOf(requestLog, late.id)).toMatchObject({ cancelledBy: 'app' })
  })

  it('is emitted at its end, after its row was written', async () => {
    const { requestLog, dataDir } = testRequestLog()
    const heard = Promise.withResolvers<unknown[]>()
    requestLog.ended.add((row) => heard.resolve([row, committed(dataDir)]))
    const trace = sent(requestLog)
    trace.ends({ state: 'done' }, reading(1, 2))
    const [row, rows] = await heard.promise
    expect(row).toEqual(await rowOf(requestLog, trace.id))
    expect(rows).toEqual([{ id: trace.id, outcome: 0 }])
  })

  it('that is not in the log gives no_such_item', () => {
    const { requestLog } = testRequestLog()
    expect(() => requestLog.get(1)).toThrow(expect.objectContaining({ kind: 'no_such_item' }))
  })

  it('is in the log after a restart, and ids continue', async () => {
    const { requestLog, dataDir } = openRequestLog()
    const first = sent(requestLog)
    first.ends({ state: 'done' }, reading(3, 4))
    await requestLog.close()
    const again = testRequestLog({ dataDir }).requestLog
    expect(await rowOf(again, first.id)).toMatchObject({ state: 'done', tokensOut: 4, model: 'writer-small' })
    expect(again.open(notice()).id).toBe(first.id + 1)
    expect((await again.counts({})).stored).toBe(2)
  })

  it('is never sent when its row can’t be written', async () => {
    const { requestLog, dataDir, lines } = testRequestLog()
    const other = new DatabaseSync(requestLogFile(dataDir))
    other.exec('ALTER TABLE requests RENAME TO elsewhere')
    const trace = requestLog.open(notice())
    await expect(trace.written).rejects.toThrow()
    trace.ends({ state: 'failed', problem: { kind: 'store_damaged', message: 'Not written.' } }, null)
    for (let n = 0; n < 200; n += 1) requestLog.open(notice()).ends({ state: 'failed' }, null)
    await expect(requestLog.open(notice()).written).rejects.toThrow()
    expect(lines).toHaveLength(1)
    other.exec('ALTER TABLE elsewhere RENAME TO requests')
    other.close()
    const next = requestLog.open(notice({ requester: appRequester('another') }))
    await next.written
    expect(await rowOf(requestLog, next.id)).toMatchObject({ who: { id: 'another' } })
    // A request that was not sent is logged later, when the disk takes rows again.
    expect(await rowOf(requestLog, trace.id)).toMatchObject({ state: 'failed', problem: { kind: 'store_damaged' } })
    expect((await requestLog.counts({ outcome: 'failed' })).stored).toBe(201)
    expect(requestLog.spent('editor').requestsToday).toBe(201)
  })
})
