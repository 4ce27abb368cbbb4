import { describe, expect, it } from 'vitest'
import { RequestScheduler } from '../../../../src-main/core/gateway/scheduler/requestScheduler.ts'
import { noRequestLog } from '../../../../src-main/core/upstream/sending/defaults.ts'
import { type KeyName, type Sandbox, type SandboxOptions, startSandbox } from '../../../../src-main/sandbox/sandbox.ts'
import { closeAfterEach } from '../../../helpers/closers.ts'
import { app, FakeClock, FakeTrace } from './helpers.ts'
import { scheduledClient } from './scheduledClient.ts'

const closers = closeAfterEach()

/** The real client and the whole sandbox. The scheduler and the sandbox share a clock, which the test advances. */
async function connected(key: KeyName, options: SandboxOptions = {}, maxWaitMs = 1e9) {
  const clock = new FakeClock()
  const sandbox = await startSandbox({ now: clock.date, ...options })
  const scheduler = new RequestScheduler({ clock, maxWaitMs })
  const { upstream, gauge, follower, close } = scheduledClient(sandbox, key, { scheduler, requestLog: noRequestLog })
  closers.push(sandbox.close, close)
  gauge.follow(upstream)
  await follower.connect(upstream)
  return { clock, sandbox, scheduler, upstream, gauge }
}

type Connected = Awaited<ReturnType<typeof connected>>

/** Advances the clock while all requests wait for it. */
async function settled<T>(work: Promise<T>[], { scheduler, clock }: Connected): Promise<T[]> {
  let open = true
  const all = Promise.all(work).finally(() => {
    open = false
  })
  while (open) {
    await new Promise((resolve) => setImmediate(resolve))
    if (scheduler.counts().running === 0 && scheduler.counts().waiting > 0) clock.pass(500)
  }
  return all
}

const statuses = (sandbox: Sandbox) => sandbox.observe.requests().map(({ status }) => status)

/** Sends one chat of an app and reads its reply to the end. Returns the status. */
async function relayed({ upstream }: Connected, id: string, tokens = 0, stream = false): Promise<number> {
  const body = JSON.stringify({
    model: 'writer-small',
    stream,
    messages: [{ role: 'user', content: 'Good morning' }],
    sandbox: { tokens: 40, tokens_per_second: stream ? 2_000 : 0 },
  })
  const reply = await upstream.forward({
    method: 'POST',
    path: '/v1/chat/completions',
    endpoint: 'chat',
    requester: app(id),
    trace: new FakeTrace(),
    tokens,
    tokensIn: tokens,
    local: () => 'http://127.0.0.1:1',
    mayCopy: true,
    bodyDone: () => undefined,
    reserveMemory: async () => ({ shrink: () => undefined }),
    model: 'writer-small',
    stream,
    retries: false,
    stripUsage: false,
    headers: [['content-type', 'application/json']],
    body: Buffer.from(body),
    signal: new AbortController().signal,
  })
  for await (const _ of reply.body);
  return reply.status
}

describe('the scheduler with the whole sandbox', () => {
  it('[LIM-05] [SSE-05] a key with one slot serves thirty simultaneous requests of three apps without a 429', async () => {
    const all = await connected('oneAtATime')
    const work = Array.from({ length: 30 }, (_, number) => relayed(all, `app ${number % 3}`, 0, number % 2 === 0))
    expect(all.scheduler.counts()).toMatchObject({ waiting: 29, slots: { used: 1, of: 1 } })
    expect(await settled(work, all)).toEqual(Array.from({ length: 30 }, () => 200))
    expect(statuses(all.sandbox)).not.toContain(429)
  })

  it('[LIM-05] a key for five requests a minute serves twelve in three minutes without a 429', async () => {
    const all = await connected('rpm')
    const from = all.clock.now()
    const work = Array.from({ length: 12 }, (_, number) => relayed(all, `app ${number % 3}`))
    // Reading the key's record was one of the five requests.
    expect(all.scheduler.counts()).toMatchObject({ running: 4, waiting: 8 })
    expect(await settled(work, all)).toEqual(Array.from({ length: 12 }, () => 200))
    expect(statuses(all.sandbox)).not.toContain(429)
    expect(all.clock.now() - from).toBeGreaterThanOrEqual(120_000)
    expect(all.clock.now() - from).toBeLessThan(125_000)
  })

  it('[LIM-05] a key for 600 tokens a minute is never asked for more', async () => {
    const all = await connected('tpm')
    const work = Array.from({ length: 24 }, (_, number) => relayed(all, `app ${number % 3}`, 80))
    expect(await settled(work, all)).toEqual(Array.from({ length: 24 }, () => 200))
    expect(statuses(all.sandbox)).not.toContain(429)
    expect(all.clock.now()).toBeGreaterThan(60_000)
  })

  it('the general bucket is never exceeded with only headers known, and its status call counts as a request [LIM-03] [LIM-04]', async () => {
    const all = await connected('main', { limits: { rpm: 10 } })
    const work = Array.from({ length: 25 }, (_, number) => relayed(all, `app ${number % 3}`))
    expect(await settled(work, all)).toEqual(Array.from({ length: 25 }, () => 200))
    expect(statuses(all.sandbox)).not.toContain(429)
    expect(all.sandbox.observe.requests().filter(({ path }) => path === '/v1/rate-limit').length).toBeLessThanOrEqual(1)
  })

  it('[ERR-05] when others use the key up, one request gets 429 and all wait for its Retry-After', async () => {
    const all = await connected('rpm')
    for (let number = 0; number < 4; number++) {
      const headers = { authorization: `Bearer ${all.sandbox.keys.rpm}` }
      expect((await fetch(`${all.sandbox.baseUrl}/v1/models`, { headers })).status).toBe(200)
    }
    expect(await relayed(all, 'a')).toBe(429)
    // The minute of the limit started a second before the clock of the test.
    expect(all.scheduler.counts().heldUntil).toBe(new Date(Math.ceil(all.clock.date() / 60_000) * 60_000).toISOString())
    const work = [relayed(all, 'a'), relayed(all, 'b')]
    expect(all.scheduler.waiting().map(({ why }) => why)).toEqual(['held', 'held'])
    expect(await settled(work, all)).toEqual([200, 200])
  })

  it('[LIM-02] a ban makes all requests wait, and its status can still be read', async () => {
    const all = await connected('banned', {}, 120_000)
    await expect(relayed(all, 'a')).rejects.toMatchObject({ kind: 'queue_timeout' })
    await all.gauge.ask()
    expect(all.gauge.value).toMatchObject({ banned: true })
    const { bannedUntil } = all.gauge.value ?? {}
    expect(Date.parse(all.scheduler.counts().heldUntil ?? '')).toBe(Date.parse(bannedUntil ?? ''))
  })
})
