import { describe, expect, it } from 'vitest'
import { measureBusy } from '../../../../src-main/core/features/alerts/conditions.ts'
import { Spend } from '../../../../src-main/core/requestLog/spend.ts'
import { toNano } from '../../../../src-main/core/shared/money.ts'
import type { App } from '../../../../src-preload/contract/apps.ts'
import { plainApp } from '../../../helpers/plainApp.ts'

const minute = 60_000
const start = Date.parse('2026-11-20T22:00:00.000Z')
const limited = (limits: Partial<App>) => plainApp({ id: 'one', name: 'Agent', ...limits })
const measured = (limits: Partial<App>, requests: number, spent: string) =>
  measureBusy(limited(limits), { requests, spent: toNano(spent) }, start)

describe('a busy app', () => {
  it('is measured only if it has a limit for the notice', () => {
    expect(measured({}, 10_000, '100')).toBeNull()
  })

  it('is reported above its requests or its spend, and ends below half of both or after an hour', () => {
    const limits = { busyRequests: 300, busySpend: '2' }
    expect(measured(limits, 300, '2')).toMatchObject({ level: 0, recovered: false, endsAt: start + 60 * minute })
    expect(measured(limits, 301, '0')).toMatchObject({ level: 1, facts: { requests: 301, overRequests: 300 } })
    expect(measured(limits, 1, '2.1')).toMatchObject({ level: 1, facts: { spent: '2.1', overSpend: '2' } })
    expect(measured(limits, 149, '1.2')).toMatchObject({ level: 0, recovered: false })
    expect(measured(limits, 149, '0.9')).toMatchObject({ level: 0, recovered: true })
    expect(measured({ busySpend: '0' }, 1, '0.000000001')).toMatchObject({ level: 1 })
  })
})

describe('the last hour of an app', () => {
  it('has its requests and their cost, and loses them after 60 minutes', () => {
    let now = start
    const spend = new Spend(() => now)
    const request = (cost: string) => {
      spend.tick('tool:one', now)
      const tokens = { tokensIn: 1, tokensOut: 1, tokensCached: 0 }
      spend.settle('tool:one', { at: now, cost: toNano(cost), costIs: 'measured', ...tokens })
    }
    request('0.5')
    now += 30 * minute
    request('0.25')
    expect(spend.lastHour('tool:one')).toEqual({ requests: 2, spent: toNano('0.75') })
    now = start + 60 * minute
    expect(spend.lastHour('tool:one')).toEqual({ requests: 1, spent: toNano('0.25') })
    now = start + 300 * minute
    expect(spend.lastHour('tool:one')).toEqual({ requests: 0, spent: 0n })
    expect(spend.lastHour('tool:two')).toEqual({ requests: 0, spent: 0n })
  })
})
