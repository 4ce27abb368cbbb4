import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { getCACertificates } from 'node:tls'
import { Agent, buildConnector, type Dispatcher, EnvHttpProxyAgent } from 'undici'
import { StudioError } from '../../errors.ts'
import type { SystemNetwork } from '../../host.ts'
import { inBackground } from '../../shared/unexpected.ts'
import type { BaseAddress } from '../address.ts'
import { type Connector, readRoutes, systemConnector, trackedConnector } from './systemRoute.ts'

/** Timeouts are in ms. */
export interface NetworkOptions {
  /** DNS, TCP and TLS together. */
  connectTimeoutMs: number
  /** From the last byte of the request to the headers of the reply. */
  headersTimeoutMs: number
  /** Between two pieces of a reply's body. */
  idleTimeoutMs: number
  /** Lifetime of an idle connection. A shorter `Keep-Alive` of the service wins. */
  keepAliveMs: number
  /** Source of HTTP_PROXY, HTTPS_PROXY, NO_PROXY, NODE_EXTRA_CA_CERTS and SSL_CERT_FILE. */
  env: Readonly<Record<string, string | undefined>>
  /** Certificates (PEM) trusted besides the usual ones. */
  ca: readonly string[]
  /** Proxies and certificates of the system. Proxies of `env` come first. Null: only `env` counts. */
  system: SystemNetwork | null
  /** Whether a proxy may be used for a loopback address. Only for tests: a proxy is another machine, loopback is this one. */
  proxyLoopback: boolean
}

/**
 * A JSON reply begins when it is complete, and a reasoning model may be silent for minutes. Both timeouts are ten minutes, as in the usual
 * clients; undici's default of 300 s would cut such replies. TCP keep-alive finds a dead peer sooner. `keepAliveMs` is below the 60 s after
 * which common load balancers drop an idle connection.
 */
export const networkDefaults: Omit<NetworkOptions, 'env'> = {
  connectTimeoutMs: 10_000,
  headersTimeoutMs: 600_000,
  idleTimeoutMs: 600_000,
  keepAliveMs: 55_000,
  ca: [],
  system: null,
  proxyLoopback: false,
}

/** The connections to one base address. */
export interface Network {
  readonly dispatcher: Pick<Dispatcher, 'dispatch'>
  /** Whether requests use a proxy agent, which takes headers only as a record. */
  readonly proxied: boolean
  readonly headersTimeoutMs: number
  /** Whether a new connection would go to a proxy. */
  usesProxy(): Promise<boolean>
  /** The event streams that are being received. */
  readonly streams: Set<ReceivedStream>
  /** Call when the computer wakes up. Ends event streams that stay silent from now on, because their connection is gone. */
  resumed(silenceMs?: number): void
  /** Count requests that wait for a connection. `left` aborts pending connections when no request waits. */
  entered(): void
  left(): void
  destroy(): Promise<void>
}

/** An event stream that is being received. */
export interface ReceivedStream {
  /** Bytes received so far. */
  readonly bytes: number
  /** Whether its reader holds it back. */
  readonly isPaused: boolean
  /** Ends it with an error. */
  lost(): void
}

const unread = 'The certificates of the system could not be used'

/** Largest head of a reply. Some services send policies and cookies of 70 KB; Node's own limit is 16 KB. */
const maxHeadBytes = 128 * 1024

/** How long an event stream may be silent after the computer has woken up, ms. Services send at least comments more often. */
const silentAfterSleepMs = 20_000

/** @throws StudioError `bad_input` for an unreadable certificate file or an invalid proxy address */
export function openNetwork(base: BaseAddress, given: Partial<NetworkOptions> = {}): Network {
  const options: NetworkOptions = { ...networkDefaults, env: process.env, ...given }
  // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED=0 has no effect.
  const tlsOf = (ca: string[] | null) => ({ rejectUnauthorized: true, ...(ca === null ? {} : { ca }) })
  const { ca, caNow } = trusted(options)
  const isSecure = base.origin.startsWith('https:')
  // Read while the person types, so that the first request need not wait for them.
  if (isSecure && options.system !== null) inBackground(unread, ca())
  const connecting = new Set<Socket>()
  const shared = {
    // One request per socket: a cancel closes only its own, and headers keep their order and case.
    allowH2: false,
    pipelining: 1,
    connectTimeout: options.connectTimeoutMs,
    headersTimeout: options.headersTimeoutMs,
    bodyTimeout: options.idleTimeoutMs,
    keepAliveTimeout: options.keepAliveMs,
    maxHeaderSize: maxHeadBytes,
  }
  const direct = (found: string[] | null): Connector =>
    buildConnector({ ...tlsOf(found), allowH2: false, timeout: options.connectTimeoutMs })
  const proxies = proxiesFor(base, options)
  const mayUseProxy = !base.isLoopback || options.proxyLoopback
  const system = mayUseProxy ? options.system : isSecure ? withoutProxy(options.system) : null
  const connect =
    proxies !== null || system === null
      ? trackedConnector(direct(caNow), connecting)
      : systemConnector({ system, ca, timeoutMs: options.connectTimeoutMs, connecting, direct })
  const dispatcher =
    proxies === null
      ? new Agent({ ...shared, connect })
      : openProxied(
          (found) => proxyAgent({ ...shared, connect }, proxies, tlsOf(found)),
          caNow,
          options.system === null ? null : ca(),
        )
  const streams = new Set<ReceivedStream>()
  let waiting = 0
  return {
    dispatcher,
    proxied: proxies !== null,
    headersTimeoutMs: options.headersTimeoutMs,
    async usesProxy() {
      if (proxies !== null || system === null) return proxies !== null
      return readRoutes(await system.resolveProxy(`${base.origin}/`))[0]?.kind !== 'direct'
    },
    streams,
    resumed(silenceMs = silentAfterSleepMs) {
      const before = [...streams].map((stream) => ({ stream, bytes: stream.bytes }))
      setTimeout(() => {
        for (const { stream, bytes } of before)
          if (streams.has(stream) && stream.bytes === bytes && !stream.isPaused) stream.lost()
      }, silenceMs).unref()
    },
    entered: () => {
      waiting++
    },
    left: () => {
      waiting--
      if (waiting > 0) return
      for (const socket of connecting) socket.destroy(new Error('No request needs this connection any more.'))
    },
    destroy: () => dispatcher.destroy(),
  }
}

interface Proxies {
  httpProxy: string
  httpsProxy: string
  noProxy: string
}

/**
 * The proxies of the environment. Requests wait for the certificates of the system.
 * @param open opens the agent with these certificates; null: Node's own list
 * @throws what `open` throws
 */
function openProxied(
  open: (ca: string[] | null) => Dispatcher,
  caNow: string[] | null,
  later: Promise<string[] | null> | null,
): Pick<Dispatcher, 'dispatch'> & { destroy(): Promise<void> } {
  let agent = open(caNow)
  if (later === null) return agent
  let isDestroyed = false
  const ready = later.then((ca) => {
    if (ca === null || isDestroyed) return
    // Nothing uses it yet.
    inBackground(unread, agent.destroy())
    agent = open(ca)
  })
  return {
    dispatch(options, handler) {
      const sent = ready.then(() => agent.dispatch(options, handler))
      inBackground(unread, sent)
      return true
    },
    destroy() {
      isDestroyed = true
      return agent.destroy()
    },
  }
}

function proxyAgent(
  shared: Agent.Options,
  proxies: Proxies,
  tls: { rejectUnauthorized: boolean; ca?: string[] },
): Dispatcher {
  try {
    return new EnvHttpProxyAgent({ ...shared, ...proxies, requestTls: { ...tls }, proxyTls: { ...tls } })
  } catch (cause) {
    throw new StudioError('bad_input', 'HTTP_PROXY or HTTPS_PROXY is not the address of a proxy.', {}, { cause })
  }
}

function proxiesFor(base: BaseAddress, { env, proxyLoopback }: NetworkOptions): Proxies | null {
  if (base.isLoopback && !proxyLoopback) return null
  const read = (name: string): string => env[name.toLowerCase()] ?? env[name] ?? ''
  const proxies = { httpProxy: read('HTTP_PROXY'), httpsProxy: read('HTTPS_PROXY'), noProxy: read('NO_PROXY') }
  return proxies.httpProxy === '' && proxies.httpsProxy === '' ? null : proxies
}

/** The system's certificates alone. */
const withoutProxy = (system: SystemNetwork | null): SystemNetwork | null =>
  system && { resolveProxy: async () => 'DIRECT', certificates: () => system.certificates() }

/**
 * Certificates for TLS, or null for Node's own list: `caNow` without those of the system, `ca` with them. Any explicit certificate replaces
 * Node's list, so the result repeats it. Files are read once; the certificates of the system are read again when they have changed.
 */
function trusted({ env, ca, system }: NetworkOptions): {
  caNow: string[] | null
  ca(): Promise<string[] | null>
} {
  const files = [env.NODE_EXTRA_CA_CERTS, env.SSL_CERT_FILE].filter((file) => file !== undefined && file !== '')
  const own = [...files.map((file) => readCertificates(file ?? '')), ...ca]
  const withOwn = (more: readonly string[]): string[] | null =>
    own.length + more.length === 0 ? null : [...new Set([...getCACertificates('default'), ...own, ...more])]
  const caNow = withOwn([])
  let of: readonly string[] = []
  let all = caNow
  return {
    caNow,
    async ca() {
      const ofSystem = (await system?.certificates()) ?? []
      if (ofSystem !== of) all = withOwn(ofSystem)
      of = ofSystem
      return all
    },
  }
}

function readCertificates(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new StudioError('bad_input', `The certificate file ${file} can’t be read.`, {}, { cause })
  }
}
