// What an app costs whose bodies are logged and whose requests are turns of one session: keys are masked, sections are hashed.
import { Agent, request } from 'undici'
import { chat } from './conversation.mjs'
import { median, us } from './figures.mjs'
import { ratio, slice } from './load.mjs'
import { startStudio } from './peers.mjs'
import { tree } from './processes.mjs'
import { chatBody, jsonHeaders, streamBody } from './traffic.mjs'

const chunks = 200

/** What is measured. `limit`: most CPU, in multiples of the bare relay's; null: shown only, because that limit is for a short request. */
const kinds = {
  json: { words: 'short JSON request', body: chatBody, headers: {}, units: 1, share: 1, limit: 2.2 },
  agent: {
    words: `agent’s request of ${Math.round(chat.agent.length / 1000)} kB`,
    body: chat.agent,
    headers: {},
    units: 1,
    share: 2,
    limit: null,
  },
  chunk: {
    words: 'streamed chunk, as fast as it goes',
    body: streamBody,
    headers: { 'x-bench-stream': '1', 'x-bench-chunks': String(chunks) },
    units: chunks,
    share: 20,
    limit: 1.6,
  },
}

async function ask(peer, agent, { body, headers }) {
  const reply = await request(`${peer.url}/chat/completions`, {
    method: 'POST',
    dispatcher: agent,
    headers: jsonHeaders(peer, headers),
    body,
  })
  const { byteLength } = await reply.body.arrayBuffer()
  if (reply.statusCode !== 200 || byteLength < 900) throw new Error(`${peer.words} answered ${reply.statusCode}`)
}

/** Ways of an app that are measured beside the bare relay and an app without both. */
const ways = [
  { name: 'session', words: 'in a session', options: [] },
  { name: 'logging', words: 'in a session, bodies logged', options: ['--log-bodies'] },
]

async function startWay(far, { name, words, options }) {
  const started = await startStudio(far, options)
  return { ...started, name, words, headers: { 'x-session-id': 'bench' }, pids: () => tree(started.pid) }
}

/** @returns figures by peer, and in them by kind: CPU us of each round */
export async function loggingPart(all, far, { quick }) {
  const own = []
  for (const way of ways) own.push(await startWay(far, way))
  const peers = [...all.filter(({ name }) => name === 'bare' || name === 'studio'), ...own]
  const [rounds, least, warmUp] = quick ? [5, 400, 3000] : [11, 1000, 10_000]
  const figures = new Map(peers.map((peer) => [peer, { json: [], agent: [], chunk: [] }]))
  const agents = new Map(peers.map((peer) => [peer, new Agent({ connections: 16 })]))
  const measure = async (peer, kind, count) => {
    const { share, units } = kinds[kind]
    const run = { forMs: 0, least: Math.ceil(count / share) }
    return (await slice(peer, 16, run, () => ask(peer, agents.get(peer), kinds[kind]))) / units
  }
  for (const kind of Object.keys(kinds)) {
    for (const peer of peers) await measure(peer, kind, warmUp)
    for (let round = 0; round < rounds; round += 1) {
      // The order changes each round, so that no peer always runs on a cold or a hot machine.
      const at = round % peers.length
      for (const peer of [...peers.slice(at), ...peers.slice(0, at)])
        figures.get(peer)[kind].push(await measure(peer, kind, least))
    }
  }
  await Promise.all([...agents.values()].map((agent) => agent.close()))
  for (const { stop } of own) await stop()
  return figures
}

export function reportLogging(report, figures) {
  const by = new Map([...figures].map(([peer, value]) => [peer.name, value]))
  const [bare, studio] = ['bare', 'studio'].map((name) => by.get(name))
  for (const [kind, { words, limit }] of Object.entries(kinds)) {
    for (const { name, words: way } of [{ name: 'studio', words: 'neither' }, ...ways]) {
      const of = by.get(name)
      const value = ratio(of[kind], bare[kind])
      const more = name === 'studio' ? '' : `, ${ratio(of[kind], studio[kind]).toFixed(2)} x neither`
      const figure = `${value.toFixed(2)} x: ${us(median(of[kind]))} us (bare ${us(median(bare[kind]))}${more})`
      const bar = limit === null ? [] : [value <= limit, `<= ${limit} x bare relay`]
      report(`${words}, ${way}`, figure, ...bar)
    }
  }
}
