// Time from the disconnection of a client until the connection to the service is closed or, without one, until the request's slot is free.
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { Agent, request } from 'undici'
import { median, ms, quantile, worst } from './figures.mjs'
import { seenOf, startFarEnd, startStudio } from './peers.mjs'
import { clock, jsonHeaders, pause, streamBody } from './traffic.mjs'

/** A peer that takes longer counts as never closing the connection, ms. */
const neverMs = 1000
let lastId = 0

/** A streamed chat on its own connection, with orders for the far end. */
function open(peer, more) {
  lastId += 1
  const id = `c${lastId}`
  const sent = httpRequest(`${peer.url}/chat/completions`, {
    method: 'POST',
    agent: false,
    headers: jsonHeaders(peer, { 'content-length': String(Buffer.byteLength(streamBody)), 'x-bench-id': id, ...more }),
  })
  // The measured `destroy` ends this request with an error.
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

/** Polls `look` until it returns neither null nor false, and returns that value. Null after a timeout. */
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

/** Disconnects, and returns how long the service's connection stays open, ms. Null if it is never closed. */
async function closeAfter(one, far) {
  const at = clock()
  one.sent.destroy()
  const closedAt = await closing(far, one.id)
  return closedAt === null ? null : closedAt - at
}

async function beforeHeaders(peer, far) {
  const one = open(peer, { 'x-bench-silent': '1' })
  await arrival(far, one.id)
  // The request has been sent, so the wait for headers is what ends.
  await pause(20)
  return closeAfter(one, far)
}

async function midStream(peer, far) {
  const one = open(peer, endless)
  await firstBytes(one)
  return closeAfter(one, far)
}

/**
 * The key has one slot: one request streams, two wait. The first of the waiting two disconnects together with the streaming one. The
 * arrival of the last one at the service shows that the place between them was freed.
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

/** The app may have one request at a time. A new request shows that the one in back-off was dropped. */
async function inBackOff(studio, far, agent) {
  const mayAsk = async () => {
    const reply = await request(`${studio.url}/models`, { dispatcher: agent, headers: jsonHeaders(studio) })
    await reply.body.dump()
    return reply.statusCode === 200
  }
  const one = open(studio, { 'x-bench-busy': '1' })
  await arrival(far, one.id)
  await pause(20)
  if (await mayAsk()) throw new Error('The request in back-off does not count as the app’s one request.')
  const at = clock()
  one.sent.destroy()
  return (await until(mayAsk)) === null ? null : clock() - at
}

/** Repeats each peer in turn, so that a busy moment affects all. A peer that never closes is not tried again. */
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
  // Includes the direct connection, whose worst time shows the delay that the machine adds.
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
