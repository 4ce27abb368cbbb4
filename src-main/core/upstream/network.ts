import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { getCACertificates } from 'node:tls'
import { Agent, buildConnector, type Dispatcher, EnvHttpProxyAgent } from 'undici'
import { StudioError } from '../errors.ts'
import type { BaseAddress } from './address.ts'

export interface NetworkOptions {
  /** DNS, TCP and TLS together. */
  connectTimeoutMs: number
  /** From the request's last byte to the reply's headers. */
  headersTimeoutMs: number
  /** Between two pieces of a reply's body. */
  idleTimeoutMs: number
  /** How long an idle connection is kept for the next request; a shorter `Keep-Alive` of the service wins. */
  keepAliveMs: number
  /** Where HTTP_PROXY, HTTPS_PROXY, NO_PROXY, NODE_EXTRA_CA_CERTS and SSL_CERT_FILE are read. */
  env: Readonly<Record<string, string | undefined>>
  /** Certificates (PEM) trusted besides the usual ones. */
  ca: readonly string[]
  /** Whether a proxy may stand before a loopback address. For tests alone: a proxy is elsewhere, loopback is here. */
  proxyLoopback: boolean
}

/**
 * A JSON reply begins when it is complete, and a reasoning model may stay silent for minutes: ten minutes, as the usual
 * clients allow, where undici's own 300 s would cut. A dead peer is found sooner by TCP keep-alive. 55 s of idling stays
 * below the 60 s after which common load balancers drop a connection.
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
  /** Header lists go through a proxy agent as a record, which is what it can carry whole. */
  readonly proxied: boolean
  readonly headersTimeoutMs: number
  /** Requests that wait for a connection; `left` gives up connections under way once nobody waits. */
  entered(): void
  left(): void
  destroy(): Promise<void>
}

/** @throws StudioError `bad_input` when a certificate file can't be read or a proxy's address makes no sense */
export function openNetwork(base: BaseAddress, given: Partial<NetworkOptions> = {}): Network {
  const options: NetworkOptions = { ...networkDefaults, env: process.env, ...given }
  const ca = trusted(options)
  // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED=0 has no say.
  const tls = { rejectUnauthorized: true, ...(ca === null ? {} : { ca }) }
  const connecting = new Set<Socket>()
  const shared = {
    // One request, one socket: a cancel closes exactly its own, and header order and case stay as they came.
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
      for (const socket of connecting) socket.destroy(new Error('Nobody waits for this connection any more.'))
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

/** Null where Node's own list serves: naming any certificate replaces that list, so it has to be named as well. */
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

/** undici's connector, remembering the sockets that are still connecting: it offers no way to give one up. */
function trackedConnector(options: ConnectorOptions, connecting: Set<Socket>): ReturnType<typeof buildConnector> {
  // It returns the socket, which its types leave out.
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
