// The local /v1 beside the bare relay and the direct way, interleaved in one run: CPU, added time, cancel.

import { fileURLToPath } from 'node:url'
import { Agent, request } from 'undici'
import { cli, cpuMicros, quantile, run, startJson, temporaryFolder } from './processes.mjs'

const here = (name) => fileURLToPath(new URL(name, import.meta.url))
const rounds = 5
const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Say something. '.repeat(40) }] })

async function json(peer, agent) {
  const from = performance.now()
  const reply = await request(`${peer.url}/chat/completions`, {
    method: 'POST',
    dispatcher: agent,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${peer.key}` },
    body,
  })
  await reply.body.arrayBuffer()
  if (reply.statusCode !== 200) throw new Error(`${peer.name} answered ${reply.statusCode}`)
  return performance.now() - from
}

async function stream(peer, agent, chunks) {
  const from = performance.now()
  const reply = await request(`${peer.url}/chat/completions`, {
    method: 'POST',
    dispatcher: agent,
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${peer.key}`,
      'x-bench-stream': '1',
      'x-bench-chunks': String(chunks),
    },
    body,
  })
  let first = null
  for await (const _ of reply.body) first ??= performance.now() - from
  return first
}

async function load(total, atOnce, act) {
  let left = total
  const worker = async () => {
    while (left > 0) {
      left -= 1
      await act()
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

async function cancel(peer, far, phase) {
  const id = String(Math.random())
  const gone = new AbortController()
  const agent = new Agent({ connections: 1 })
  const call = request(`${peer.url}/chat/completions`, {
    method: 'POST',
    dispatcher: agent,
    signal: gone.signal,
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${peer.key}`,
      'x-bench-id': id,
      ...(phase === 'before headers'
        ? { 'x-bench-silent': '1' }
        : { 'x-bench-stream': '1', 'x-bench-every-ms': '5', 'x-bench-chunks': '4000' }),
    },
    body,
  })
  if (phase === 'mid-stream') {
    const reply = await call
    reply.body.on('error', () => undefined)
    await new Promise((resolve) => reply.body.once('data', resolve))
  } else {
    // It ends by the abort below, which is what is measured.
    call.catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve, 60))
  }
  const at = performance.timeOrigin + performance.now()
  gone.abort()
  for (let tries = 0; tries < 200; tries += 1) {
    const reply = await request(`${far}/closed/${id}`)
    const closedAt = await reply.body.json()
    if (closedAt !== null) {
      await agent.destroy()
      return closedAt - at
    }
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error(`${peer.name}: upstream was never closed (${phase})`)
}

async function cpuPer(peer, count, act) {
  const from = peer.pid && cpuMicros(peer.pid)
  await act()
  return peer.pid ? [(cpuMicros(peer.pid) - from) / count] : []
}

async function measure(peer, mine) {
  const many = new Agent({ connections: 16 })
  mine.cpuJson.push(...(await cpuPer(peer, 4000, () => load(4000, 16, () => json(peer, many)))))
  mine.cpuChunk.push(...(await cpuPer(peer, 120 * 200, () => load(120, 8, () => stream(peer, many, 200)))))
  await many.close()
  const one = new Agent({ connections: 1 })
  for (let n = 0; n < 300; n += 1) mine.p50.push(await json(peer, one))
  for (let n = 0; n < 100; n += 1) mine.ttfb.push(await stream(peer, one, 3))
  await one.close()
}

const median = (values) => quantile(values, 0.5)
const ms = (value) => `${value.toFixed(2)} ms`

function reportRelay(report, figures, { direct, relay, studio }) {
  const of = (peer) => figures.get(peer)
  const ratio = (field) => median(of(studio)[field]) / median(of(relay)[field])
  report(
    'proxy, JSON: CPU per request, us',
    `${median(of(studio).cpuJson).toFixed(0)} (bare relay ${median(of(relay).cpuJson).toFixed(0)})`,
  )
  report('proxy, JSON: CPU, times the bare relay', ratio('cpuJson').toFixed(2), ratio('cpuJson') <= 1.5, '<= 1.5')
  report(
    'proxy, SSE: CPU per chunk, us',
    `${median(of(studio).cpuChunk).toFixed(1)} (bare relay ${median(of(relay).cpuChunk).toFixed(1)})`,
  )
  report(
    'proxy, SSE: CPU per chunk, times the bare relay',
    ratio('cpuChunk').toFixed(2),
    ratio('cpuChunk') <= 1.5,
    '<= 1.5',
  )
  const added = (field, at) => quantile(of(studio)[field], at) - quantile(of(direct)[field], at)
  const addedBare = (field, at) => quantile(of(relay)[field], at) - quantile(of(direct)[field], at)
  report(
    'proxy, JSON: added p50, one connection',
    `${ms(added('p50', 0.5))} (bare relay ${ms(addedBare('p50', 0.5))})`,
    added('p50', 0.5) <= 0.5,
    '<= 0.5 ms',
  )
  report(
    'proxy, SSE: added first byte p50',
    `${ms(added('ttfb', 0.5))} (bare relay ${ms(addedBare('ttfb', 0.5))})`,
    added('ttfb', 0.5) <= 1,
    '<= 1 ms',
  )
  report(
    'proxy, SSE: added first byte p99',
    `${ms(added('ttfb', 0.99))} (bare relay ${ms(addedBare('ttfb', 0.99))})`,
    added('ttfb', 0.99) <= 4,
    '<= 4 ms',
  )
}

export async function proxyBench(report) {
  const upstream = await startJson(here('upstream.mjs'))
  const far = `http://127.0.0.1:${upstream.ready.port}`
  const bare = await startJson(here('bare-relay.mjs'), [far])
  const dataDir = temporaryFolder()
  const ours = await startJson(
    cli,
    [
      'serve',
      '--json',
      '--no-web',
      '--proxy-port',
      '0',
      '--base-url',
      far,
      '--api-key-env',
      'BENCH_KEY',
      '--data-dir',
      dataDir,
    ],
    { BENCH_KEY: 'sk-bench-0123456789abcdef' },
  )
  const tool = await run(['tools', 'add', 'bench', '--json', '--data-dir', dataDir])
  const direct = { name: 'direct', url: `${far}/v1`, key: 'none', pid: null }
  const relay = { name: 'bare relay', url: `http://127.0.0.1:${bare.ready.port}/v1`, key: 'none', pid: bare.pid }
  const studio = { name: 'Inference Studio', url: ours.ready.proxy.baseUrl, key: tool.key, pid: ours.pid }
  const peers = [direct, relay, studio]
  const figures = new Map(peers.map((peer) => [peer, { cpuJson: [], cpuChunk: [], p50: [], ttfb: [] }]))

  for (const peer of peers) {
    const agent = new Agent({ connections: 16 })
    await load(1500, 16, () => json(peer, agent))
    await load(40, 4, () => stream(peer, agent, 200))
    await agent.close()
  }
  for (let round = 0; round < rounds; round += 1) {
    // Another order each round, so that no peer always runs on a warm or a tired machine.
    for (const peer of [...peers.slice(round % 3), ...peers.slice(0, round % 3)]) await measure(peer, figures.get(peer))
  }
  reportRelay(report, figures, { direct, relay, studio })
  for (const phase of ['before headers', 'mid-stream']) {
    for (const peer of [relay, studio]) {
      const times = []
      for (let n = 0; n < 30; n += 1) times.push(await cancel(peer, far, phase))
      const worst = Math.max(...times)
      const words = `p50 ${ms(median(times))}, worst ${ms(worst)}`
      if (peer === studio) report(`cancel ${phase}: upstream closed`, words, worst <= 20, '<= 20 ms')
      else report(`cancel ${phase}: bare relay`, words)
    }
  }
  await Promise.all([ours.stop(), bare.stop(), upstream.stop()])
}
