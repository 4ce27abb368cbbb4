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
import { asProblem } from './problem.ts'
import { StdioTransport } from './stdio.ts'

// The only file that speaks the protocol, through its official library. It is loaded when the first server is switched on.

export interface McpConnectionOptions {
  transport: McpTransport
  /** By name of variable or header. */
  secrets: Readonly<Record<string, string>>
  version: string
  fetch: typeof fetch
  limits: ToolLimits
  /** Ends the attempt. */
  signal: AbortSignal
  onStderr: (chunk: Uint8Array) => void
  /** It offers other tools than before. */
  onChanged: () => void
  /** It is gone, without having been told to. */
  onLost: (why: StudioError) => void
}

export interface McpConnection {
  /** Name and version, as it says. */
  readonly about: string | null
  readonly instructions: string | null
  /** Tools as they came, page after page. @throws StudioError */
  list(): Promise<unknown[]>
  /** @throws StudioError; `not_found` where the session is over and the call was not taken */
  call(name: string, schema: string, args: Record<string, unknown>, signal: AbortSignal): Promise<Answered>
  /** Resolves when its process, or the conversation with it, has ended (bounded). */
  close(): Promise<void>
}

/** What a server said to a call: a result, or that it refuses (its own words). */
export type Answered = { result: CallToolResult } | { refused: string }

// A page of tools, each of which is looked at by itself: one bad tool is no reason to lose the others.
const page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() })

/** @throws StudioError what kept it from being ready */
export async function connectMcp(options: McpConnectionOptions): Promise<McpConnection> {
  const open = openTransport(options)
  try {
    return await handshake(options, open, 'auto')
  } catch (thrown) {
    await open.end()
    // Servers of before 2026-07-28 may end at any message before `initialize`: another process of it is asked the old way.
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
  /** How a process ended. */
  ended(): string | null
}

function openTransport({ transport, secrets, fetch, limits, onStderr }: McpConnectionOptions): Opened {
  if (transport.kind === 'stdio') {
    const { command, args, cwd } = transport
    const stdio = new StdioTransport({ command, args, cwd, env: secrets, onStderr, limits })
    return { transport: stdio, end: () => stdio.close(), ended: () => stdio.ended }
  }
  // Redirects to another origin are refused by the library itself (its `redirectPolicy`), which would take the headers along.
  const http = new StreamableHTTPClientTransport(new URL(transport.url), {
    requestInit: { headers: secrets },
    fetch: boundedFetch(fetch, limits.messageBytes),
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
  client.onerror = (error) => {
    if (error instanceof StudioError) said = error
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
    // None announced: a server's requests for sampling, elicitation and roots are answered with "method not found".
    capabilities: {},
    inputRequired: { autoFulfill: false },
    versionNegotiation: {
      mode,
      probe: { timeoutMs: transport.kind === 'stdio' ? limits.probeMs : limits.startMs / 2 },
    },
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged } },
    // Results are text for the model. A server's output schema is a stranger's pattern, which would run on this thread.
    jsonSchemaValidator: { getValidator },
  }
}

function getValidator<T>(): JsonSchemaValidator<T> {
  // The interface asks for the value as a type that nobody checked.
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
  // The time limit is the caller's, who aborts. The definition is given for the headers that a server may want of arguments.
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
