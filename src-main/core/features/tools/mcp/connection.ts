import {
  type CallToolResult,
  Client,
  type ClientOptions,
  type JsonSchemaValidator,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import * as z from 'zod'
import type { McpTransport } from '../../../../../src-preload/contract/tools.ts'
import { StudioError } from '../../../errors.ts'
import type { ToolLimits } from '../limits.ts'
import { boundedFetch, callWatch } from './http.ts'
import type { BearerToken } from './oauth/bearer.ts'
import { asProblem } from './problem.ts'
import { StdioTransport } from './stdio.ts'

// The only file that uses the official MCP library. It is loaded when the first server starts.

export interface McpConnectionOptions {
  transport: McpTransport
  /** Secret values by name of variable or header. */
  secrets: Readonly<Record<string, string>>
  /** The token of an HTTP server that may ask for a sign-in, or null. */
  bearer: BearerToken | null
  version: string
  fetch: typeof fetch
  limits: ToolLimits
  /** Aborts the attempt. */
  signal: AbortSignal
  onStderr: (chunk: Uint8Array) => void
  /** Called when the server reports that its tools have changed. */
  onChanged: () => void
  /** Called when the connection ends without a call of `close`. */
  onLost: (why: StudioError) => void
}

export interface McpConnection {
  /** Name and version that the server reports. */
  readonly about: string | null
  readonly instructions: string | null
  /** All pages of the tool list, unparsed. @throws StudioError */
  list(): Promise<unknown[]>
  /** @throws StudioError; `not_found` if the session has expired and the call was not accepted */
  call(name: string, schema: string, args: Record<string, unknown>, signal: AbortSignal): Promise<Answered>
  /** Resolves when the process or the session has ended (bounded). */
  close(): Promise<void>
}

/** Reply to a call: a result, or a refusal in the words of the server. */
export type Answered = { result: CallToolResult } | { refused: string }

// A page of the tool list. Each tool is parsed separately, so that one bad tool does not hide the others.
const page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() })

/** Starts a server and connects to it. @throws StudioError with the reason why it did not become ready */
export async function connectMcp(options: McpConnectionOptions): Promise<McpConnection> {
  const open = openTransport(options)
  try {
    return await handshake(options, open, 'auto')
  } catch (thrown) {
    await open.end()
    // Servers of protocol versions before 2026-07-28 may exit at any message before `initialize`. A second process is
    // started in legacy mode.
    const old = thrown instanceof SdkError && thrown.code === SdkErrorCode.EraNegotiationFailed
    if (!old || options.transport.kind !== 'stdio' || options.signal.aborted) throw asProblem(thrown, open.ended())
    const again = openTransport(options)
    try {
      return await handshake(options, again, 'legacy')
    } catch (second) {
      await again.end()
      throw asProblem(second, again.ended())
    }
  }
}

interface Opened {
  transport: Transport
  end(): Promise<void>
  /** How the process ended, or null. */
  ended(): string | null
}

function openTransport({ transport, secrets, bearer, fetch, limits, onStderr }: McpConnectionOptions): Opened {
  if (transport.kind === 'stdio') {
    const { command, args, cwd } = transport
    const stdio = new StdioTransport({ command, args, cwd, env: secrets, onStderr, limits })
    return { transport: stdio, end: () => stdio.close(), ended: () => stdio.ended }
  }
  // The library (`redirectPolicy`) refuses redirects to another origin, because that origin would receive the headers.
  const bounded = boundedFetch(fetch, limits.messageBytes)
  const http = new StreamableHTTPClientTransport(new URL(transport.url), {
    requestInit: { headers: secrets },
    // Not the library's `OAuthClientProvider`: with it, the transport would start sign-ins by itself and send the configured headers to the
    // authorization server too.
    ...(bearer ? { authProvider: bearer, fetch: bearer.fetch(bounded) } : { fetch: bounded }),
    onInsufficientScope: 'throw',
  })
  const farewell = async (): Promise<void> => {
    const late = new Promise<void>((resolve) => setTimeout(resolve, limits.farewellMs).unref())
    await Promise.race([http.terminateSession().catch(() => undefined), late])
    await http.close()
  }
  let ending: Promise<void> | null = null
  const end = (): Promise<void> => {
    ending ??= farewell()
    return ending
  }
  return { transport: http, end, ended: () => null }
}

async function handshake(options: McpConnectionOptions, open: Opened, mode: 'auto' | 'legacy'): Promise<McpConnection> {
  const { limits, signal, version } = options
  const client = new Client({ name: 'inference-studio', version }, clientOptions(options, mode))
  const onAbort = (): void => void open.end()
  signal.addEventListener('abort', onAbort, { once: true })
  let said: Error | null = null
  let isReady = false
  client.onerror = (error) => {
    if (!(error instanceof StudioError)) return
    said = error
    // After the rejection of the call that was refused, if any.
    if (isReady && error.kind === 'unauthorized') setImmediate(() => options.onLost(error))
  }
  const late = setTimeout(() => {
    said = new StudioError('connect_timeout', `It was not ready within ${Math.ceil(limits.startMs / 1000)} s.`)
    onAbort()
  }, limits.startMs)
  try {
    if (signal.aborted) throw new StudioError('cancelled', 'It was switched off.')
    await client.connect(open.transport, { timeout: 2 * limits.startMs, signal })
  } catch (thrown) {
    throw said ?? thrown
  } finally {
    clearTimeout(late)
    signal.removeEventListener('abort', onAbort)
  }
  isReady = true
  let reported = false
  client.onclose = () => {
    if (!reported)
      options.onLost(asProblem(said ?? new SdkError(SdkErrorCode.ConnectionClosed, 'closed'), open.ended()))
  }
  const server = client.getServerVersion()
  return {
    about: server ? `${server.name} ${server.version}`.slice(0, 300) : null,
    instructions: client.getInstructions()?.slice(0, limits.instructionsLength) ?? null,
    list: () => listAll(client, limits).catch((thrown: unknown) => rethrow(thrown, open)),
    call: (name, schema, args, callSignal) =>
      callOnce(client, name, schema, args, callSignal).catch((thrown: unknown) =>
        rethrow((open.ended() !== null && said) || thrown, open),
      ),
    close: () => {
      reported = true
      return open.end()
    },
  }
}

function rethrow(thrown: unknown, open: Opened): never {
  throw asProblem(thrown, open.ended())
}

function clientOptions({ onChanged, limits, transport }: McpConnectionOptions, mode: 'auto' | 'legacy'): ClientOptions {
  return {
    // No capabilities: requests for sampling, elicitation and roots are answered with "method not found".
    capabilities: {},
    inputRequired: { autoFulfill: false },
    versionNegotiation: {
      mode,
      probe: { timeoutMs: transport.kind === 'stdio' ? limits.probeMs : limits.startMs / 2 },
    },
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged } },
    // Validates no output schema, because that would run untrusted regular expressions on this thread. Results become text for the
    // model anyway.
    jsonSchemaValidator: { getValidator },
  }
}

function getValidator<T>(): JsonSchemaValidator<T> {
  // The interface requires a typed value that no code checks.
  return (input: unknown) => ({ valid: true, data: input as T, errorMessage: undefined })
}

async function listAll(client: Client, limits: ToolLimits): Promise<unknown[]> {
  if (!client.getServerCapabilities()?.tools) return []
  const tools: unknown[] = []
  let cursor: string | undefined
  for (let count = 0; count < limits.pages; count++) {
    const params = cursor === undefined ? {} : { cursor }
    const answer = await client.request({ method: 'tools/list', params }, page, { timeout: limits.startMs })
    tools.push(...answer.tools.slice(0, limits.toolsPerServer - tools.length))
    if (answer.nextCursor === undefined || answer.nextCursor === cursor || tools.length >= limits.toolsPerServer) break
    cursor = answer.nextCursor
  }
  return tools
}

async function callOnce(
  client: Client,
  name: string,
  schema: string,
  args: Record<string, unknown>,
  signal: AbortSignal,
): Promise<Answered> {
  const given = new AbortController()
  const lost = Promise.withResolvers<never>()
  const watch = { lost: lost.reject }
  // The caller enforces the time limit with `signal`. The library needs the definition for headers that a server
  // requests for arguments.
  const options = {
    signal: AbortSignal.any([signal, given.signal]),
    timeout: 2 ** 31 - 1,
    toolDefinition: { name, inputSchema: { ...JSON.parse(schema), type: 'object' as const } },
  }
  try {
    const asked = callWatch.run(watch, () => client.callTool({ name, arguments: args }, options))
    return { result: await Promise.race([asked, lost.promise]) }
  } catch (thrown) {
    given.abort()
    if (thrown instanceof ProtocolError) return { refused: `${thrown.message} (${thrown.code})` }
    throw thrown
  }
}
