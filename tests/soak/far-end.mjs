// The service of the soak test: streams, refuses, resets, cuts and stalls as each request's `x-soak` orders, and counts open replies.
import { createServer } from 'node:http'
import { endOfStream, frame } from '../bench/traffic.mjs'

const slots = Number(process.argv[2])
const readOuts = {
  '/v1/models': { object: 'list', data: [{ id: 'm', object: 'model', created: 1, owned_by: 'soak' }] },
  '/v1/keys/current': { key_prefix: 'sk-soak', max_concurrent: slots },
  '/v1/rate-limit': { limit_rpm: 1e6, used_rpm: 0, remaining_rpm: 1e6, reset_seconds: 60 },
}
const counts = { open: 0, most: 0, seen: 0 }

const refuse = (response, status) =>
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end('{"error":{"message":"Not now.","type":"soak","code":"soak"}}')

function stream(response, { id, chunks, everyMs, fault, at }) {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.flushHeaders()
  let sent = 0
  const next = () => {
    if (response.destroyed) return
    if (fault !== null && sent === at) {
      if (fault === 'reset') response.socket.resetAndDestroy()
      else if (fault === 'cut') response.socket.destroy()
      else if (fault === 'garbage') response.socket.end('no chunk at all\r\n')
      // 'stall' sends nothing more until the client disconnects.
      return
    }
    response.write(frame(id, sent))
    sent += 1
    if (sent === chunks) response.end(endOfStream)
    else setTimeout(next, everyMs)
  }
  next()
}

function answer(request, response) {
  const order = JSON.parse(request.headers['x-soak'])
  if (order.fault === 'silent') return
  if (order.fault === 'reset first') request.socket.resetAndDestroy()
  else if (typeof order.fault === 'number') refuse(response, order.fault)
  else stream(response, order)
}

const server = createServer((request, response) => {
  if (request.url === '/control/counts') {
    response.end(JSON.stringify(counts))
    return
  }
  if (request.url === '/control/idle') {
    // Closes idle connections, which are no leak but would change the count.
    server.closeIdleConnections()
    response.writeHead(200, { connection: 'close' }).end('{}')
    return
  }
  if (request.method === 'GET') {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(readOuts[request.url] ?? {}))
    return
  }
  counts.seen += 1
  counts.open += 1
  counts.most = Math.max(counts.most, counts.open)
  response.once('close', () => {
    counts.open -= 1
  })
  request.on('error', () => undefined)
  request.resume()
  request.once('end', () => answer(request, response))
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port })))
