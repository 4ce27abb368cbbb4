import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Requester } from '../../../src-main/core/ports/requests.ts'
import { AppNames } from '../../../src-main/core/requestLog/appNames.ts'
import { outcomeOfRow, readyFilter } from '../../../src-main/core/requestLog/filters.ts'
import { openRequestLogReader } from '../../../src-main/core/requestLog/reader.ts'
import type { SqliteRequestLog } from '../../../src-main/core/requestLog/requestLog.ts'
import { saveRows } from '../../../src-main/core/requestLog/saveRows.ts'
import { Callers } from '../../../src-main/core/store/requestLog/callers.ts'
import { openRequestLogTables } from '../../../src-main/core/store/requestLog/open.ts'
import type { RequestFilter, RequestRow, RequestsEvent } from '../../../src-preload/contract/requests.ts'
import { freshFolder } from '../helpers/core.ts'
import { appRequester, notice, openRequestLog, reading, rowOf, sent, testRequestLog } from './helpers.ts'

const newest = Number.MAX_SAFE_INTEGER
const names = [
  { id: 't1', name: 'Crush 100%', colour: 'teal' as const },
  { id: 't2', name: 'an_editor', colour: 'rose' as const },
]

const requester = fc.constantFrom<Requester>(
  appRequester('t1'),
  appRequester('t2'),
  appRequester('gone'),
  { kind: 'studio', feature: 'chat' },
  { kind: 'studio', feature: 'account' },
)
const model = fc.constantFrom('Writer-Large', 'writer-small', 'a_b%c', null)
const request = fc.record({
  requester,
  model,
  forward: fc.constantFrom(0, 1, 60_000, 3_600_000, -5000, -86_400_000),
  place: fc.constantFrom(
    { path: '/v1/chat/completions', endpoint: 'chat' as const, method: 'POST' },
    { path: '/v1/models', endpoint: 'models' as const, method: 'GET' },
    { path: '/v1/Things/100%_sure', endpoint: 'other' as const, method: 'PUT' },
  ),
  status: fc.constantFrom(200, 404, 503, null),
  id: fc.constantFrom('req_ABC', 'x_y', null),
  end: fc.constantFrom('done', 'done', 'failed', 'refused', 'cancelled', 'cut', 'open', 'gate' as const),
})
const at = fc.constantFrom(0, 1, 30_000, 3_600_000, 80_000_000).map((ms) => new Date(noon + ms).toISOString())
const filter: fc.Arbitrary<RequestFilter> = fc.record(
  {
    who: fc.constantFrom('t1', 't2', 'gone', 'nobody', 'studio', 'studio:chat', 'strangers'),
    model: fc.constantFrom('Writer-Large', 'writer-small', 'a_b%c', 'none'),
    outcome: fc.constantFrom('open', 'ok', 'failed', 'refused', 'cancelled' as const),
    text: fc.constantFrom(
      '',
      'WRITER',
      'crush',
      '%',
      '_',
      'a_b',
      'chat/comp',
      'things',
      'req_a',
      'evil',
      '\\',
      'CANCEL',
    ),
    since: at,
    until: at,
    polling: fc.constant(false as const),
  },
  { requiredKeys: [] },
)
const noon = Date.UTC(2026, 10, 21, 12)

function write(requestLog: SqliteRequestLog, one: Written): void {
  const { place } = one
  if (one.end === 'gate') {
    const from = 'a web page at https://evil.example'
    const appId = one.requester.kind === 'app' && one.requester.id === 't1' ? 't1' : null
    requestLog.refused({
      appId,
      from,
      ...place,
      status: 403,
      code: `origin_${one.status}`,
      message: `Refused: ${from}.`,
    })
    return
  }
  const trace = requestLog.open(notice({ ...place, requester: one.requester, model: one.model }))
  trace.connected()
  if (one.status !== null) trace.replied(one.status, one.id)
  if (one.end === 'open') return
  const problem = one.end === 'done' ? {} : { problem: { kind: `${one.end}_kind`, message: `It was ${one.end}.` } }
  trace.ends({ state: one.end, ...problem }, reading(1, 2))
}
type Written = typeof request extends fc.Arbitrary<infer T> ? T : never

function isBy(by: RequestRow['who'], who: string): boolean {
  if (who === 'studio') return by.kind === 'studio'
  if (who === 'strangers') return by.kind === 'stranger'
  if (who.startsWith('studio:')) return by.kind === 'studio' && who === `studio:${by.feature}`
  return by.kind === 'app' && by.id === who
}

/** The contract's filter, field by field, over rows that were read without a filter. */
function naive(row: RequestRow, { who, model: wanted, outcome, text, since, until, polling }: RequestFilter): boolean {
  if (polling === false && isBy(row.who, 'studio:account')) return false
  if (who && !isBy(row.who, who)) return false
  if (wanted && row.model !== wanted) return false
  if (outcome && (outcomeOfRow(row) ?? 'open') !== outcome) return false
  if (since && row.at < since) return false
  if (until && row.at > until) return false
  const name = row.who.kind === 'app' ? row.who.name : null
  const texts = [row.path, row.model, name, row.problem?.kind, row.problem?.message, row.requestId]
  return !text || texts.some((one) => one?.toLowerCase().includes(text.toLowerCase()))
}

describe('the log', () => {
  it('answers a filter, in pages and counts, as a read of every row would, in the core and in a reader beside it', {
    tags: 'long',
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(request, { maxLength: 40, size: 'max' }),
        fc.array(filter, { minLength: 1, maxLength: 8 }),
        async (requests, filters) => {
          let now = noon
          const { requestLog, dataDir } = openRequestLog({ now: () => now, apps: () => names })
          for (const one of requests) {
            now += one.forward
            write(requestLog, one)
          }
          const all = await requestLog.page({}, newest, 1000)
          expect(all.map(({ id }) => id)).toEqual(all.map((_, index) => all.length - index))
          const reader = openRequestLogReader(dataDir, () => names)
          for (const wanted of filters) {
            const expected = all.filter((row) => naive(row, wanted))
            const pages: RequestRow[] = []
            for (let before = newest; ; before = pages.at(-1)?.id ?? 0) {
              const page = await requestLog.page(wanted, before, 7)
              pages.push(...page)
              if (page.length < 7) break
            }
            expect(pages).toEqual(expected)
            expect((await requestLog.counts(wanted)).stored).toBe(expected.length)
            // A reader can't see the progress of a running request, nor data recorded since its start.
            const ended = (rows: RequestRow[]) => rows.filter((row) => outcomeOfRow(row) !== null)
            expect(ended(reader.page(wanted, newest, 1000))).toEqual(ended(expected))
          }
          reader.close()
          await requestLog.close()
        },
      ),
      { numRuns: 40 },
    )
  })

  it('continues a cached count, and updates it when a row under way ends', async () => {
    const { requestLog } = testRequestLog()
    const long = sent(requestLog)
    for (let n = 0; n < 5; n += 1) sent(requestLog).ends({ state: 'done' }, null)
    expect((await requestLog.counts({ outcome: 'ok' })).stored).toBe(5)
    expect((await requestLog.counts({ outcome: 'open' })).stored).toBe(1)
    long.ends({ state: 'done' }, null)
    sent(requestLog).ends({ state: 'done' }, null)
    expect((await requestLog.counts({ outcome: 'ok' })).stored).toBe(7)
    expect((await requestLog.counts({})).stored).toBe(7)
  })

  it('finds models by name even when an app has used too many to remember', () => {
    const store = openRequestLogTables(freshFolder())
    const callers = new Callers(2)
    const made = ['m1', 'm2', 'm3', 'm4'].map((name) => callers.of('tool:t', name))
    expect(made.map(({ model, many }) => [model, many])).toEqual([
      ['m1', false],
      ['m2', false],
      [null, true],
      [null, true],
    ])
    store.transaction(() => {
      callers.save(store.callers)
      for (const [index, caller] of made.entries()) {
        const id = index + 1
        store.requests.open({ id, at: noon, caller: caller.id, endpoint: 0, stream: 0, method: null, path: null })
        const stored = store.requests.get(id)
        if (stored) store.requests.close({ ...stored, outcome: 0, state: 0, model: caller.many ? `m${id}` : null })
      }
    })
    const find = (wanted: RequestFilter): number[] => {
      const { search } = readyFilter(wanted, callers, new AppNames(() => []))
      return store.search.find(search, { low: 1, high: 9 }, 9).map(({ id }) => id)
    }
    expect(find({ model: 'm1' })).toEqual([1])
    expect(find({ model: 'm3' })).toEqual([3])
    expect(find({ text: 'M4' })).toEqual([4])
    expect(find({ who: 't' })).toEqual([4, 3, 2, 1])
    store.close()
  })
})

describe('refusals of the guard', () => {
  const refusal = (changes: object = {}) => ({
    appId: null,
    from: 'a web page at https://evil.example',
    method: 'POST',
    path: '/v1/chat/completions?key=1',
    status: 403,
    code: 'origin',
    message: 'A web page at https://evil.example tried.',
    ...changes,
  })

  it('of one kind from one source within a minute are one row with a count', async () => {
    let now = noon
    const { requestLog } = testRequestLog({ now: () => now })
    for (let n = 0; n < 1000; n += 1) requestLog.refused(refusal())
    requestLog.refused(refusal({ code: 'host' }))
    requestLog.refused(refusal({ appId: 'editor', from: 'My editor', code: 'paused' }))
    const rows = await requestLog.page({}, newest, 10)
    expect(rows).toMatchObject([
      { who: { kind: 'app', id: 'editor', name: 'My editor' }, problem: { kind: 'paused' }, times: 1 },
      { problem: { kind: 'host' }, times: 1 },
      {
        who: { kind: 'stranger', from: 'a web page at https://evil.example' },
        path: '/v1/chat/completions',
        state: 'refused',
        status: 403,
        times: 1000,
        cost: '0',
        costIs: 'measured',
      },
    ])
    now += 5_000
    requestLog.refused(refusal())
    // The repeat takes the place of the row, with its time, above the rows that came between.
    expect(await requestLog.page({}, newest, 10)).toMatchObject([
      { id: 4, times: 1001, at: new Date(now).toISOString(), problem: { kind: 'origin' } },
      { id: 3, problem: { kind: 'paused' } },
      { id: 2, problem: { kind: 'host' } },
    ])
    expect((await requestLog.counts({ outcome: 'refused' })).stored).toBe(3)
    // Each request counts, also those that one row combines.
    expect((await requestLog.counts({})).refusedToday).toBe(1003)
    now += 60_000
    requestLog.refused(refusal())
    expect((await rowOf(requestLog, 5)).times).toBe(1)
    expect((await requestLog.counts({ outcome: 'refused' })).stored).toBe(4)
  })

  it('that are repeated move in a watched log too, whatever the watcher has seen', async () => {
    const { requestLog } = testRequestLog()
    const events = requestLog.watch({}, 10)
    expect((await events.next()).value).toEqual({ type: 'snapshot', rows: [] })
    requestLog.refused(refusal())
    expect((await events.next()).value).toMatchObject({ type: 'rows', rows: [{ id: 1, times: 1 }] })
    requestLog.flush()
    requestLog.refused(refusal())
    requestLog.flush()
    requestLog.refused(refusal())
    const { value } = await events.next()
    expect(value).toEqual({
      type: 'rows',
      rows: [expect.objectContaining({ id: 3, times: 3 })],
      moved: [
        { from: 1, to: 2 },
        { from: 2, to: 3 },
      ],
    })
    expect((await requestLog.page({}, newest, 10)).map(({ id }) => id)).toEqual([3])
    await events.return?.()
  })

  it('are saved as CSV with the filter, exact amounts, and no formula', async () => {
    const { requestLog, dataDir } = testRequestLog({
      apps: () => [{ id: 'editor', name: '=HYPERLINK("x")', colour: 'teal' }],
    })
    requestLog.refused(refusal({ appId: 'editor', path: '/v1/+1', message: '@sum, "quoted"' }))
    for (let n = 0; n < 1_500; n += 1) {
      const trace = sent(requestLog, { requester: { kind: 'studio', feature: n === 0 ? 'chat' : 'account' } })
      trace.ends({ state: 'done' }, reading(1, 2))
    }
    const downloads = {
      offer: ({ path, ...file }: { path: string; name: string; mime: string; bytes: number }) => ({
        downloadId: path,
        ...file,
      }),
    }
    const save = (filter: RequestFilter) => saveRows(requestLog, filter, { folder: dataDir, downloads }, undefined)
    const all = await save({})
    const text = readFileSync(all.downloadId, 'utf8')
    expect(all).toMatchObject({ name: expect.stringMatching(/^requests-.*\.csv$/), bytes: Buffer.byteLength(text) })
    expect(text.trimEnd().split('\r\n')).toHaveLength(1 + 1_501)
    const some = readFileSync((await save({ polling: false })).downloadId, 'utf8')
      .trimEnd()
      .split('\r\n')
    expect(some).toHaveLength(3)
    expect(some[2]).toContain(`"'=HYPERLINK(""x"")"`)
    expect(some[2]).toContain(`"'@sum, ""quoted""",`)
  })

  it('from ever new sources fill neither disk nor memory', async () => {
    let now = noon
    const { requestLog } = testRequestLog({ now: () => now })
    for (let n = 0; n < 5000; n += 1) {
      now += 10
      requestLog.refused(refusal({ from: `a web page at https://${n}.example` }))
    }
    const rows = await requestLog.page({}, newest, 1000)
    expect(rows).toHaveLength(51)
    expect(rows.map(({ who }) => who.kind === 'stranger' && who.from)).toContain('others')
    expect(rows.reduce((sum, { times }) => sum + times, 0)).toBe(5000)
  })

  it('are counted only for today, also after a restart', async () => {
    let now = noon
    const { requestLog, dataDir } = openRequestLog({ now: () => now })
    requestLog.refused(refusal())
    now += 86_400_000
    for (let n = 0; n < 3; n += 1) requestLog.refused(refusal())
    const over = requestLog.open(notice())
    over.ends({ state: 'refused', problem: { kind: 'over_budget', message: 'Over budget.' } }, null)
    expect((await requestLog.counts({})).refusedToday).toBe(4)
    await requestLog.close()
    const again = testRequestLog({ dataDir, now: () => now }).requestLog
    expect((await again.counts({})).refusedToday).toBe(4)
    now += 86_400_000
    expect((await again.counts({})).refusedToday).toBe(0)
  })
})

describe('a watcher of the log', () => {
  const next = async (feed: AsyncIterator<RequestsEvent, undefined>): Promise<RequestsEvent> => {
    const { value } = await feed.next()
    return value ?? expect.unreachable()
  }

  it('gets the newest rows, then changed rows in their current state', async () => {
    const { requestLog } = testRequestLog()
    for (let n = 0; n < 3; n += 1) sent(requestLog).ends({ state: 'done' }, null)
    const feed = requestLog.watch({}, 2)
    expect(await next(feed)).toMatchObject({ type: 'snapshot', rows: [{ id: 3 }, { id: 2 }] })
    const trace = requestLog.open(notice())
    trace.connected()
    expect(await next(feed)).toMatchObject({ type: 'rows', rows: [{ id: 4, state: 'sent' }] })
    trace.replied(200, null)
    for (let n = 0; n < 500; n += 1) trace.receivedBytes(10)
    expect(await next(feed)).toMatchObject({ type: 'rows', rows: [{ id: 4, state: 'streaming', bytesDown: 5000 }] })
    trace.ends({ state: 'done' }, reading(1, 2))
    expect(await next(feed)).toMatchObject({ type: 'rows', rows: [{ id: 4, state: 'done', tokensOut: 2 }] })
    await feed.return?.()
  })

  it('is notified at most ten times a second', { tags: 'long' }, async () => {
    const { requestLog } = testRequestLog()
    const feed = requestLog.watch({}, 10)
    await next(feed)
    const from = performance.now()
    let events = 0
    const trace = sent(requestLog)
    const busy = setInterval(() => trace.receivedBytes(1), 1)
    while (performance.now() - from < 1000) {
      await next(feed)
      events += 1
    }
    clearInterval(busy)
    // The last one may end after the second.
    expect(events).toBeLessThanOrEqual(11)
    expect(events).toBeGreaterThan(1)
    await feed.return?.()
  })

  it('gets only rows that match its filter, and a new snapshot when one leaves', async () => {
    const { requestLog } = testRequestLog()
    const feed = requestLog.watch({ who: 'editor', outcome: 'open' }, 10)
    expect(await next(feed)).toEqual({ type: 'snapshot', rows: [] })
    const mine = sent(requestLog)
    const theirs = sent(requestLog, { requester: appRequester('another') })
    expect(await next(feed)).toMatchObject({ type: 'rows', rows: [{ id: mine.id }] })
    theirs.receivedBytes(1)
    mine.ends({ state: 'done' }, null)
    expect(await next(feed)).toEqual({ type: 'snapshot', rows: [] })
    await feed.return?.()
  })

  it('that reads slowly costs no memory: it gets the newest rows', async () => {
    const { requestLog } = testRequestLog()
    const feed = requestLog.watch({}, 5)
    await next(feed)
    const changed = once(listen(requestLog), 'told')
    for (let n = 0; n < 3000; n += 1) sent(requestLog).ends({ state: 'done' }, null)
    await changed
    expect(await next(feed)).toMatchObject({ type: 'snapshot', rows: [{ id: 3000 }, {}, {}, {}, { id: 2996 }] })
    await feed.return?.()
  })

  it('sees growing counts of refusals, and that bodies were deleted', async () => {
    const { requestLog } = testRequestLog()
    const feed = requestLog.watch({}, 5)
    await next(feed)
    const refusal = {
      appId: null,
      from: 'a program',
      method: 'GET',
      path: '/v1/models',
      status: 401,
      code: 'no_key',
      message: 'No key.',
    }
    for (let n = 0; n < 7; n += 1) requestLog.refused(refusal)
    expect(await next(feed)).toMatchObject({ type: 'rows', rows: [{ id: 1, times: 7 }] })
    const trace = sent(requestLog, { logBodies: true })
    trace.bodies({ text: 'hello', bytes: 5, capped: false }, null)
    trace.ends({ state: 'done' }, null)
    expect(await next(feed)).toMatchObject({ type: 'rows', rows: [{ hasBodies: true }] })
    expect(await requestLog.deleteBodies('all')).toBe(1)
    expect(await next(feed)).toEqual({ type: 'erased' })
    await feed.return?.()
  })

  it('stops with its signal', async () => {
    const { requestLog } = testRequestLog()
    const stop = new AbortController()
    const feed = requestLog.watch({}, 5, stop.signal)
    await next(feed)
    const waiting = feed.next()
    stop.abort()
    expect(await waiting).toEqual({ done: true, value: undefined })
  })
})

function listen(requestLog: SqliteRequestLog): EventTarget {
  const target = new EventTarget()
  requestLog.changes.add(() => target.dispatchEvent(new Event('told')))
  return target
}
