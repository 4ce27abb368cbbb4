import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { appSettings } from '../../../../src-preload/contract/apps.ts'
import type { RequestDetail } from '../../../../src-preload/contract/requests.ts'
import { activityOf, blockedBy } from '../../../../src-renderer/features/proxy/appState.ts'
import { readable } from '../../../../src-renderer/features/proxy/bodies.ts'
import { asCurl } from '../../../../src-renderer/features/proxy/curl.ts'
import { exact, showLimit, showSc, showSpent } from '../../../../src-renderer/features/proxy/figures.ts'
import {
  type AppForm,
  formOf,
  freshColour,
  instantOf,
  localText,
  newForm,
  readForm,
  shownBack,
} from '../../../../src-renderer/features/proxy/form.ts'
import { timeline } from '../../../../src-renderer/features/proxy/timeline.ts'
import { parseOrigin } from '../../../../src-renderer/features/settings/parse.ts'
import { budgetsOf } from '../../../../src-renderer/shared/appBudgets.ts'
import { firstAppsStore, splitApps, withUse } from '../../../../src-renderer/stores/apps.ts'
import { app, row, use } from './rows.ts'

const now = Date.parse('2026-11-21T14:00:00.000Z')

describe('amounts', () => {
  it('have their significant digits, and a positive amount never shows as zero', () => {
    expect(['0', '0.000', '7.803451', '0.34201', '0.00042', '1234567.5', '0.0000000001'].map(showSc)).toEqual([
      '0',
      '0',
      '7.80',
      '0.34',
      '0.00042',
      '1,234,567.50',
      '< 0.000000001',
    ])
    expect(['20', '0.50', '1000.000', '007'].map(showLimit)).toEqual(['20', '0.5', '1,000', '7'])
  })
  it('are never off by more than half of the last digit shown', () => {
    const amount = fc
      .tuple(fc.nat(1_000_000), fc.nat(999_999_999))
      .map(([a, b]) => `${a}.${String(b).padStart(9, '0')}`)
    fc.assert(
      fc.property(amount, (text) => {
        const shown = showSc(text).replaceAll(',', '')
        const digits = shown.split('.')[1]?.length ?? 0
        const off = exact(shown) - exact(text)
        expect((off < 0n ? -off : off) * 2n).toBeLessThanOrEqual(10n ** BigInt(18 - digits))
      }),
    )
  })
  it('look smaller than their limit exactly while they are', () => {
    expect(['0.01815', '0.02', '0.020001', '1.9999999'].map((spent) => showSpent(spent, '0.02'))).toEqual([
      '0.018',
      '0.02',
      '0.02',
      '2.00',
    ])
    expect(showSpent('1999.99999', '2000')).toBe('1,999.99999')
    expect(showSpent('0.0204', '0.0204')).toBe('0.0204')
    const amount = fc
      .tuple(fc.nat(2_000), fc.nat(999_999_999))
      .map(([whole, part]) => `${whole}.${String(part).padStart(9, '0')}`)
    const close = fc.tuple(amount, fc.integer({ min: -3, max: 3 })).map(([limit, off]) => {
      const units = BigInt(limit.replace('.', '')) + BigInt(off)
      const digits = (units < 0n ? 0n : units).toString().padStart(10, '0')
      return [`${digits.slice(0, -9)}.${digits.slice(-9)}`, limit] as const
    })
    fc.assert(
      fc.property(fc.oneof(close, fc.tuple(amount, amount)), ([spent, limit]) => {
        const shown = showSpent(spent, limit).replaceAll(',', '')
        expect(exact(shown) < exact(limit)).toBe(exact(spent) < exact(limit))
      }),
    )
  })
  it('are compared exactly where floating point would not be', () => {
    expect(exact('0.3') - exact('0.1') - exact('0.2')).toBe(0n)
    expect(exact('999999999999999.000000000000000001')).toBeGreaterThan(exact('999999999999999'))
  })
})

describe('the app form', () => {
  const filled = (change: Partial<AppForm>): AppForm => ({ ...newForm('editor', 'blue'), ...change })
  it('produces what the contract accepts, for any valid app', () => {
    const read = readForm(
      formOf(
        app({
          modelMap: [{ pattern: 'claude-*', model: 'a' }],
          models: ['a', 'b'],
          endpoints: ['chat'],
          requestsPerMinute: 60,
          budgetDay: '0.000000001',
          budgetTotal: '12',
          failFast: true,
        }),
      ),
      now,
    )
    expect(read.errors).toBeNull()
    expect(appSettings.parse(read.settings)).toEqual(read.settings)
    expect(read.settings).toMatchObject({
      modelMap: [{ pattern: 'claude-*', model: 'a' }],
      models: ['a', 'b'],
      budgetDay: '0.000000001',
      budgetTotal: '12',
    })
  })
  it('parses amounts exactly, and numbers as people write them', () => {
    const { settings } = readForm(
      filled({ budgetDay: ' 0020.500 ', budgetMonth: '.5', budgetTotal: '0,01', tokensPerMinute: '100,000' }),
      now,
    )
    expect(settings).toMatchObject({
      budgetDay: '20.5',
      budgetMonth: '0.5',
      budgetTotal: '0.01',
      tokensPerMinute: 100_000,
    })
    expect(shownBack('budgetDay', '0,010')).toBe('0.01')
    expect(shownBack('tokensPerMinute', '100,000')).toBe('100000')
    expect(shownBack('concurrent', '1,5')).toBe('1,5')
  })
  it('saves complete rules of the model map in order, without empty ones, and reports incomplete ones', () => {
    const rule = (pattern: string, model: string) => ({ pattern, model })
    const { settings } = readForm(
      filled({ modelMap: [rule(' *-haiku-* ', 'a'), rule(' ', ''), rule('claude-*', ' b')] }),
      now,
    )
    expect(settings?.modelMap).toEqual([rule('*-haiku-*', 'a'), rule('claude-*', 'b')])
    for (const incomplete of [rule('claude-*', ' '), rule('', 'a')])
      expect(readForm(filled({ modelMap: [incomplete] }), now).errors).toEqual({ modelMap: 'modelMap' })
  })
  it('reports errors by field, and saves nothing then', () => {
    const read = readForm(
      filled({
        name: '  ',
        expires: localText(new Date(now - 3_600_000).toISOString()),
        anyModel: false,
        anyEndpoint: false,
        requestsPerMinute: '0',
        concurrent: '1.5',
        budgetDay: '1,5,0',
        budgetTotal: '1.0000000001',
      }),
      now,
    )
    expect(read.settings).toBeNull()
    expect(read.errors).toEqual({
      name: 'name',
      expires: 'expiresPast',
      models: 'models',
      endpoints: 'endpoints',
      requestsPerMinute: 'whole',
      concurrent: 'whole',
      budgetDay: 'amount',
      budgetTotal: 'amount',
    })
  })
  it('does not change an untouched expiry, also one with seconds or in the past', () => {
    const expiresAt = '2026-11-20T09:12:33.123Z'
    expect(readForm(formOf(app({ expiresAt })), now, expiresAt).settings?.expiresAt).toBe(expiresAt)
  })
  it('restores the same minute in local time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 60_000_000 }), (minutes) => {
        const instant = new Date(minutes * 60_000).toISOString()
        // One hour occurs twice when clocks are set back. The text then means the first one.
        expect(localText(instantOf(localText(instant)) ?? '')).toBe(localText(instant))
      }),
    )
  })
  it('proposes one of the least used colours', () => {
    expect(freshColour([])).toBe('blue')
    expect(freshColour([app(), app({ colour: 'teal' })])).toBe('violet')
    expect(freshColour([app({ revokedAt: '2026-01-01T00:00:00.000Z' })])).toBe('blue')
  })
})

describe("an app's card", () => {
  it('shows first what blocks the app, then what it does', () => {
    const before = new Date(now - 1).toISOString()
    expect(blockedBy(app({ revokedAt: before, pausedAt: before }), null, now)).toBe('revoked')
    expect(blockedBy(app({ expiresAt: before, pausedAt: before }), null, now)).toBe('expired')
    expect(blockedBy(app({ pausedAt: before }), use({ active: 2 }), now)).toBe('paused')
    expect(activityOf(app({ pausedAt: before }), use({ active: 2 }), now)).toEqual({ is: 'blocked', by: 'paused' })
    expect(activityOf(app(), use({ active: 3, waiting: 1 }), now)).toEqual({ is: 'streaming', count: 2 })
    expect(activityOf(app(), use({ active: 1, waiting: 1 }), now)).toEqual({ is: 'waiting', count: 1 })
    // Also while a request runs: the next one is refused.
    expect(blockedBy(app({ budgetDay: '2' }), use({ spentDay: '2', active: 1 }), now)).toBe('budgetDay')
    expect(blockedBy(app({ budgetDay: '2' }), use({ spentDay: '1.999999999' }), now)).toBeNull()
    // Of several limits, the card names the one that renews last.
    expect(blockedBy(app({ budgetDay: '2', budgetTotal: '3' }), use({ spentDay: '3', spentTotal: '3' }), now)).toBe(
      'budgetTotal',
    )
  })
  it('is never idle while the rest of a budget is too small for its requests', () => {
    const state = activityOf(app({ budgetDay: '2' }), use({ spentDay: '1.9', short: 'day' }), now)
    expect(state).toEqual({ is: 'blocked', by: 'shortDay' })
  })
  it('says that the app asks, and not that its budget blocks it, when the person wants to be asked', () => {
    const asking = app({ budgetDay: '2', atBudget: 'ask' })
    expect(blockedBy(asking, use({ spentDay: '2' }), now)).toBe('asks')
    expect(blockedBy(asking, use({ spentDay: '1.9', short: 'day' }), now)).toBe('asks')
    expect(blockedBy(asking, use({ spentDay: '1' }), now)).toBeNull()
  })
  it('measures spend against each budget exactly', () => {
    expect(budgetsOf(app({ budgetDay: '20', budgetTotal: '0' }), use({ spentDay: '5', spentTotal: '0' }))).toEqual([
      { period: 'Day', spent: '5', limit: '20', used: false, share: 0.25 },
      { period: 'Total', spent: '0', limit: '0', used: true, share: 1 },
    ])
  })
  it('renders again only when its own figures change', () => {
    const first = withUse(firstAppsStore, [use(), use({ id: 't2', perMinute: [1] })])
    const next = withUse(first, [use(), use({ id: 't2', perMinute: [2] })])
    expect(next.use.t1).toBe(first.use.t1)
    expect(next.use.t2).not.toBe(first.use.t2)
    expect(withUse(next, [use({ short: 'day' })]).use.t1?.short).toBe('day')
    expect(withUse(next, [use()]).use.t2).toBeUndefined()
  })
  it('is collapsed once its key can no longer be used', () => {
    const apps = [app({ id: 'a' }), app({ id: 'b', revokedAt: 'x' }), app({ id: 'c', pausedAt: 'x' })]
    expect(splitApps(apps).alive.map(({ id }) => id)).toEqual(['a', 'c'])
    // An expired app needs only another expiry.
    expect(splitApps([app({ expiresAt: new Date(now).toISOString() })]).alive.length).toBe(1)
  })
})

describe('the timeline', () => {
  it("covers exactly the request's time, in order, whatever the figures", () => {
    const ms = fc.integer({ min: 0, max: 100_000 })
    fc.assert(
      fc.property(
        ms,
        ms,
        fc.option(ms),
        fc.option(ms),
        fc.option(ms),
        (queuedMs, backoffMs, connectMs, first, took) => {
          const { phases, total } = timeline(
            row(1, {
              queuedMs,
              backoffMs,
              connectMs,
              firstByteMs: first,
              durationMs: took,
              state: took === null ? 'streaming' : 'done',
            }),
            Date.parse('2026-11-21T14:06:31.000Z') + 50_000,
          )
          let at = 0
          for (const phase of phases) {
            expect(phase.from).toBe(at)
            expect(phase.ms).toBeGreaterThan(0)
            at += phase.ms
          }
          expect(at).toBe(total)
        },
      ),
    )
  })
  it('shows no wait for the service when nothing was sent', () => {
    const refused = row(1, { state: 'refused', queuedMs: 3, connectMs: null, firstByteMs: null, durationMs: 40 })
    expect(timeline(refused, 0)).toEqual({ phases: [{ name: 'queued', from: 0, ms: 3 }], total: 40 })
  })
  it('names what a running request is waiting for', () => {
    const began = Date.parse('2026-11-21T14:06:31.000Z')
    const open = { durationMs: null, firstByteMs: null, connectMs: null, status: null } as const
    const last = (state: 'waiting' | 'backing_off' | 'sent' | 'streaming', firstByteMs: number | null = null) =>
      timeline(row(1, { ...open, state, firstByteMs }), began + 4_000).phases.at(-1)?.name
    expect(last('waiting')).toBe('queued')
    expect(last('backing_off')).toBe('backoff')
    expect(last('sent')).toBe('waiting')
    expect(last('streaming', 300)).toBe('streaming')
  })
})

describe('logged bodies', () => {
  const body = (text: string, capped = false) => ({ text, bytes: text.length, capped })
  const detail = (change: Partial<RequestDetail> = {}): RequestDetail => ({
    row: row(1),
    requestHeaders: [
      ['content-type', 'application/json'],
      ['Authorization', 'Bearer [cut out]'],
      ['x-custom', "it's"],
    ],
    replyHeaders: null,
    requestBody: body('{"a":"it\'s"}'),
    replyBody: null,
    againOf: null,
    ...change,
  })
  it('are copied as a command line without any key, every word quoted', () => {
    const { text, body: bodyState } = asCurl(detail(), 'http://127.0.0.1:8787/v1')
    expect(bodyState).toBe('whole')
    expect(text).toBe(
      [
        "curl -N 'http://127.0.0.1:8787/v1/chat/completions'",
        '-H "Authorization: Bearer $APP_KEY"',
        "-H 'content-type: application/json'",
        "-H 'x-custom: it'\\''s'",
        "--data-raw '{\"a\":\"it'\\''s\"}'",
      ].join(' \\\n  '),
    )
    expect(text).not.toContain('cut out')
  })
  it('are marked as left out of the command line when they are not stored', () => {
    expect(asCurl(detail({ requestBody: body('{"a', true) }), 'http://127.0.0.1:1/v1').body).toBe('left out')
    expect(asCurl(detail({ requestBody: null }), 'http://127.0.0.1:1/v1').body).toBe('left out')
    expect(asCurl(detail({ requestBody: null, row: row(1, { bytesUp: 0 }) }), 'http://127.0.0.1:1/v1').body).toBe(
      'none',
    )
  })
  it('are formatted when they are JSON, and otherwise unchanged', () => {
    expect(readable(body('{"a":1}'))?.text).toBe('{\n  "a": 1\n}')
    for (const text of ['data: {"a":1}\n\n', '{"a":', '']) expect(readable(body(text))?.text).toBe(text)
    expect(readable({ text: null, bytes: 9, capped: false })).toBeNull()
  })
})

describe('allowed origins', () => {
  it('are accepted in the form that a browser sends', () => {
    expect(parseOrigin(' HTTP://LocalHost:3000/ ', [])).toEqual({ origin: 'http://localhost:3000' })
    expect(parseOrigin('https://a.example:443', [])).toEqual({ origin: 'https://a.example' })
    expect(parseOrigin('chrome-extension://abcdef', [])).toEqual({ origin: 'chrome-extension://abcdef' })
  })
  it('are refused when they are not a single origin', () => {
    for (const typed of [
      '',
      '*',
      'null',
      'localhost:3000',
      'http://a/b',
      'http://a?x',
      'http://u@a',
      'file:///x',
      'data:x',
      'javascript://x',
    ])
      expect(parseOrigin(typed, []), typed).toEqual({ fault: 'bad' })
    expect(parseOrigin('http://a', ['http://a'])).toEqual({ fault: 'known' })
    expect(parseOrigin('http://a', Array(50).fill('x'))).toEqual({ fault: 'many' })
  })
})
