// JSON requests and short streams: CPU of the peer by request and by chunk, and the time that it adds.
import { Agent, request } from 'undici'
import { median, ms, quantile, us } from './figures.mjs'
import { cpuMicros, residentBytes } from './processes.mjs'
import { chatBody, jsonHeaders, streamBody } from './traffic.mjs'

const chunksEach = 200

/** @returns ms to the whole reply */
async function askJson(peer, agent) {
  const from = performance.now()
  const reply = await request(`${peer.url}/chat/completions`, {
    method: 'POST',
    dispatcher: agent,
    headers: jsonHeaders(peer),
    body: chatBody,
  })
  const { byteLength } = await reply.body.arrayBuffer()
  if (reply.statusCode !== 200 || byteLength < 900) throw new Error(`${peer.words} answered ${reply.statusCode}`)
  return performance.now() - from
}

/** @returns ms to the first byte of the body */
async function askStream(peer, agent, chunks) {
  const from = performance.now()
  const reply = await request(`${peer.url}/chat/completions`, {
    method: 'POST',
    dispatcher: agent,
    headers: jsonHeaders(peer, { 'x-bench-stream': '1', 'x-bench-chunks': String(chunks) }),
    body: streamBody,
  })
  let first = null
  for await (const _ of reply.body) first ??= performance.now() - from
  if (reply.statusCode !== 200 || first === null) throw new Error(`${peer.words} answered ${reply.statusCode}`)
  return first
}

/**
 * Runs `act` at that concurrency for at least `forMs` and `least` times. Returns the CPU time of the peer's processes, us for each run.
 * The least count is there because on a busy machine time alone would measure code that is not compiled yet.
 */
export async function slice(peer, atOnce, { forMs, least }, act) {
  const pids = peer.pids()
  const [from, end] = [cpuMicros(pids), performance.now() + forMs]
  let count = 0
  const worker = async () => {
    while (performance.now() < end || count < least) {
      count += 1
      await act()
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return (cpuMicros(pids) - from) / count
}

/** One round of one peer. */
async function measureCpu(peer, figures, forMs, least) {
  const agent = new Agent({ connections: 16 })
  const json = await slice(peer, 16, { forMs, least }, () => askJson(peer, agent))
  const stream = await slice(peer, 8, { forMs, least: least / 20 }, () => askStream(peer, agent, chunksEach))
  figures.cpuJson.push(json)
  figures.cpuChunk.push(stream / chunksEach)
  await agent.close()
}

/** Times on one connection, in turn with the other peers in short runs, so that a busy moment affects all of them. */
async function measureTimes(peers, figures, agents, count) {
  for (const peer of peers) {
    const mine = figures.get(peer)
    const agent = agents.get(peer)
    for (let n = 0; n < count; n += 1) mine.json.push(await askJson(peer, agent))
    for (let n = 0; n < count; n += 1) mine.firstByte.push(await askStream(peer, agent, 3))
  }
}

export async function loadPart(peers, { quick }) {
  // `warmUp`: requests of each peer before the measurement, so that compiled code is measured and compiling has ended.
  const [rounds, forMs, least, turns, warmUp] = quick ? [3, 500, 600, 8, 3000] : [7, 1500, 2000, 25, 10_000]
  const figures = new Map(
    peers.map((peer) => [peer, { cpuJson: [], cpuChunk: [], json: [], firstByte: [], resident: 0 }]),
  )
  const agents = new Map(peers.map((peer) => [peer, new Agent({ connections: 1 })]))
  for (const peer of peers) await measureCpu(peer, { cpuJson: [], cpuChunk: [] }, forMs, warmUp)
  await measureTimes(peers, new Map(peers.map((peer) => [peer, { json: [], firstByte: [] }])), agents, 20)
  for (let round = 0; round < rounds; round += 1) {
    // The order changes each round, so that no peer always runs on a cold or a hot machine.
    const at = round % peers.length
    const turn = [...peers.slice(at), ...peers.slice(0, at)]
    for (const peer of turn) await measureCpu(peer, figures.get(peer), forMs, least)
    for (let n = 0; n < turns; n += 1) await measureTimes(turn, figures, agents, 10)
  }
  for (const peer of peers) figures.get(peer).resident = residentBytes(peer.pids())
  for (const agent of agents.values()) await agent.close()
  return figures
}

/** Median of the ratios of each round, because a busy moment affects both peers of a round. */
export const ratio = (mine, other) => median(mine.map((value, round) => value / other[round]))

export function reportLoad(report, figures) {
  const by = new Map([...figures].map(([peer, value]) => [peer.name, value]))
  const [studio, bare, direct, portkey] = ['studio', 'bare', 'direct', 'portkey'].map((name) => by.get(name))
  const times = (field, words, bar) => {
    const value = ratio(studio[field], bare[field])
    const pair = `${us(median(studio[field]))} us (bare relay ${us(median(bare[field]))} us)`
    report(words, `${value.toFixed(2)} x: ${pair}`, value <= bar, `<= ${bar} x bare relay`)
  }
  times('cpuJson', 'JSON: CPU per request', 2.2)
  if (portkey) {
    const value = ratio(studio.cpuJson, portkey.cpuJson)
    report('JSON: CPU per request, of Portkey’s', `1/${(1 / value).toFixed(1)}`, value <= 1 / 3, '<= 1/3')
  }
  times('cpuChunk', 'SSE: CPU per chunk, as fast as it goes', 1.6)
  const added = (field, at, words, bar) => {
    const over = (one) => quantile(one[field], at) - quantile(direct[field], at)
    report(words, `${ms(over(studio))} (bare relay ${ms(over(bare))})`, over(studio) <= bar, `<= ${bar} ms`)
  }
  added('json', 0.5, 'JSON: added p50, one connection', 0.4)
  added('firstByte', 0.5, 'SSE: added time to first byte, p50', 1)
  added('firstByte', 0.99, 'SSE: added time to first byte, p99', 4)
}

export function loadRows(figures) {
  const direct = [...figures].find(([peer]) => peer.name === 'direct')[1]
  const bare = [...figures].find(([peer]) => peer.name === 'bare')[1]
  const row = (words, cell) => [words, (peer) => (peer.name === 'direct' ? '' : cell(figures.get(peer)))]
  const over = (field, at) => (one) => (quantile(one[field], at) - quantile(direct[field], at)).toFixed(2)
  return [
    row('CPU per JSON request, us', ({ cpuJson }) => us(median(cpuJson))),
    row('… of the bare relay’s', ({ cpuJson }) => `${ratio(cpuJson, bare.cpuJson).toFixed(2)} x`),
    row('CPU per streamed chunk, us', ({ cpuChunk }) => us(median(cpuChunk))),
    row('JSON, added p50, ms', over('json', 0.5)),
    row('JSON, added p99, ms', over('json', 0.99)),
    row('first byte of a stream, added p50, ms', over('firstByte', 0.5)),
    row('first byte of a stream, added p99, ms', over('firstByte', 0.99)),
    row('memory after the load, MB', ({ resident }) => (resident / 1e6).toFixed(0)),
  ]
}
