import { ClientConnections } from '../listener/connections.ts'
import { boundedServer, type ServerBounds } from '../listener/server.ts'
import { FailCounts } from './faults/early.ts'
import { refuseGarbage, serve } from './http/server.ts'
import { Replayer, type ReplayOptions } from './replay/replayer.ts'
import { type PastUse, SandboxAccounting } from './world/accounting.ts'
import { type AccountLimits, type KeyName, seedAccounts } from './world/accounts.ts'
import { SandboxLimits } from './world/limits.ts'
import { PrefixCache } from './world/prefixCache.ts'
import { type Observe, Records } from './world/records.ts'
import { seededHex } from './world/seed.ts'
import type { World } from './world/world.ts'

export type { PastUse } from './world/accounting.ts'
export type { KeyName } from './world/accounts.ts'
export type { Observe } from './world/records.ts'

export interface SandboxOptions {
  /** 0 selects any free port. */
  port?: number
  /** The same seed gives the same keys, history and answers. */
  seed?: string
  /** ms since 1970, for dates, limit windows and `created`. Streams always run in real time. */
  now?: () => number
  /** Rate limits of the everyday key's account. */
  limits?: Partial<AccountLimits>
  /** Secret of the everyday key. Default: derived from the seed. */
  apiKey?: string
  /** SC on the everyday key's account. */
  balance?: number
  /** Tokens per second by model id, instead of the model's own speed. */
  paces?: Readonly<Record<string, number>>
  /** What the everyday key used before this start, so that its reports continue. The balance is full again. */
  past?: readonly PastUse[]
  /** Answers with recorded replies, which cost nothing. Only the everyday key’s limits are lifted. */
  replay?: ReplayOptions
}

export interface Sandbox {
  /** `http://127.0.0.1:PORT`, without `/v1`. */
  baseUrl: string
  port: number
  /** Secret of the everyday key, the same as `keys.main`. */
  apiKey: string
  /** Secrets of all seeded keys by name. */
  keys: Record<KeyName, string>
  observe: Observe
  /** Ends open streams and frees the port. Further calls do nothing. */
  close(): Promise<void>
}

const bounds: ServerBounds = {
  most: 4096,
  strangers: 1024,
  graceMs: 1000,
  headersMs: 15_000,
  // Uploads and slow readers may take any time.
  requestMs: 0,
  // Longer than the idle time of common client pools (4 s).
  keepAliveMs: 30_000,
  maxHeaderBytes: 16 * 1024,
  requestsPerSocket: 0,
}

/** Requests per minute of a replay, which no program reaches. */
const replayLimits = { rpm: 1_000_000 }

/** Starts the whole service on 127.0.0.1, with its state in memory. Rejects if the port is in use, and with FixtureError. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { seed = 'sandbox', now = Date.now, port = 0, paces = {}, past = [], replay, ...rest } = options
  const home = replay ? { limits: replayLimits, ...rest } : rest
  const replayer = replay ? new Replayer(replay) : null
  const world: World = { ...createWorld(seed, now, home), paces, replay: replayer }
  const everyday = world.accounts.keys.get('main')
  if (everyday) world.accounting.addPast(everyday, past)
  const connections = new ClientConnections(bounds, (socket) => socket.destroy())
  const server = boundedServer(bounds, connections)
  server.on('request', (request, response) => {
    const connection = connections.take(request)
    if (!connection) return
    connections.proved(request.socket, connection)
    serve(world, request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : new Error(String(error)))
    })
  })
  server.on('clientError', refuseGarbage)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  // A connection that can't be accepted (too many open files) must not end the process.
  server.on('error', () => undefined)
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the sandbox listens on no port')
  world.baseUrl = `http://127.0.0.1:${address.port}`
  let closed: Promise<void> | null = null
  return {
    baseUrl: world.baseUrl,
    port: address.port,
    apiKey: world.accounts.secrets.main,
    keys: world.accounts.secrets,
    observe: world.records,
    close() {
      closed ??= new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()))
        server.closeAllConnections()
      })
      return closed
    },
  }
}

function createWorld(
  seed: string,
  now: () => number,
  home: Pick<SandboxOptions, 'limits' | 'apiKey' | 'balance'>,
): Omit<World, 'paces' | 'replay'> {
  const accounts = seedAccounts({ seed, now: now(), ...home })
  const accounting = new SandboxAccounting(now)
  accounting.seedHistory(seed, accounts.keys.values())
  let requests = 0
  return {
    seed,
    now,
    accounts,
    accounting,
    limits: new SandboxLimits(now),
    records: new Records(() => {
      requests += 1
      return `req_${seededHex(20, seed, 'request', String(requests))}`
    }),
    failCounts: new FailCounts(),
    prefixes: new PrefixCache(),
    images: new Map(),
    baseUrl: '',
  }
}
