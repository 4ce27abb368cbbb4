import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { getCACertificates } from 'node:tls'
import { Agent, buildConnector, type Dispatcher, EnvHttpProxyAgent } from 'undici'
import { StudioError } from '../errors.ts'
import type { BaseAddress } from './address.ts'

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
  proxyLoopback: false,
}

/** The connections to one base address. */
export interface Network {
  readonly dispatcher: Dispatcher
  /** Whether requests use a proxy agent, which takes headers only as a record. */
  readonly proxied: boolean
  readonly headersTimeoutMs: number
  /** Count requests that wait for a connection. `left` aborts pending connections when no request waits. */
  entered(): void
  left(): void
  destroy(): Promise<void>
}

/** @throws StudioError `bad_input` for an unreadable certificate file or an invalid proxy address */
export function openNetwork(base: BaseAddress, given: Partial<NetworkOptions> = {}): Network {
  const options: NetworkOptions = { ...networkDefaults, env: process.env, ...given }
  const ca = trusted(options)
  // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED=0 has no effect.
  const tls = { rejectUnauthorized: true, ...(ca === null ? {} : { ca }) }
  const connecting = new Set<Socket>()
  const shared = {
    // One request per socket: a cancel closes only its own, and headers keep their order and case.
    allowH2: false,
    pipelining: 1,
    connectTimeout: options.connectTimeoutMs,
    headersTimeout: options.headersTimeoutMs,
    bodyTimeout: options.idleTimeoutMs,
    keepAliveTimeout: options.keepAliveMs,
    connect: trackedConnector({ ...tls, allowH2: false, timeout: options.connectTimeoutMs }, connecting),
  }
  const proxies = proxiesFor(base, options)
  const dispatcher = proxies === null ? new Agent(shared) : openProxied(shared, proxies, tls)
  let waiting = 0
  return {
    dispatcher,
    proxied: proxies !== null,
    headersTimeoutMs: options.headersTimeoutMs,
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

function openProxied(
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

/** Certificates for TLS, or null for Node's own list. Any explicit certificate replaces that list, so the result repeats it. */
function trusted({ env, ca }: NetworkOptions): string[] | null {
  const files = [env.NODE_EXTRA_CA_CERTS, env.SSL_CERT_FILE].filter((file) => file !== undefined && file !== '')
  if (files.length === 0 && ca.length === 0) return null
  return [...getCACertificates('default'), ...files.map((file) => readCertificates(file ?? '')), ...ca]
}

function readCertificates(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new StudioError('bad_input', `The certificate file ${file} can’t be read.`, {}, { cause })
  }
}

type ConnectorOptions = NonNullable<Parameters<typeof buildConnector>[0]>

/** undici's connector with a list of pending sockets, because undici can't abort one. */
function trackedConnector(options: ConnectorOptions, connecting: Set<Socket>): ReturnType<typeof buildConnector> {
  // The connector returns the socket; its types omit that.
  const connect: (...given: Parameters<ReturnType<typeof buildConnector>>) => unknown = buildConnector(options)
  return (to, callback) => {
    const socket = connect(to, (...result) => {
      if (isSocket(socket)) connecting.delete(socket)
      callback(...result)
    })
    if (isSocket(socket)) connecting.add(socket)
  }
}

function isSocket(value: unknown): value is Socket {
  return typeof value === 'object' && value !== null && 'destroy' in value
}
