// OpenAI Responses and Anthropic Messages through the local /v1: CPU beside chat completions through it, and beside other translators.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import { checkStream, checkWhole } from './agent-replies.mjs'
import { chat, chunks, messages, model, responses, storedResponses } from './conversation.mjs'
import { median, us } from './figures.mjs'
import { ratio, slice } from './load.mjs'
import {
  installPackages,
  isAvailable,
  loopbackOnly,
  packages,
  startAgentFarEnd,
  startPortkey,
  startStudio,
  versions,
} from './peers.mjs'
import { startJson, temporaryFolder, tree } from './processes.mjs'
import { jsonHeaders } from './traffic.mjs'

const routerPackage = '@musistudio/claude-code-router'

/** Translates Messages to chat completions for Claude Code. Its settings are in the home folder. */
async function startRouter(far) {
  const home = temporaryFolder()
  mkdirSync(join(home, '.claude-code-router'))
  const provider = { name: 'bench', api_base_url: `${far.url}/v1/chat/completions`, api_key: 'none', models: [model] }
  const settings = {
    LOG: false,
    HOST: '127.0.0.1',
    NON_INTERACTIVE_MODE: true,
    Providers: [provider],
    Router: { default: `bench,${model}` },
  }
  writeFileSync(join(home, '.claude-code-router', 'config.json'), JSON.stringify(settings))
  const script = join(packages, 'node_modules', routerPackage, 'dist', 'cli.js')
  const { ready, pid, stop } = await startJson(script, ['start'], { HOME: home }, loopbackOnly)
  return { url: `http://127.0.0.1:${ready.port}/v1`, key: 'none', pid, stop }
}

/**
 * The measured programs, and the APIs in which each gets requests. The report finds a way by its `id`, which is null for a way that only
 * the table shows.
 */
const programs = [
  {
    words: 'Inference Studio',
    start: (far) => startStudio(far),
    apis: [
      { id: 'chat', words: 'chat completions, not translated', bodies: chat },
      { id: 'responses', words: 'Responses', bodies: responses },
      { id: null, words: 'Responses, stored', bodies: storedResponses },
      { id: 'messages', words: 'Messages', bodies: messages },
    ],
  },
  {
    words: `claude-code-router ${versions[routerPackage]}`,
    needs: installPackages,
    start: startRouter,
    apis: [{ id: 'peer', words: 'Messages', bodies: messages }],
  },
  {
    words: `Portkey gateway ${versions['@portkey-ai/gateway']}`,
    needs: installPackages,
    start: (far) => startPortkey(far, 'anthropic'),
    // It has no translation of the two APIs, but one of chat completions for a service that speaks Messages.
    apis: [{ id: 'peer', words: 'chat completions to Messages', bodies: chat }],
  },
]

/** Starts the programs. Prints which peers are unavailable, and skips them. Returns the ways: one for each program and API. */
async function startWays(far) {
  const ways = []
  const stops = []
  for (const { words, needs, start, apis } of programs) {
    if (!isAvailable(words, needs)) continue
    const peer = await start(far)
    stops.push(peer.stop)
    const pids = () => tree(peer.pid)
    for (const api of apis) ways.push({ ...peer, ...api, program: words, words: `${words}: ${api.words}`, pids })
  }
  return { ways, stop: () => Promise.all(stops.map((stop) => stop())) }
}

/** One request of a kind: `short`, `agent` or `stream`. @returns the bytes of the reply */
async function ask(way, agent, kind) {
  const { path } = way.bodies
  const reply = await request(`${way.url}/${path}`, {
    method: 'POST',
    dispatcher: agent,
    headers: jsonHeaders(way, path === 'messages' ? { 'anthropic-version': '2023-06-01' } : {}),
    body: way.bodies[kind],
  })
  const bytes = Buffer.from(await reply.body.arrayBuffer())
  if (reply.statusCode === 200 && bytes.length > 1000) return bytes
  throw new Error(`${way.words}: ${reply.statusCode} ${bytes.subarray(0, 300)}`)
}

/** Asks once for each kind and compares the whole reply with the far end's. */
async function check(way, agent) {
  const { path } = way.bodies
  for (const kind of ['short', 'agent']) checkWhole(way.words, path, await ask(way, agent, kind))
  checkStream(way.words, path, await ask(way, agent, 'stream'))
}

/** Streams with one chunk in each read, `everyMs` apart. @returns CPU, us per chunk */
async function paced(way, agent, far, { streams, everyMs }) {
  await far.pace(everyMs)
  const once = { forMs: 0, least: streams }
  const cpu = await slice(way, streams, once, () => ask(way, agent, 'stream'))
  await far.pace(0)
  return cpu / chunks
}

/** Measures one round of a way (a program and one of its APIs). */
async function measure(way, far, figures, { forMs, least, streams, everyMs }) {
  const agent = new Agent({ connections: streams })
  await check(way, agent)
  figures.short.push(await slice(way, 16, { forMs, least }, () => ask(way, agent, 'short')))
  figures.agent.push(await slice(way, 16, { forMs, least: least / 4 }, () => ask(way, agent, 'agent')))
  const stream = await slice(way, 8, { forMs, least: least / 20 }, () => ask(way, agent, 'stream'))
  figures.burst.push(stream / chunks)
  figures.alone.push(await paced(way, agent, far, { streams, everyMs }))
  await agent.close()
}

const kinds = {
  short: 'CPU per short JSON request, us',
  agent: `CPU per agent’s request of ${Math.round(Buffer.byteLength(chat.agent) / 1000)} kB, us`,
  burst: 'CPU per streamed chunk in bursts, us',
  alone: 'CPU per streamed chunk, each alone, us',
}
const none = () => Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []]))
/** Most CPU of a translated request, in multiples of one in chat completions. */
const bar = 1.5

function reportDialect(report, dialect, chatFigures, figures, peers) {
  for (const kind of Object.keys(kinds)) {
    const [what] = kinds[kind].split(', us')
    const times = ratio(figures[kind], chatFigures[kind])
    const pair = `${us(median(figures[kind]))} us (chat ${us(median(chatFigures[kind]))} us)`
    report(`${dialect}: ${what}`, `${times.toFixed(2)} x: ${pair}`, times <= bar, `<= ${bar} x chat`)
    for (const [{ program }, of] of peers) {
      const part = ratio(figures[kind], of[kind])
      report(`  of ${program}’s`, `1/${(1 / part).toFixed(1)}`, part < 1, 'below it')
    }
  }
}

function table(figures) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  return [
    line(['', ...[...figures.keys()].map(({ words }) => words)]),
    line(['---', ...[...figures].map(() => '---:')]),
    ...Object.entries(kinds).map(([kind, words]) =>
      line([words, ...[...figures.values()].map((of) => us(median(of[kind])))]),
    ),
  ].join('\n')
}

/** @param options.quick shorter rounds with rough results; published figures need the long rounds */
export async function dialectsBench(report, { quick = false } = {}) {
  const options = quick
    ? { rounds: 3, forMs: 500, least: 600, warmUp: 3000, streams: 50, everyMs: 5 }
    : { rounds: 7, forMs: 1500, least: 2000, warmUp: 10_000, streams: 100, everyMs: 10 }
  const far = await startAgentFarEnd()
  const { ways, stop } = await startWays(far)
  const figures = new Map(ways.map((way) => [way, none()]))
  // So that compiled code is measured, and compiling has ended.
  for (const way of ways) await measure(way, far, none(), { ...options, least: options.warmUp })
  for (let round = 0; round < options.rounds; round += 1) {
    // The order changes each round, so that no way always runs on a cold or a hot machine.
    const at = round % ways.length
    for (const way of [...ways.slice(at), ...ways.slice(0, at)]) await measure(way, far, figures.get(way), options)
  }
  const of = (id) => figures.get(ways.find((way) => way.id === id))
  const peers = [...figures].filter(([{ id }]) => id === 'peer')
  for (const id of ['responses', 'messages']) {
    reportDialect(report, id === 'responses' ? 'Responses' : 'Messages', of('chat'), of(id), peers)
  }
  console.log(`\n${table(figures)}`)
  await stop()
  await far.stop()
}
