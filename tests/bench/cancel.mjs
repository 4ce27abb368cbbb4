// The client goes away: how soon the service's connection is closed or, where none was open, how soon the request's place is free.
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { Agent, request } from 'undici'
import { median, ms, quantile, worst } from './figures.mjs'
import { seenOf, startFarEnd, startStudio } from './peers.mjs'
import { clock, jsonHeaders, pause, streamBody } from './traffic.mjs'

/** A peer that took longer than this never closes it. */
const neverMs = 1000
let lastId = 0

/** A streamed chat on a connection of its own, with orders for the far end. */
function open(peer, more) {
  lastId += 1
  const id = `c${lastId}`
  const sent = httpRequest(`${peer.url}/chat/completions`, {
    method: 'POST',
    agent: false,
    headers: jsonHeaders(peer, { 'content-length': String(Buffer.byteLength(streamBody)), 'x-bench-id': id, ...more }),
  })
  // It ends by the destroy that is measured.
  sent.on('error', () => undefined)
  sent.end(streamBody)
  return { id, sent }
}

const endless = { 'x-bench-stream': '1', 'x-bench-every-ms': '5', 'x-bench-chunks': '40000' }

async function firstBytes({ sent }) {
  const [response] = await once(sent, 'response')
  response.on('error', () => undefined)
  if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`)
  await once(response, 'data')
}

/** What `look` answers once it is neither null nor false; null after too long. */
async function until(look) {
  for (const from = clock(); clock() - from < neverMs; ) {
    const found = await look()
    if (found !== null && found !== false) return found
    await pause(1)
  }
  return null
}

const arrival = (far, id) => until(async () => (await seenOf(far, id))?.arrivedAt ?? null)
const closing = (far, id) => until(async () => (await seenOf(far, id))?.closedAt ?? null)

async function beforeHeaders(peer, far) {
  const one = open(peer, { 'x-bench-silent': '1' })
  await arrival(far, one.id)
  // Past the moment of sending, so that it is the wait for headers that ends.
  await pause(20)
  const at = clock()
  one.sent.destroy()
  const closedAt = await closing(far, one.id)
  return closedAt === null ? null : closedAt - at
}

async function midStream(peer, far) {
  const one = open(peer, endless)
  await firstBytes(one)
  const at = clock()
  one.sent.destroy()
  const closedAt = await closing(far, one.id)
  return closedAt === null ? null : closedAt - at
}

/**
 * The key has one slot: one streams, two wait. The first of those that wait goes away together with the one that streams;
 * the last one's arrival at the service shows that the place between them was given up.
 */
async function inTheQueue(studio, far) {
  const streaming = open(studio, endless)
  await firstBytes(streaming)
  const waiting = open(studio, endless)
  await pause(30)
  const next = open(studio, endless)
  await pause(30)
  if ((await seenOf(far, waiting.id)) !== null) throw new Error('It was sent although the key’s one slot is taken.')
  const at = clock()
  waiting.sent.destroy()
  streaming.sent.destroy()
  const arrivedAt = await arrival(far, next.id)
  const passedOver = (await seenOf(far, waiting.id)) === null
  next.sent.destroy()
  await closing(far, next.id)
  return arrivedAt === null || !passedOver ? null : arrivedAt - at
}

/** The tool may have one request at a time: that it may ask again shows that the one in back-off was given up. */
async function inBackOff(studio, far, agent) {
  const mayAsk = async () => {
    const reply = await request(`${studio.url}/models`, { dispatcher: agent, headers: jsonHeaders(studio) })
    await reply.body.dump()
    return reply.statusCode === 200
  }
  const one = open(studio, { 'x-bench-busy': '1' })
  await arrival(far, one.id)
  await pause(20)
  if (await mayAsk()) throw new Error('The request in back-off does not count as the tool’s one request.')
  const at = clock()
  one.sent.destroy()
  return (await until(mayAsk)) === null ? null : clock() - at
}

/** So many times, each peer in turn, so that a busy moment falls on all; one that never closes is not waited for again. */
async function series(count, peers, act) {
  const byPeer = new Map(peers.map((peer) => [peer, []]))
  for (let n = 0; n < count; n += 1) {
    for (const peer of peers) {
      const times = byPeer.get(peer)
      if (times === null) continue
      const took = await act(peer)
      if (took === null) byPeer.set(peer, null)
      else times.push(took)
    }
  }
  return byPeer
}

export async function cancelPart(peers, far, { quick }) {
  const count = quick ? 30 : 60
  // The direct way too: what its worst is, the machine has added.
  const between = {
    'before headers': await series(count, peers, (peer) => beforeHeaders(peer, far)),
    'mid-stream': await series(count, peers, (peer) => midStream(peer, far)),
  }
  const narrow = await startFarEnd(1)
  const [oneSlot, oneAtATime] = [await startStudio(narrow), await startStudio(far, ['--concurrent', '1'])]
  const agent = new Agent({ connections: 1 })
  const queued = await series(count, [oneSlot], (peer) => inTheQueue(peer, narrow))
  const backingOff = await series(count, [oneAtATime], (peer) => inBackOff(peer, far, agent))
  await agent.close()
  await Promise.all([oneSlot.stop(), oneAtATime.stop(), narrow.stop()])
  return { between, own: { 'in the queue': queued.get(oneSlot), 'in back-off': backingOff.get(oneAtATime) } }
}

const words = (times) =>
  times === null ? 'never' : `p50 ${ms(median(times))}, p95 ${ms(quantile(times, 0.95))}, worst ${ms(worst(times))}`
const good = (times) => times !== null && worst(times) <= 20

export function reportCancel(report, { between, own }) {
  for (const [phase, byPeer] of Object.entries(between)) {
    for (const [peer, times] of byPeer) {
      if (peer.name === 'studio') report(`cancel ${phase}: upstream closed`, words(times), good(times), '<= 20 ms')
      if (peer.name === 'direct') report(`cancel ${phase}: the machine itself`, words(times))
    }
  }
  report('cancel in the queue: the next one is sent', words(own['in the queue']), good(own['in the queue']), '<= 20 ms')
  report('cancel in back-off: the place is free', words(own['in back-off']), good(own['in back-off']), '<= 20 ms')
}

export function cancelRows({ between, own }) {
  const cell = (times) => (times === null ? 'never' : times === undefined ? '' : worst(times).toFixed(1))
  const rows = Object.entries(between).map(([phase, byPeer]) => [
    `client gone ${phase}: upstream closed, worst, ms`,
    (peer) => cell(byPeer.get(peer)),
  ])
  for (const [phase, times] of Object.entries(own)) {
    rows.push([
      `client gone ${phase}: its place free, worst, ms`,
      (peer) => (peer.name === 'studio' ? cell(times) : ''),
    ])
  }
  return rows
}
