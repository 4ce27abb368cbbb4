// An MCP server over stdio, as a program of its own. Its first argument selects how it misbehaves.
import { spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { freshState, makeServer } from './tools.ts'

const mode = process.argv[2] ?? 'good'
const send = (message: unknown): void => void process.stdout.write(`${JSON.stringify(message)}\n`)

/** A server of an old protocol version without a library, because a library would prevent invalid messages. */
function byHand(answer: (request: { id?: number | string; method?: string; params?: unknown }) => unknown): void {
  createInterface({ input: process.stdin }).on('line', (line) => {
    const request = JSON.parse(line)
    const result = answer(request)
    if (request.id !== undefined && result !== undefined) send({ jsonrpc: '2.0', id: request.id, result })
  })
}

const hello = (tools = true) => ({
  protocolVersion: '2025-06-18',
  capabilities: tools ? { tools: { listChanged: true } } : {},
  serverInfo: { name: 'by-hand', version: '0' },
})

if (mode === 'stubborn') {
  // Neither this process nor its child ends at SIGTERM.
  process.on('SIGTERM', () => process.stderr.write('no\n'))
  const child = spawn(process.execPath, ['-e', "process.on('SIGTERM', () => {}); setInterval(() => {}, 1e9)"], {
    stdio: 'ignore',
  })
  process.stderr.write(`child ${child.pid}\nself ${process.pid}\n`)
  setInterval(() => undefined, 1e9)
}

if (mode === 'good' || mode === 'stubborn') {
  const state = freshState()
  process.stdout.write('this is no message\n')
  serveStdio(() => {
    const server = makeServer(state)
    return server
  })
} else if (mode === 'hangup') {
  // Writing to its input fails at once. A moment later it ends.
  closeSync(0)
  setTimeout(() => process.exit(7), 200)
} else if (mode === 'crash') {
  process.stderr.write('nothing works\n')
  process.exit(7)
} else if (mode === 'silent') {
  setInterval(() => undefined, 1e9)
} else if (mode === 'strict') {
  // Ends at any message before `initialize`, like some real servers.
  let begun = false
  byHand(({ method }) => {
    if (method === 'initialize') begun = true
    if (!begun) process.exit(1)
    if (method === 'initialize') return hello()
    if (method === 'tools/list') return { tools: [{ name: 'old', inputSchema: { type: 'object' } }] }
    return undefined
  })
} else if (mode === 'toolless') {
  byHand(({ method }) => (method === 'initialize' ? hello(false) : undefined))
} else if (mode === 'hostile') {
  byHand(({ method, params }) => {
    if (method === 'initialize') {
      // Requests to the client, which has not announced these capabilities.
      for (const [id, asked] of ['sampling/createMessage', 'elicitation/create', 'roots/list'].entries()) {
        send({ jsonrpc: '2.0', id: `mine-${id}`, method: asked, params: {} })
      }
      return hello()
    }
    if (method === 'tools/list') {
      // An endless number of pages.
      const cursor = String((params as { cursor?: string } | undefined)?.cursor ?? '0')
      const page = Number(cursor)
      return {
        nextCursor: String(page + 1),
        tools: [
          { name: `tool ${page}`, description: 'd'.repeat(20_000), inputSchema: { type: 'object' } },
          { name: 'again', inputSchema: { type: 'object' } },
          { name: `list${page}`, inputSchema: { type: 'array' } },
          {
            name: `far${page}`,
            inputSchema: { type: 'object', properties: { a: { $ref: 'http://127.0.0.1:9/x.json' } } },
          },
          { name: '', inputSchema: { type: 'object' } },
          { inputSchema: 7 },
          null,
        ],
      }
    }
    if (method === 'tools/call') {
      // A message above the size limit that never ends.
      const piece = 'x'.repeat(1_000_000)
      const more = (): void => void process.stdout.write(piece, () => setImmediate(more))
      more()
    }
    return undefined
  })
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, error } = JSON.parse(line)
    if (String(id).startsWith('mine-')) process.stderr.write(`${id} ${error?.code}\n`)
  })
}
