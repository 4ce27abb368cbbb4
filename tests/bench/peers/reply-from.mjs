// fastify with @fastify/reply-from as its documentation sets it up for a proxy: bodies are streamed, nothing is logged.
import { createRequire } from 'node:module'
import { join } from 'node:path'

const [, , base, packages] = process.argv
const require = createRequire(join(packages, 'index.js'))
const app = require('fastify')({ logger: false, keepAliveTimeout: 60_000 })
app.removeAllContentTypeParsers()
app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
app.register(require('@fastify/reply-from'), {
  base,
  undici: { connections: 1024, headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 60_000 },
  disableCache: true,
})
app.all('/*', (request, reply) => reply.from(request.raw.url))
await app.listen({ port: 0, host: '127.0.0.1' })
console.log(JSON.stringify({ port: app.server.address().port }))
