// The far end of the measurements: answers at once and costs as little as it can, so that what stands between is measured.
// Speaks just enough of the service: GET /v1/models, GET /v1/keys/current, GET /v1/rate-limit, POST /v1/chat/completions.
import { createServer } from 'node:http'

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
const frame = Buffer.from(
  `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1760000000,"model":"m","choices":[{"index":0,"delta":{"content":"word "}}]}\n\n`,
)
const end = Buffer.from(
  'data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
)
const small = {
  '/v1/models': { object: 'list', data: [{ id: 'm', object: 'model', created: 1, owned_by: 'bench' }] },
  '/v1/keys/current': { key_prefix: 'sk-bench' },
  '/v1/rate-limit': { limit_rpm: 1e6, used_rpm: 0, remaining_rpm: 1e6, reset_seconds: 60 },
}

/** When each request's connection was closed by the other side, by its `x-bench-id`; epoch ms with fractions. */
const closed = new Map()
const now = () => performance.timeOrigin + performance.now()

function stream(request, response) {
  const chunks = Number(request.headers['x-bench-chunks'] ?? 200)
  const everyMs = Number(request.headers['x-bench-every-ms'] ?? 0)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  let sent = 0
  const next = () => {
    if (response.destroyed) return
    response.write(frame)
    sent += 1
    if (sent >= chunks) response.end(end)
    else if (everyMs > 0) setTimeout(next, everyMs)
    else setImmediate(next)
  }
  next()
}

const server = createServer((request, response) => {
  const id = request.headers['x-bench-id']
  if (id) response.once('close', () => closed.set(id, now()))
  if (request.url.startsWith('/closed/')) {
    response.end(JSON.stringify(closed.get(request.url.slice(8)) ?? null))
    return
  }
  if (request.method === 'GET') {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(small[request.url] ?? {}))
    return
  }
  request.resume()
  request.once('end', () => {
    if (request.headers['x-bench-silent']) return
    if (request.headers['x-bench-stream']) stream(request, response)
    else response.writeHead(200, { 'content-type': 'application/json', 'content-length': json.length }).end(json)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port })))
