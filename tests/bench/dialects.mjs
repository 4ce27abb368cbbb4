// OpenAI Responses, Anthropic Messages and Gemini through the local /v1: CPU beside chat completions through it, and beside other translators.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import { checkStream, checkWhole } from './agent-replies.mjs'
import { chat, chunks, gemini, messages, model, ollama, responses, storedResponses } from './conversation.mjs'
import { median, us } from './figures.mjs'
import { ratio } from './load.mjs'
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
import { cpuMicros, startJson, temporaryFolder, tree } from './processes.mjs'
import { jsonHeaders, pause } from './traffic.mjs'

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
      { id: 'gemini', words: 'Gemini', bodies: gemini },
      { id: 'ollama', words: 'Ollama', bodies: ollama },
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
    // Portkey does not translate the two APIs. It translates chat completions for a service that speaks Messages.
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
    for (const api of apis) ways.push({ ...peer, ...api, far, program: words, words: `${words}: ${api.words}`, pids })
  }
  return { ways, stop: () => Promise.all(stops.map((stop) => stop())) }
}

/** One request with the body `short`, `agent` or `stream`. @returns the bytes of the reply */
async function ask(way, agent, body) {
  const { path } = way.bodies
  const reply = await request(`${way.url}/${way.bodies.pathOf(body)}`, {
    method: 'POST',
    dispatcher: agent,
    headers: jsonHeaders(way, path === 'messages' ? { 'anthropic-version': '2023-06-01' } : {}),
    body: way.bodies[body],
  })
  const bytes = Buffer.from(await reply.body.arrayBuffer())
  if (reply.statusCode === 200 && bytes.length > 1000) return bytes
  throw new Error(`${way.words}: ${reply.statusCode} ${bytes.subarray(0, 300)}`)
}

/** Asks once for each body and compares the whole reply with the far end's. */
async function check(way, agent) {
  const { path } = way.bodies
  for (const body of ['short', 'agent']) checkWhole(way.words, path, await ask(way, agent, body))
  checkStream(way.words, path, await ask(way, agent, 'stream'))
}

/**
 * What is measured. `count`: requests of a slice; `warmUp`: requests before the first, so that compiled code is measured and compiling has
 * ended; `everyMs`: between two chunks of a stream; `seconds`: no new round begins later.
 */
const kinds = {
  short: {
    words: 'CPU per short JSON request, us',
    body: 'short',
    atOnce: 16,
    units: 1,
    count: 200,
    warmUp: 12_000,
    everyMs: 0,
    rounds: 15,
    seconds: 30,
  },
  agent: {
    words: `CPU per agent’s request of ${Math.round(Buffer.byteLength(chat.agent) / 1000)} kB, us`,
    body: 'agent',
    atOnce: 16,
    units: 1,
    count: 160,
    warmUp: 6000,
    everyMs: 0,
    rounds: 15,
    seconds: 40,
  },
  burst: {
    words: 'CPU per streamed chunk in bursts, us',
    body: 'stream',
    atOnce: 8,
    units: chunks,
    count: 24,
    warmUp: 450,
    everyMs: 0,
    rounds: 15,
    seconds: 30,
  },
  alone: {
    words: 'CPU per streamed chunk, each alone, us',
    body: 'stream',
    atOnce: 40,
    units: chunks,
    count: 40,
    warmUp: 0,
    everyMs: 5,
    rounds: 7,
    seconds: 60,
  },
}
/** Fewest rounds of a kind, however long they take. */
const leastRounds = 5
/** A peer costs several times as much, so that fewer of its requests give as good a figure. */
const peerShare = 4
/** Work that a program does after its replies belongs to them: rows of the request log, disposal of streams. ms */
const settleMs = 40

/** One slice of one way. @returns CPU time of the program, us per request or chunk */
async function slice(way, agent, { body, atOnce, units, everyMs }, count) {
  const pids = way.pids()
  const from = cpuMicros(pids)
  let begun = 0
  const worker = async () => {
    while (begun < count) {
      begun += 1
      await ask(way, agent, body)
    }
  }
  await way.far.pace(everyMs)
  await Promise.all(Array.from({ length: atOnce }, worker))
  await way.far.pace(0)
  await pause(settleMs)
  return (cpuMicros(pids) - from) / count / units
}

/** Measures a kind: the ways take turns in short slices, so that a busy moment of the machine affects all of them. */
async function measure(kind, ways, figures, { fewer }) {
  const options = kinds[kind]
  const agents = new Map(ways.map((way) => [way, new Agent({ connections: options.atOnce })]))
  const shareOf = ({ id }) => (id === 'peer' && kind !== 'alone' ? peerShare : 1)
  for (const way of ways) {
    await check(way, agents.get(way))
    if (options.warmUp > 0) await slice(way, agents.get(way), options, options.warmUp / shareOf(way))
  }
  const rounds = Math.max(leastRounds, options.rounds / fewer)
  const end = performance.now() + (options.seconds * 1000) / fewer
  for (let round = 0; round < rounds && (round < leastRounds || performance.now() < end); round += 1) {
    // The order changes each round, so that no way always follows the same one.
    const at = round % ways.length
    for (const way of [...ways.slice(at), ...ways.slice(0, at)]) {
      figures.get(way)[kind].push(await slice(way, agents.get(way), options, options.count / shareOf(way)))
    }
  }
  for (const way of ways) await check(way, agents.get(way))
  await Promise.all([...agents.values()].map((agent) => agent.close()))
}

const none = () => Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []]))
/** Most CPU of a translated request, in multiples of one in chat completions. */
const bar = 1.5

function reportDialect(report, dialect, chatFigures, figures, peers) {
  for (const kind of Object.keys(kinds)) {
    const [what] = kinds[kind].words.split(', us')
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
    ...Object.entries(kinds).map(([kind, { words }]) =>
      line([words, ...[...figures.values()].map((of) => us(median(of[kind])))]),
    ),
  ].join('\n')
}

/** @param options.quick a third of the rounds, with rough results */
export async function dialectsBench(report, { quick = false } = {}) {
  const far = await startAgentFarEnd()
  const { ways, stop } = await startWays(far)
  const figures = new Map(ways.map((way) => [way, none()]))
  for (const kind of Object.keys(kinds)) await measure(kind, ways, figures, { fewer: quick ? 3 : 1 })
  const of = (id) => figures.get(ways.find((way) => way.id === id))
  const peers = [...figures].filter(([{ id }]) => id === 'peer')
  for (const { id, words } of ways.filter(({ program, id }) => program === ways[0].program && id && id !== 'chat')) {
    reportDialect(report, words.split(': ')[1], of('chat'), of(id), peers)
  }
  console.log(`\n${table(figures)}`)
  await stop()
  await far.stop()
}
