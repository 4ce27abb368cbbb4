import { setImmediate } from 'node:timers/promises'
import * as fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { HashedSection } from '../../../../src-main/core/ports/requests.ts'
import { openRequestLogReader } from '../../../../src-main/core/requestLog/reader.ts'
import { SectionReader } from '../../../../src-main/core/requestLog/sessions/sections.ts'
import type { AgentSession, SessionFilter } from '../../../../src-preload/contract/sessions.ts'
import { heap } from '../../upstream/reply/helpers/heap.ts'
import { notice, reading, service, testRequestLog, usage } from '../helpers.ts'

const reader = new SectionReader(new Uint8Array(32))
const sectionsOf = (messages: object[], tools: object[] = []): HashedSection[] =>
  reader.read(Buffer.from(JSON.stringify({ messages, tools })))?.sections ?? []

const words = (about: string, length = 400) => `${about} `.repeat(Math.ceil(length / (about.length + 1)))
const system = { role: 'system', content: words('You are an agent.', 8000) }
const user = (about: string) => ({ role: 'user', content: words(about) })

function fresh(options: Parameters<typeof testRequestLog>[0] = {}) {
  let now = Date.UTC(2026, 10, 29, 12)
  const opened = testRequestLog({ now: () => now, ...options })
  opened.requestLog.learn(usage, service)
  /** Begins a request. Returns what ends it. */
  const start = (
    prompt: object[] | readonly HashedSection[],
    {
      id = null,
      app = 'editor',
      model = 'writer-small',
      cached = 0,
      waitMs = 1000,
      status = 200,
      tokens = 10_000,
    }: {
      id?: string | null
      app?: string
      model?: string
      cached?: number
      waitMs?: number
      status?: number
      tokens?: number
    } = {},
  ): (() => number) => {
    now += waitMs
    const trace = opened.requestLog.open(notice({ requester: { kind: 'app', id: app, failFast: false }, model }))
    trace.prompt(id, isRead(prompt) ? prompt : sectionsOf(prompt))
    trace.connected()
    return () => {
      trace.replied(status, null)
      trace.ends({ state: 'done' }, status === 200 ? reading(tokens, 10, cached) : null)
      return trace.id
    }
  }
  const turn = (...given: Parameters<typeof start>): number => start(...given)()
  const sessions = () => opened.requestLog.storedSessions.list({}, 200).sessions
  const losses = (session = sessions()[0]?.id ?? 0) =>
    opened.requestLog.storedSessions.get(session).turns.map(({ loss }) => loss)
  return { ...opened, start, turn, sessions, losses }
}

const isRead = (prompt: object[] | readonly HashedSection[]): prompt is readonly HashedSection[] =>
  prompt.some((one) => 'unnumbered' in one)

/** A conversation grows by one reply and one message each turn. */
const talk = (name: string, turns: number): object[] => [
  system,
  ...Array.from({ length: 2 * turns - 1 }, (_, at) =>
    at % 2 ? { role: 'assistant', content: `${name} ${at}` } : user(`${name} ${at}`),
  ),
]

/** Whether a session matches a filter, in plain words. */
function fits(
  { who, model, lostTurns, began, ended }: AgentSession,
  filter: { [Name in keyof SessionFilter]?: SessionFilter[Name] | undefined },
): boolean {
  if (filter.app !== undefined && !(who.kind === 'app' && who.id === filter.app)) return false
  if (filter.model !== undefined && model !== filter.model) return false
  if (filter.lost && lostTurns === 0) return false
  return (filter.since ?? '') <= ended && began <= (filter.until ?? '9')
}

describe('sessions', () => {
  it('are the conversations, in any interleaving, with the ids of their apps and without', () => {
    const step = fc.record({ talk: fc.nat(4), hasId: fc.constant(false) })
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), fc.boolean(), (steps, named) => {
        const { turn, sessions, requestLog } = fresh()
        const lengths = new Map<number, number>()
        for (const { talk: which } of steps) {
          const length = (lengths.get(which) ?? 0) + 1
          lengths.set(which, length)
          turn(talk(`talk ${'abcde'[which]}`, length), { id: named ? `id ${which}` : null })
        }
        // Without an id, one request alone is no session.
        const expected = [...lengths.values()].filter((length) => named || length > 1).sort((a, b) => a - b)
        expect(
          sessions()
            .map(({ turns }) => turns)
            .sort((a, b) => a - b),
        ).toEqual(expected)
        for (const { id } of sessions()) {
          const changes = requestLog.storedSessions.get(id).turns.map(({ loss }) => loss.change)
          expect(changes).toEqual(changes.map((_, at) => (at === 0 ? 'first' : 'none')))
        }
      }),
      { numRuns: 40 },
    )
  })

  it('have sums that are those of their requests, to the last billionth', async () => {
    const turnOf = fc.record({
      tokens: fc.nat(2_000_000),
      cached: fc.nat(2_000_000),
      status: fc.constantFrom(200, 200, 200, 429, 500),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(turnOf, { minLength: 1, maxLength: 20 }), async (all) => {
        const { turn, sessions, requestLog } = fresh()
        for (const [at, { tokens, cached, status }] of all.entries())
          turn(talk('one', at + 1), { id: 'a', tokens, cached, status })
        const rows = await requestLog.page({}, Number.MAX_SAFE_INTEGER, 1000)
        const sum = (of: (row: (typeof rows)[number]) => number | null) =>
          rows.reduce((all, row) => all + (of(row) ?? 0), 0)
        const nano = (amount: string | null) => BigInt(Math.round(Number(amount ?? '0') * 1e9))
        const [session] = sessions()
        expect(session).toMatchObject({
          turns: all.length,
          tokensIn: sum((row) => row.tokensIn),
          tokensCached: sum((row) => row.tokensCached),
          tokensOut: sum((row) => row.tokensOut),
          unpriced: rows.filter(({ cost }) => cost === null).length,
        })
        expect(nano(session?.cost ?? null)).toBe(rows.reduce((total, { cost }) => total + nano(cost), 0n))
      }),
      { numRuns: 40 },
    )
  })

  it('are found by app, model, time and lost cache, here and by another process, whatever is combined', async () => {
    const turnOf = fc.record({
      id: fc.nat(5),
      app: fc.nat(1),
      model: fc.nat(1),
      broken: fc.boolean(),
      waitMs: fc.nat(3),
    })
    const search = fc.record(
      {
        app: fc.constantFrom('editor', 'agent', 'nobody'),
        model: fc.constantFrom('writer-small', 'writer-large'),
        lost: fc.constant(true as const),
        since: fc.nat(40),
        until: fc.nat(40),
      },
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(turnOf, { minLength: 1, maxLength: 25 }),
        fc.array(search, { minLength: 1, maxLength: 10 }),
        async (turns, searches) => {
          const { turn, sessions, requestLog, dataDir, close } = fresh()
          const start = Date.UTC(2026, 10, 29, 12)
          const lengths = new Map<string, number>()
          for (const { id, app, model, broken, waitMs } of turns) {
            const name = `${app} ${id}`
            const length = (lengths.get(name) ?? 0) + 1
            lengths.set(name, length)
            const messages = talk(name, length)
            if (broken) messages[1] = user(`other ${length}`)
            turn(messages, {
              ...{ id: `id ${id}`, app: ['editor', 'agent'][app] ?? '', waitMs: 1000 * waitMs },
              ...{ model: ['writer-small', 'writer-large'][model] ?? '', cached: broken ? 0 : 9_900 },
            })
          }
          const all = sessions()
          const at = (seconds: number | undefined) =>
            seconds === undefined ? undefined : new Date(start + 1000 * seconds).toISOString()
          const reader = openRequestLogReader(dataDir)
          for (const { app, model, lost, ...times } of searches) {
            const [since, until] = [at(times.since), at(times.until)]
            const given = { app, model, lost, since, until }
            const filter = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
            const expected = all.filter((one) => fits(one, given))
            const ids = (list: readonly { id: number }[] = []) => list.map(({ id }) => id)
            expect(ids(requestLog.storedSessions.list(filter, 200).sessions)).toEqual(ids(expected))
            expect(ids(reader.sessions()?.list(filter, 200).sessions)).toEqual(ids(expected))
          }
          reader.close()
          await close()
        },
      ),
      { numRuns: 25 },
    )
  })

  it('of two apps with the same id are two', () => {
    const { turn, sessions } = fresh()
    for (const app of ['editor', 'agent']) turn(talk('one', 1), { id: 'same', app })
    expect(sessions().map(({ who }) => who.kind === 'app' && who.id)).toEqual(['agent', 'editor'])
  })

  it('keep a side conversation apart: a title does not break the cache of its agent', () => {
    const { turn, losses } = fresh()
    const title = [{ role: 'system', content: words('You write titles.', 3000) }, user('one 0')]
    turn(talk('one', 1), { id: 'a' })
    turn(title, { id: 'a' })
    turn(talk('one', 2), { id: 'a', cached: 9_900 })
    expect(losses().map(({ change }) => change)).toEqual(['first', 'first', 'none'])
  })

  it.each(['a', null])('go on when the whole system prompt changes, which is most of each request (id: %s)', (id) => {
    const { turn, sessions, losses } = fresh()
    for (const length of [1, 2, 3]) turn(talk('one', length), { id, cached: length === 1 ? 0 : 9_900 })
    turn([{ role: 'system', content: words('Other rules.', 8000) }, ...talk('one', 4).slice(1)], { id })
    expect(sessions()).toMatchObject([{ turns: 4, lostTurns: 1 }])
    expect(losses().at(-1)).toMatchObject({ change: 'system', section: { kind: 'system', place: 1 }, tokens: 10_000 })
  })

  it('begin anew when a history is repeated from its start', () => {
    const { turn, sessions } = fresh()
    for (const length of [1, 2, 3]) turn(talk('one', length))
    for (const length of [1, 2]) turn(talk('one', length))
    expect(sessions().map(({ turns }) => turns)).toEqual([2, 3])
  })

  it('go on after a restart when the app sends an id', async () => {
    const first = fresh()
    for (const length of [1, 2, 3]) first.turn(talk('one', length), { id: 'a', cached: 9_000 })
    await first.close()
    const { turn, sessions, losses } = fresh({ dataDir: first.dataDir })
    const late = talk('one', 4)
    turn([...late.slice(0, 3), user('edited'), ...late.slice(4)], { id: 'a', waitMs: 60_000 })
    expect(sessions()).toMatchObject([{ turns: 4 }])
    expect(losses().at(-1)).toMatchObject({ change: 'history', section: { kind: 'message', place: 3 } })
  })

  it('are deleted with their last request', async () => {
    const { turn, sessions, requestLog } = fresh()
    const old = turn(talk('one', 1), { id: 'a' })
    turn(talk('two', 1), { id: 'b', waitMs: 60_000 })
    const before = Date.parse((requestLog.row(old)?.at ?? '') as string) + 1
    await requestLog.rowRetention.erase(before, { done: () => undefined, stopped: () => false })
    expect(sessions()).toHaveLength(1)
    expect(requestLog.storedSessions.prompt(old)).toBeNull()
    turn(talk('one', 2), { id: 'a' })
    expect(sessions().map(({ turns }) => turns)).toEqual([1, 1])
  })

  it('stay bounded in memory, and go on after they were forgotten there', () => {
    const { turn, sessions } = fresh()
    turn(talk('first', 1), { id: 'first' })
    for (let n = 0; n < 300; n += 1) turn([user(`other ${n}`)], { id: `other ${n}` })
    turn(talk('first', 2), { id: 'first' })
    expect(sessions()[0]).toMatchObject({ turns: 2 })
  })

  it('that were forgotten while their requests ran are not kept in memory by the ends of these', async () => {
    const { start, requestLog } = fresh()
    const kept: WeakRef<readonly HashedSection[]>[] = []
    const ends = Array.from({ length: 500 }, (_, at) => {
      const sections = sectionsOf([user(`conversation ${at}`)])
      kept.push(new WeakRef(sections))
      return start(sections)
    })
    for (const end of ends.splice(0)) end()
    await requestLog.page({}, Number.MAX_SAFE_INTEGER, 1)
    // References of this turn of the event loop count as strong ones.
    await setImmediate()
    heap()
    expect(kept.filter((one) => one.deref()).length).toBeLessThanOrEqual(200)
  })

  it('are compared as before after many of them were forgotten while their first requests ran', () => {
    const { start, turn, requestLog } = fresh()
    const inRow: number[] = []
    requestLog.sessions.rows.add((row) => inRow.push(row.inRow))
    const section = sectionsOf([user('one')])[0] ?? expect.unreachable()
    const long = (name: string): HashedSection[] => [{ ...section, hash: name }, ...Array(1500).fill(section)]
    const ends = Array.from({ length: 400 }, (_, at) => start(long(`${at}`)))
    for (const end of ends) end()
    for (const time of ['12:01', '12:02', '12:03', '12:04'])
      turn([{ role: 'system', content: `${time} ${system.content}` }, user('one')], { id: 'a' })
    expect(inRow).toEqual([1, 2, 3])
  })

  it('stay bounded when conversations go on that were dropped for newer ones of their sessions', async () => {
    const { start, turn, requestLog } = fresh()
    const section = sectionsOf([user('one')])[0] ?? expect.unreachable()
    const own = (name: string, length: number): HashedSection[] =>
      Array.from({ length }, (_, at) => ({ ...section, hash: `${name} ${at}`, unnumbered: `${name} ${at}` }))
    const kept: WeakRef<readonly HashedSection[]>[] = []
    const dropAndGoOn = (name: string): void => {
      turn(own(name, 4000), { id: name })
      const sections = own(name, 4001)
      kept.push(new WeakRef(sections))
      const end = start(sections, { id: name })
      for (const helper of 'abcdef') turn(own(`${name}${helper}`, 2), { id: name })
      end()
    }
    for (let n = 0; n < 80; n += 1) dropAndGoOn(`agent ${n}`)
    await requestLog.page({}, Number.MAX_SAFE_INTEGER, 1)
    await setImmediate()
    heap()
    const alive = kept.filter((one) => one.deref()).length
    expect(alive).toBeGreaterThan(10)
    expect(alive * 4001).toBeLessThanOrEqual(200_000)
  })

  it('are looked for in little time, also when the history of a request is that of many which are not its own', () => {
    const { start, turn } = fresh()
    const own = (hash: string, size: number, kind: HashedSection['kind'] = 'message'): HashedSection => ({
      ...{ kind, hash, undated: hash, unnumbered: hash, size, name: null },
    })
    const history = Array.from({ length: 4000 }, (_, at) => own(`history ${at}`, 1))
    for (let n = 0; n < 190; n += 1) {
      const tools = Array.from({ length: 100 }, (_, at) => own(`tool ${n} ${at}`, 1, 'tool'))
      const before = [...tools, own(`system ${n}`, 100_000, 'system')]
      for (let length = 3; length < 10; length += 1) turn([...before, ...history.slice(0, n * 8 + length)])
      turn([...before, ...history.slice(0, n * 8 + 8), own(`end ${n}`, 1)])
    }
    const from = process.threadCpuUsage()
    start([own('other', 1, 'system'), ...history])
    const { user, system: inSystem } = process.threadCpuUsage(from)
    expect((user + inSystem) / 1000).toBeLessThan(100)
  })

  it('that a deletion of rows made the program forget have the sums of all their requests', async () => {
    const { start, turn, sessions, requestLog } = fresh()
    const old = turn(talk('two', 1), { id: 'b' })
    turn(talk('one', 1), { id: 'a', waitMs: 60_000 })
    const running = start(talk('one', 2), { id: 'a' })
    const before = Date.parse(requestLog.row(old)?.at ?? '') + 1
    await requestLog.rowRetention.erase(before, { done: () => undefined, stopped: () => false })
    turn(talk('one', 3), { id: 'a' })
    running()
    const other = turn(talk('one', 4), { id: 'a', cached: 9_900 })
    expect(sessions()).toMatchObject([{ turns: 4, tokensIn: 40_000 }])
    expect(requestLog.storedSessions.prompt(other)).toMatchObject({ turn: 4, turns: 4, loss: { change: 'none' } })
  })
})

describe('the sections of a stored turn', () => {
  it('are not read for the list of turns, and of an earlier turn only where it adds some', () => {
    const { turn, sessions, requestLog } = fresh()
    const at = (time: string, turns: number) => [
      { role: 'system', content: words('The same in each turn.', 3000) },
      { role: 'system', content: `${time} ${system.content}` },
      ...talk('one', turns).slice(1),
    ]
    const ids = Array.from({ length: 40 }, (_, n) => turn(at(`12:${10 + n}`, n + 1), { id: 'a' }))
    const parse = vi.spyOn(JSON, 'parse')
    onTestFinished(() => parse.mockRestore())
    const [session] = sessions()
    expect(requestLog.storedSessions.get(session?.id ?? 0).turns).toHaveLength(40)
    expect(parse.mock.calls.length).toBeLessThan(5)
    parse.mockClear()
    const prompt = requestLog.storedSessions.prompt(ids.at(-1) ?? 0)
    expect(prompt?.sections).toHaveLength(81)
    // Its own, and the one that all share.
    expect(parse.mock.calls.length).toBeLessThan(8)
  })
})

describe('a lost cache', () => {
  it('is none for a request that failed, and the next one is compared with the last good one', () => {
    const { turn, losses } = fresh()
    turn(talk('one', 1), { id: 'a' })
    turn([user('broken')], { id: 'a', status: 500 })
    turn(talk('one', 2), { id: 'a', cached: 9_900 })
    expect(losses().map(({ change, tokens }) => [change, tokens])).toEqual([
      ['first', 0],
      ['first', 0],
      ['none', 0],
    ])
  })

  it('after a pause of more than five minutes is that of the pause, and before of the service', () => {
    const { turn, losses } = fresh()
    turn(talk('one', 1), { id: 'a' })
    turn(talk('one', 2), { id: 'a', cached: 9_900 })
    turn(talk('one', 3), { id: 'a', waitMs: 6 * 60_000 })
    turn(talk('one', 4), { id: 'a' })
    expect(losses().map(({ change, tokens }) => [change, tokens])).toEqual([
      ['first', 0],
      ['none', 0],
      ['pause', 10_000],
      ['service', 10_000],
    ])
  })

  it('is none at a service that never caches', () => {
    const { turn, losses } = fresh()
    for (const length of [1, 2, 3]) turn(talk('one', length), { id: 'a' })
    expect(losses().map(({ tokens }) => tokens)).toEqual([0, 0, 0])
  })

  it('is reported at each turn with the number of turns in a row', () => {
    const { turn, requestLog } = fresh()
    const rows: [number, string][] = []
    requestLog.sessions.rows.add(({ inRow, change }) => rows.push([inRow, change]))
    const at = (time: string, turns: number) => [
      { role: 'system', content: `${time} ${system.content}` },
      ...talk('one', turns).slice(1),
    ]
    for (const length of [1, 2, 3, 4]) turn(at(`12:0${length}`, length), { id: 'a' })
    turn(at('12:04', 5), { id: 'a', cached: 9_900 })
    expect(rows).toEqual([
      [1, 'system_time'],
      [2, 'system_time'],
      [3, 'system_time'],
      [0, 'none'],
    ])
  })

  it('is explained for each request: its sections, their shares of the prompt, and the first that changed', () => {
    const { turn, requestLog } = fresh()
    turn(talk('one', 2), { id: 'a' })
    const changed = talk('one', 3)
    changed[2] = { role: 'assistant', content: 'other' }
    const id = turn(changed, { id: 'a' })
    const prompt = requestLog.storedSessions.prompt(id) ?? expect.unreachable()
    expect(prompt).toMatchObject({ turn: 2, turns: 2, loss: { change: 'history', cost: '0.0045' } })
    expect(prompt.sections.map(({ kind, place, state }) => [kind, place, state])).toEqual([
      ['system', 1, 'same'],
      ['message', 1, 'same'],
      ['message', 2, 'first'],
      ['message', 3, 'behind'],
      ['message', 4, 'behind'],
      ['message', 5, 'behind'],
    ])
    const shares = prompt.sections.reduce((sum, { tokens }) => sum + (tokens ?? 0), 0)
    expect(Math.abs(shares - 10_000)).toBeLessThan(prompt.sections.length)
  })
})
