import { spawnSync } from 'node:child_process'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, describe, expect, it } from 'vitest'
import type { SqliteRequestLog } from '../../../src-main/core/requestLog/requestLog.ts'
import { bodiesFile, requestLogFile } from '../../../src-main/core/store/requestLog/open.ts'
import { notice, openLedger, sent, tool } from './helpers.ts'

const open: SqliteRequestLog[] = []
afterEach(async () => {
  for (const ledger of open.splice(0)) await ledger.close()
})
function fresh(options: Parameters<typeof openLedger>[0] = {}) {
  const made = openLedger(options)
  open.push(made.ledger)
  return made
}

const secret = 'sk-the-real-key-of-the-account'
const clean = (text: string): string => text.replaceAll(secret, '•••')
const toolKey = `isk_abcdefgh_${'Z'.repeat(43)}`

/** A request whose bodies were copied; `text` is what one can look for. */
function logged(ledger: SqliteRequestLog, text: string, changes: Parameters<typeof sent>[1] = {}): number {
  const trace = sent(ledger, { logBodies: true, ...changes })
  trace.headers([['x-ask', `${text} ${secret}`]], [['x-answer', toolKey]], clean)
  trace.bodies(
    { text: `ask ${text} ${secret} ${toolKey}`, bytes: 100, capped: false },
    { text: `answer ${text}`, bytes: 9999, capped: true },
  )
  trace.ends({ state: 'done' }, null)
  return trace.id
}

/** Looks into the files as they lie on the disk, from another process: this one must not open them by hand. */
const lies = (dataDir: string, text: string): boolean => spawnSync('grep', ['-rqF', text, dataDir]).status === 0

describe('headers', () => {
  it('are kept in memory for the newest thousand requests, cleaned when looked at, and never on the disk', async () => {
    let now = Date.parse('2026-11-21T12:00:00Z')
    const { ledger, dataDir } = fresh({ now: () => now })
    const trace = sent(ledger)
    const request: [string, string][] = [['Authorization', `Bearer ${secret}`]]
    trace.headers(request, [['x-key', toolKey]], clean)
    const shown = { requestHeaders: [['Authorization', 'Bearer •••']], replyHeaders: [['x-key', 'isk_…']] }
    expect(ledger.get(trace.id)).toMatchObject(shown)
    trace.ends({ state: 'done' }, null)
    expect(ledger.get(trace.id)).toMatchObject({ ...shown, requestBody: null, replyBody: null })
    expect(request).toEqual([['Authorization', `Bearer ${secret}`]])
    for (let n = 0; n < 1000; n += 1) {
      now += 25
      const other = sent(ledger)
      other.headers([], [], clean)
      other.ends({ state: 'done' }, null)
    }
    expect(ledger.get(trace.id)).toMatchObject({ requestHeaders: null, replyHeaders: null })
    await ledger.counts({})
    expect(lies(dataDir, 'Authorization')).toBe(false)
  })

  it('are kept for fifty requests a second at most: what nobody can read costs nothing', () => {
    const { ledger } = fresh({ now: () => Date.parse('2026-11-21T12:00:00Z') })
    const kept = Array.from({ length: 60 }, () => {
      const trace = sent(ledger)
      trace.headers([['x-ask', '1']], [], clean)
      trace.ends({ state: 'done' }, null)
      return ledger.get(trace.id).requestHeaders !== null
    })
    expect(kept.filter(Boolean)).toHaveLength(50)
    expect(kept.lastIndexOf(true)).toBe(49)
  })
})

describe('bodies', () => {
  it('are kept where the caller may be logged, without secrets, and told again after a start', async () => {
    const { ledger, dataDir } = openLedger()
    const id = logged(ledger, 'something')
    const quiet = sent(ledger)
    quiet.bodies({ text: 'not to be kept', bytes: 14, capped: false }, null)
    quiet.ends({ state: 'done' }, null)
    const detail = {
      row: { hasBodies: true },
      requestHeaders: [['x-ask', 'something •••']],
      replyHeaders: [['x-answer', 'isk_…']],
      requestBody: { text: 'ask something ••• isk_…', bytes: 100, capped: false },
      replyBody: { text: 'answer something', bytes: 9999, capped: true },
    }
    expect(ledger.get(id)).toMatchObject(detail)
    expect(ledger.get(quiet.id)).toMatchObject({ row: { hasBodies: false }, requestBody: null, replyBody: null })
    await ledger.close()
    expect(lies(dataDir, 'answer something')).toBe(true)
    for (const text of [secret, 'ZZZZ', 'not to be kept']) expect(lies(dataDir, text)).toBe(false)
    expect(fresh({ dataDir }).ledger.get(id)).toMatchObject(detail)
  })

  it('are erased one by one, by tool, or all; nothing of them is left on the disk, and the rows stay', async () => {
    const { ledger, dataDir } = fresh()
    const ids = ['first', 'second', 'third', 'fourth'].map((name, index) =>
      logged(ledger, `${name}-words `.repeat(2000), { asker: tool(index < 3 ? 'a' : 'b') }),
    )
    const before = (await ledger.counts({})).bodyBytes
    expect(before).toBeGreaterThan(4 * 4000)
    expect(lies(dataDir, 'second-words')).toBe(true)
    expect(await ledger.eraseBodies({ id: ids[1] })).toBe(1)
    expect(lies(dataDir, 'second-words')).toBe(false)
    expect(lies(dataDir, 'first-words')).toBe(true)
    expect(ledger.get(ids[1] ?? 0)).toMatchObject({ row: { hasBodies: false }, requestBody: null })
    expect(await ledger.eraseBodies({ tool: 'a' })).toBe(2)
    for (const name of ['first', 'third']) expect(lies(dataDir, `${name}-words`)).toBe(false)
    expect(ledger.get(ids[3] ?? 0)).toMatchObject({ row: { hasBodies: true } })
    expect(await ledger.eraseBodies({})).toBe(1)
    expect(await ledger.eraseBodies({})).toBe(0)
    expect(await ledger.counts({})).toMatchObject({ kept: 4, bodyBytes: 0 })
  })

  it('that are many are erased without holding anybody up for long, and the file gives its space back', async () => {
    const { ledger, dataDir } = fresh()
    for (let n = 0; n < 100; n += 1) logged(ledger, `${n} `.repeat(20_000))
    await ledger.counts({})
    const full = spawnSync('stat', ['-c', '%s', bodiesFile(dataDir)]).stdout.toString()
    let turns = 0
    let done = false
    const turn = (): void => {
      turns += 1
      if (!done) setImmediate(turn)
    }
    turn()
    expect(await ledger.eraseBodies({})).toBe(100)
    done = true
    expect(turns).toBeGreaterThan(4)
    const left = spawnSync('stat', ['-c', '%s', bodiesFile(dataDir)]).stdout.toString()
    expect(Number(full)).toBeGreaterThan(1_000_000)
    expect(Number(left)).toBeLessThan(100_000)
  })

  it('older than their days are erased at the start', async () => {
    let now = Date.UTC(2026, 10, 1)
    const { ledger, dataDir } = openLedger({ now: () => now })
    const old = logged(ledger, 'old')
    now += 6 * 86_400_000
    const young = logged(ledger, 'young')
    await ledger.close()
    now += 1.5 * 86_400_000
    const again = fresh({ dataDir, now: () => now, bodyDays: () => 7 }).ledger
    const erased = Promise.withResolvers<void>()
    again.changes.add(() => erased.resolve())
    await erased.promise
    expect(again.get(old).requestBody).toBeNull()
    expect(again.get(young).requestBody).not.toBeNull()
  })

  it('that can’t be kept cost no row', async () => {
    const { ledger, dataDir, lines } = fresh()
    const other = new DatabaseSync(bodiesFile(dataDir))
    other.exec('DROP TABLE bodies')
    other.close()
    const id = logged(ledger, 'lost')
    expect(ledger.get(id)).toMatchObject({ row: { state: 'done', hasBodies: false }, requestBody: null })
    expect(lines).toHaveLength(1)
  })
})

describe('a row', () => {
  it('holds no local key, wherever a tool put it', async () => {
    const { ledger, dataDir } = openLedger()
    const trace = ledger.open(notice({ path: `/v1/${toolKey}`, endpoint: 'other', model: toolKey, method: toolKey }))
    trace.asks({ model: `x ${toolKey}` })
    trace.replied(400, toolKey)
    trace.ends({ state: 'done', problem: { kind: toolKey, message: toolKey } }, null)
    ledger.refused({
      ...{
        toolId: null,
        from: toolKey,
        method: toolKey,
        path: `/${toolKey}`,
        status: 401,
        code: toolKey,
        message: toolKey,
      },
    })
    await ledger.close()
    expect(lies(dataDir, 'ZZZZ')).toBe(false)
    expect(lies(dataDir, 'isk_…')).toBe(true)
    expect(requestLogFile(dataDir)).toContain(dataDir)
  })
})
