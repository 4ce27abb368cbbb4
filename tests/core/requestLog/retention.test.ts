import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SqliteRequestLog } from '../../../src-main/core/requestLog/requestLog.ts'
import { dayMs } from '../../../src-main/core/shared/days.ts'
import { bodiesFile, requestLogFile } from '../../../src-main/core/store/requestLog/open.ts'
import type { RequestsEvent } from '../../../src-preload/contract/requests.ts'
import { tries } from '../../helpers/effort.ts'
import { isOnDisk } from '../../helpers/onDisk.ts'
import { randomNumbers } from '../../helpers/random.ts'
import { freshFolder } from '../helpers/core.ts'
import { fill } from './harness/million.ts'
import { notice, openRequestLog, reading, sent, service, testRequestLog, usage } from './helpers.ts'

const start = Date.parse('2026-11-21T12:00:00Z')
const quietly = { done: () => undefined, stopped: () => false }
const clean = (text: string): string => text

/** Searches the files on the disk from another process, because this process must not open them directly. */

/** A request with bodies that ended at once. `text` is in its path, its problem, its headers and its bodies. */
function ended(requestLog: SqliteRequestLog, text: string): number {
  const trace = sent(requestLog, { logBodies: true, endpoint: 'other', path: `/v1/${text}`, model: 'writer-small' })
  trace.headers([['x-ask', text]], [['x-answer', text]], clean)
  trace.bodies(
    { text: `ask ${text}`, bytes: 100, capped: false },
    { text: `answer ${text}`, bytes: 100, capped: false },
  )
  trace.ends({ state: 'failed', problem: { kind: 'lost', message: `It was ${text}` } }, reading(1000, 10))
  return trace.id
}

const ids = async (requestLog: SqliteRequestLog): Promise<number[]> =>
  (await requestLog.page({}, Number.MAX_SAFE_INTEGER, 10_000)).map(({ id }) => id).reverse()

describe('deleting the log by age', () => {
  it('removes ended rows from before a time, with their bodies, from the files for good', async () => {
    let now = start - 40 * dayMs
    const { requestLog, dataDir } = testRequestLog({ now: () => now, bodyDays: () => 365 })
    for (let n = 0; n < 50; n += 1) ended(requestLog, `long-ago-${n}`)
    const running = requestLog.open(notice())
    now = start - 10 * dayMs
    const young = ended(requestLog, 'of-late')
    now = start
    const before = start - 30 * dayMs
    expect(await requestLog.rowRetention.count(before)).toMatchObject({ items: 50, bytes: expect.any(Number) })
    expect(requestLog.bodyRetention.count(before).items).toBe(50)
    expect(isOnDisk(dataDir, 'long-ago')).toBe(true)
    expect(await requestLog.rowRetention.erase(before, quietly)).toBe(50)
    expect(await ids(requestLog)).toEqual([running.id, young])
    expect((await requestLog.counts({})).stored).toBe(2)
    expect(requestLog.get(young).requestBody?.text).toBe('ask of-late')
    expect(isOnDisk(dataDir, 'long-ago')).toBe(false)
    expect(isOnDisk(dataDir, 'of-late')).toBe(true)
    expect(await requestLog.rowRetention.count(before)).toEqual({ items: 0, bytes: 0 })
    // It began before the limit, and remains until it has ended.
    running.ends({ state: 'done' }, null)
    expect(await requestLog.rowRetention.erase(before, quietly)).toBe(1)
    expect(await ids(requestLog)).toEqual([young])
  })

  it('preserves every sum by day, caller and account, and the spend of each app', async () => {
    let now = start - 40 * dayMs
    const { requestLog, dataDir, lines, close } = testRequestLog({ now: () => now })
    requestLog.learn(usage, service)
    requestLog.connectedTo(service)
    requestLog.belongsTo('red')
    for (let day = 40; day >= 0; day -= 4) {
      now = start - day * dayMs
      for (const model of ['writer-small', 'painter', 'unpriced']) {
        const trace = sent(requestLog, { model })
        trace.ends({ state: 'done' }, reading(1000 + day, 10))
      }
    }
    const sumsOf = (from: SqliteRequestLog) => ({
      days: from.usage.usedByDay('red', 0, 100_000),
      first: from.usage.firstDayOf('red'),
      spent: { ...from.spent('editor'), perMinute: [] },
    })
    const whole = sumsOf(requestLog)
    expect(whole.days).toHaveLength(33)
    expect(await requestLog.rowRetention.erase(start + 1, quietly)).toBe(33)
    expect(await ids(requestLog)).toEqual([])
    expect(sumsOf(requestLog)).toEqual(whole)
    await close()
    const again = testRequestLog({ dataDir, now: () => now }).requestLog
    expect(sumsOf(again)).toEqual(whole)
    expect(lines).toEqual([])
    // Links refer to ids, so no id is used twice, although the log is empty.
    expect(again.open(notice()).id).toBe(34)
    expect(again.usage.usedByDay('red', 0, 100_000)).toEqual(whole.days)
  })

  it('notifies watchers that rows were removed, and counts again', async () => {
    let now = start - 40 * dayMs
    const { requestLog } = testRequestLog({ now: () => now })
    for (let n = 0; n < 5; n += 1) ended(requestLog, 'seen')
    now = start
    expect((await requestLog.counts({ text: 'seen' })).stored).toBe(5)
    const stop = new AbortController()
    const types: RequestsEvent['type'][] = []
    const first = Promise.withResolvers<void>()
    const watching = (async () => {
      for await (const { type } of requestLog.watch({}, 10, stop.signal)) {
        types.push(type)
        first.resolve()
        if (type === 'erased') return
      }
    })()
    await first.promise
    await requestLog.rowRetention.erase(start, quietly)
    await watching
    stop.abort()
    expect(types).toEqual(['snapshot', 'erased'])
    expect((await requestLog.counts({ text: 'seen' })).stored).toBe(0)
  })

  it('removes exactly the old rows, even after the clock was set back', { tags: 'long' }, async () => {
    const step = fc.integer({ min: -5, max: 5 })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), step, async (steps, border) => {
        let now = start
        const { requestLog } = openRequestLog({ now: () => now, bodyDays: () => 36_500 })
        const made = steps.map((hours) => {
          now += hours * 3_600_000
          const trace = sent(requestLog)
          if (hours !== 5) trace.ends({ state: 'done' }, null)
          return { id: trace.id, at: now, open: hours === 5 }
        })
        const before = start + border * 3_600_000
        const stays = made.filter(({ at, open }) => at >= before || open)
        expect((await requestLog.rowRetention.count(before)).items).toBe(made.length - stays.length)
        expect(await requestLog.rowRetention.erase(before, quietly)).toBe(made.length - stays.length)
        expect(await ids(requestLog)).toEqual(stays.map(({ id }) => id))
        await requestLog.close()
      }),
      { numRuns: tries(8, 80) },
    )
  })

  it('can be stopped early, and returns how many rows were deleted', async () => {
    const { requestLog } = testRequestLog()
    for (let n = 0; n < 1000; n += 1) requestLog.open(notice()).ends({ state: 'done' }, null)
    let seen = 0
    const steps = {
      done(items: number) {
        seen = items
      },
      stopped: () => seen > 0,
    }
    const went = await requestLog.rowRetention.erase(Date.now() + 1, steps)
    expect(went).toBe(seen)
    expect(went).toBeGreaterThan(0)
    expect((await requestLog.counts({})).stored).toBe(1000 - went)
  })

  it('blocks the thread for less than 20 ms at a time, and shrinks the file', {
    tags: 'long',
  }, async () => {
    const dataDir = freshFolder()
    await fill(dataDir, 200_000)
    const size = statSync(requestLogFile(dataDir)).size
    const { requestLog, close } = testRequestLog({ dataDir })
    const turns: number[] = []
    let from = process.threadCpuUsage()
    let over = false
    // Processor time of this thread from turn to turn, without that of other processes.
    const turn = (): void => {
      const { user, system } = process.threadCpuUsage(from)
      turns.push((user + system) / 1000)
      from = process.threadCpuUsage()
      if (!over) setImmediate(turn)
    }
    turn()
    expect(await requestLog.rowRetention.erase(Date.now() - 40_000, quietly)).toBeGreaterThan(199_000)
    over = true
    turns.sort((a, b) => b - a)
    expect(turns.length).toBeGreaterThan(50)
    // Not every step: the garbage collector sometimes runs, and is slow on a busy machine.
    expect(turns[Math.ceil(turns.length / 50)]).toBeLessThan(20)
    await close()
    expect(statSync(requestLogFile(dataDir)).size).toBeLessThan(size / 50)
  })

  it('shrinks a file of an earlier version at the next start', { tags: 'long' }, async () => {
    const dataDir = freshFolder()
    await fill(dataDir, 100_000)
    const old = new DatabaseSync(requestLogFile(dataDir))
    old.exec('PRAGMA auto_vacuum = NONE; VACUUM')
    expect(old.prepare('PRAGMA auto_vacuum').get()).toEqual({ auto_vacuum: 0 })
    old.close()
    const first = openRequestLog({ dataDir })
    expect(await first.requestLog.rowRetention.erase(Date.now() - 1000, quietly)).toBeGreaterThan(99_000)
    await first.requestLog.close()
    expect(first.lines).toEqual([])
    const size = statSync(requestLogFile(dataDir)).size
    const { lines } = testRequestLog({ dataDir })
    expect(statSync(requestLogFile(dataDir)).size).toBeLessThan(size / 20)
    expect(lines).toContainEqual(expect.stringContaining('rewritten'))
  })

  it('can be killed at any moment: files are whole, young rows and sums remain, and the next deletion continues', {
    tags: 'long',
  }, async () => {
    const before = Date.now() - 20_000
    const harness = fileURLToPath(new URL('harness/erase.ts', import.meta.url))
    const dataDir = freshFolder()
    await fill(dataDir, 60_000)
    const made = openRequestLog({ dataDir })
    made.requestLog.learn(usage, service)
    made.requestLog.connectedTo(service)
    made.requestLog.belongsTo('red')
    for (let n = 0; n < 20; n += 1) sent(made.requestLog).ends({ state: 'done' }, reading(1000, n))
    const sums = {
      spent: made.requestLog.spent('editor').total,
      days: made.requestLog.usage.usedByDay('red', 0, 100_000),
    }
    expect(sums.days).toHaveLength(1)
    const young = (await made.requestLog.counts({ since: new Date(before).toISOString() })).stored
    await made.requestLog.close()
    const random = randomNumbers()
    for (let round = 0; round < tries(2, 10); round += 1) {
      const child = spawn(process.execPath, [harness, dataDir, String(before)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const exited = once(child, 'exit')
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
      expect((await lines.next()).value).toBe('ready')
      await pause(random() * 250)
      child.kill('SIGKILL')
      await exited
      for (const file of [requestLogFile(dataDir), bodiesFile(dataDir)]) {
        const database = new DatabaseSync(file)
        expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
        database.close()
      }
    }
    const { requestLog } = testRequestLog({ dataDir, checkWhole: true })
    await requestLog.rowRetention.erase(before, quietly)
    expect((await requestLog.counts({})).stored).toBe(young)
    expect({ spent: requestLog.spent('editor').total, days: requestLog.usage.usedByDay('red', 0, 100_000) }).toEqual(
      sums,
    )
    expect(requestLog.open(notice()).id).toBe(60_021)
  })
})
