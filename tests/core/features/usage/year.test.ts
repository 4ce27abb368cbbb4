// @long A year of reports. days.test.ts and views.test.ts show the same sums.

import { Decimal } from 'decimal.js'
import { expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { createUsage, type UsageFeature } from '../../../../src-main/core/features/usage/usage.ts'
import { dayMs, dayOfMs, dayText, endOfDay } from '../../../../src-main/core/shared/days.ts'
import { type Sandbox, startSandbox } from '../../../../src-main/sandbox/sandbox.ts'
import type { Account, UsageView } from '../../../../src-preload/contract/usage.ts'
import { client, parts, placeAt } from './helpers.ts'

const begin = Date.UTC(2026, 0, 1, 9)
const said = z.object({ usage: z.array(z.object({ date: z.string(), cost_sc: z.number() })) })

/** One account, what its service recorded, and when it was fetched. */
interface SimulatedAccount {
  name: string
  key: string
  truth: Map<string, Decimal>
  /** When anything was last recorded for a day. */
  changed: Map<string, number>
  fetched: number[]
}

/** Reproducible pseudo-random numbers. */
function sequence(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

async function post(sandbox: Sandbox, key: string, words: number): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'mirror', messages: [{ role: 'user', content: 'word '.repeat(words) }] })
  const reply = await fetch(`${sandbox.baseUrl}/v1/chat/completions`, { method: 'POST', headers, body })
  expect(reply.status).toBe(200)
  await reply.text()
}

/** The service's current report of its last 30 days, read without our code. */
async function note(sandbox: Sandbox, { key, truth }: SimulatedAccount): Promise<void> {
  const reply = await fetch(`${sandbox.baseUrl}/v1/usage`, { headers: { authorization: `Bearer ${key}` } })
  const { usage } = said.parse(await reply.json())
  const days = Map.groupBy(usage, ({ date }) => date.slice(0, 10))
  for (const [day, rows] of days) truth.set(day, sum(rows.map(({ cost_sc }) => String(cost_sc))))
}

const sum = (costs: readonly (string | null)[]): Decimal =>
  costs.reduce((total, cost) => total.plus(cost ?? 0), new Decimal(0))

/** 365 days: use on most of them, some recorded days later, fetched at irregular times, sometimes not for weeks. */
async function live(
  sandbox: Sandbox,
  simulations: SimulatedAccount[],
  usage: UsageFeature,
  time: { now: number },
): Promise<void> {
  const random = sequence(7)
  let nextFetch = 0
  const use = async (simulated: SimulatedAccount, daysLate: number): Promise<void> => {
    const now = time.now
    time.now -= daysLate * dayMs
    await post(sandbox, simulated.key, 1 + Math.floor(random() * 40))
    simulated.changed.set(dayText(dayOfMs(time.now)), now)
    time.now = now
  }
  for (let day = 0; day < 365; day += 1) {
    time.now = begin + day * dayMs
    for (const simulated of simulations) {
      if (random() < 0.5) await use(simulated, 0)
      if (day > 20 && random() < 0.06) await use(simulated, 1 + Math.floor(random() * 18))
      if (day % 5 === 0) await note(sandbox, simulated)
    }
    if (day < nextFetch) continue
    nextFetch = day + (random() < 0.2 ? 32 + Math.floor(random() * 20) : 1 + Math.floor(random() * 20))
    for (const simulated of simulations) {
      usage.follow(client(sandbox.baseUrl, simulated.key), placeAt(sandbox.baseUrl))
      await usage.refresh()
      simulated.fetched.push(time.now)
      time.now += 1
    }
  }
  for (const simulated of simulations) await note(sandbox, simulated)
}

const rangeOf = (account: Account, now: number) => ({
  accountId: account.id,
  from: dayText(dayOfMs(begin)),
  to: dayText(dayOfMs(now)),
})

/** Checks each day of the view against the fetch times and against the service's records. */
function checkDays(
  { truth, changed, fetched }: SimulatedAccount,
  view: UsageView,
): { whole: number; gap: number; partial: number } {
  const counts = { whole: 0, gap: 0, partial: 0 }
  for (const [at, { from, state }] of view.buckets.entries()) {
    const day = dayOfMs(begin) + at
    const seen = fetched.filter((when) => dayOfMs(when) - 29 <= day && day <= dayOfMs(when))
    const closed = seen.some((when) => when >= endOfDay(day))
    const expected = closed ? 'whole' : seen.length > 0 ? 'partial' : 'gap'
    expect([from, state]).toEqual([from, expected])
    counts[expected] += 1
    const costs = view.series.map(({ cost }) => cost[at] ?? null)
    if (expected === 'gap') expect(costs.filter((cost) => cost !== null)).toEqual([])
    // Recorded after the last fetch, so it cannot be known.
    if (expected !== 'whole' || (changed.get(from) ?? 0) > (seen.at(-1) ?? 0)) continue
    expect([from, sum(costs).toFixed()]).toEqual([from, (truth.get(from) ?? new Decimal(0)).toFixed()])
  }
  return counts
}

it('a year of irregular fetches, corrections, gaps and two accounts matches the sandbox’s records to the last digit [USE-01] [USE-02]', {
  timeout: 120_000,
}, async () => {
  const time = { now: begin }
  const now = (): number => time.now
  const sandbox = await startSandbox({ now, balance: 10_000, limits: { rpm: 1_000_000 } })
  onTestFinished(() => sandbox.close())
  const usage = createUsage({ ...parts(), now })
  onTestFinished(() => usage.close())
  const simulated = (name: string, key: string): SimulatedAccount => ({
    name,
    key,
    truth: new Map(),
    changed: new Map(),
    fetched: [],
  })
  const simulations = [simulated('Service', sandbox.apiKey), simulated('Service (', sandbox.keys.stranger)]
  await live(sandbox, simulations, usage, time)

  const shown = usage.list()
  expect(shown).toHaveLength(2)
  for (const one of simulations) {
    const account = shown.find(({ name }) => (one.name === 'Service' ? name === 'Service' : name.startsWith(one.name)))
    if (!account) throw new Error(`${one.name} has no book.`)
    const range = rangeOf(account, time.now)
    const view = usage.reading.view({ ...range, grain: 'day', by: 'model', source: 'service', search: '' })
    const counts = checkDays(one, view)
    expect(counts.whole).toBeGreaterThan(200)
    expect(counts.gap).toBeGreaterThan(10)
    expect(view.total.cost).toBe(sum(view.series.flatMap(({ cost }) => cost)).toFixed())
    const monthly = usage.reading.view({ ...range, grain: 'month', by: 'model', source: 'service', search: '' })
    expect(monthly.total).toEqual(view.total)
    expect(sum(monthly.series.flatMap(({ cost }) => cost)).toFixed()).toBe(view.total.cost)

    const corrections = usage.reading.corrections(range)
    expect(corrections.length).toBeGreaterThan(0)
    for (const { day, before, after, beforeAsOf, afterAsOf } of corrections) {
      expect(after.requests ?? 0).toBeGreaterThan(before.requests ?? 0)
      expect(new Decimal(after.cost ?? 0).gt(before.cost ?? 0)).toBe(true)
      // Both times the day had ended. Only a later one is a correction.
      expect(day < beforeAsOf.slice(0, 10) && beforeAsOf < afterAsOf).toBe(true)
    }
    const summary = usage.summary({ accountId: account.id })
    expect(summary.corrections).toBeGreaterThanOrEqual(corrections.length)
    expect(summary.account.balance?.asOf).toBe(new Date(one.fetched.at(-1) ?? 0).toISOString())
  }
})
