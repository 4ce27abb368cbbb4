// A thousand concurrent streams, twenty chunks a second each. Every byte of every stream is compared with what the far end sent.
import { Agent, request as httpRequest } from 'node:http'
import { median, us } from './figures.mjs'
import { memoryPart } from './memory.mjs'
import { cpuMicros, residentBytes } from './processes.mjs'
import { clock, jsonHeaders, pause, streamBody, wholeStream } from './traffic.mjs'

let lastId = 0

/**
 * Reads one stream to its end.
 * @returns 'whole', 'changed' (other bytes), 'short' (bytes missing or cut) or an error's message
 */
function follow(peer, agent, chunks, everyMs, count) {
  lastId += 1
  const id = `s${lastId}`
  const expected = wholeStream(id, chunks)
  return new Promise((resolve) => {
    const headers = jsonHeaders(peer, {
      'content-length': String(Buffer.byteLength(streamBody)),
      'x-bench-id': id,
      'x-bench-stream': '1',
      'x-bench-chunks': String(chunks),
      'x-bench-every-ms': String(everyMs),
    })
    const request = httpRequest(`${peer.url}/chat/completions`, { method: 'POST', headers, agent }, (response) => {
      if (response.statusCode !== 200) resolve(`status ${response.statusCode}`)
      let [at, same] = [0, true]
      response.on('data', (piece) => {
        if (same && piece.compare(expected, at, at + piece.length) !== 0) same = false
        at += piece.length
        count(piece.length)
      })
      response.once('close', () => {
        if (!same) resolve('changed')
        else resolve(response.complete && at === expected.length ? 'whole' : 'short')
      })
    })
    request.once('error', (error) => resolve(error.code ?? error.message))
    request.end(streamBody)
  })
}

/** @returns how the streams ended; CPU us per chunk; bytes resident while all of them ran */
async function wave(peer, streams, chunks, everyMs) {
  const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY })
  const pids = peer.pids()
  const lasts = chunks * everyMs
  let bytes = 0
  const cpuBefore = cpuMicros(pids)
  const began = clock()
  const ends = Array.from({ length: streams }, () =>
    follow(peer, agent, chunks, everyMs, (more) => {
      bytes += more
    }),
  )
  const resident = []
  // Measured while all streams are open and none has ended.
  while (clock() - began < lasts * 0.9) {
    await pause(lasts / 20)
    if (clock() - began > lasts * 0.4) resident.push(residentBytes(pids))
  }
  const outcome = {}
  for (const end of await Promise.all(ends)) outcome[end] = (outcome[end] ?? 0) + 1
  agent.destroy()
  return {
    outcome,
    tookMs: clock() - began,
    bytes,
    cpuChunk: (cpuMicros(pids) - cpuBefore) / (streams * chunks),
    resident: median(resident),
  }
}

/**
 * Memory by stream is the difference between 1,000 streams and 100 that carry the same chunks a second. Otherwise the garbage between two
 * collections would count.
 */
export async function streamsPart(peers, far, { quick }) {
  const seconds = quick ? 3 : 8
  const figures = new Map()
  for (const peer of peers) {
    const few = await wave(peer, 100, seconds * 200, 5)
    const many = await wave(peer, 1000, seconds * 20, 50)
    figures.set(peer, {
      ...many,
      perStream: (many.resident - few.resident) / 900,
      lateMs: many.tookMs - seconds * 1000,
    })
  }
  const memory = await memoryPart(far)
  for (const [peer, mine] of figures) mine.live = memory[peer.name]?.live ?? null
  return figures
}

const sumUp = ({ outcome }) =>
  Object.entries(outcome)
    .map(([words, count]) => `${count} ${words}`)
    .join(', ')

export function reportStreams(report, figures) {
  const [studio, bare] = ['studio', 'bare'].map((name) => [...figures].find(([peer]) => peer.name === name)[1])
  report(
    '1,000 streams at once, 20 chunks/s each',
    sumUp(studio),
    studio.outcome.whole === 1000,
    'no error, no lost byte',
  )
  const kilobytes = studio.perStream / 1000
  report(
    '1,000 streams: memory by stream',
    `${kilobytes.toFixed(0)} KB (bare relay ${(bare.perStream / 1000).toFixed(0)} KB)`,
    kilobytes <= 40,
    '<= 40 KB',
  )
  report(
    '1,000 streams: of that, what lives on the heap',
    `${(studio.live / 1000).toFixed(0)} KB (bare relay ${(bare.live / 1000).toFixed(0)} KB)`,
  )
  const times = studio.cpuChunk / bare.cpuChunk
  report(
    '1,000 streams: CPU per chunk, each alone',
    `${times.toFixed(2)} x: ${us(studio.cpuChunk)} us (bare relay ${us(bare.cpuChunk)} us)`,
    times <= 1.5,
    '<= 1.5 x bare relay',
  )
}

export function streamRows(figures) {
  const row = (words, cell, alsoDirect = false) => [
    words,
    (peer) => (peer.name === 'direct' && !alsoDirect ? '' : cell(figures.get(peer))),
  ]
  return [
    row('1,000 streams: whole, byte for byte', ({ outcome }) => String(outcome.whole ?? 0), true),
    row('1,000 streams: CPU per chunk, us', ({ cpuChunk }) => us(cpuChunk)),
    row('1,000 streams: memory each, KB', ({ perStream }) => (perStream / 1000).toFixed(0)),
    row('an open stream: what lives on the heap, KB', ({ live }) => (live === null ? '' : (live / 1000).toFixed(0))),
    row('1,000 streams: ended late by, ms', ({ lateMs }) => lateMs.toFixed(0), true),
  ]
}
