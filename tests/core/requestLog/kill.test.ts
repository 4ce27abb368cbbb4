import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { openRequestLogReader } from '../../../src-main/core/requestLog/reader.ts'
import { toNano } from '../../../src-main/core/shared/money.ts'
import { requestLogFile } from '../../../src-main/core/store/requestLog/open.ts'
import { tries } from '../../helpers/effort.ts'
import { randomNumbers } from '../../helpers/random.ts'
import { freshFolder } from '../helpers/core.ts'
import { notice, openRequestLog, rowOf, sent, service } from './helpers.ts'

const harness = (name: string): string => fileURLToPath(new URL(`harness/${name}.ts`, import.meta.url))

/** Starts a process that logs requests and kills it (-9) `afterMs` after its first one was sent. */
async function flyAndKill(folder: string, afterMs: number) {
  const child = spawn(process.execPath, [harness('flights'), folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const sentIds: number[] = []
  const ended = new Map<number, string>()
  for await (const line of createInterface({ input: child.stdout })) {
    const event: { sent?: number; ended?: number; cost?: string } = JSON.parse(line)
    if (event.sent !== undefined && sentIds.push(event.sent) === 1) setTimeout(() => child.kill('SIGKILL'), afterMs)
    if (event.ended !== undefined) ended.set(event.ended, event.cost ?? '')
  }
  await exited
  return { sentIds, ended }
}

describe('a process that is killed', () => {
  it('leaves a row for each request that was sent, with its end or with an unknown end', {
    tags: 'long',
  }, async () => {
    const folder = freshFolder()
    let unknown = 0
    const random = randomNumbers()
    for (let round = 0; round < tries(2, 10); round += 1) {
      const { sentIds, ended } = await flyAndKill(folder, random() * 300)
      const { requestLog, lines } = openRequestLog({ dataDir: folder, checkWhole: true })
      const rows = new Map((await requestLog.page({}, Number.MAX_SAFE_INTEGER, 1_000_000)).map((row) => [row.id, row]))
      for (const id of sentIds) {
        const row = rows.get(id)
        if (row?.state === 'done')
          expect(row).toMatchObject({ status: 200, requestId: `req-${id}`, tokensIn: 1000 + id })
        else expect(row).toMatchObject({ state: 'unknown', cost: null, problem: { kind: 'was_in_flight' } })
      }
      for (const [id, cost] of ended) expect(rows.get(id)).toMatchObject({ state: 'done', cost })
      const open = [...rows.values()].filter(({ state }) => state === 'unknown').length
      expect([requestLog.recovered, lines]).toEqual([open - unknown, []])
      expect(open).toBeGreaterThan(unknown)
      unknown = open
      const total = [...rows.values()].reduce((sum, { cost }) => sum + toNano(cost ?? '0'), 0n)
      expect(requestLog.spent('editor')).toMatchObject({ total, unpricedToday: unknown, requestsToday: rows.size })
      requestLog.connectedTo(service)
      requestLog.belongsTo('red')
      const days = requestLog.usage.usedByDay('red', 0, 100_000)
      expect(days.reduce((sum, { cost }) => sum + cost, 0n)).toBe(total)
      expect(days.reduce((sum, { requests }) => sum + requests, 0)).toBe(rows.size)
      expect(days.reduce((sum, { unpriced }) => sum + unpriced, 0)).toBe(unknown)
      await requestLog.close()
      const database = new DatabaseSync(requestLogFile(folder), { readOnly: true })
      expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
      database.close()
    }
  })
})

describe('the command line’s reader', () => {
  it('follows a running core from its own process: each request at its start and at its end', {
    tags: 'long',
  }, async () => {
    const { requestLog, dataDir, lines } = openRequestLog()
    const child = spawn(process.execPath, [harness('follow'), dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
    const exited = once(child, 'exit')
    const printed = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    expect((await printed.next()).value).toBe('ready')
    const slow = sent(requestLog)
    expect(JSON.parse((await printed.next()).value ?? '')).toMatchObject({ id: slow.id, state: 'sent' })
    const states: Record<string, string[]> = { [slow.id]: ['sent'] }
    const writing = (async () => {
      for (let n = 0; n < 3000; n += 1) {
        const trace = sent(requestLog)
        if (trace.written) await trace.written
        trace.ends({ state: 'done' }, null)
      }
      slow.ends({ state: 'done' }, null)
    })()
    for (let ended = 0; ended < 3001; ) {
      const row: { id: number; state: string } = JSON.parse((await printed.next()).value ?? '')
      states[row.id] ??= []
      states[row.id]?.push(row.state)
      if (row.state === 'done') ended += 1
    }
    await writing
    child.kill()
    await exited
    expect(Object.keys(states)).toHaveLength(3001)
    for (const seen of Object.values(states)) expect(['done', 'sent,done']).toContain(seen.join())
    expect(lines).toEqual([])
    await requestLog.close()
  })

  it('reads without a running core, and finds a log that is created later', async () => {
    const dataDir = freshFolder()
    const reader = openRequestLogReader(dataDir)
    expect(reader.page({}, 100, 10)).toEqual([])
    const { requestLog } = openRequestLog({ dataDir })
    const trace = sent(requestLog)
    await trace.written
    expect(reader.page({}, 100, 10)).toMatchObject([{ id: trace.id, state: 'sent', model: 'writer-small' }])
    expect(reader.page({ outcome: 'open' }, 100, 10)).toHaveLength(1)
    trace.ends({ state: 'done' }, null)
    requestLog.open(notice({ model: 'another' })).ends({ state: 'failed' }, null)
    const row = await rowOf(requestLog, trace.id)
    await requestLog.close()
    reader.close()
    const alone = openRequestLogReader(dataDir, () => [{ id: 'editor', name: 'My editor', colour: 'teal' }])
    expect(alone.page({}, 100, 10)).toMatchObject([{ model: 'another', state: 'failed' }, row])
    expect(alone.since({ model: 'another' }, 0, 10)).toMatchObject([{ id: 2 }])
    expect(alone.since({}, 1, 10)).toMatchObject([{ id: 2 }])
    alone.close()
  })

  it('follows a long log to its end although no more rows are written', async () => {
    const { requestLog, dataDir } = openRequestLog()
    for (let n = 0; n < 2500; n += 1) requestLog.open(notice()).ends({ state: 'done' }, null)
    await requestLog.close()
    const reader = openRequestLogReader(dataDir)
    const stop = new AbortController()
    const seen: number[] = []
    for await (const { id } of reader.follow({}, { signal: stop.signal, after: 0 })) {
      if (seen.push(id) === 2500) stop.abort()
    }
    expect(seen).toEqual(Array.from({ length: 2500 }, (_, index) => index + 1))
    reader.close()
  })

  it('refuses a log of a newer version', async () => {
    const { requestLog, dataDir } = openRequestLog()
    await requestLog.close()
    const newer = new DatabaseSync(requestLogFile(dataDir))
    newer.exec('PRAGMA user_version = 999')
    newer.close()
    expect(() => openRequestLogReader(dataDir).page({}, 1, 1)).toThrow(expect.objectContaining({ kind: 'store_newer' }))
  })
})
