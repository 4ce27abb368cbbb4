import { expect, test } from 'vitest'
import { ask, chat, hello, type Json, json, readAndLeave, start } from './ask.ts'

const NOON = Date.parse('2026-03-14T12:00:05Z')
const slow = { sandbox: { tokens: 5000, tokens_per_second: 50 } }
const balanceOf = async (sandbox: Parameters<typeof ask>[0], key = sandbox.apiKey): Promise<number> =>
  (await json(ask(sandbox, '/v1/usage', { key }))).balance

test('[USE-01] 30 days of usage, the balance and the lifetime spend; work is charged at the exact price of its model', async () => {
  const sandbox = await start({ now: () => NOON })
  const before = await json(ask(sandbox, '/v1/usage'))
  const days = [...new Set(before.usage.map((row: Json) => String(row.date)))].toSorted((a, b) =>
    String(a) < String(b) ? -1 : 1,
  )
  expect(days.length).toBeGreaterThan(15)
  expect(String(days[0]) >= '2026-02-13').toBe(true)
  const shown = before.usage.reduce((sum: number, row: Json) => sum + row.cost_sc, 0)
  expect(before.total_spent).toBeGreaterThan(shown)
  const { usage } = await json(chat(sandbox, { sandbox: { tokens: 1000 } }))
  const after = await json(ask(sandbox, '/v1/usage?days=1'))
  // writer-small: 0.5 SC per million input tokens, 1.5 SC per million output tokens. In billionths, so that no floats are compared.
  const billionths = usage.prompt_tokens * 500 + usage.completion_tokens * 1500
  expect(Math.round((before.balance - after.balance) * 1e9)).toBe(billionths)
  expect(Math.round((after.total_spent - before.total_spent) * 1e9)).toBe(billionths)
  expect(String(after.balance).length).toBeLessThan(16)
  expect(after.usage[0]).toEqual({
    user_id: expect.any(String),
    date: '2026-03-14T00:00:00Z',
    model: 'writer-small',
    requests: 1,
    tokens_in: usage.prompt_tokens,
    tokens_out: 1000,
    tokens_cached: 0,
    cost_sc: billionths / 1e9,
  })
})

test('[USE-02] account rows have date-time strings, key rows date-only ones', async () => {
  const sandbox = await start()
  const account = await json(ask(sandbox, '/v1/usage'))
  const key = await json(ask(sandbox, '/v1/keys/current/usage/daily'))
  for (const row of account.usage) expect(row.date).toMatch(/^\d{4}-\d\d-\d\dT00:00:00Z$/)
  for (const row of key.usage) expect(row.date).toMatch(/^\d{4}-\d\d-\d\d$/)
  expect(key.usage.length).toBeGreaterThan(15)
})

test('[KEY-01] [KEY-04] [AUTH-04] the keys of the account have every field, including a revoked one, and no other account’s', async () => {
  const sandbox = await start()
  const { api_keys: keys } = await json(ask(sandbox, '/v1/keys/'))
  const stranger = await json(ask(sandbox, '/v1/keys/current', { key: sandbox.keys.stranger }))
  const fields = [
    'id',
    'user_id',
    'key_prefix',
    'name',
    'rate_limit_rpm',
    'rate_limit_tpm',
    'max_concurrent',
    'balance_enabled',
    'balance_sc',
    'balance_limit_sc',
    'created_at',
    'last_used_at',
    'revoked_at',
  ]
  for (const key of keys) {
    expect(Object.keys(key)).toEqual(fields)
    expect(key.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(key.user_id).toBe(keys[0].user_id)
    expect(key.user_id).not.toBe(stranger.user_id)
  }
  expect(keys.filter((key: Json) => key.revoked_at !== null)).toHaveLength(1)
  expect(keys.some((key: Json) => key.last_used_at === null)).toBe(true)
  expect(keys.some((key: Json) => key.rate_limit_rpm === 5)).toBe(true)
  expect(keys.some((key: Json) => key.max_concurrent === 1 && key.rate_limit_rpm === null)).toBe(true)
  expect((await ask(sandbox, '/v1/keys')).status).toBe(404)
})

test('[KEY-02] the current key is the calling key', async () => {
  const sandbox = await start()
  for (const name of ['main', 'rpm', 'stranger'] as const) {
    const record = await json(ask(sandbox, '/v1/keys/current', { key: sandbox.keys[name] }))
    expect(sandbox.keys[name].startsWith(record.key_prefix)).toBe(true)
    expect(record.key_prefix.length).toBeLessThanOrEqual(12)
  }
})

test('[KEY-03] [AUTH-04] totals and days of an own key, and of the calling one; another account’s key is unknown', async () => {
  const sandbox = await start()
  const main = await json(ask(sandbox, '/v1/keys/current'))
  const stranger = await json(ask(sandbox, '/v1/keys/current', { key: sandbox.keys.stranger }))
  const before = await json(ask(sandbox, '/v1/keys/current/usage'))
  const { usage } = await json(chat(sandbox))
  const totals = await json(ask(sandbox, `/v1/keys/${main.id}/usage`, { key: sandbox.keys.oneAtATime }))
  expect(totals.total_requests).toBe(before.total_requests + 1)
  expect(totals.total_tokens_in).toBe(before.total_tokens_in + usage.prompt_tokens)
  expect(totals.total_tokens_out).toBe(before.total_tokens_out + 8)
  expect(totals.total_cost_sc).toBeGreaterThan(before.total_cost_sc)
  const daily = await json(ask(sandbox, `/v1/keys/${main.id}/usage/daily`))
  expect(daily.usage[0]).toMatchObject({ total_requests: 1, total_tokens_out: 8 })
  expect(daily).toEqual(await json(ask(sandbox, '/v1/keys/current/usage/daily')))
  const untouched = await json(ask(sandbox, '/v1/keys/current/usage', { key: sandbox.keys.neverUsed }))
  expect(untouched).toEqual({ total_requests: 0, total_tokens_in: 0, total_tokens_out: 0, total_cost_sc: 0 })
  for (const id of [stranger.id, '6f1c2a9e-4b7d-4c3a-9e21-0d5b8f7a6c14', 'x']) {
    for (const tail of ['usage', 'usage/daily']) {
      expect((await json(ask(sandbox, `/v1/keys/${id}/${tail}`))).error.code).toBe('key_not_found')
    }
  }
})

test('[ERR-04] without credit work is refused with 402; account endpoints and free models are not', async () => {
  const sandbox = await start()
  const key = sandbox.keys.noCredit
  expect((await chat(sandbox, {}, { key })).status).toBe(402)
  expect((await ask(sandbox, '/v1/audio/speech', { key }, { input: 'x' })).status).toBe(402)
  expect((await ask(sandbox, '/v1/images/generations', { key }, { prompt: 'x' })).status).toBe(402)
  expect((await chat(sandbox, { model: 'writer-free' }, { key })).status).toBe(200)
  expect((await ask(sandbox, '/v1/usage', { key })).status).toBe(200)
  const poor = await start({ balance: 0 })
  expect((await chat(poor)).status).toBe(402)
})

test('[CHAT-16] [CHAT-18] a stream that the client closes after output ends at once, and that output is billed', async () => {
  const sandbox = await start()
  const before = await balanceOf(sandbox)
  const stream = await readAndLeave(sandbox, slow, 2000)
  expect(sandbox.observe.openStreams()).toBe(1)
  stream.leave()
  const seen = await sandbox.observe.whenClosed(stream.id)
  expect(seen.closedByClient).toBe(true)
  expect(seen.bytesOut).toBeLessThan(20_000)
  expect(sandbox.observe.openStreams()).toBe(0)
  await expect.poll(() => balanceOf(sandbox)).toBeLessThan(before)
  const row = (await json(ask(sandbox, '/v1/usage'))).usage[0]
  expect(row.model).toBe('writer-small')
  expect(row.tokens_out).toBeGreaterThan(0)
  expect(row.tokens_out).toBeLessThan(100)
})

test('[CHAT-17] a stream that is closed before any output is free, and leaves no row', async () => {
  const sandbox = await start()
  const before = await json(ask(sandbox, '/v1/usage'))
  const stream = await readAndLeave(sandbox, { sandbox: { tokens: 50, first_token_ms: 60_000 } })
  stream.leave()
  expect((await sandbox.observe.whenClosed(stream.id)).closedByClient).toBe(true)
  expect(await json(ask(sandbox, '/v1/usage'))).toEqual(before)
})

test('[LIM-05] [SSE-05] a stream occupies its slot until it is closed; closing releases it at once', async () => {
  const sandbox = await start()
  const key = sandbox.keys.oneAtATime
  const stream = await readAndLeave(sandbox, slow, 1, { key })
  const refused = await chat(sandbox, {}, { key })
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  expect((await ask(sandbox, '/v1/models', { key })).status).toBe(200)
  stream.leave()
  await sandbox.observe.whenClosed(stream.id)
  expect((await chat(sandbox, {}, { key })).status).toBe(200)
  expect((await chat(sandbox, {}, { key })).status).toBe(200)
})

test('[LIM-05] requests per minute of a key: 429 with Retry-After until the minute ends, then accepted', async () => {
  let now = NOON
  const sandbox = await start({ now: () => now })
  const key = sandbox.keys.rpm
  for (let count = 0; count < 5; count += 1) expect((await ask(sandbox, '/v1/models', { key })).status).toBe(200)
  const refused = await ask(sandbox, '/v1/models', { key })
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '55'])
  const dated = await ask(sandbox, '/v1/models', { key, headers: { 'x-sandbox-retry-after': 'date' } })
  expect(dated.headers.get('retry-after')).toMatch(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/)
  now += 55_000
  expect((await ask(sandbox, '/v1/models', { key })).status).toBe(200)
})

test('[LIM-05] tokens per minute of a key', async () => {
  let now = NOON
  const sandbox = await start({ now: () => now })
  const key = sandbox.keys.tpm
  expect((await chat(sandbox, { sandbox: { tokens: 650 } }, { key })).status).toBe(200)
  const refused = await chat(sandbox, {}, { key })
  expect([refused.status, (await json(refused)).error.code]).toEqual([429, 'key_token_limit_exceeded'])
  now += 60_000
  expect((await chat(sandbox, {}, { key })).status).toBe(200)
})

test('[LIM-01] every field of the status; each call counts, this one too; headers report the same; only the minute has a reset time', async () => {
  let now = NOON
  const sandbox = await start({ now: () => now, limits: { rpm: 4 } })
  const first = await ask(sandbox, '/v1/rate-limit')
  const status = await json(first)
  const fields = ['rpm', 'rph', 'rpd', 'tph', 'tpd'].flatMap((name) => [
    `limit_${name}`,
    `used_${name}`,
    `remaining_${name}`,
  ])
  for (const field of [...fields, 'reset_seconds']) expect(status[field], field).toBeTypeOf('number')
  expect(status).toMatchObject({ limit_rpm: 4, used_rpm: 1, remaining_rpm: 3, reset_seconds: 55, banned: false })
  expect([first.headers.get('x-ratelimit-limit'), first.headers.get('x-ratelimit-remaining')]).toEqual(['4', '3'])
  await chat(sandbox, { model: 'writer-free' })
  expect(await json(ask(sandbox, '/v1/rate-limit'))).toMatchObject({ used_rpm: 3, used_rph: 1, used_rpd: 1 })
  await ask(sandbox, '/v1/models')
  expect((await ask(sandbox, '/v1/models')).status).toBe(429)
  now += 60_000
  expect(await json(ask(sandbox, '/v1/rate-limit'))).toMatchObject({ used_rpm: 1, used_rph: 1 })
})

test('[LIM-02] a banned account can read the end of its ban; everything else is refused', async () => {
  const sandbox = await start({ now: () => NOON })
  const key = sandbox.keys.banned
  expect(await json(ask(sandbox, '/v1/rate-limit', { key }))).toMatchObject({
    banned: true,
    banned_until: '2026-03-15T12:00:05Z',
  })
  const refused = await ask(sandbox, '/v1/models', { key })
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '86400'])
})

test('[LIM-06] free models have their own hourly and daily limits and cost nothing', async () => {
  let now = NOON
  const sandbox = await start({ now: () => now })
  const how = { key: sandbox.keys.freeTier }
  const free = async (tokens = 8) => (await chat(sandbox, { model: 'writer-free', sandbox: { tokens } }, how)).status
  expect([await free(), await free(), await free(), await free()]).toEqual([200, 200, 200, 429])
  expect(await json(ask(sandbox, '/v1/rate-limit', how))).toMatchObject({ remaining_rph: 0, used_rpd: 3 })
  expect(await balanceOf(sandbox, how.key)).toBe(0)
  now += 3_600_000
  expect([await free(2500), await free()]).toEqual([200, 429])
  now += 3_600_000
  expect([await free(), await free()]).toEqual([200, 429])
  const status = await json(ask(sandbox, '/v1/rate-limit', how))
  expect(status.used_rpd).toBe(5)
  expect(status.used_tpd).toBeGreaterThan(2500)
  const paid = await json(chat(sandbox, { messages: hello }))
  expect(paid.usage.completion_tokens).toBe(8)
  expect(await json(ask(sandbox, '/v1/rate-limit'))).toMatchObject({ used_rph: 0, used_tph: 0 })
})

test('a client that stops reading pauses the stream; nothing is generated ahead', { tags: 'long' }, async () => {
  const sandbox = await start()
  const stream = await readAndLeave(sandbox, { sandbox: { tokens: 150_000, tokens_per_second: 0 } })
  const sent = () => sandbox.observe.requests().find((one) => one.id === stream.id)?.bytesOut ?? 0
  let before = -1
  await expect
    .poll(
      () => {
        const still = sent() === before
        before = sent()
        return still
      },
      { interval: 150, timeout: 20_000 },
    )
    .toBe(true)
  // 150,000 events are about 30 MB. Sockets and the client's own buffers contain a small part of them.
  expect(before).toBeLessThan(15_000_000)
  stream.leave()
  expect((await sandbox.observe.whenClosed(stream.id)).closedByClient).toBe(true)
})
