// Large JSON requests and replies through the local /v1, and replies in the studio's own client: peak memory of the program, and how long
// its main thread is blocked.
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { fileURLToPath } from 'node:url'
import { megabytes, ms } from './figures.mjs'
import { startFarEnd, startStudio } from './peers.mjs'
import { probed, residentBytes, startJson } from './processes.mjs'
import { jsonHeaders, pause } from './traffic.mjs'

const million = 1_000_000

/** A request with one message full of escapes, which neither a parser nor a scanner can skip. */
function textBody(size, opening = '{"model":"m","messages":') {
  const line = Buffer.from('A line with \\"quotes\\" and a path c:\\\\x.\\n')
  const start = Buffer.from(`${opening}[{"role":"user","content":"`)
  const end = Buffer.from('"}]}')
  const body = Buffer.alloc(size, 'x')
  for (let at = start.length; at + line.length < size - end.length; at += line.length) line.copy(body, at)
  start.copy(body)
  end.copy(body, size - end.length)
  return body
}

/** Nested arrays, as deep as the size allows. */
function nestedBody(size) {
  const start = Buffer.from('{"model":"m","messages":')
  const depth = Math.floor((size - start.length - 1) / 2)
  return Buffer.concat([start, Buffer.alloc(depth, '['), Buffer.alloc(depth, ']'), Buffer.from('}')])
}

/** Many small values, which cost a parser most memory per byte. */
function listBody(size) {
  const start = Buffer.from('{"model":"m","messages":[')
  const items = Buffer.alloc(Math.floor((size - start.length) / 3) * 3, '{},')
  return Buffer.concat([start, items, Buffer.from('{}]}')])
}

/** Messages with two values each, as many as fit. */
function messagesBody(size, opening) {
  const item = '{"role":"user","content":"Some words that fill a short message of a chat"},'
  const start = `${opening}[`
  return Buffer.from(`${start + item.repeat(Math.floor((size - start.length) / item.length)).slice(0, -1)}]}`)
}

/** Sends the body at once and returns the status of the reply. */
async function post(peer, body, path = '/chat/completions', more = {}) {
  const headers = jsonHeaders(peer, { 'content-length': String(body.length), ...more })
  const sent = httpRequest(`${peer.url}${path}`, { method: 'POST', agent: false, headers })
  // A refusal may arrive before the whole body was written.
  sent.on('error', () => undefined)
  sent.end(body)
  const [response] = await once(sent, 'response')
  response.resume()
  await once(response, 'end')
  return response.statusCode
}

/** Peak memory and the longest block while `act` runs, in a program of its own, because V8 does not return memory. */
async function measured(far, act, warmUp = async () => undefined) {
  const peer = await startStudio(far, [], [], probed)
  // The tokenizer is loaded some seconds after the start and blocks for longer than any body.
  await pause(4000)
  for (let at = 0; at < 20; at += 1) await post(peer, textBody(2000))
  await warmUp(peer)
  const before = residentBytes([peer.pid])
  let peak = 0
  const look = setInterval(() => {
    peak = Math.max(peak, residentBytes([peer.pid]))
  }, 10)
  await peer.held()
  try {
    const statuses = await act(peer)
    const { worstMs, turnMs, cpuMs } = await peer.held()
    return { peak, grew: peak - before, worstMs, turnMs, cpuMs, statuses }
  } finally {
    clearInterval(look)
    await peer.stop()
  }
}

const apis = {
  'chat completions': ['/chat/completions', '{"model":"m","messages":'],
  'Responses, not stored': ['/responses', '{"model":"m","store":false,"input":'],
  Responses: ['/responses', '{"model":"m","input":'],
  Messages: ['/messages', '{"model":"m","max_tokens":9,"messages":'],
}
const paths = {
  chat: '/chat/completions',
  image: '/images/generations',
  embedding: '/embeddings',
  transcript: '/audio/transcriptions',
}
const small = (opening) => Buffer.from(`${opening}[{"role":"user","content":"Hi"}]}`)

/** One line for each: the longest turn of the main thread, and by how many times its bytes the memory grew. */
function reportOne(report, what, bytes, { turnMs, grew, statuses }) {
  const words = `${ms(turnMs)}, ${megabytes(grew)} (${(grew / bytes).toFixed(1)} x), ${statuses.join(' ')}`
  report(what, words, turnMs <= 250 && grew <= 4 * bytes, '250 ms, 4 x')
}

/** Requests in each API. */
async function requestsPart(report, far, sizes) {
  for (const [api, [path, opening]] of Object.entries(apis)) {
    for (const size of sizes) {
      for (const [kind, body] of [
        ['one text', textBody(size * million, opening)],
        ['short messages', messagesBody(size * million, opening)],
      ]) {
        // Starts the thread of the app: its memory does not grow with the request.
        const warmUp = (peer) => post(peer, textBody(1.2 * million, opening), path)
        const figures = await measured(far, async (peer) => [await post(peer, body, path)], warmUp)
        reportOne(report, `request of ${size} MB, ${kind}: ${api}`, body.length, figures)
      }
    }
  }
}

/** Whole replies, relayed, translated and in the studio's own client. */
async function repliesPart(report, far, sizes) {
  for (const size of sizes) {
    const bytes = size * million
    for (const [kind, path] of Object.entries(paths)) {
      const order = { 'x-bench-reply': `${kind}/${bytes}` }
      const body = small('{"model":"m","messages":')
      const figures = await measured(far, async (peer) => [await post(peer, body, path, order)])
      reportOne(report, `reply of ${size} MB, ${kind}: relayed`, bytes, figures)
    }
    for (const api of ['Responses', 'Messages']) {
      const [path, opening] = apis[api]
      const order = { 'x-bench-reply': `chat/${bytes}` }
      const figures = await measured(far, async (peer) => [await post(peer, small(opening), path, order)])
      reportOne(report, `reply of ${size} MB, chat: ${api}`, bytes, figures)
    }
    for (const kind of ['chat', 'image', 'transcript']) {
      const script = fileURLToPath(new URL('studio-replies.ts', import.meta.url))
      const { ready, stop } = await startJson(script, [far.url, kind, String(bytes)])
      await stop()
      reportOne(report, `reply of ${size} MB, ${kind}: in the studio`, bytes, {
        ...ready,
        statuses: [ready.failed ?? 'read'],
      })
    }
  }
}

export async function bodiesBench(report, { quick = false } = {}) {
  const far = await startFarEnd()
  const many = quick ? 8 : 24
  const cases = [
    [`${many} JSON requests of 31 MB at once`, textBody(31 * million), many],
    ['one of 30 MB, nested 15 million deep', nestedBody(30 * million), 1],
    ['one of 30 MB, 10 million empty objects', listBody(30 * million), 1],
  ]
  for (const [what, body, times] of cases) {
    const figures = await measured(far, (peer) =>
      Promise.all(Array.from({ length: times }, () => post(peer, body).catch((error) => error.code))),
    )
    const counts = Object.entries(Object.groupBy(figures.statuses, String)).map(([s, all]) => `${all.length} x ${s}`)
    report(`${what}: answers`, counts.join(', '))
    report(`${what}: memory grew by`, megabytes(figures.grew), figures.grew < 500 * million, '500 MB')
    report(`${what}: main thread blocked at most`, ms(figures.worstMs), figures.worstMs < 200, '200 ms')
    report(`${what}: CPU of the main thread`, ms(figures.cpuMs))
  }
  await requestsPart(report, far, quick ? [8] : [8, 30])
  await repliesPart(report, far, quick ? [1, 15] : [1, 4, 15, 30])
  await far.stop()
}
