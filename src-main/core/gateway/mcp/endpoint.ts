import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { asStudioError } from '../../errors.ts'
import type { AppReply } from '../proxy/appReply.ts'
import { type Refusal, refusalOf, refusedByGuard, sendRefusal } from '../proxy/errorReplies.ts'
import type { AllowedRequest } from '../proxy/proxiedRequest.ts'
import type { RelayDependencies } from '../proxy/relayDependencies.ts'
import { refuse } from '../proxy/relayRefusals.ts'
import { readJson } from '../proxy/requestBody.ts'
import type { McpProtocol } from './protocol.ts'
import { studioTools, type ToolsDependencies } from './tools.ts'
import { type Relay, viaRelay } from './viaRelay.ts'

export interface McpDependencies extends ToolsDependencies, Pick<RelayDependencies, 'memory' | 'currentApp'> {
  relay: Relay
  /** Of this program. */
  version: string
}

const toolsOff = refusedByGuard(
  403,
  'tools_off',
  'This app may not use tools. Switch them on in Inference Studio, on the page of the app: Local API > app > Tools (MCP).',
)
/** Most messages of one request, and most values of all its JSON: each is checked and answered on the main thread. A file is one value. */
const maxMessages = 16
const maxValues = 10_000
const tooManyMessages = refusedByGuard(
  400,
  'too_many_messages',
  `A request may have at most ${maxMessages} messages and ${maxValues.toLocaleString('en')} values.`,
)
const wrongMethod: Refusal = {
  ...refusedByGuard(405, 'method_refused', 'This server sends nothing by itself. Send messages with POST.'),
  allow: 'POST, DELETE',
}

/** The MCP server of the local API: Streamable HTTP at `/mcp`. */
export class McpEndpoint {
  readonly #deps: McpDependencies
  /** Once the first request has arrived. */
  #protocol: Promise<McpProtocol> | null = null

  constructor(deps: McpDependencies) {
    this.#deps = deps
  }

  /** Answers a request that passed the guard. The calls of tools in it are requests of their own for limits and log. */
  async answer(request: IncomingMessage, response: AppReply, allowed: AllowedRequest): Promise<void> {
    const { app } = allowed
    const refused = (refusal: Refusal): void => refuse(this.#deps, request, response, allowed, refusal)
    if (!app.tools) return refused(toolsOff)
    const { method = 'GET' } = request
    // Clients ask for a stream of messages with GET and go on without it, so the log has no row for it.
    if (method !== 'POST' && method !== 'DELETE') return sendRefusal(response, wrongMethod, allowed.extraHeaders)
    const gone = new AbortController()
    const leave = (): false => {
      gone.abort()
      return false
    }
    response.once('close', leave)
    allowed.onCut = leave
    const proceed = (): void => allowed.proceed()
    const reading = { memory: this.#deps.memory, signal: gone.signal, proceed }
    const body = method === 'POST' ? await readJson(request, app, reading) : null
    if (body !== null && 'status' in body) return refused(body)
    try {
      if (body && body.values > maxValues) return refused(tooManyMessages)
      const parsed: unknown = body && JSON.parse(body.bytes.toString('utf8'))
      if (Array.isArray(parsed) && parsed.length > maxMessages) return refused(tooManyMessages)
      const protocol = await this.#load()
      const { McpCaller } = await import('./protocol.ts')
      const caller = new McpCaller(
        app,
        viaRelay(this.#deps.relay, () => this.#deps.currentApp(app)),
        gone.signal,
      )
      const sent = new Request('http://127.0.0.1/mcp', { method, headers: headersOf(request), signal: gone.signal })
      await send(await protocol.fetch(sent, parsed, caller), response, allowed, gone.signal)
    } catch (thrown) {
      if (gone.signal.aborted) return
      if (thrown instanceof SyntaxError) refused(refusedByGuard(400, 'body_unreadable', 'The body is not JSON.'))
      else if (response.headersSent) response.destroy(asStudioError(thrown))
      else refused(refusalOf(asStudioError(thrown)))
    } finally {
      body?.memory.release()
    }
  }

  async close(): Promise<void> {
    await (await this.#protocol)?.close()
  }

  #load(): Promise<McpProtocol> {
    this.#protocol ??= import('./protocol.ts').then(
      (loaded) => new loaded.McpProtocol(studioTools(this.#deps), this.#deps.version),
    )
    return this.#protocol
  }
}

/** The headers that the protocol reads. */
function headersOf({ headers }: IncomingMessage): Headers {
  const read = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    const isRead = name.startsWith('mcp-') || name === 'accept' || name === 'content-type'
    if (isRead && typeof value === 'string') read.set(name, value)
  }
  return read
}

async function send(
  { status, headers, body }: Response,
  response: AppReply,
  { extraHeaders }: AllowedRequest,
  gone: AbortSignal,
): Promise<void> {
  const pairs = [...headers].filter(([name]) => name !== 'connection')
  response.writeHead(status, '', [...pairs, ['X-Content-Type-Options', 'nosniff'], ...extraHeaders].flat())
  response.flushHeaders()
  const reader = body?.getReader()
  // The end of the connection ends the wait for the next piece.
  const cancel = (): void => void reader?.cancel().catch(() => undefined)
  gone.addEventListener('abort', cancel, { once: true })
  if (gone.aborted) cancel()
  for (;;) {
    const next = await reader?.read()
    if (!next || next.done) break
    if (!response.write(next.value)) await once(response, 'drain', { signal: gone })
  }
  response.end()
}
