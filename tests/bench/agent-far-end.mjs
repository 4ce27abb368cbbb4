// The service of the `dialects` suite. It answers every chat completion with the reply of `conversation.mjs`, whole or streamed, and every
// Messages request with the same reply in that API. Nothing is computed for a request, so that only the peer is measured.
// `/control/pace/MS` sets the time between the chunks of the following streams; 0 is as fast as possible.
import { createServer } from 'node:http'
import { chatFrames, chatReply, messageFrames, messageReply, model } from './conversation.mjs'

let everyMs = 0
const readOuts = {
  '/v1/models': { object: 'list', data: [{ id: model, object: 'model', created: 1, owned_by: 'bench' }] },
  '/v1/keys/current': { key_prefix: 'sk-bench', max_concurrent: null },
  '/v1/rate-limit': { limit_rpm: 1e6, used_rpm: 0, remaining_rpm: 1e6, reset_seconds: 60 },
}
const replies = {
  '/v1/chat/completions': { whole: chatReply, frames: chatFrames },
  '/v1/messages': { whole: messageReply, frames: messageFrames },
}

/** Sends each frame in a write of its own: in the next turn of the event loop, or `everyMs` later. */
function stream(response, frames) {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  let sent = 0
  const next = () => {
    if (response.destroyed) return
    response.write(frames[sent])
    sent += 1
    if (sent >= frames.length) response.end()
    else if (everyMs > 0) setTimeout(next, everyMs)
    else setImmediate(next)
  }
  next()
}

const asksForStream = /"stream"\s*:\s*true/

const server = createServer((request, response) => {
  if (request.url.startsWith('/control/pace/')) {
    everyMs = Number(request.url.slice('/control/pace/'.length))
    response.end()
    return
  }
  const parts = []
  request.on('data', (bytes) => parts.push(bytes))
  request.once('end', () => {
    const reply = request.method === 'POST' ? replies[request.url.split('?', 1)[0]] : undefined
    if (reply && asksForStream.test(Buffer.concat(parts).toString('latin1'))) stream(response, reply.frames)
    else {
      const body = reply?.whole ?? Buffer.from(JSON.stringify(readOuts[request.url] ?? {}))
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
    }
  })
})
server.keepAliveTimeout = 60_000
server.requestTimeout = 0
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port })))
