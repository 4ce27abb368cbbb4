// The service of the measurements. It answers at once and at minimal cost, so that only the peer is measured. It implements just enough for
// a connection, and follows a request's `x-bench-…` headers. `/control/…` returns what it recorded.
import { createServer } from 'node:http'
import { crc32 } from 'node:zlib'
import { largeReply } from './large-replies.mjs'
import { clock, endOfStream, frame, pattern } from './traffic.mjs'

const maxConcurrent = process.argv[2] ? Number(process.argv[2]) : null
const json = Buffer.from(
  JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_760_000_000,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'x'.repeat(900) }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 200, total_tokens: 210 },
  }),
)
const unavailable = '{"error":{"message":"Later, please.","type":"unavailable","code":"unavailable"}}'
const readOuts = {
  '/v1/models': { object: 'list', data: [{ id: 'm', object: 'model', created: 1, owned_by: 'bench' }] },
  '/v1/keys/current': { key_prefix: 'sk-bench', max_concurrent: maxConcurrent },
  '/v1/rate-limit': { limit_rpm: 1e6, used_rpm: 0, remaining_rpm: 1e6, reset_seconds: 60 },
}

/** Records of requests with an `x-bench-id`. Times are ms of the machine's monotonic clock. */
const seen = new Map()
let open = 0

function stream(request, response, id) {
  const count = Number(request.headers['x-bench-chunks'] ?? 200)
  const everyMs = Number(request.headers['x-bench-every-ms'] ?? 0)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  open += 1
  response.once('close', () => {
    open -= 1
  })
  let sent = 0
  const next = () => {
    if (response.destroyed) return
    response.write(frame(id, sent))
    sent += 1
    if (sent >= count) response.end(endOfStream)
    else if (everyMs > 0) setTimeout(next, everyMs)
    else setImmediate(next)
  }
  next()
}

/** A long audio reply, as fast as the client reads. `written` counts the bytes given to the socket. */
function speak(request, response, record) {
  const total = Number(request.headers['x-bench-bytes'])
  response.writeHead(200, { 'content-type': 'audio/pcm', 'content-length': total })
  let left = total
  record.written = () => total - left - response.writableLength
  const pump = () => {
    while (left > 0 && !response.destroyed) {
      const block = left >= pattern.length ? pattern : pattern.subarray(0, left)
      left -= block.length
      if (!response.write(block)) {
        response.once('drain', pump)
        return
      }
    }
    if (left === 0) response.end()
  }
  pump()
}

/** A large JSON reply: `kind/bytes`. */
function large(request, response, order) {
  const [kind, bytes] = order.split('/')
  const body = largeReply(kind, Number(bytes))
  request.resume()
  request.once('end', () =>
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body),
  )
}

/** Reads an upload, at most `x-bench-mbs` megabytes a second if that is given, and replies with what arrived. */
function listen(request, response, record) {
  const bytesPerMs = Number(request.headers['x-bench-mbs'] ?? 0) * 1000
  let [bytes, checksum] = [0, 0]
  const from = clock()
  request.on('data', (piece) => {
    if (bytes === 0) record.firstByteAt = clock()
    bytes += piece.length
    checksum = crc32(piece, checksum)
    const aheadMs = bytesPerMs === 0 ? 0 : bytes / bytesPerMs - (clock() - from)
    if (aheadMs < 5) return
    request.pause()
    setTimeout(() => request.resume(), aheadMs)
  })
  request.once('end', () => response.end(JSON.stringify({ text: 'heard', bytes, checksum })))
}

function control(url, response) {
  const record = seen.get(url.slice('/control/'.length))
  const facts = record && { ...record, written: record.written?.() ?? null }
  response.end(JSON.stringify(url === '/control/open' ? open : (facts ?? null)))
}

const server = createServer((request, response) => {
  const { url, headers } = request
  if (url.startsWith('/control/')) {
    control(url, response)
    return
  }
  const id = headers['x-bench-id'] ?? '0'
  const record = { arrivedAt: clock(), closedAt: null, firstByteAt: null }
  if (id !== '0') {
    seen.set(id, record)
    response.once('close', () => {
      record.closedAt = clock()
    })
  }
  if (request.method === 'GET') {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(readOuts[url] ?? {}))
    return
  }
  const order = headers['x-bench-reply'] ?? /^\/large\/(\w+\/\d+)\//.exec(url)?.[1]
  if (order) {
    large(request, response, order)
    return
  }
  if (url === '/v1/audio/transcriptions') {
    listen(request, response, record)
    return
  }
  request.resume()
  request.once('end', () => {
    if (headers['x-bench-silent']) return
    if (headers['x-bench-busy']) {
      response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '20' }).end(unavailable)
    } else if (headers['x-bench-bytes']) speak(request, response, record)
    else if (headers['x-bench-stream']) stream(request, response, id)
    else response.writeHead(200, { 'content-type': 'application/json', 'content-length': json.length }).end(json)
  })
})
server.keepAliveTimeout = 60_000
server.requestTimeout = 0
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port })))
