import { describe, expect, it } from 'vitest'
import { LimitsFeature } from '../../../../src-main/core/features/limits/limits.ts'
import { RateLimitPoller } from '../../../../src-main/core/features/limits/rateLimitStatus.ts'
import { RequestScheduler } from '../../../../src-main/core/gateway/scheduler/requestScheduler.ts'
import { type KeyName, startSandbox } from '../../../../src-main/sandbox/sandbox.ts'
import type { Limits } from '../../../../src-preload/contract/account.ts'
import { closeAfterEach } from '../../../helpers/closers.ts'
import { scheduledClient } from '../../gateway/scheduler/scheduledClient.ts'
import { appRequester, notice, openRequestLog } from '../../requestLog/helpers.ts'

const closers = closeAfterEach()

/** The feature in front of the whole sandbox, with the real scheduler, client and request log. */
async function featureAt(key: KeyName) {
  const sandbox = await startSandbox()
  const scheduler = new RequestScheduler()
  const { requestLog } = openRequestLog()
  const { upstream, gauge, follower, close } = scheduledClient(sandbox, key, { scheduler, requestLog })
  const limits = new LimitsFeature({
    scheduler,
    gauge,
    requestLog,
    stored: { account: () => null, read: () => null, save: () => undefined },
  })
  closers.push(
    sandbox.close,
    () => requestLog.close(),
    close,
    () => limits.close(),
  )
  gauge.follow(upstream)
  limits.follow(true)
  await follower.connect(upstream)
  return { sandbox, scheduler, requestLog, upstream, limits }
}

/** The first state that satisfies the condition. */
async function until(limits: LimitsFeature, wished: (state: Limits) => boolean): Promise<Limits> {
  for await (const state of limits.watch()) if (wished(state)) return state
  return expect.unreachable()
}

describe('the limits of a real service', () => {
  it('include the status and the key’s limits; the call is in the log as a counted request [LIM-01] [LIM-03] [LIM-05]', async () => {
    const { limits, requestLog } = await featureAt('oneAtATime')
    const { status, key, offers } = await until(limits, (state) => state.status !== null)
    expect(offers).toBe(true)
    expect(status?.minute).toEqual({
      limit: expect.any(Number),
      used: expect.any(Number),
      remaining: expect.any(Number),
    })
    expect((status?.minute.used ?? 0) + (status?.minute.remaining ?? 0)).toBe(status?.minute.limit)
    expect(status?.resetSeconds).toBeGreaterThan(0)
    expect(key).toEqual({ rpm: null, tpm: null, concurrent: 1 })
    const rows = await requestLog.page({ who: 'studio' }, Number.MAX_SAFE_INTEGER, 10)
    expect(rows.filter(({ path }) => path === '/v1/rate-limit')).toHaveLength(1)
    expect(rows.every(({ who }) => who.kind === 'studio' && who.feature === 'account')).toBe(true)
  })

  it('include a ban and its end [LIM-02]', async () => {
    const { limits } = await featureAt('banned')
    const { status } = await until(limits, (state) => state.status !== null)
    expect(status?.banned).toBe(true)
    expect(Date.parse(status?.bannedUntil ?? '')).toBeGreaterThan(Date.now())
  })

  it('show which requests occupy a slot until the reply is closed, and how many wait for one [LIM-05]', async () => {
    const { limits, scheduler, requestLog } = await featureAt('oneAtATime')
    const enter = (id: string) => {
      const trace = requestLog.open(notice({ requester: appRequester(id) }))
      const wish = {
        requester: appRequester(id),
        slot: true,
        tokens: 0,
        model: 'writer-small',
        signal: undefined,
        trace,
      }
      return { trace, pass: scheduler.enter(wish) }
    }
    const first = enter('editor')
    const second = enter('other')
    // Status calls need no slot and do not wait for one.
    const seen = await until(limits, ({ slots }) => slots.used.length === 1 && slots.waiting === 1)
    expect(seen.slots.used).toEqual([
      {
        row: first.trace.id,
        who: { kind: 'app', id: 'editor', name: 'My editor', colour: 'teal' },
        endpoint: 'chat',
        model: 'writer-small',
        since: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ])
    ;(await first.pass).leave(0)
    const then = await until(limits, ({ slots }) => slots.waiting === 0)
    expect(then.slots.used).toMatchObject([{ row: second.trace.id, who: { kind: 'app', id: 'other' } }])
    ;(await second.pass).leave(0)
    expect((await until(limits, ({ slots }) => slots.used.length === 0)).slots.waiting).toBe(0)
  })

  it('do not include slots of a previous connection', async () => {
    const { limits, scheduler, requestLog } = await featureAt('main')
    const trace = requestLog.open(notice())
    const pass = await scheduler.enter({
      requester: appRequester(),
      slot: true,
      tokens: 0,
      model: null,
      signal: undefined,
      trace,
    })
    expect(limits.read().slots.used).toHaveLength(1)
    scheduler.reset()
    expect(limits.read().slots.used).toEqual([])
    pass.leave(0)
  })
})

describe('the history of refusals by the service', () => {
  it('has requests answered with 429 and their waits; none that this program refused', async () => {
    let now = Date.UTC(2026, 10, 21, 12)
    const { requestLog } = openRequestLog({ now: () => now })
    const limits = new LimitsFeature({
      scheduler: new RequestScheduler(),
      gauge: new RateLimitPoller(),
      requestLog,
      stored: { account: () => null, read: () => null, save: () => undefined },
    })
    const open = () => {
      const trace = requestLog.open(notice())
      trace.admitted()
      trace.connected()
      return trace
    }
    const through = open()
    for (const waited of [4000, 2500]) {
      through.backsOff(429)
      now += waited
      through.admitted()
      through.connected()
    }
    through.replied(200, null)
    through.ends({ state: 'done' }, null)
    const refused = open()
    refused.replied(429, null)
    refused.ends({ state: 'failed', problem: { kind: 'rate_limited', message: 'No.' } }, null)
    const relayed = open()
    relayed.replied(429, null)
    relayed.ends({ state: 'done' }, null)
    const lost = open()
    lost.backsOff(503)
    lost.admitted()
    lost.replied(500, null)
    lost.ends({ state: 'failed' }, null)
    const given = open()
    given.backsOff(429)
    given.ends({ state: 'cancelled', by: 'app' }, null)
    const running = open()
    running.backsOff(429)
    now += 1500
    // Refused by this program: over an app's own limit, or by the guard.
    const own = requestLog.open(notice())
    own.replied(429, null)
    own.ends({ state: 'refused', problem: { kind: 'rpm', message: 'Your own limit.' } }, null)
    requestLog.refused({
      appId: null,
      from: 'x',
      method: 'POST',
      path: '/v1/x',
      status: 429,
      code: 'many',
      message: 'No.',
    })
    expect(limits.history({ limit: 100 })).toMatchObject([
      { row: running.id, times: 1, waitedMs: 1500, ended: 'running' },
      { row: given.id, times: 1, ended: 'cancelled' },
      { row: relayed.id, times: 1, waitedMs: 0, ended: 'refused' },
      { row: refused.id, times: 1, waitedMs: 0, ended: 'refused' },
      { row: through.id, times: 2, waitedMs: 6500, ended: 'done', model: 'writer-small', endpoint: 'chat' },
    ])
    expect(limits.history({ limit: 2 }).map(({ row }) => row)).toEqual([running.id, given.id])
    running.ends({ state: 'cancelled' }, null)
    await requestLog.close()
  })
})
