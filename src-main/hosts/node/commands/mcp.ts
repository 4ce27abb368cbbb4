import process from 'node:process'
import {
  isInitializeRequest,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  SdkHttpError,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { createRouterClient } from '@orpc/server'
import { t } from '../../../../src-renderer/i18n/cli.ts'
import { StudioError } from '../../../core/errors.ts'
import { type ConnectionOptions, connectionFrom } from '../connection.ts'
import type { Parts, RunningCore } from '../dependencies.ts'
import { failureOf } from '../failure.ts'
import { openDataDir } from '../folder.ts'
import { createNodeHost } from '../host.ts'
import { localSocketPath } from '../localSocket.ts'
import { exitCodes, log } from '../output.ts'
import { ownError } from '../ownWords.ts'
import { listenForEnd } from '../signals.ts'
import { firstState, runningStudio } from '../studio.ts'

export interface McpOptions extends ConnectionOptions {
  dataDir?: string
  apiPort?: number
}

/** Environment variable with the app key. */
export const appKeyVariable = 'INFERENCE_STUDIO_KEY'

/** How long the local API may take to answer whether it is there, ms. */
const probeMs = 3000

/**
 * `mcp`: the studio's MCP server on standard input and output, until the input ends. It passes messages on to the local API of the running
 * studio, so that there is one server, one set of limits and one log. Without a running studio it starts one for this time.
 */
export async function mcp(options: McpOptions, parts: Parts): Promise<number> {
  const key = process.env[appKeyVariable]
  // Programs that this command starts do not get it.
  delete process.env[appKeyVariable]
  if (!key) {
    throw ownError('bad_input', t('mcp.noKey', { variable: appKeyVariable }))
  }
  const connect = await connectionFrom(options)
  const dataDir = await openDataDir(options.dataDir)
  const end = listenForEnd()
  let core: RunningCore | null = null
  try {
    const running = connect ? null : await runningApi(options, dataDir, parts)
    if (running === null) {
      core = await startCore(dataDir, { ...options, connect: connect ?? undefined }, parts, end.signal)
    }
    await bridge(running ?? (await addressOf(core)), key, end.asked)
  } finally {
    end.release()
    await core?.stop()
  }
  return exitCodes.ok
}

/** The address of the MCP server of the running studio, or null without one. @throws StudioError `not_connected` when its local API is off */
async function runningApi(options: McpOptions, dataDir: string, parts: Parts): Promise<string | null> {
  if (localSocketPath(dataDir) === null) return answeringApi(options, dataDir, parts)
  const studio = await runningStudio(dataDir)
  if (studio === null) return null
  try {
    const { proxy } = await firstState(studio)
    if (proxy.baseUrl !== null) return new URL('/mcp', proxy.baseUrl).href
    if (proxy.problem) throw new StudioError('not_connected', proxy.problem.message)
    throw ownError('not_connected', t('mcp.apiOff'))
  } finally {
    await studio.close()
  }
}

/** The same where the system has no local socket: at the port that the options or the settings name, if a studio answers there. */
async function answeringApi(options: McpOptions, dataDir: string, parts: Parts): Promise<string | null> {
  const programs = await parts.openPrograms(dataDir, options.apiPort)
  const baseUrl = programs.baseUrl()
  await programs.close()
  const url = new URL('/mcp', baseUrl).href
  // Without the key: another program could listen there.
  const reply = await fetch(url, { signal: AbortSignal.timeout(probeMs) }).catch(() => null)
  await reply?.body?.cancel()
  return reply?.headers.has('x-studio-answer') ? url : null
}

async function startCore(
  dataDir: string,
  { apiPort = 0, connect }: McpOptions & { connect: Awaited<ReturnType<typeof connectionFrom>> | undefined },
  parts: Parts,
  signal: AbortSignal,
): Promise<RunningCore> {
  try {
    return await parts.startCore(createNodeHost(dataDir), { proxyPort: apiPort, signal, ...(connect && { connect }) })
  } catch (thrown) {
    const failure = failureOf(thrown)
    if (failure.kind !== 'folder_in_use') throw thrown
    throw ownError('folder_in_use', t('mcp.noAnswer'), { cause: thrown })
  }
}

/** @throws StudioError when its local API could not start */
async function addressOf(core: RunningCore | null): Promise<string> {
  const client = core && createRouterClient(core.router)
  for await (const state of (await client?.app.watch()) ?? []) {
    if (state.proxy.baseUrl !== null) return new URL('/mcp', state.proxy.baseUrl).href
    if (state.proxy.problem) throw new StudioError(state.proxy.problem.kind, state.proxy.problem.message)
  }
  throw ownError('not_connected', t('mcp.notStarted'))
}

/** Of the request by which this program opens a session again. */
const reopeningId = 'inference-studio-reopen'

/** Passes messages between standard input and output and the server at `url`, until the input ends or `asked` resolves. */
async function bridge(url: string, key: string, asked: Promise<void>): Promise<void> {
  const own = new StdioServerTransport()
  const server = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  })
  /** Open requests, which are cancelled by closing their connection. */
  const open = new Map<string | number, AbortController>()
  const inputEnded = new Promise<void>((resolve) => {
    own.onclose = resolve
  })
  let opening: JSONRPCRequest | null = null
  let reopened: Promise<void> | null = null
  const reply = (message: JSONRPCMessage): void => {
    // The agent knows the server already.
    if ('id' in message && message.id === reopeningId) return
    if ('id' in message && message.id !== undefined && !('method' in message)) open.delete(message.id)
    if (isJSONRPCResultResponse(message) && typeof message.result.protocolVersion === 'string') {
      server.setProtocolVersion(message.result.protocolVersion)
    }
    own.send(message).catch((thrown: unknown) => log('warn', failureOf(thrown).message))
  }
  /** Opens the session again that a studio has forgotten which was started again. The agent can't: it knows of no session. */
  const reopen = (request: JSONRPCRequest): Promise<void> => {
    reopened ??= (async () => {
      await server.send({ ...request, id: reopeningId })
      await server.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    })().finally(() => {
      reopened = null
    })
    return reopened
  }
  const send = async (message: JSONRPCMessage, requestSignal: AbortSignal): Promise<void> => {
    try {
      await server.send(message, { requestSignal })
    } catch (thrown) {
      const isForgotten = thrown instanceof SdkHttpError && thrown.status === 404
      if (!isForgotten || opening === null || message === opening) throw thrown
      await reopen(opening)
      await server.send(message, { requestSignal })
    }
  }
  server.onmessage = reply
  server.onerror = () => undefined
  own.onerror = (thrown) => log('warn', thrown.message)
  own.onmessage = (message) => {
    const request = isJSONRPCRequest(message) ? message : null
    const controller = new AbortController()
    if (request) open.set(request.id, controller)
    if (request && isInitializeRequest(request)) opening = request
    send(message, controller.signal).catch((thrown: unknown) => {
      if (request === null || controller.signal.aborted) return
      const error = { code: -32_000, message: thrown instanceof Error ? thrown.message : String(thrown) }
      reply({ jsonrpc: '2.0', id: request.id, error })
    })
    if (!('method' in message) || message.method !== 'notifications/cancelled') return
    const cancelled = message.params?.requestId
    if (typeof cancelled === 'string' || typeof cancelled === 'number') open.get(cancelled)?.abort()
  }
  await server.start()
  await own.start()
  await Promise.race([inputEnded, asked])
  for (const controller of open.values()) controller.abort()
  await server.close()
  await own.close()
}
