import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Writable } from 'node:stream'
import { createFileReader } from '../../src-main/core/features/documents/fileReader.ts'
import { AppAllowance } from '../../src-main/core/gateway/apps/allowance.ts'
import { ReasoningRefusals } from '../../src-main/core/gateway/apps/reasoningRefusals.ts'
import type { ModelAbilities } from '../../src-main/core/gateway/dialects/types.ts'
import { BodyMemory, type BodyMemoryBounds } from '../../src-main/core/gateway/proxy/bodyMemory.ts'
import { RequestFileTexts } from '../../src-main/core/gateway/proxy/fileTexts.ts'
import { relay } from '../../src-main/core/gateway/proxy/relay.ts'
import type { RelayDependencies } from '../../src-main/core/gateway/proxy/relayDependencies.ts'
import { type ProxyServer, startProxy } from '../../src-main/core/gateway/proxy/server.ts'
import { TranslationThreads } from '../../src-main/core/gateway/proxy/translationThreads.ts'
import { RequestScheduler } from '../../src-main/core/gateway/scheduler/requestScheduler.ts'
import type { FileReader } from '../../src-main/core/ports/fileReader.ts'
import type { GateRefusal, Verified } from '../../src-main/core/ports/requests.ts'
import { SqliteRequestLog } from '../../src-main/core/requestLog/requestLog.ts'
import type { Upstream } from '../../src-main/core/upstream/client.ts'
import type { RetryPolicy } from '../../src-main/core/upstream/sending/retry.ts'
import type { NetworkOptions } from '../../src-main/core/upstream/wire/network.ts'
import { forkNode } from '../../src-main/hosts/node/forkNode.ts'
import type { Connection } from '../../src-preload/contract/app.ts'
import type { App } from '../../src-preload/contract/apps.ts'
import type { Model } from '../../src-preload/contract/models.ts'
import type { ProgramId } from '../../src-preload/contract/programs.ts'
import type { RequestRow } from '../../src-preload/contract/requests.ts'
import { rightClock } from '../core/helpers/deadlines.ts'
import { appKey, secondKey } from './appRequest.ts'
import { temporaryFolder } from './folders.ts'
import { openClient } from './openClient.ts'
import { plainApp } from './plainApp.ts'

/** The service's API key of the gateway's tests. It must never reach an app. */
export const apiKey = 'sk-canary-7f3d2a91c05e4b68'

export interface Gateway {
  proxy: ProxyServer
  upstream: Upstream
  requestLog: SqliteRequestLog
  scheduler: RequestScheduler
  allowance: AppAllowance
  memory: BodyMemory
  dataDir: string
  /** `http://127.0.0.1:PORT/v1` */
  url: string
  /** Rows of the log, newest first. */
  rows(): Promise<RequestRow[]>
  /** Requests that the guard refused. */
  refusals: GateRefusal[]
  /** Changes the app's settings, like a person. */
  change(settings: Partial<App>): void
  close(): Promise<void>
}

export interface GatewayOptions {
  retry?: Partial<RetryPolicy>
  network?: Partial<NetworkOptions>
  app?: Partial<App>
  scheduler?: ConstructorParameters<typeof RequestScheduler>[0]
  bounds?: Parameters<typeof startProxy>[2]
  bodyMemory?: Partial<BodyMemoryBounds>
  /** Origins that a person has allowed. */
  allowedOrigins?: string[]
  /** The document converter, where a test counts or delays its work. */
  openFileReader?: () => FileReader
  /** What is known about every model. */
  abilities?: ModelAbilities
  /** The service's models as last fetched. */
  models?: Model[] | null
  /** Programs that are connected with the apps. */
  connectedPrograms?: ProgramId[]
  /** The connection as the window shows it. */
  connection?: Pick<Connection, 'state' | 'problem'>
  /** ms; short, because most tests wait for the end of a broken stream. */
  eventReadingMs?: number
}

/** The real relay, scheduler, request log and limits, connected to the given address, with the keys of two apps. */
export async function openGateway(
  baseUrl: string,
  apiKey: string,
  {
    retry = {},
    network = {},
    app: settings = {},
    scheduler: schedulerOptions,
    bounds,
    bodyMemory = {},
    allowedOrigins = [],
    openFileReader,
    abilities = { images: null, tools: null, thinking: null, contextLength: null },
    models = null,
    connectedPrograms = [],
    connection = { state: 'connected', problem: null },
    eventReadingMs = 5,
  }: GatewayOptions = {},
): Promise<Gateway> {
  const dataDir = temporaryFolder('studio-gateway-')
  let app = plainApp({ id: 'testtool', name: 'test', ...settings })
  const second = plainApp({ id: 'second', name: 'second' })
  const failures: string[] = []
  const requestLog = new SqliteRequestLog({
    dataDir,
    apps: () => [app, second],
    bodyDays: () => 7,
    deadlines: rightClock(),
    log: (level, line) => level === 'error' && failures.push(line),
  })
  const scheduler = new RequestScheduler(schedulerOptions)
  const allowance = new AppAllowance({ spent: (id) => requestLog.spent(id) })
  const upstream = openClient(baseUrl, apiKey, {
    retry,
    network,
    scheduler,
    requestLog: requestLog,
  })
  const refusals: GateRefusal[] = []
  let origin = ''
  const memory = new BodyMemory(bodyMemory)
  const translation = new TranslationThreads()
  const fileTexts = new RequestFileTexts(
    openFileReader ?? (() => createFileReader({ fork: forkNode, folder: dataDir })),
  )
  const sealingKey = randomBytes(32)
  const reasoning = new Set<string>()
  const deps: RelayDependencies = {
    connection: () => connection,
    forward: () => upstream.forward,
    models: () => models,
    requestLog: requestLog,
    allowance,
    price: (endpoint, model, use) =>
      requestLog.prices.price(endpoint, model, use) ?? requestLog.prices.dearest(endpoint, use),
    typicalOut: (model) => requestLog.typicalOut(model),
    local: () => origin,
    memory,
    responses: requestLog.storedResponses,
    sealingKey: () => sealingKey,
    connectedPrograms: () => connectedPrograms,
    eventReadingMs,
    reasoningRefusals: new ReasoningRefusals(),
    abilities: (model) => ({ ...abilities, thinking: reasoning.has(model) || abilities.thinking }),
    reasoned: (model) => reasoning.add(model),
    translation,
    fileTexts,
  }
  const verify = (presented: string): Verified => {
    if (presented === secondKey) return { good: true, app: second, keyHash: new Uint8Array(32) }
    if (presented !== appKey) return { good: false, why: 'unknown', app: null }
    if (app.revokedAt !== null) return { good: false, why: 'revoked', app }
    return app.pausedAt === null
      ? { good: true, app, keyHash: new Uint8Array(32) }
      : { good: false, why: 'paused', app }
  }
  const proxy = await startProxy(
    { port: 0, ipv6: false },
    {
      verify,
      relay: (request, response, pass) => relay(deps, request, response, pass),
      memory,
      used: () => undefined,
      refused: (refusal) => {
        refusals.push(refusal)
        requestLog.refused(refusal)
      },
      allowedOrigins: () => allowedOrigins,
      changed: () => undefined,
      failed: (error) => {
        throw error
      },
    },
    bounds,
  )
  origin = new URL(proxy.baseUrl).origin
  return {
    proxy,
    upstream,
    requestLog,
    scheduler,
    allowance,
    memory,
    dataDir,
    url: proxy.baseUrl,
    rows: () => requestLog.page({}, Number.MAX_SAFE_INTEGER, 1000),
    refusals,
    change: (changes) => {
      app = { ...app, ...changes }
    },
    close: async () => {
      await proxy.close()
      await translation.terminate()
      await fileTexts.terminate()
      await upstream.close()
      scheduler.close()
      await requestLog.close()
      rmSync(dataDir, { recursive: true, force: true })
      if (failures.length > 0) throw new Error(failures.join('\n'))
    },
  }
}

export interface FarEnd {
  url: string
  requests: { method: string; url: string; headers: IncomingMessage['headers']; rawHeaders: string[]; body: Buffer }[]
  connections(): number
  close(): Promise<void>
}

/** A service that a test implements, for exact bytes and times. Gets each request complete unless `early`. */
export async function openFarEnd(
  act: (request: IncomingMessage, response: ServerResponse, body: Buffer) => void,
  { early = false } = {},
): Promise<FarEnd> {
  const requests: FarEnd['requests'] = []
  let connections = 0
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    const record = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      rawHeaders: request.rawHeaders,
      body: Buffer.alloc(0),
    }
    requests.push(record)
    if (early) {
      act(request, response, record.body)
      return
    }
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      record.body = Buffer.concat(pieces)
      act(request, response, record.body)
    })
  })
  server.on('connection', () => {
    connections += 1
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Writes `block` up to 200 MB, as fast as the other side reads. `wrote` receives the bytes of each write. */
export function writeRepeatedly(response: Writable, block: string | Buffer, wrote: (bytes: number) => void): void {
  let sent = 0
  const writeOn = (): void => {
    while (sent < 200_000_000 && !response.destroyed) {
      sent += block.length
      wrote(block.length)
      if (!response.write(block)) {
        response.once('drain', writeOn)
        return
      }
    }
    response.end()
  }
  writeOn()
}
