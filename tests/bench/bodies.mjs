// Large JSON requests through the local /v1: peak memory of the program, and how long its main thread is blocked.
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { megabytes, ms } from './figures.mjs'
import { startFarEnd, startStudio } from './peers.mjs'
import { probed, residentBytes } from './processes.mjs'
import { jsonHeaders, pause } from './traffic.mjs'

const million = 1_000_000

/** A chat with one message full of escapes, which neither a parser nor a scanner can skip. */
function textBody(size) {
  const line = Buffer.from('A line with \\"quotes\\" and a path c:\\\\x.\\n')
  const start = Buffer.from('{"model":"m","messages":[{"role":"user","content":"')
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

/** Sends the body at once and returns the status of the reply. */
async function post(peer, body) {
  const headers = jsonHeaders(peer, { 'content-length': String(body.length) })
  const sent = httpRequest(`${peer.url}/chat/completions`, { method: 'POST', agent: false, headers })
  sent.end(body)
  const [response] = await once(sent, 'response')
  response.resume()
  await once(response, 'end')
  return response.statusCode
}

/** Peak memory and the longest block while `act` runs, in a program of its own, because V8 does not return memory. */
async function measured(far, act) {
  const peer = await startStudio(far, [], [], probed)
  // The tokenizer is loaded some seconds after the start and blocks for longer than any body.
  await pause(4000)
  for (let at = 0; at < 20; at += 1) await post(peer, textBody(2000))
  const before = residentBytes([peer.pid])
  let peak = 0
  const look = setInterval(() => {
    peak = Math.max(peak, residentBytes([peer.pid]))
  }, 10)
  await peer.held()
  try {
    const statuses = await act(peer)
    const { worstMs, cpuMs } = await peer.held()
    return { peak, grew: peak - before, worstMs, cpuMs, statuses }
  } finally {
    clearInterval(look)
    await peer.stop()
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
  await far.stop()
}
