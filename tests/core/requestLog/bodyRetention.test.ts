import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { createRouterClient } from '@orpc/server'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createCore } from '../../../src-main/core/core.ts'
import type { SqliteRequestLog } from '../../../src-main/core/requestLog/requestLog.ts'
import { bodiesFile, requestLogFile } from '../../../src-main/core/store/requestLog/open.ts'
import { startSandbox } from '../../../src-main/sandbox/sandbox.ts'
import { countTurns } from '../../helpers/eventLoop.ts'
import { isOnDisk } from '../../helpers/onDisk.ts'
import { freshFolder, testHost } from '../helpers/core.ts'
import { appRequester, notice, openRequestLog, sent, testRequestLog } from './helpers.ts'

const secret = 'sk-the-real-key-of-the-account'
const clean = (text: string): string => text.replaceAll(secret, '•••')
const appKey = `isk_abcdefgh_${'Z'.repeat(43)}`

/** A request whose bodies were copied; `text` is a text to search for. */
function logged(requestLog: SqliteRequestLog, text: string, changes: Parameters<typeof sent>[1] = {}): number {
  const trace = sent(requestLog, { logBodies: true, ...changes })
  trace.headers([['x-ask', `${text} ${secret}`]], [['x-answer', appKey]], clean)
  trace.bodies(
    { text: `ask ${text} ${secret} ${appKey}`, bytes: 100, capped: false },
    { text: `answer ${text}`, bytes: 9999, capped: true },
  )
  trace.ends({ state: 'done' }, null)
  return trace.id
}

/** Searches the files on the disk from another process, because this process must not open them directly. */

describe('headers', () => {
  it('are in memory for the newest thousand requests, cleaned when read, and never on the disk', async () => {
    let now = Date.parse('2026-11-21T12:00:00Z')
    const { requestLog, dataDir } = testRequestLog({ now: () => now })
    const trace = sent(requestLog)
    const request: [string, string][] = [['Authorization', `Bearer ${secret}`]]
    trace.headers(request, [['x-key', appKey]], clean)
    const shown = { requestHeaders: [['Authorization', 'Bearer •••']], replyHeaders: [['x-key', 'isk_…']] }
    expect(requestLog.get(trace.id)).toMatchObject(shown)
    trace.ends({ state: 'done' }, null)
    expect(requestLog.get(trace.id)).toMatchObject({ ...shown, requestBody: null, replyBody: null })
    expect(request).toEqual([['Authorization', `Bearer ${secret}`]])
    for (let n = 0; n < 1000; n += 1) {
      now += 25
      const other = sent(requestLog)
      other.headers([], [], clean)
      other.ends({ state: 'done' }, null)
    }
    expect(requestLog.get(trace.id)).toMatchObject({ requestHeaders: null, replyHeaders: null })
    await requestLog.counts({})
    expect(isOnDisk(dataDir, 'Authorization')).toBe(false)
  })

  it('are recorded for at most fifty requests a second', () => {
    const { requestLog } = testRequestLog({ now: () => Date.parse('2026-11-21T12:00:00Z') })
    const kept = Array.from({ length: 60 }, () => {
      const trace = sent(requestLog)
      trace.headers([['x-ask', '1']], [], clean)
      trace.ends({ state: 'done' }, null)
      return requestLog.get(trace.id).requestHeaders !== null
    })
    expect(kept.filter(Boolean)).toHaveLength(50)
    expect(kept.lastIndexOf(true)).toBe(49)
  })
})

describe('bodies', () => {
  it('are stored when the caller may be logged, without secrets, and can be read after a restart', async () => {
    const { requestLog, dataDir } = openRequestLog()
    const id = logged(requestLog, 'something')
    const quiet = sent(requestLog)
    quiet.bodies({ text: 'not to be kept', bytes: 14, capped: false }, null)
    quiet.ends({ state: 'done' }, null)
    const detail = {
      row: { hasBodies: true },
      requestHeaders: [['x-ask', 'something •••']],
      replyHeaders: [['x-answer', 'isk_…']],
      requestBody: { text: 'ask something ••• isk_…', bytes: 100, capped: false },
      // The last word of a capped body may be the beginning of a key.
      replyBody: { text: 'answer ', bytes: 9999, capped: true },
    }
    expect(requestLog.get(id)).toMatchObject(detail)
    expect(requestLog.get(quiet.id)).toMatchObject({ row: { hasBodies: false }, requestBody: null, replyBody: null })
    await requestLog.close()
    expect(isOnDisk(dataDir, 'answer ')).toBe(true)
    for (const text of [secret, 'ZZZZ', 'not to be kept']) expect(isOnDisk(dataDir, text)).toBe(false)
    expect(testRequestLog({ dataDir }).requestLog.get(id)).toMatchObject(detail)
  })

  it('are deleted by request, by app, or all; nothing of them is left on the disk, and the rows stay', async () => {
    const { requestLog, dataDir } = testRequestLog()
    const ids = ['first', 'second', 'third', 'fourth'].map((name, index) =>
      logged(requestLog, `${name}-words `.repeat(2000), { requester: appRequester(index < 3 ? 'a' : 'b') }),
    )
    const before = (await requestLog.counts({})).bodyBytes
    expect(before).toBeGreaterThan(4 * 4000)
    expect(isOnDisk(dataDir, 'second-words')).toBe(true)
    expect(await requestLog.deleteBodies({ id: ids[1] ?? 0 })).toBe(1)
    expect(isOnDisk(dataDir, 'second-words')).toBe(false)
    expect(isOnDisk(dataDir, 'first-words')).toBe(true)
    expect(requestLog.get(ids[1] ?? 0)).toMatchObject({ row: { hasBodies: false }, requestBody: null })
    expect(await requestLog.deleteBodies({ app: 'a' })).toBe(2)
    for (const name of ['first', 'third']) expect(isOnDisk(dataDir, `${name}-words`)).toBe(false)
    expect(requestLog.get(ids[3] ?? 0)).toMatchObject({ row: { hasBodies: true } })
    expect(await requestLog.deleteBodies('all')).toBe(1)
    expect(await requestLog.deleteBodies('all')).toBe(0)
    expect(await requestLog.counts({})).toMatchObject({ stored: 4, bodyBytes: 0 })
  })

  it('of one app are deleted from the window, and those of other apps stay', async () => {
    const sandbox = await startSandbox()
    onTestFinished(() => sandbox.close())
    const connect = { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey }
    const core = await createCore(testHost(freshFolder()).host, { connect, proxyPort: 0 })
    onTestFinished(() => core.stop())
    const client = createRouterClient(core.router)
    const askAs = async (name: string) => {
      const { app, key } = await client.apps.add({ name, logBodies: true })
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ model: 'mirror', messages: [{ role: 'user', content: name }] })
      const reply = await fetch(`${core.addresses().proxy}/chat/completions`, { method: 'POST', headers, body })
      expect(reply.status).toBe(200)
      await reply.arrayBuffer()
      return app
    }
    const editor = await askAs('editor')
    const notebook = await askAs('notebook')
    const withBodies = async () => {
      const { rows } = await client.requests.page({ filter: {}, before: Number.MAX_SAFE_INTEGER, limit: 100 })
      return rows.flatMap(({ who, hasBodies }) => (hasBodies ? [who] : []))
    }
    await vi.waitFor(async () => expect(await withBodies()).toHaveLength(2))
    expect(await client.requests.deleteBodies({ app: editor.id })).toEqual({ erased: 1 })
    expect(await withBodies()).toMatchObject([{ kind: 'app', id: notebook.id }])
  })

  it('are deleted in large numbers without blocking the program, and the file shrinks', { tags: 'long' }, async () => {
    const { requestLog, dataDir } = testRequestLog()
    for (let n = 0; n < 100; n += 1) logged(requestLog, `${n} `.repeat(20_000))
    await requestLog.counts({})
    const full = statSync(bodiesFile(dataDir)).size
    const turns = countTurns()
    expect(await requestLog.deleteBodies('all')).toBe(100)
    expect(turns()).toBeGreaterThan(4)
    const left = statSync(bodiesFile(dataDir)).size
    expect(full).toBeGreaterThan(1_000_000)
    expect(left).toBeLessThan(100_000)
  })

  it('older than their retention are deleted at the start', async () => {
    let now = Date.UTC(2026, 10, 1)
    const { requestLog, dataDir } = openRequestLog({ now: () => now })
    const old = logged(requestLog, 'old')
    now += 6 * 86_400_000
    const young = logged(requestLog, 'young')
    await requestLog.close()
    now += 1.5 * 86_400_000
    const again = testRequestLog({ dataDir, now: () => now, bodyDays: () => 7 }).requestLog
    const erased = Promise.withResolvers<void>()
    again.changes.add(() => erased.resolve())
    await erased.promise
    expect(again.get(old).requestBody).toBeNull()
    expect(again.get(young).requestBody).not.toBeNull()
  })

  it('that can’t be stored do not affect their rows', async () => {
    const { requestLog, dataDir, lines } = testRequestLog()
    const other = new DatabaseSync(bodiesFile(dataDir))
    other.exec('DROP TABLE bodies')
    other.close()
    const id = logged(requestLog, 'lost')
    expect(requestLog.get(id)).toMatchObject({ row: { state: 'done', hasBodies: false }, requestBody: null })
    expect(lines).toHaveLength(1)
  })
})

describe('a row', () => {
  it('contains no app key, wherever an app put it', async () => {
    const { requestLog, dataDir } = openRequestLog()
    const trace = requestLog.open(notice({ path: `/v1/${appKey}`, endpoint: 'other', model: appKey, method: appKey }))
    trace.asks({ model: `x ${appKey}` })
    trace.replied(400, appKey)
    trace.ends({ state: 'done', problem: { kind: appKey, message: appKey } }, null)
    requestLog.refused({
      appId: null,
      from: appKey,
      method: appKey,
      path: `/${appKey}`,
      status: 401,
      code: appKey,
      message: appKey,
    })
    await requestLog.close()
    expect(isOnDisk(dataDir, 'ZZZZ')).toBe(false)
    expect(isOnDisk(dataDir, 'isk_…')).toBe(true)
    expect(requestLogFile(dataDir)).toContain(dataDir)
  })
})
