// `npm run soak [-- --streams 10000 --seed 1]`: streams with random faults and random cancels through the real process. Afterwards the
// process has as many sockets and as much memory as before, all slots of the key are free, and the service has no open reply. `--faults`
// runs faults.mjs instead.
import { readdirSync, readlinkSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { freePort, startStudio } from '../bench/peers.mjs'
import { prepareBuild, removeFolders, residentBytes, startJson, stopAll } from '../bench/processes.mjs'
import { jsonHeaders, pause, streamBody } from '../bench/traffic.mjs'
import { seededRandom } from '../helpers/seededRandom.ts'
import { planStream, runStream } from './client.mjs'
import { openInspector } from './inside.mjs'

/** Slots of the key. */
export const slots = 48
/** Concurrent requests. Some always wait in the queue, which has 64 places for each app. */
const atOnce = 108

const farScript = fileURLToPath(new URL('far-end.mjs', import.meta.url))

async function startFarEnd() {
  const { ready, stop } = await startJson(farScript, [String(slots)])
  const url = `http://127.0.0.1:${ready.port}`
  const control = async (what) => (await fetch(`${url}/control/${what}`)).json()
  return { url, counts: () => control('counts'), closeIdle: () => control('idle'), stop }
}

function socketsOf(pid) {
  let count = 0
  for (const name of readdirSync(`/proc/${pid}/fd`)) {
    try {
      if (readlinkSync(`/proc/${pid}/fd/${name}`).startsWith('socket:')) count += 1
    } catch {
      // The file descriptor was closed in the meantime.
    }
  }
  return count
}

/** Polls `look` until it returns true. False after a timeout. */
async function until(look, withinMs = 10_000) {
  for (const from = performance.now(); performance.now() - from < withinMs; ) {
    if (await look()) return true
    await pause(20)
  }
  return false
}

async function runMany(studio, random, from, count, outcomes) {
  let next = from
  const worker = async () => {
    while (next < from + count) {
      const plan = planStream(random, next)
      next += 1
      const outcome = await runStream(studio, plan)
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

/** A stream that ends only when the app disconnects. */
function openEndless(studio) {
  const order = { id: 'slot', chunks: 1_000_000, everyMs: 50, fault: null, at: 0 }
  const headers = jsonHeaders(studio, { 'content-length': String(streamBody.length), 'x-soak': JSON.stringify(order) })
  const request = httpRequest(`${studio.url}/chat/completions`, { method: 'POST', agent: false, headers })
  request.on('error', () => undefined)
  request.on('response', (response) => response.on('error', () => undefined).resume())
  request.end(streamBody)
  return request
}

/** As many streams as the key has slots, and one more, which waits until one of them ends. */
async function checkSlots(studio, far) {
  const requests = Array.from({ length: slots + 1 }, () => openEndless(studio))
  const filled = await until(async () => (await far.counts()).open === slots)
  await pause(200)
  const { open: held, seen } = await far.counts()
  requests.shift().destroy()
  const passedOn = await until(async () => (await far.counts()).seen === seen + 1)
  for (const request of requests) request.destroy()
  // A waiting request may still be sent before its own cancel is noticed.
  const emptied = await until(async () => {
    if ((await far.counts()).open > 0) return false
    await pause(100)
    return (await far.counts()).open === 0
  })
  return { filled, held, passedOn, emptied }
}

/** All streams have ended and idle connections are closed: what remains now is permanent. */
async function settled(far, pid) {
  const ended = await until(async () => (await far.counts()).open === 0)
  let [sockets, before] = [-1, -2]
  for (const from = performance.now(); performance.now() - from < 5000 && sockets !== before; ) {
    await far.closeIdle()
    await pause(150)
    before = sockets
    sockets = socketsOf(pid)
  }
  return { ended, sockets }
}

/**
 * Runs `streams` in `batches`, after a warm-up of a tenth of them. `onBatch` is called after each batch.
 * @param options `seed`: the same one makes the same plans. `retries: false`: the app gets the service's faults at once, which takes a
 * fraction of the time
 * @returns bytes still referenced after a garbage collection, and resident bytes: first those after the warm-up, then after each batch
 */
export async function soak({ streams, batches = 10, seed = 1, retries = true, onBatch = () => undefined }) {
  const far = await startFarEnd()
  const port = await freePort()
  const studio = await startStudio(far, retries ? [] : ['--no-retries'], [`--inspect=127.0.0.1:${port}`])
  const inside = await openInspector(port)
  const random = seededRandom(seed)
  /** @type {Map<string, number>} */
  const outcomes = new Map()
  const [live, resident] = [[], []]
  const look = async () => {
    const at = await settled(far, studio.pid)
    live.push(await inside.live())
    resident.push(residentBytes([studio.pid]))
    return at
  }
  await runMany(studio, random, 0, Math.ceil(streams / 10), new Map())
  const before = await look()
  onBatch({ done: 0, live: live.at(-1), resident: resident.at(-1), sockets: before.sockets })
  const each = Math.ceil(streams / batches)
  let after = before
  for (let batch = 0; batch < batches; batch += 1) {
    await runMany(studio, random, (batch + 1) * streams, each, outcomes)
    after = await look()
    onBatch({ done: (batch + 1) * each, live: live.at(-1), resident: resident.at(-1), sockets: after.sockets })
  }
  const ofSlots = await checkSlots(studio, far)
  const { open, most } = await far.counts()
  inside.close()
  await Promise.all([studio.stop(), far.stop()])
  return {
    outcomes: Object.fromEntries(outcomes),
    sockets: [before, after],
    live,
    resident,
    slots: ofSlots,
    open,
    most,
  }
}

/** Growth of a series in bytes per stream, by least squares over its second half, after the warm-up. */
export function growth(series, streams) {
  const half = series.slice(Math.floor(series.length / 2))
  const each = streams / (series.length - 1)
  const middle = (half.length - 1) / 2
  const mean = half.reduce((sum, one) => sum + one, 0) / half.length
  let [above, below] = [0, 0]
  half.forEach((one, at) => {
    above += (at - middle) * (one - mean)
    below += (at - middle) ** 2
  })
  return above / below / each
}

async function main() {
  const { values } = parseArgs({
    options: {
      streams: { type: 'string' },
      seed: { type: 'string' },
      faults: { type: 'boolean' },
      seconds: { type: 'string' },
    },
  })
  if (values.faults) {
    const { soakFaults } = await import('./faults.mjs')
    return soakFaults({ seconds: Number(values.seconds ?? 9) })
  }
  const [streams, seed] = [Number(values.streams ?? 10_000), Number(values.seed ?? 1)]
  prepareBuild()
  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`
  const onBatch = ({ done, live, resident, sockets }) =>
    console.log(
      `${String(done).padStart(6)} streams: ${megabytes(live)} live, ${megabytes(resident)} resident, ${sockets} sockets`,
    )
  const found = await soak({ streams, seed, onBatch })
  const [before, after] = found.sockets
  const liveGrowth = growth(found.live, streams)
  const residentGrowth = growth(found.resident, streams)
  const wrong = Object.keys(found.outcomes).filter((words) => words.startsWith('WRONG'))
  const checks = [
    ['outcomes that may not be', wrong.length === 0, wrong.join('; ') || 'none'],
    ['sockets as before', after.sockets === before.sockets, `${before.sockets}, then ${after.sockets}`],
    ['live memory stays', liveGrowth <= 300, `${liveGrowth.toFixed(0)} bytes a stream (at most 300)`],
    ['resident memory stays', residentGrowth <= 2000, `${residentGrowth.toFixed(0)} bytes a stream (at most 2,000)`],
    ['all slots are there', found.slots.filled && found.slots.held === slots, `${found.slots.held} of ${slots}`],
    ['a slot is passed on', found.slots.passedOn && found.slots.emptied, found.slots.passedOn ? 'yes' : 'no'],
    ['nothing open at the service', after.ended && found.open === 0, String(found.open)],
  ]
  const { outcomes } = found
  console.log(
    `\n${Object.keys(outcomes)
      .sort()
      .map((words) => `${outcomes[words]} ${words}`)
      .join(', ')}`,
  )
  console.log(`At most ${found.most} at once at the service, which gives the key ${slots}.\n`)
  for (const [what, good, words] of checks) console.log(`${good ? 'ok  ' : 'OVER'} ${what.padEnd(28)} ${words}`)
  return checks.every(([, good]) => good) ? 0 : 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    process.exitCode = await main()
  } finally {
    await stopAll()
    removeFolders()
  }
}
