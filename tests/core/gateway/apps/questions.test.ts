import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { answerQuestion, roundRaise } from '../../../../src-main/core/gateway/apps/answers.ts'
import { appUses } from '../../../../src-main/core/gateway/apps/appUsage.ts'
import { addApp } from '../../../../src-main/core/gateway/apps/manageApps.ts'
import { mostAsking, Questions } from '../../../../src-main/core/gateway/apps/questions.ts'
import { fromNano, toNano } from '../../../../src-main/core/shared/money.ts'
import { databaseFile, openStore, type Store } from '../../../../src-main/core/store/store.ts'
import type { App } from '../../../../src-preload/contract/apps.ts'
import type { AppQuestion, AskedRequest, QuestionAnswer } from '../../../../src-preload/contract/questions.ts'
import { temporaryFolder } from '../../../helpers/folders.ts'

/** Ten in the evening, UTC. */
const evening = Date.parse('2026-11-20T22:00:00.000Z')
const app = { id: 'one', name: 'Agent' }
const wish = (given: Partial<AskedRequest> = {}) => ({
  model: 'writer-large',
  cost: '0.5',
  reasons: ['day' as const],
  ...given,
})

let dataDir: string
let store: Store
let questions: Questions
let asked: AppQuestion[]
let gone: AbortController

const open = (): Questions =>
  new Questions({
    store,
    save: (given) => answerQuestion(store, given, Date.now()),
    spentToday: () => toNano('1.25'),
    asked: (question) => asked.push(question),
  })

beforeEach(() => {
  vi.useFakeTimers({ now: evening, toFake: ['Date', 'setTimeout', 'clearTimeout'] })
  dataDir = temporaryFolder('studio-questions-')
  store = openStore(dataDir, { busyMs: 20 })
  asked = []
  questions = open()
  gone = new AbortController()
})
afterEach(() => {
  questions.close()
  store.close()
  vi.useRealTimers()
})

const ask = (given: Partial<AskedRequest> = {}, ms = 60_000, signal = gone.signal) =>
  questions.ask(app, wish(given), { signal, endsAt: Date.now() + ms })
const only = (): AppQuestion => {
  const [question, ...others] = questions.list()
  if (!question || others.length > 0) throw new Error('There is not exactly one question.')
  return question
}
const say = (answer: QuestionAnswer['answer'], more: Partial<QuestionAnswer> = {}) =>
  questions.answer({ id: only().id, answer, amount: null, seen: 100, ...more })

describe('a question', () => {
  it('is one for all requests of an app that wait, and says what they cost together', async () => {
    const all = [ask(), ask({ model: 'writer-small', cost: '0.25', reasons: ['month'] }), ask({ reasons: ['cost'] })]
    expect(asked).toHaveLength(1)
    expect(only()).toMatchObject({
      app,
      askedAt: '2026-11-20T22:00:00.000Z',
      endsAt: '2026-11-20T22:01:00.000Z',
      spentToday: '1.25',
      cost: '1.25',
      suggested: '5',
      requests: [{ number: 1 }, { number: 2, model: 'writer-small' }, { number: 3 }],
    })
    expect(store.appQuestions.open()).toMatchObject([{ appId: 'one', requests: only().requests }])
    expect(say('once')).toEqual({ answer: 'once', isFirst: true })
    expect(await Promise.all(all)).toEqual(['once', 'once', 'once'])
    expect(questions.list()).toEqual([])
  })

  it('of another app is another question', async () => {
    const first = ask()
    const second = questions.ask({ id: 'two', name: 'Editor' }, wish(), { signal: gone.signal, endsAt: evening + 1000 })
    const [, other] = questions.list()
    questions.answer({ id: other?.id ?? '', answer: 'refuse', amount: null, seen: 1 })
    expect(await second).toBe('refuse')
    say('once')
    expect(await first).toBe('once')
  })

  it('suggests a raise that suffices also when more than the budget is spent already', () => {
    const overspent = (amount: string) => ({ signal: gone.signal, endsAt: evening + 1000, overspent: toNano(amount) })
    void questions.ask(app, wish({ cost: '0.01' }), overspent('0.4')).catch(() => undefined)
    expect(only().suggested).toBe('0.5')
    void questions.ask(app, wish({ cost: null }), overspent('3')).catch(() => undefined)
    expect(only().suggested).toBe('5')
  })

  it('has no total cost while one price is unknown, and no amount without a budget', () => {
    void ask({ cost: null, reasons: ['model'] })
    expect(only()).toMatchObject({ cost: null, suggested: null })
    expect(() => say('more', { amount: '1' })).toThrow('No budget is the reason of this question')
    expect(questions.list()).toHaveLength(1)
  })

  it('is not answered for requests that the person has not seen', async () => {
    const first = ask()
    const { requests } = only()
    const late = ask({ cost: '100' })
    say('once', { seen: requests.length })
    expect(await Promise.all([first, late])).toEqual(['once', 'again'])
  })

  it('refuses each request when its own time is over, and ends with the last', async () => {
    const short = ask({}, 60_000)
    const long = ask({}, 140_000)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await short).toBe('none')
    expect(only().requests).toMatchObject([{ number: 2 }])
    await vi.advanceTimersByTimeAsync(80_000)
    expect(await long).toBe('none')
    expect(questions.list()).toEqual([])
    expect(store.appQuestions.open()).toEqual([])
    expect(await ask({}, 0)).toBe('none')
  })

  it('loses the request of an app that disconnects, and ends with the last', async () => {
    const other = new AbortController()
    const stays = ask()
    const leaves = ask({}, 60_000, other.signal)
    other.abort()
    await expect(leaves).rejects.toMatchObject({ kind: 'cancelled' })
    expect(only().requests).toMatchObject([{ number: 1 }])
    expect(store.appQuestions.open()).toMatchObject([{ requests: [{ number: 1 }] }])
    gone.abort()
    await expect(stays).rejects.toMatchObject({ kind: 'cancelled' })
    expect([questions.list(), store.appQuestions.open()]).toEqual([[], []])
    await expect(ask()).rejects.toMatchObject({ kind: 'cancelled' })
  })

  it('takes a bounded number of requests at once', async () => {
    const all = Array.from({ length: mostAsking }, () => ask())
    expect(await ask()).toBe('full')
    say('once')
    await Promise.all(all)
    expect(questions.list()).toEqual([])
  })

  it('takes a bounded number of requests of an app that comes and goes', async () => {
    void ask()
    for (let count = 1; count < 100; count += 1) {
      const fleeting = new AbortController()
      const waiting = ask({}, 60_000, fleeting.signal)
      fleeting.abort()
      await expect(waiting).rejects.toMatchObject({ kind: 'cancelled' })
    }
    expect(await ask()).toBe('full')
    expect(only().requests).toHaveLength(1)
  })

  it('is notified about once in a while, and stored a bounded number of times, for an app that comes and goes', async () => {
    for (let count = 0; count < 600; count += 1) {
      const fleeting = new AbortController()
      const waiting = ask({}, 60_000, fleeting.signal)
      fleeting.abort()
      await expect(waiting).rejects.toMatchObject({ kind: 'cancelled' })
      await vi.advanceTimersByTimeAsync(100)
    }
    expect(asked).toHaveLength(2)
    const database = new DatabaseSync(databaseFile(dataDir), { readOnly: true })
    const [row] = database.prepare('SELECT count(*) AS stored FROM app_questions').all()
    database.close()
    expect(row?.stored).toBeLessThan(300)
  })

  it('is asked again after an answer, and another one is asked about then', async () => {
    const first = ask()
    say('refuse')
    expect(await first).toBe('refuse')
    void ask()
    expect(asked).toHaveLength(2)
    expect(asked[0]?.id).not.toBe(asked[1]?.id)
  })
})

describe('the first answer', () => {
  it('holds, and a second window learns it', async () => {
    const waiting = ask()
    const { id } = only()
    say('refuse')
    expect(questions.answer({ id, answer: 'once', amount: null, seen: 1 })).toEqual({
      answer: 'refuse',
      isFirst: false,
    })
    expect(await waiting).toBe('refuse')
    expect(() => questions.answer({ id: 'none', answer: 'once', amount: null, seen: 1 })).toThrow('no longer exists')
  })

  it('can come from another process', async () => {
    const waiting = ask()
    const { id } = only()
    const terminal = openStore(dataDir)
    expect(answerQuestion(terminal, { id, answer: 'once', amount: null, seen: 1 })).toMatchObject({ isFirst: true })
    expect(questions.answer({ id, answer: 'refuse', amount: null, seen: 1 })).toEqual({
      answer: 'once',
      isFirst: false,
    })
    expect(await waiting).toBe('once')
    terminal.close()
  })

  it('of another process counts also in the last moment', async () => {
    const waiting = ask({}, 1000)
    const terminal = openStore(dataDir)
    answerQuestion(terminal, { id: only().id, answer: 'once', amount: null, seen: 1 })
    terminal.close()
    await vi.advanceTimersByTimeAsync(1000)
    expect(await waiting).toBe('once')
  })

  it('can’t be given while another process has locked the database, and the question goes on', async () => {
    const waiting = ask()
    const other = openStore(dataDir)
    other.transaction(() => {
      expect(() => say('once')).toThrow()
      expect(questions.list()).toHaveLength(1)
    })
    other.close()
    say('once')
    expect(await waiting).toBe('once')
  })

  it('is not asked for while the database is locked: the request gets the reason at once', async () => {
    const other = openStore(dataDir)
    const failed = await other.transaction(() => ask().catch((thrown: unknown) => thrown))
    other.close()
    await expect(Promise.resolve(failed)).resolves.toMatchObject({ kind: 'database_locked' })
    expect([questions.list(), asked]).toEqual([[], []])
  })
})

describe('after a kill', () => {
  it('no question is open, and nothing is granted', () => {
    void ask({}, 60_000).catch(() => undefined)
    // A killed core closes nothing.
    const next = open()
    expect(store.appQuestions.open()).toEqual([])
    expect(next.list()).toEqual([])
    expect(next.grants('one')).toEqual({ extra: { day: 0n, month: 0n, total: 0n }, open: new Set() })
  })
})

describe('what an answer allows', () => {
  const granted = () => {
    const { extra, open: reasons } = questions.grants('one')
    return { day: fromNano(extra.day), month: fromNano(extra.month), open: [...reasons] }
  }

  it('is nothing more after once and refuse', () => {
    void ask()
    say('once')
    void ask()
    say('refuse')
    expect(granted()).toEqual({ day: '0', month: '0', open: [] })
  })

  it('is a raise of the exceeded budgets until their day and month end', () => {
    void ask({ reasons: ['day', 'month'] })
    say('more', { amount: '2' })
    void ask({ reasons: ['day', 'cost'] })
    say('more', { amount: '0.5' })
    expect(granted()).toEqual({ day: '2.5', month: '2', open: [] })
    vi.setSystemTime('2026-11-21T00:00:00Z')
    expect(granted()).toEqual({ day: '0', month: '2', open: [] })
    vi.setSystemTime('2026-12-01T00:00:00Z')
    expect(granted()).toEqual({ day: '0', month: '0', open: [] })
  })

  it('is every reason of the seen requests until midnight UTC', () => {
    void ask({ reasons: ['day', 'model'] })
    void ask({ reasons: ['total'] }).catch(() => undefined)
    say('tomorrow', { seen: 1 })
    expect(granted().open).toEqual(['day', 'model'])
    vi.setSystemTime('2026-11-20T23:59:59.999Z')
    expect(granted().open).toEqual(['day', 'model'])
    vi.setSystemTime('2026-11-21T00:00:00Z')
    expect(granted().open).toEqual([])
  })

  it('raises a total budget for good, because it has no end', () => {
    const { app: added } = addApp(store, { name: 'Agent', budgetTotal: '10', budgetDay: '1', atBudget: 'ask' })
    void questions.ask(added, wish({ reasons: ['total', 'day'] }), { signal: gone.signal, endsAt: evening + 1000 })
    say('more', { amount: '2.5' })
    expect(store.appKeys.find(added.id)?.app).toMatchObject({ budgetTotal: '12.5', budgetDay: '1' })
    expect(fromNano(questions.grants(added.id).extra.day)).toBe('2.5')
  })

  it('is in the figures of an app that asks, and only there', () => {
    const { app: added } = addApp(store, { name: 'Agent', budgetDay: '1', atBudget: 'ask' })
    const spent = { day: 0n, month: 0n, total: 0n, estimated: false, unpricedToday: 0 }
    const read = (shown: App) =>
      appUses({
        apps: { list: () => [shown], lastUseOf: () => null },
        requestLog: {
          spent: () => ({ ...spent, requestsToday: 0, tokensToday: 0, perMinute: [] }),
          liveOf: () => ({ active: 0, waiting: 0 }),
        },
        allowance: { use: () => ({ reserved: 0n }), shortBudget: () => null },
        grants: questions.grants,
      })[0]?.allowed
    for (const answer of ['more', 'tomorrow'] as const) {
      void questions.ask(added, wish({ reasons: ['day', 'model'] }), { signal: gone.signal, endsAt: evening + 1000 })
      say(answer, { amount: answer === 'more' ? '0.5' : null })
    }
    expect(read(added)).toEqual({ day: '0.5', month: '0', open: ['day'] })
    expect(read({ ...added, atBudget: 'refuse' })).toEqual({ day: '0', month: '0', open: [] })
  })

  it('needs an amount', () => {
    void ask()
    for (const amount of [null, '0', '0.0'] as const)
      expect(() => say('more', { amount })).toThrow('Give the amount in SC')
    expect(() => say('more', { amount: '0.0000000001' })).toThrow('at most nine digits')
  })

  it('is seen at once when another process stores it', () => {
    void ask()
    expect(granted().day).toBe('0')
    const terminal = openStore(dataDir)
    answerQuestion(terminal, { id: only().id, answer: 'more', amount: '3', seen: 1 }, evening)
    terminal.close()
    expect(granted().day).toBe('3')
  })
})

it.each([
  ['0', '0.01'],
  ['0.0024', '0.01'],
  ['0.5', '2'],
  ['1.25', '5'],
  ['1.26', '10'],
  ['300', '2000'],
])('a cost of %s SC suggests a raise of %s SC', (cost, suggested) => {
  expect(fromNano(roundRaise(toNano(cost)))).toBe(suggested)
})
