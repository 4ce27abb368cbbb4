import { describe, expect, it } from 'vitest'
import { asks, brokenOff, chatBody, streamBody } from './helpers/app.ts'
import { chunk, head, lastChunk, streamHead } from './helpers/bytes.ts'
import { openSetting } from './helpers/setting.ts'

// Wherever the network cuts a stream into packets, the app gets the same bytes. Tests of upstream/meter cover all splits of events; here
// the bytes pass through real sockets.

const usageEvent = 'data: {"id":"c","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}'
const streams: Record<string, string> = {
  plain:
    'data: {"choices":[{"index":0,"delta":{"content":"Good"}}]}\n\ndata: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
  'with CR LF, comments, fields not known, and letters of several bytes':
    ': keep-alive\r\n\r\nid: 7\r\nretry: 100\r\ndata: {"choices":[{"index":0,"delta":{"content":"héllo 🌍"}}]}\r\n\r\nx-new: 1\r\n\r\ndata: [DONE]\r\n\r\n',
  'with CR alone, and events over several lines':
    'event: x\rdata: {"choices":\rdata: [{"index":0}]}\r\rdata: [DONE]\r\r',
  'with usage, and something behind the end': `data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n${usageEvent}\n\ndata: [DONE]\n\ntrailing`,
}

/** One gateway for all cuts of a stream; the far end uses them in turn. */
async function relayAll(bytes: Buffer, cuts: number[][], body: string, isWhole = true): Promise<Buffer[]> {
  const setting = await openSetting(async (turn) => {
    const edges = [0, ...(cuts[turn.number - 1] ?? []), bytes.length]
    await turn.write(streamHead)
    for (let at = 0; at + 1 < edges.length; at += 1) {
      const piece = bytes.subarray(edges[at], edges[at + 1])
      if (piece.length > 0) await turn.write(chunk(piece))
      // The next piece must be a packet of its own.
      await new Promise((resolve) => setImmediate(resolve))
    }
    await turn.write(lastChunk)
  })
  const bodies: Buffer[] = []
  for (const _ of cuts) {
    const outcome = await asks(setting.gateway.url, { body }).outcome
    expect(outcome.whole).toBe(isWhole)
    bodies.push(outcome.body)
  }
  return bodies
}

const distinct = (bodies: Buffer[]): string[] => [...new Set(bodies.map((body) => body.toString('latin1')))]
const everyCut = (bytes: Buffer): number[][] => Array.from({ length: bytes.length - 1 }, (_, at) => [at + 1])
const everyByte = (bytes: Buffer): number[] => Array.from({ length: bytes.length - 1 }, (_, at) => at + 1)

describe('every cut of a stream in two, and all of them at once, relays the same bytes [SSE-02] [SSE-03] [SSE-06]', () => {
  it.each(Object.entries(streams))('%s', async (_title, text) => {
    const bytes = Buffer.from(text)
    const bodies = await relayAll(bytes, [...everyCut(bytes), everyByte(bytes)], streamBody)
    expect(distinct(bodies)).toEqual([bytes.toString('latin1')])
  })
})

it('a stream that its sender cut short, in order, is passed on up to its last whole event, wherever it was cut [SSE-02] [SSE-04]', async () => {
  const event = 'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n'
  const bytes = Buffer.from(`${event}data: {"cho`)
  const bodies = await relayAll(bytes, [...everyCut(bytes), everyByte(bytes)], streamBody, false)
  for (const body of bodies) expect(brokenOff(body)).toEqual({ before: Buffer.from(event), code: 'incomplete_reply' })
})

it('the usage event that only this program requested is removed, wherever it was cut [SSE-02] [SSE-06]', async () => {
  const event = 'data: {"choices":[{"index":0,"delta":{"content":"é"}}]}\n\n'
  const bytes = Buffer.from(`${event}${usageEvent}\n\ndata: [DONE]\n\n`)
  const bodies = await relayAll(bytes, [...everyCut(bytes), everyByte(bytes)], chatBody({ stream: true }))
  expect(distinct(bodies)).toEqual([Buffer.from(`${event}data: [DONE]\n\n`).toString('latin1')])
})

it('a head that arrives in two packets, cut anywhere, is the same reply', async () => {
  const text = `${head('200 OK', 'Content-Type: text/event-stream', 'X-Request-Id: r-1', 'Content-Length: 14')}data: [DONE]\n\n`
  const cuts = Array.from({ length: text.length - 1 }, (_, at) => at + 1)
  const setting = await openSetting(async (turn) => {
    const cut = cuts[turn.number - 1] ?? 0
    await turn.write(text.slice(0, cut))
    await new Promise((resolve) => setImmediate(resolve))
    await turn.write(text.slice(cut))
  })
  for (const _ of cuts) {
    const outcome = await asks(setting.gateway.url, { body: streamBody }).outcome
    expect(outcome).toMatchObject({ status: 200, whole: true, headers: { 'x-request-id': 'r-1' } })
    expect(outcome.body.toString()).toBe('data: [DONE]\n\n')
  }
})
