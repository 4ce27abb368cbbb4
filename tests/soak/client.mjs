// One stream of the soak test: its request, when it disconnects, and whether its outcome is allowed.
import { request as httpRequest } from 'node:http'
import { jsonHeaders, streamBody, wholeStream } from '../bench/traffic.mjs'

const pick = (random, from) => from[Math.floor(random() * from.length)]

/**
 * The faults of the service. There is no 429: it would hold every request back and halve the concurrency that a test for leaks needs.
 * Half of the streams run undisturbed. In the others the service breaks the stream, the app disconnects, or both.
 */
export function planStream(random, number) {
  const chunks = 2 + Math.floor(random() * 30)
  const fault =
    random() < 0.3 ? pick(random, ['reset first', 'silent', 503, 504, 402, 'reset', 'cut', 'garbage', 'stall']) : null
  const order = {
    id: `k${number}`,
    chunks,
    everyMs: Math.floor(random() * 6),
    fault,
    at: 1 + Math.floor(random() * (chunks - 1)),
  }
  const leaves = random() < 0.3 || fault === 'silent' || fault === 'stall'
  const goes = leaves ? pick(random, ['while it sends', 'after a while', 'at the head', 'at the first bytes']) : null
  return { order, goes, afterMs: Math.floor(random() * 120) }
}

/**
 * Runs a stream to its end.
 * @returns `left`, `whole`, `cut`, `answered STATUS`, or a message that begins with WRONG
 */
export function runStream(studio, plan) {
  const { order, goes, afterMs } = plan
  return new Promise((resolve) => {
    let left = false
    let timer = null
    const headers = jsonHeaders(studio, {
      'content-length': String(streamBody.length),
      'x-soak': JSON.stringify(order),
    })
    const request = httpRequest(`${studio.url}/chat/completions`, { method: 'POST', agent: false, headers })
    const leave = () => {
      left = true
      clearTimeout(timer)
      request.destroy()
      resolve('left')
    }
    const settle = (words) => {
      clearTimeout(timer)
      if (!left) resolve(words)
    }
    request.once('error', (error) => settle(verdict(plan, { status: 0, whole: false, error })))
    request.once('response', (response) => {
      const pieces = []
      if (goes === 'at the head') leave()
      response.on('error', () => undefined)
      response.on('data', (piece) => {
        pieces.push(piece)
        if (goes === 'at the first bytes') leave()
      })
      response.once('close', () =>
        settle(verdict(plan, { status: response.statusCode, whole: response.complete, body: Buffer.concat(pieces) })),
      )
    })
    // A client that waits for a head or bytes that never arrive disconnects too.
    if (goes !== null) timer = setTimeout(leave, goes === 'after a while' ? afterMs : 400)
    if (goes === 'while it sends') {
      request.write(streamBody.slice(0, 40))
      setTimeout(leave, afterMs / 10)
    } else request.end(streamBody)
  })
}

/** The allowed outcomes of a request that was not cancelled. */
function verdict({ order: { fault, id, chunks } }, { status, whole, body, error }) {
  const wrong = (words) => `WRONG ${words} after ${fault ?? 'no fault'} (${id})`
  if (fault === null) {
    const same = status === 200 && whole && body.equals(wholeStream(id, chunks))
    return same ? 'whole' : wrong(`status ${status}, ${error?.code ?? (whole ? 'other bytes' : 'cut')}`)
  }
  const answered = fault === 'reset first' ? 502 : fault
  if (typeof answered === 'number')
    return status === answered && whole ? `answered ${status}` : wrong(`status ${status}`)
  // Cut in the middle: the bytes are the beginning of what was sent, without a regular end.
  if (status === 0) return 'cut'
  if (whole) return wrong('an orderly end')
  // The last event of a stream says that it broke off.
  const at = body.lastIndexOf('data: {"error":')
  const passed = at < 0 ? body : body.subarray(0, at)
  return wholeStream(id, chunks).subarray(0, passed.length).equals(passed) ? 'cut' : wrong('other bytes')
}
