import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, vi } from 'vitest'
import { SqliteRequestLog } from '../../../../src-main/core/requestLog/requestLog.ts'
import { openDatabase } from '../../../../src-main/core/store/database.ts'
import { bodiesFile, openRequestLogTables } from '../../../../src-main/core/store/requestLog/open.ts'
import { bodyDatabase } from '../../../../src-main/core/store/requestLog/schema.ts'
import { appKey, ask, jsonWithKey } from '../../../helpers/appRequest.ts'
import { apiKey, type Gateway, writeRepeatedly } from '../../../helpers/gateway.ts'
import { isOnDisk } from '../../../helpers/onDisk.ts'
import { testGateways } from '../../../helpers/testGateways.ts'
import { freshFolder } from '../../helpers/core.ts'
import { rightClock } from '../../helpers/deadlines.ts'

const { closers, beforeSandbox, beforeService } = testGateways()

/** A service that repeats its messages as JSON. */
async function mirror() {
  const { far, gateway } = await beforeService((_request, response, body) => {
    const { messages, stream } = JSON.parse(body.toString()) as { messages: unknown; stream?: boolean }
    const text = JSON.stringify(messages)
    if (stream !== true) {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ choices: [{ index: 0, message: { content: text }, finish_reason: 'stop' }] }))
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text } }] })}\n\n`)
    response.end('data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')
  })
  const sent = () => JSON.parse(far.requests.at(-1)?.body.toString() ?? '{}') as { messages: { content: unknown }[] }
  return { far, gateway, sent }
}

/** A service whose stream breaks off after one word. */
async function breaking(how: 'ends' | 'resets' | 'says so') {
  const { gateway } = await beforeService((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: {"choices":[{"index":0,"delta":{"content":"half"}}]}\n\n')
    if (how === 'ends') response.end()
    else if (how === 'resets') setImmediate(() => response.destroy())
    else response.end('data: {"choices":[{"index":0,"delta":{},"finish_reason":"error"}]}\n\ndata: [DONE]\n\n')
  })
  return gateway
}

type Reply = {
  id: string
  output: { id: string; content: { text: string }[] }[]
  error?: { code: string; param: string }
}

const create = async (gateway: Gateway, body: Record<string, unknown>) => {
  const answer = await ask(`${gateway.url}/responses`, {
    method: 'POST',
    headers: jsonWithKey,
    body: JSON.stringify({ model: 'm', ...body }),
  })
  return { status: answer.status, text: answer.body.toString() }
}
const created = async (gateway: Gateway, body: Record<string, unknown>) =>
  JSON.parse((await create(gateway, body)).text) as Reply

/** The response in the last event of a stream. */
const lastIn = (stream: string) => {
  const last = stream.split('\n').findLast((line) => line.startsWith('data: {"type":"response.'))
  return (JSON.parse(last?.slice(6) ?? '{}') as { response: Reply & { status: string; store: boolean } }).response
}

const at = async (gateway: Gateway, path: string, method = 'GET') => {
  const answer = await ask(`${gateway.url}/responses/${path}`, { method, headers: jsonWithKey })
  return { status: answer.status, body: JSON.parse(answer.body.toString()) as Record<string, unknown> }
}
type Listed = {
  data: { id: string; content: { text: string }[] }[]
  has_more: boolean
  first_id: string
  last_id: string
}

describe('a stored response', () => {
  it('can be read, listed, continued and deleted, whole or streamed', async () => {
    const { gateway, sent } = await mirror()
    const first = await created(gateway, { input: 'One', instructions: 'Only now' })
    expect((await at(gateway, first.id)).body).toEqual(first)
    const streamed = await create(gateway, { input: 'Two', previous_response_id: first.id, stream: true })
    const last = streamed.text.split('\n').findLast((line) => line.startsWith('data: {"type":"response.completed"'))
    const second = (JSON.parse(last?.slice(6) ?? '{}') as { response: Reply }).response
    expect((await at(gateway, second.id)).body).toEqual(second)
    expect(sent().messages.map(({ content }) => content)).toEqual(['One', first.output[0]?.content[0]?.text, 'Two'])
    const third = await created(gateway, { input: 'Three', previous_response_id: second.id })
    expect(sent().messages).toHaveLength(5)
    const { body } = await at(gateway, `${third.id}/input_items`)
    expect((body as Listed).data.map(({ content }) => content[0]?.text)).toEqual(['Three'])
    expect(await at(gateway, second.id, 'DELETE')).toEqual({
      status: 200,
      body: { id: second.id, object: 'response', deleted: true },
    })
    expect((await at(gateway, second.id)).status).toBe(404)
    expect((await at(gateway, second.id, 'DELETE')).status).toBe(404)
    expect((await at(gateway, third.id)).status).toBe(200)
    const broken = await created(gateway, { input: 'Four', previous_response_id: third.id })
    expect(broken.error).toMatchObject({ code: 'previous_response_not_found', param: 'previous_response_id' })
  })

  it('is on the disk before the app sees the end of its reply', async () => {
    const { gateway } = await mirror()
    for (const stream of [false, true]) {
      const { text } = await create(gateway, { input: 'One', stream })
      const id = /resp_[0-9a-f]{48}/.exec(text)?.[0] ?? ''
      const reader = new DatabaseSync(join(gateway.dataDir, 'bodies.sqlite'), { readOnly: true })
      expect(reader.prepare('SELECT count(*) AS n FROM responses WHERE id = ?').get(id)).toEqual({ n: 1 })
      reader.close()
    }
  })

  it('is never stored with store: false, whether the reply ends or breaks off', async () => {
    const cutting = await breaking('ends')
    const { gateway } = await mirror()
    const unstored = await created(gateway, { input: 'SECRETWORD', store: false })
    expect((await at(gateway, unstored.id)).status).toBe(404)
    const { text } = await create(cutting, { input: 'SECRETWORD', stream: true, store: false })
    expect(text).toContain('response.failed')
    expect((await at(cutting, /resp_[0-9a-f]{48}/.exec(text)?.[0] ?? '')).status).toBe(404)
    for (const { dataDir, requestLog } of [gateway, cutting]) {
      requestLog.flush()
      expect(isOnDisk(dataDir, 'SECRETWORD')).toBe(false)
    }
  })

  it.each(['ends', 'resets', 'says so'] as const)(
    'whose stream broke off (it %s) is stored as failed, with what had arrived',
    async (how) => {
      const gateway = await breaking(how)
      const { text } = await create(gateway, { input: 'One', stream: true })
      const last = text.split('\n').findLast((line) => line.startsWith('data: {"type":"response.failed"'))
      const { response } = JSON.parse(last?.slice(6) ?? '{}') as { response: Reply & { status: string } }
      expect(response.status).toBe('failed')
      expect(response.output[0]?.content[0]?.text).toBe('half')
      // Not only after the app has read the event: a client may ask at once.
      const reader = new DatabaseSync(join(gateway.dataDir, 'bodies.sqlite'), { readOnly: true })
      expect(reader.prepare('SELECT count(*) AS n FROM responses WHERE id = ?').get(response.id)).toEqual({ n: 1 })
      reader.close()
      expect((await at(gateway, response.id)).body).toEqual(response)
      const { body } = await at(gateway, `${response.id}/input_items`)
      expect((body as Listed).data.map(({ content }) => content[0]?.text)).toEqual(['One'])
      const continued = await create(gateway, { input: 'Two', previous_response_id: response.id })
      expect([continued.status, (JSON.parse(continued.text) as Reply).error]).toMatchObject([
        400,
        { code: 'previous_response_not_found', message: expect.stringContaining('failed') },
      ])
      expect((await at(gateway, response.id, 'DELETE')).status).toBe(200)
      expect((await at(gateway, response.id)).status).toBe(404)
    },
  )

  it('that a person stops is stored as failed; one whose app left is not stored', async () => {
    const { gateway } = await beforeService((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: {"choices":[{"index":0,"delta":{"content":"half"}}]}\n\n')
    })
    const stopped = create(gateway, { input: 'One', stream: true })
    await expect.poll(async () => (await gateway.rows()).some(({ state }) => state === 'streaming')).toBe(true)
    const row = (await gateway.rows()).find(({ state }) => state === 'streaming')
    expect(gateway.requestLog.stop(row?.id ?? 0)).toBe(true)
    const { text } = await stopped
    expect((await at(gateway, /resp_[0-9a-f]{48}/.exec(text)?.[0] ?? '')).body).toMatchObject({ status: 'failed' })
    const left = new AbortController()
    const reply = await fetch(`${gateway.url}/responses`, {
      method: 'POST',
      headers: jsonWithKey,
      body: JSON.stringify({ model: 'm', input: 'Two', stream: true }),
      signal: left.signal,
    })
    const start = new TextDecoder().decode((await reply.body?.getReader().read())?.value)
    left.abort()
    await expect
      .poll(async () => (await gateway.rows()).flatMap(({ method, state }) => (method === 'POST' ? state : [])))
      .toEqual(['cancelled', 'cancelled'])
    expect((await at(gateway, /resp_[0-9a-f]{48}/.exec(start)?.[0] ?? '')).status).toBe(404)
  })

  it('that failed while the disk takes nothing: the app still gets the failure, and the log says it is not stored', async () => {
    const gateway = await breaking('ends')
    gateway.requestLog.storedResponses.save = () => Promise.reject(new Error('no space'))
    const { text } = await create(gateway, { input: 'One', stream: true })
    expect(text).toContain('response.failed')
    expect(lastIn(text)).toMatchObject({ status: 'failed', store: false })
    expect((await gateway.rows()).find(({ method }) => method === 'POST')?.ignored).toEqual(['store'])
  })

  it('contains neither the key of the service nor an app key', async () => {
    const { gateway } = await mirror()
    const first = await created(gateway, { input: `The keys are ${apiKey} and ${appKey}.` })
    expect(JSON.stringify((await at(gateway, first.id)).body)).not.toContain(apiKey)
    gateway.requestLog.flush()
    for (const key of [apiKey, appKey]) {
      expect(isOnDisk(gateway.dataDir, key)).toBe(false)
    }
  })

  it('is unknown to every other app, as are its items', async () => {
    const { gateway } = await mirror()
    const first = await created(gateway, { input: 'One' })
    const item = first.output[0]?.id
    gateway.change({ id: 'another' })
    for (const [path, method] of [
      [first.id, 'GET'],
      [`${first.id}/input_items`, 'GET'],
      [first.id, 'DELETE'],
    ] as const) {
      expect((await at(gateway, path, method)).status).toBe(404)
    }
    expect((await create(gateway, { input: 'Two', previous_response_id: first.id })).status).toBe(400)
    expect((await create(gateway, { input: [{ type: 'item_reference', id: item }] })).status).toBe(400)
    gateway.change({ id: 'testtool' })
    expect((await at(gateway, first.id)).status).toBe(200)
  })

  it('gives its items to references', async () => {
    const { gateway, sent } = await mirror()
    const first = await created(gateway, { input: [{ role: 'user', content: 'One', id: 'msg_mine' }] })
    await created(gateway, {
      input: [
        { id: 'msg_mine' },
        { type: 'item_reference', id: first.output[0]?.id },
        { role: 'user', content: 'Two' },
      ],
    })
    expect(sent().messages.map(({ content }) => content)).toEqual(['One', first.output[0]?.content[0]?.text, 'Two'])
  })

  it('lists its input items by page, in both orders', async () => {
    const { gateway } = await mirror()
    const input = Array.from({ length: 25 }, (_, index) => ({
      role: 'user',
      content: `text ${index}`,
      id: `msg_i${index}`,
    }))
    const { id } = await created(gateway, { input })
    const page = async (query: string) => (await at(gateway, `${id}/input_items${query}`)).body as Listed
    const first = await page('')
    expect([first.data.length, first.first_id, first.last_id, first.has_more]).toEqual([20, 'msg_i24', 'msg_i5', true])
    const rest = await page(`?after=${first.last_id}`)
    expect([rest.data.length, rest.last_id, rest.has_more]).toEqual([5, 'msg_i0', false])
    expect((await page('?order=asc&limit=2&after=msg_i0')).data.map((item) => item.id)).toEqual(['msg_i1', 'msg_i2'])
    for (const query of ['?limit=0', '?limit=x', '?limit=101', '?order=up']) {
      expect([query, (await at(gateway, `${id}/input_items${query}`)).status]).toEqual([query, 400])
    }
    expect((await at(gateway, `${id}/input_items?after=msg_none`)).status).toBe(404)
  })

  it('is deleted with logged bodies: by age, by app, all, and with its request', async () => {
    const { gateway } = await mirror()
    const { requestLog } = gateway
    for (const selection of [{ before: Date.now() + 60_000 }, { who: 'tool:testtool' }, 'all'] as const) {
      const { id } = await created(gateway, { input: 'FORGETME' })
      expect(requestLog.bodyRetention.count(Date.now() + 60_000).items).toBe(1)
      expect(await requestLog.bodyRetention.erase(selection)).toBe(1)
      expect((await at(gateway, id)).status).toBe(404)
      expect(isOnDisk(gateway.dataDir, 'FORGETME')).toBe(false)
    }
    const { id } = await created(gateway, { input: 'One' })
    const row = (await gateway.rows()).find(({ method }) => method === 'POST')
    expect((await requestLog.counts({})).bodyBytes).toBeGreaterThan(100)
    expect(await requestLog.deleteBodies({ id: row?.id ?? 0 })).toBe(1)
    expect((await at(gateway, id)).status).toBe(404)
    expect((await requestLog.counts({})).bodyBytes).toBe(0)
  })

  it('survives the death of the program at any moment after the reply', async () => {
    const { gateway } = await mirror()
    const first = await created(gateway, { input: 'One' })
    const copy = freshFolder()
    // A copy of the files while the program runs is what a killed program leaves.
    cpSync(gateway.dataDir, copy, { recursive: true })
    const reopened = new SqliteRequestLog({
      dataDir: copy,
      apps: () => [],
      bodyDays: () => 7,
      deadlines: rightClock(),
      log: () => undefined,
    })
    expect(JSON.parse(reopened.storedResponses.get('testtool', first.id)?.reply ?? '')).toMatchObject({ id: first.id })
    await reopened.close()
  })

  it('has its place in a file of an earlier version, whose bodies stay', async () => {
    const dataDir = freshFolder()
    const [first = ''] = bodyDatabase.migrations
    openDatabase(bodiesFile(dataDir), { ...bodyDatabase, migrations: [first] }).close()
    const old = new DatabaseSync(bodiesFile(dataDir))
    old.exec("INSERT INTO bodies (id, who, at, size, reply_bytes, reply_text) VALUES (7, 'tool:a', 1, 5, 5, 'Words')")
    old.close()
    const tables = openRequestLogTables(dataDir)
    const row = {
      id: 'resp_1',
      who: 'tool:a',
      at: 1,
      request: 7,
      previous: null,
      input: '[]',
      reply: '{}',
      items: ['i'],
    }
    tables.responses.save([row], 1000)
    expect(tables.bodies.get(7)?.reply?.text).toBe('Words')
    expect(tables.responses.responseOf('tool:a', 'i')).toBe('resp_1')
    tables.close()
  })

  it('counts in the memory of the request that continues it, which is free after the reply', {
    tags: 'long',
  }, async () => {
    const { gateway, far } = await mirror()
    const first = await created(gateway, { input: 'x'.repeat(3_000_000) })
    const second = await created(gateway, { input: 'y'.repeat(100_000), previous_response_id: first.id })
    expect(far.requests.at(-1)?.body.length).toBeGreaterThan(6_000_000)
    expect((await at(gateway, second.id)).body).toEqual(second)
    expect(gateway.memory.peak.large).toBeGreaterThan(6_000_000)
    await vi.waitFor(() => expect(gateway.memory.held).toBe(0))
    const other = gateway.memory.takeNow('other', 75 * 1024 * 1024)
    const another = gateway.memory.takeNow('another', 80 * 1024 * 1024)
    expect((await create(gateway, { input: 'Two', previous_response_id: first.id })).status).toBe(503)
    other?.release()
    another?.release()
    expect((await create(gateway, { input: 'Two', previous_response_id: first.id })).status).toBe(200)
  })

  it('with long history is continued without parsing it in the main thread, also by references in a long request', {
    tags: 'long',
  }, async () => {
    const words = 'x'.repeat(3_000_000)
    const { far, gateway } = await beforeService((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(
        'data: {"choices":[{"index":0,"delta":{"content":"Well"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
      )
    })
    const next = async (body: Record<string, unknown>) => {
      const { text } = await create(gateway, { stream: true, ...body })
      return { id: /resp_[0-9a-f]{48}/.exec(text)?.[0], text }
    }
    const { id: first } = await next({ input: [{ role: 'user', content: words, id: 'msg_mine' }] })
    const parse = vi.spyOn(JSON, 'parse')
    const { id: second } = await next({ input: 'Two', previous_response_id: first })
    const input = [
      { type: 'item_reference', id: 'msg_two' },
      { role: 'user', content: 'y'.repeat(1_500_000) },
    ]
    await next({ input: [{ role: 'user', content: 'Small', id: 'msg_two' }] })
    const { text } = await next({ input, previous_response_id: second })
    const failed = await next({ input, previous_response_id: 'resp_none' })
    const longest = Math.max(...parse.mock.calls.map(([json]) => String(json).length))
    parse.mockRestore()
    expect(longest).toBeLessThan(100_000)
    expect(text).toContain('response.completed')
    expect(JSON.parse(failed.text)).toMatchObject({ error: { code: 'previous_response_not_found' } })
    const bodies = far.requests.map(({ body }) => JSON.parse(body.toString()) as { messages: { content: string }[] })
    expect(bodies.at(-1)?.messages.map(({ content }) => content)).toEqual([
      ...[words, 'Well', 'Two', 'Well', 'Small', 'y'.repeat(1_500_000)],
    ])
    expect((await at(gateway, second ?? '')).body).toMatchObject({ store: true, previous_response_id: first })
    await vi.waitFor(() => expect(gateway.memory.held).toBe(0))
  })

  it('is parsed once for all references to its items in one request', async () => {
    const { gateway, sent } = await mirror()
    const ids = Array.from({ length: 300 }, (_, index) => `msg_i${index}`)
    await created(gateway, { input: ids.map((id) => ({ role: 'user', content: id, id })) })
    const parse = vi.spyOn(JSON, 'parse')
    await created(gateway, { input: ids.map((id) => ({ type: 'item_reference', id })) })
    const count = parse.mock.calls.length
    parse.mockRestore()
    expect(count).toBeLessThan(50)
    expect(sent().messages.map(({ content }) => content)).toEqual(ids)
  })

  it('of an app with too many is deleted before newer ones', () => {
    const tables = openRequestLogTables(freshFolder())
    const save = (at: number, who = 'tool:a') =>
      tables.responses.save(
        [{ id: `${who}${at}`, who, at, request: at, previous: null, input: 'x'.repeat(40), reply: '{}', items: [] }],
        100,
      )
    for (const at of [1, 2, 3]) save(at)
    save(4, 'tool:b')
    expect([1, 2, 3].map((at) => tables.responses.get('tool:a', `tool:a${at}`) !== null)).toEqual([false, true, true])
    expect(tables.responses.get('tool:b', 'tool:b4')).not.toBeNull()
    tables.close()
  })

  it('of a reply that is too large to be translated is not stored, says so, and is not read to its end', {
    tags: 'long',
  }, async () => {
    const closed = Promise.withResolvers<void>()
    const { gateway } = await beforeService((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.once('close', closed.resolve)
      const event = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'x'.repeat(1_000_000) } }] })}\n\n`
      writeRepeatedly(response, event, () => undefined)
    })
    const { text } = await create(gateway, { input: 'One', stream: true })
    const reply = lastIn(text)
    expect(reply).toMatchObject({ status: 'failed', store: false })
    await closed.promise
    expect((await at(gateway, reply.id)).status).toBe(404)
    const row = (await gateway.rows()).find(({ method }) => method === 'POST')
    expect(row).toMatchObject({ state: 'cut', problem: { kind: 'malformed_reply' } })
    expect(row?.bytesDown).toBeLessThan(100_000_000)
  })

  it.each([false, true])(
    'that the disk refuses is not stored: the reply says store: false, and so does the log (stream: %s)',
    async (stream) => {
      const { gateway } = await mirror()
      await created(gateway, { input: 'One' })
      const other = new DatabaseSync(join(gateway.dataDir, 'bodies.sqlite'))
      // Fails at once, as damage does. A lock would be waited for.
      other.exec("CREATE TRIGGER refuse BEFORE INSERT ON responses BEGIN SELECT RAISE(ABORT, 'refused'); END")
      other.close()
      const answer = await ask(`${gateway.url}/responses`, {
        method: 'POST',
        headers: jsonWithKey,
        body: JSON.stringify({ model: 'm', input: 'Two', store: true, stream }),
      })
      const text = answer.body.toString()
      const reply = stream ? lastIn(text) : (JSON.parse(text) as ReturnType<typeof lastIn>)
      expect(reply).toMatchObject({ status: 'completed', store: false })
      if (stream) {
        const numbers = [...text.matchAll(/"sequence_number":(\d+)/g)].map(([, number]) => Number(number))
        expect(numbers).toEqual(numbers.map((_, index) => index))
      } else expect(answer.headers['x-studio-ignored']).toBe('store')
      expect((await at(gateway, reply.id)).status).toBe(404)
      await expect
        .poll(async () => (await gateway.rows()).find(({ method }) => method === 'POST')?.ignored)
        .toEqual(['store'])
      closers.pop()
      await expect(gateway.close()).rejects.toThrow('Responses could not be stored')
    },
  )

  it('that is too large is not stored, and the app and the log learn it', { tags: 'long' }, async () => {
    const { gateway } = await mirror()
    const answer = await ask(`${gateway.url}/responses`, {
      method: 'POST',
      headers: jsonWithKey,
      body: JSON.stringify({ model: 'm', input: 'x'.repeat(9 * 1024 * 1024) }),
    })
    expect(answer.status).toBe(200)
    expect(answer.headers['x-studio-ignored']).toBe('store')
    const { id, store } = JSON.parse(answer.body.toString()) as { id: string; store: boolean }
    expect(store).toBe(false)
    expect((await at(gateway, id)).status).toBe(404)
    await expect
      .poll(async () => (await gateway.rows()).find(({ method }) => method === 'POST')?.ignored)
      .toEqual(['store'])
  })

  it('the reply waits for a lock of another program, and the response can be read during the wait', async () => {
    const { gateway } = await mirror()
    await created(gateway, { input: 'One' })
    const other = new DatabaseSync(join(gateway.dataDir, 'bodies.sqlite'))
    other.exec('BEGIN IMMEDIATE')
    const second = await created(gateway, { input: 'Two' })
    expect(second).toMatchObject({ status: 'completed', store: false })
    expect((await at(gateway, second.id)).status).toBe(200)
    expect(other.prepare('SELECT count(*) AS n FROM responses').get()).toEqual({ n: 1 })
    other.exec('ROLLBACK')
    await expect.poll(() => other.prepare('SELECT count(*) AS n FROM responses').get()).toEqual({ n: 2 })
    other.close()
    closers.pop()
    await expect(gateway.close()).rejects.toThrow('Responses could not be stored and will be retried')
  })
})

describe('requests that need no reply of the service', () => {
  it('pass with a spent budget, count as requests of the app, and are logged at no cost', async () => {
    const { far, gateway } = await mirror()
    const { id } = await created(gateway, { input: 'One' })
    const reached = far.requests.length
    gateway.change({ budgetTotal: '0', endpoints: ['chat'] })
    expect((await at(gateway, id)).status).toBe(200)
    const [row] = await gateway.rows()
    expect(row).toMatchObject({
      state: 'done',
      status: 200,
      cost: '0',
      costIs: 'measured',
      dialect: 'responses',
      path: `/v1/responses/${id}`,
    })
    gateway.change({ endpoints: ['speech'] })
    expect((await at(gateway, id)).status).toBe(403)
    gateway.change({ endpoints: null, requestsPerMinute: 1 })
    expect((await at(gateway, id)).status).toBe(200)
    expect((await at(gateway, id)).status).toBe(429)
    expect(far.requests).toHaveLength(reached)
  })

  it.each([
    ['POST', 'resp_x/cancel', 400, /background/],
    ['GET', 'compact', 405, /POST/],
    ['POST', 'compact/x', 404, /no such path/],
    ['GET', 'input_tokens', 405, /POST/],
    ['POST', 'input_tokens/x', 404, /no such path/],
    ['POST', 'resp_x', 405, /GET/],
    ['POST', 'resp_x/input_items', 405, /GET/],
    ['GET', 'resp_x/anything', 404, /no such path/],
    ['GET', 'resp_x', 404, /resp_x/],
    ['GET', 'resp_x/input_items', 404, /resp_x/],
  ])('%s /v1/responses/%s gets %i with a message', async (method, path, status, words) => {
    const { far, gateway } = await mirror()
    const answer = await at(gateway, path, method)
    expect(answer.status).toBe(status)
    expect((answer.body.error as { message: string }).message).toMatch(words)
    expect(far.requests).toHaveLength(0)
  })
})

it('counts tokens as the service counts them, within a third, without asking it', async () => {
  const { sandbox, gateway } = await beforeSandbox()
  const text = 'The lighthouse keeper counted the ships that passed at dusk. '.repeat(40)
  const body = JSON.stringify({ model: 'mirror', max_tokens: 5, messages: [{ role: 'user', content: text }] })
  const post = (path: string) => ask(`${gateway.url}${path}`, { method: 'POST', headers: jsonWithKey, body })
  const counted = await post('/messages/count_tokens?beta=true')
  const { input_tokens } = JSON.parse(counted.body.toString()) as { input_tokens: number }
  expect(counted.headers['request-id']).toMatch(/^req_/)
  expect(sandbox.observe.requests()).toHaveLength(0)
  const { usage } = JSON.parse((await post('/messages')).body.toString()) as { usage: { input_tokens: number } }
  expect(input_tokens).toBeGreaterThan(usage.input_tokens / 1.34)
  expect(input_tokens).toBeLessThan(usage.input_tokens * 1.34)
  expect((await gateway.rows()).map(({ path, cost, costIs }) => [path, cost, costIs]).at(-1)).toEqual([
    '/v1/messages/count_tokens',
    '0',
    'measured',
  ])
})

describe('models in Anthropic’s shape', () => {
  const versioned = { ...jsonWithKey, 'anthropic-version': '2023-06-01' }
  it('are those of the service, with a map’s names too', async () => {
    const { sandbox, gateway } = await beforeSandbox({
      app: { modelMap: [{ pattern: 'claude-*', model: 'mirror' }] },
    })
    const get = async (path: string, headers: Record<string, string> = versioned) => {
      const answer = await ask(`${gateway.url}${path}`, { headers })
      return { status: answer.status, body: JSON.parse(answer.body.toString()) as Record<string, unknown> }
    }
    const own = (await get('/models', jsonWithKey)).body.data as { id: string }[]
    const list = await get('/models?limit=1000')
    expect(new Set((list.body.data as { id: string }[]).map(({ id }) => id))).toEqual(new Set(own.map(({ id }) => id)))
    expect((await get('/models/mirror')).body).toMatchObject({ type: 'model', id: 'mirror' })
    expect((await get('/models/claude-5')).body).toMatchObject({ type: 'model', id: 'claude-5' })
    expect((await get('/models?limit=0')).status).toBe(400)
    const missing = await get('/models/none%C3%A9')
    expect([missing.status, missing.body.type]).toEqual([404, 'error'])
    expect(new Set(sandbox.observe.requests().map(({ path }) => path))).toEqual(new Set(['/v1/models']))
    const refused = await get('/models', { 'anthropic-version': '2023-06-01' })
    expect([refused.status, refused.body.type]).toEqual([401, 'error'])
  })
})
