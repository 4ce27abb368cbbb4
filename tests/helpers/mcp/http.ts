import { randomUUID } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { createMcpHandler, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { freshState, makeServer } from './tools.ts'

type Serve = (request: Request) => Promise<Response>

/** Answers a request in place of the server, or returns null. */
export type Gate = (request: Request) => Promise<Response | null>

/**
 * A server of the Model Context Protocol over streamable HTTP, on a real socket. `modern` answers each request by itself (2026-07-28);
 * `sessions` has sessions as in 2025, and `endSessions` ends all of them. @param protect creates a check in front of the server
 */
export async function startHttp(mode: 'modern' | 'sessions', protect?: (origin: string) => Gate) {
  const state = freshState()
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()
  const seen: { method: string; path: string; headers: IncomingHttpHeaders }[] = []
  const modern = createMcpHandler(() => makeServer(state))
  state.onChange = () => void (mode === 'modern' && modern.notify.toolsChanged())
  let before: ((request: IncomingMessage, response: ServerResponse) => boolean) | null = null

  const inSession: Serve = async (request) => {
    const id = request.headers.get('mcp-session-id')
    const known = id ? sessions.get(id) : undefined
    if (id && !known) return new Response('no such session', { status: 404 })
    if (known) return known.handleRequest(request)
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (session) => void sessions.set(session, transport),
      onsessionclosed: (session) => void sessions.delete(session),
    })
    await makeServer(state).connect(transport)
    return transport.handleRequest(request)
  }
  let gate: Gate | null = null
  const serve: Serve = async (request) => {
    const refused = (await gate?.(request)) ?? null
    if (refused) return refused
    return mode === 'modern' ? modern.fetch(request) : inSession(request)
  }

  const server = createServer((request, response) => {
    seen.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers })
    if (before?.(request, response)) return
    void answer(serve, request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  gate = protect?.(origin) ?? null
  return {
    url: `${origin}/mcp`,
    origin,
    state,
    seen,
    sessions,
    endSessions: () => sessions.clear(),
    /** Ends every connection, also those that wait for events. */
    disconnect: () => server.closeAllConnections(),
    /** Called before the protocol. Returns whether it has handled the request. */
    intercept: (take: typeof before) => {
      before = take
    },
    async close() {
      await modern.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function answer(serve: Serve, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body: Buffer[] = []
  for await (const chunk of request) body.push(chunk)
  const abort = new AbortController()
  response.on('close', () => abort.abort())
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) if (typeof value === 'string') headers.set(name, value)
  const hasBody = request.method === 'POST'
  const given = new Request(`http://${request.headers.host}${request.url}`, {
    method: request.method ?? 'GET',
    headers,
    body: hasBody ? Buffer.concat(body) : null,
    signal: abort.signal,
  })
  const made = await serve(given)
  response.writeHead(made.status, Object.fromEntries(made.headers))
  response.flushHeaders()
  if (!made.body) return void response.end()
  const stream = Readable.fromWeb(made.body as import('node:stream/web').ReadableStream)
  stream.on('error', () => response.destroy())
  response.on('close', () => stream.destroy())
  stream.pipe(response)
}
