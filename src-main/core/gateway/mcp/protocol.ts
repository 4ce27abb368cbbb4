import { randomUUID } from 'node:crypto'
import {
  createMcpHandler,
  isLegacyRequest,
  McpServer,
  type ServerContext,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { App } from '../../../../src-preload/contract/apps.ts'
import { asStudioError } from '../../errors.ts'
import type { Via } from '../../ports/appMedia.ts'
import type { StudioTool } from './tools.ts'

// The only file that uses the official MCP library for servers. It is loaded when the first request arrives.

/** Most sessions of clients before protocol version 2026-07-28, which has none. The one that was used least recently is forgotten. */
const maxSessions = 64
const maxSessionsOfApp = 16
/** Most running calls of one app. Each may hold a file. */
const maxCallsOfApp = 8
/** How often a client that asked for it learns what a call waits for, ms. */
const progressMs = 2000

interface Session {
  appId: string
  transport: WebStandardStreamableHTTPServerTransport
  server: McpServer
}

/** The sender of a message: what a call needs besides its arguments. */
export class McpCaller {
  readonly app: App
  readonly via: Via
  /** Aborted when the connection of the message has ended. */
  readonly gone: AbortSignal

  constructor(app: App, via: Via, gone: AbortSignal) {
    this.app = app
    this.via = via
    this.gone = gone
  }
}

/** Speaks MCP, in all protocol versions of the library. */
export class McpProtocol {
  readonly #tools: readonly StudioTool[]
  readonly #version: string
  readonly #sessions = new Map<string, Session>()
  readonly #calls = new Map<string, number>()
  readonly #modern = createMcpHandler(({ authInfo }) => this.#server(callerOf(authInfo).app), { legacy: 'reject' })

  constructor(tools: readonly StudioTool[], version: string) {
    this.#tools = tools
    this.#version = version
  }

  /**
   * Answers one HTTP request.
   * @param parsedBody its JSON; null without a body
   */
  async fetch(request: Request, parsedBody: unknown, caller: McpCaller): Promise<Response> {
    const authInfo = { token: '', clientId: caller.app.id, scopes: [], extra: { caller } }
    const options = parsedBody === null ? { authInfo } : { authInfo, parsedBody }
    if (!(await isLegacyRequest(request, parsedBody ?? undefined))) return this.#modern.fetch(request, options)
    const id = request.headers.get('mcp-session-id')
    if (id === null) return this.#openSession(caller.app, request, options)
    const session = this.#sessions.get(id)
    if (session?.appId !== caller.app.id) return unknownSession()
    // The one that was used last is at the end.
    this.#sessions.delete(id)
    this.#sessions.set(id, session)
    const response = await session.transport.handleRequest(request, options)
    if (request.method === 'DELETE') await this.#forget(id)
    return response
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.keys()].map((id) => this.#forget(id)))
    await this.#modern.close()
  }

  async #openSession(
    app: App,
    request: Request,
    options: Parameters<WebStandardStreamableHTTPServerTransport['handleRequest']>[1],
  ): Promise<Response> {
    const server = this.#server(app)
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void this.#sessions.set(id, { appId: app.id, transport, server }),
    })
    await server.connect(transport)
    const response = await transport.handleRequest(request, options)
    if (transport.sessionId === undefined) await server.close()
    else await this.#forgetOldest(app.id)
    return response
  }

  async #forgetOldest(appId: string): Promise<void> {
    const all = [...this.#sessions]
    const ofApp = all.filter(([, session]) => session.appId === appId)
    const [oldest] = ofApp.length > maxSessionsOfApp ? ofApp : all.length > maxSessions ? all : []
    if (oldest) await this.#forget(oldest[0])
  }

  async #forget(id: string): Promise<void> {
    const session = this.#sessions.get(id)
    this.#sessions.delete(id)
    await session?.server.close()
  }

  #server(app: App): McpServer {
    const about = { name: 'inference-studio', title: 'Inference Studio', version: this.#version }
    const server = new McpServer(about, { instructions: instructionsFor(app) })
    for (const tool of this.#tools) {
      const { name, title, description, input: inputSchema, isReadOnly } = tool
      const annotations = { readOnlyHint: isReadOnly, destructiveHint: false, openWorldHint: !isReadOnly }
      server.registerTool(name, { title, description, inputSchema, annotations }, (args, context) =>
        this.#call(tool, args, context),
      )
    }
    return server
  }

  async #call(tool: StudioTool, args: Record<string, unknown>, { mcpReq, http }: ServerContext) {
    const { app, via, gone } = callerOf(http?.authInfo)
    const running = this.#calls.get(app.id) ?? 0
    if (running >= maxCallsOfApp)
      return failed(`At most ${maxCallsOfApp} tools of an app run at once. Try again later.`)
    this.#calls.set(app.id, running + 1)
    const run = {
      app,
      via,
      signal: AbortSignal.any([mcpReq.signal, gone]),
      describe: () => 'Waiting for its turn.',
    }
    const stopProgress = reportProgress(mcpReq, () => run.describe())
    try {
      return { content: await tool.run(args, run) }
    } catch (thrown) {
      // As a result, because the model can read it and act on it.
      return failed(asStudioError(thrown).message)
    } finally {
      stopProgress()
      const left = (this.#calls.get(app.id) ?? 1) - 1
      if (left === 0) this.#calls.delete(app.id)
      else this.#calls.set(app.id, left)
    }
  }
}

const failed = (text: string) => ({ content: [{ type: 'text' as const, text }], isError: true })

/** @throws TypeError for a message that did not arrive through `fetch` */
function callerOf(authInfo: { extra?: Record<string, unknown> } | undefined): McpCaller {
  const caller = authInfo?.extra?.caller
  if (!(caller instanceof McpCaller)) throw new TypeError('A message has no caller.')
  return caller
}

/**
 * Sends progress while a call runs, if its client asked for it. The value is the time since the start in seconds, because nobody knows how
 * long a service takes; it also keeps the client from giving up.
 * @returns ends it
 */
function reportProgress({ _meta, notify }: ServerContext['mcpReq'], describe: () => string): () => void {
  const progressToken = _meta?.progressToken
  if (progressToken === undefined) return () => undefined
  const startedMs = performance.now()
  const report = (): void => {
    const progress = Math.round((performance.now() - startedMs) / 100) / 10
    // The client may have left, which the call notices by itself.
    notify({ method: 'notifications/progress', params: { progressToken, progress, message: describe() } }).catch(
      () => undefined,
    )
  }
  report()
  const timer = setInterval(report, progressMs)
  return () => clearInterval(timer)
}

function unknownSession(): Response {
  const error = { code: -32_001, message: 'Session not found' }
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 404 })
}

/** What the model of a client should know besides the tools. */
function instructionsFor({ toolInputs, toolOutput }: App): string {
  const read =
    toolInputs.length === 0
      ? 'A person has allowed no folder for reading, so files can be sent as base64 only.'
      : `Files are read below these folders only: ${toolInputs.join(', ')}.`
  const saved =
    toolOutput === null
      ? 'What is made is stored in the galleries of Inference Studio.'
      : `What is made is also saved in ${toolOutput}.`
  return `Speech, images, transcription and documents by Inference Studio on this computer. ${read} ${saved} Requests cost SC, the credits of the person’s account.`
}
