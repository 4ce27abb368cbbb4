import { describe, expect, it } from 'vitest'
import { fixtureOf } from '../../../src-main/core/requestLog/fixture.ts'
import { copyBody } from '../../../src-main/core/upstream/sending/copy.ts'
import { readFixture } from '../../../src-main/sandbox/replay/fixture.ts'
import { randomNumbers } from '../../helpers/random.ts'
import { appRequester, notice, testRequestLog } from './helpers.ts'

const whole = (text: string) => ({ text, bytes: Buffer.byteLength(text), capped: false })

interface Logged {
  request?: string | null
  reply?: string | null
  times?: [number, number][]
  capped?: boolean
  path?: string
  status?: number
  dialect?: 'messages'
  app?: string
  headers?: [string, string][]
}

function opened() {
  const { requestLog } = testRequestLog()
  const log = (one: Logged = {}): number => {
    const { request = '{"model":"m","messages":[]}', reply = '{"ok":true}', capped = false, status = 200 } = one
    const path = one.path ?? '/v1/chat/completions'
    const { dialect } = one
    const trace = requestLog.open(
      notice({
        logBodies: true,
        path,
        ...(dialect && { dialect }),
        ...(one.app && { requester: appRequester(one.app) }),
      }),
    )
    trace.connected()
    trace.replied(status, null)
    trace.receivedBytes(1)
    if (one.headers) trace.headers([], one.headers, (text) => text)
    const copied = (text: string | null) => (text === null ? { text, bytes: 9, capped } : { ...whole(text), capped })
    trace.bodies(copied(request), { ...copied(reply), ...(one.times && { times: one.times }) })
    trace.ends({ state: 'done' }, null)
    return trace.id
  }
  return { requestLog, log }
}

const read = async (made: ReturnType<typeof fixtureOf>) => {
  const { text, ...counts } = await made
  return { counts, exchanges: readFixture(text) }
}

describe('a fixture', () => {
  it('has requests and replies in the order of time, each with its path at the service, its status and its few headers', async () => {
    const { requestLog, log } = opened()
    const headers: [string, string][] = [
      ['Content-Type', 'application/json'],
      ['Retry-After', '3'],
      ['Set-Cookie', 'a=b'],
    ]
    const first = log({ path: '/v1/messages', dialect: 'messages' })
    const second = log({ request: '{"n":2}', reply: '{"error":{}}', status: 429, headers })
    const { counts, exchanges } = await read(fixtureOf(requestLog, { ids: [second, first, second] }))
    expect(counts).toEqual({ requests: 2, incomplete: 0, unsuitable: 0 })
    expect(exchanges.map(({ request }) => request)).toEqual([
      { method: 'POST', path: '/v1/chat/completions', body: { model: 'm', messages: [] } },
      { method: 'POST', path: '/v1/chat/completions', body: { n: 2 } },
    ])
    expect(exchanges[1]?.reply).toMatchObject({
      status: 429,
      headers: { 'content-type': 'application/json', 'retry-after': '3' },
    })
    expect(exchanges[0]?.reply.headers['content-type']).toContain('application/json')
  })

  it('leaves out what is not complete or no text, and says how many; without any it is refused', async () => {
    const { requestLog, log } = opened()
    const good = log()
    const others = [log({ capped: true }), log({ reply: null }), log({ request: 'a=b' })]
    const { counts } = await read(fixtureOf(requestLog, { ids: [good, ...others] }))
    expect(counts).toEqual({ requests: 1, incomplete: 1, unsuitable: 2 })
    await expect(fixtureOf(requestLog, { ids: others })).rejects.toMatchObject({ kind: 'bad_input' })
    await expect(fixtureOf(requestLog, { ids: [4711_000] })).rejects.toMatchObject({ kind: 'no_such_item' })
  })

  it('is refused when it would be larger than 64 MB', { tags: 'long' }, async () => {
    const { requestLog, log } = opened()
    const large = JSON.stringify({ text: 'words '.repeat(6_000_000) })
    const ids = [log({ request: large }), log({ request: large })]
    await expect(fixtureOf(requestLog, { ids })).rejects.toMatchObject({
      kind: 'bad_input',
      message: expect.stringContaining('64 MB'),
    })
    expect((await fixtureOf(requestLog, { ids: ids.slice(0, 1) })).requests).toBe(1)
  })

  it('takes the rows of a filter that have bodies', async () => {
    const { requestLog, log } = opened()
    log({ request: '{"n":1}', app: 'other' })
    log({ request: '{"n":2}' })
    log({ request: '{"n":3}' })
    const { exchanges } = await read(fixtureOf(requestLog, { filter: { who: 'editor' } }))
    expect(exchanges.map(({ request }) => request.body)).toEqual([{ n: 2 }, { n: 3 }])
  })

  it('has no secret, also of rules that are newer than the stored body', async () => {
    const beginnings: string[] = []
    const { requestLog } = testRequestLog({ secretBeginnings: () => beginnings })
    const trace = requestLog.open(notice({ logBodies: true }))
    trace.replied(200, null)
    trace.bodies(whole('{"a":"acme-live-4711abcd"}'), whole('data: {"b":"acme-live-4711abcd"}\n\n'))
    trace.ends({ state: 'done' }, null)
    expect(requestLog.get(trace.id).requestBody?.text).toContain('acme-live-4711abcd')
    beginnings.push('acme-live-')
    const { text } = await fixtureOf(requestLog, { ids: [trace.id] })
    expect(text).not.toContain('acme-live')
    expect(text).toContain('[secret: own]')
  })

  it('read by the sandbox has the same texts as the log, divided as they arrived and never inside a character', async () => {
    const random = randomNumbers()
    const { requestLog, log } = opened()
    const some = ['a', 'é', '😀', '\n', '"', '\\', '語', 'data: {"x":1}\n\n', '\u2028', '\0'.slice(1), 'plain words ']
    for (let round = 0; round < 100; round++) {
      const pick = (): string => some[Math.floor(random() * some.length)] ?? ''
      const reply = Array.from({ length: 1 + Math.floor(random() * 40) }, pick).join('') || 'x'
      const body = { [pick()]: [pick(), random(), null, { deep: pick() }] }
      const copy = copyBody(1_000_000)
      const bytes = Buffer.from(reply)
      for (let at = 0; at < bytes.length; ) {
        const to = Math.min(bytes.length, at + 1 + Math.floor(random() * 20))
        copy.push(bytes.subarray(at, to))
        at = to
      }
      expect(copy.done((text) => text).text).toBe(reply)
      // As if the parts had arrived 5 ms apart.
      const spread =
        bytes.length > 4
          ? [
              [0, 3],
              [5, bytes.length - 4],
              [10, 1],
            ].map(([ms = 0, size = 0]): [number, number] => [ms, size])
          : []
      const id = log({ request: JSON.stringify(body), reply, times: spread })
      const { exchanges } = await read(fixtureOf(requestLog, { ids: [id] }))
      const [exchange] = exchanges
      expect(exchange?.request.body).toEqual(body)
      const pieces = exchange?.reply.pieces ?? []
      expect(pieces.map(([, text]) => text).join('')).toBe(reply)
      for (const [, text] of pieces) expect(text.isWellFormed()).toBe(true)
      expect(pieces.map(([ms]) => ms)).toEqual(pieces.map(([ms]) => ms).sort((a, b) => a - b))
    }
  })

  it('keeps the times of a reply in many parts in bounded memory, with every byte', () => {
    const copy = copyBody(1_000_000)
    const part = Buffer.from('x')
    const until = performance.now() + 60
    let sent = 0
    for (; performance.now() < until || sent < 100_000; sent++) copy.push(part)
    const { times = [] } = copy.done((text) => text)
    expect(times.length).toBeLessThan(2000)
    expect(times.reduce((sum, [, size]) => sum + size, 0)).toBe(sent)
  })
})
