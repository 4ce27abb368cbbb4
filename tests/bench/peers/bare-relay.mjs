// The smallest correct relay: node:http and undici dispatch, backpressure and cancel, no key, no guard, no meter, no log.
import { createServer } from 'node:http'
import { Agent } from 'undici'

const origin = process.argv[2]
const agent = new Agent({ connections: 1024, headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 60_000 })
const hop = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'proxy-authorization',
  'host',
])

const server = createServer((request, response) => {
  const headers = []
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    if (!hop.has(request.rawHeaders[at].toLowerCase())) headers.push(request.rawHeaders[at], request.rawHeaders[at + 1])
  }
  let control = null
  response.once('close', () => {
    if (!response.writableFinished) control?.abort(new Error('gone'))
  })
  const body = request.headers['content-length'] || request.headers['transfer-encoding'] ? request : null
  agent.dispatch(
    { origin, path: request.url, method: request.method, headers, body },
    {
      onRequestStart(controller) {
        control = controller
      },
      onResponseStart(controller, status, _headers, message) {
        const back = []
        const raw = controller.rawHeaders ?? []
        for (let at = 0; at < raw.length; at += 2) {
          const name = raw[at].toString('latin1')
          if (!hop.has(name.toLowerCase())) back.push(name, raw[at + 1].toString('latin1'))
        }
        response.writeHead(status, message, back)
        response.flushHeaders()
      },
      onResponseData(controller, chunk) {
        if (!response.write(chunk)) {
          controller.pause()
          response.once('drain', () => controller.resume())
        }
      },
      onResponseEnd() {
        response.end()
      },
      onResponseError() {
        response.destroy()
      },
    },
  )
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port })))
