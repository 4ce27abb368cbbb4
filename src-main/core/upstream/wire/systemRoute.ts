import { lookup } from 'node:dns'
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls, getCACertificates } from 'node:tls'
import { Agent, buildConnector, type Dispatcher, EnvHttpProxyAgent, fetch as undiciFetch } from 'undici'
import { StudioError } from '../../errors.ts'
import type { SystemNetwork } from '../../host.ts'
import { mayReachThisComputer } from '../address.ts'

/** Opens a connection for undici. */
export type Connector = ReturnType<typeof buildConnector>

/** One way to a service, as the proxy settings of the system name it. */
export type ProxyRoute =
  | { kind: 'direct' }
  | { kind: 'http' | 'https' | 'socks5' | 'socks4'; host: string; port: number }

const kinds: Readonly<Record<string, 'http' | 'https' | 'socks5' | 'socks4'>> = {
  PROXY: 'http',
  HTTPS: 'https',
  SOCKS5: 'socks5',
  SOCKS: 'socks4',
  SOCKS4: 'socks4',
}
const defaultPorts = { http: 80, https: 443, socks5: 1080, socks4: 1080 } as const

/** Largest head of a proxy's reply to CONNECT, bytes. */
const maxHead = 16_384
/** At most this many routes are tried for one connection. */
const maxRoutes = 5

/**
 * Reads the result of a proxy lookup, such as `PROXY a.example:80; DIRECT`. Unknown entries are dropped; without any known one the
 * connection is direct.
 * @see https://developer.mozilla.org/docs/Web/HTTP/Proxy_servers_and_tunneling/Proxy_Auto-Configuration_PAC_file
 */
export function readRoutes(result: string): ProxyRoute[] {
  const routes = result.split(';').flatMap((entry): ProxyRoute[] => {
    const [name = '', place = ''] = entry.trim().split(/\s+/)
    if (name.toUpperCase() === 'DIRECT') return [{ kind: 'direct' }]
    const kind = kinds[name.toUpperCase()]
    const found = /^(?:\[([\da-f:.]+)\]|([^[\]:/@]+))(?::(\d{1,5}))?$/i.exec(place)
    const host = found?.[1] ?? found?.[2]
    if (kind === undefined || host === undefined) return []
    const port = found?.[3] === undefined ? defaultPorts[kind] : Number(found[3])
    return port > 0 && port < 65_536 ? [{ kind, host, port }] : []
  })
  return routes.length === 0 ? [{ kind: 'direct' }] : routes.slice(0, maxRoutes)
}

interface RouteOptions {
  system: SystemNetwork
  /** Connects directly, and secures a given socket, with these certificates; null for Node's list. */
  direct(ca: string[] | null): Connector
  /** Certificates for TLS; null for Node's list. Asked for each connection, because the certificates of the system change. */
  ca(): Promise<string[] | null>
  timeoutMs: number
  /** Open until the connection exists, so that the caller can destroy them. */
  connecting: Set<Socket>
}

/**
 * A connector for undici that asks the system for the proxy of every new connection, so that a change of the settings is followed. Proxies
 * are used as tunnels (CONNECT or SOCKS), so that the headers of a request are the same with and without them. Tries the routes in order.
 */
export function systemConnector(options: RouteOptions): Connector {
  const open = async (to: buildConnector.Options): Promise<Socket> => {
    const { system } = options
    const target = targetOf(to)
    const routes = readRoutes(await system.resolveProxy(`${to.protocol}//${target.authority}/`))
    // Not for plain HTTP, because reading those of the system can take long.
    const usesTls = to.protocol === 'https:' || routes.some(({ kind }) => kind === 'https')
    const ca = usesTls ? await options.ca() : null
    const direct = trackedConnector(options.direct(ca), options.connecting)
    let failure: unknown = null
    for (const route of routes) {
      try {
        if (route.kind === 'direct') return await finished(direct, to)
        const tunnel = await openTunnel(route, target, ca, options)
        return to.protocol === 'https:' ? await finished(direct, { ...to, httpSocket: tunnel }) : tunnel
      } catch (thrown) {
        failure = thrown
      }
    }
    throw failure
  }
  return (to, callback) => {
    const succeed = (socket: Awaited<ReturnType<typeof open>>): void => callback(null, socket)
    const fail = (thrown: unknown): void => callback(thrown instanceof Error ? thrown : new Error(String(thrown)), null)
    open(to).then(succeed, fail)
  }
}

interface Target {
  /** Without brackets. */
  host: string
  port: number
  /** Host and port, with brackets around IPv6. */
  authority: string
}

function targetOf({ hostname, port, protocol }: buildConnector.Options): Target {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const number = Number(port) || (protocol === 'https:' ? 443 : 80)
  return { host, port: number, authority: `${host.includes(':') ? `[${host}]` : host}:${number}` }
}

/** The connector with a list of pending sockets, because undici can't abort one. */
export function trackedConnector(connector: Connector, connecting: Set<Socket>): Connector {
  // The connector returns the socket; its types omit that.
  const connect: (...given: Parameters<Connector>) => unknown = connector
  return (to, callback) => {
    const socket = connect(to, (...result) => {
      if (isSocket(socket)) connecting.delete(socket)
      callback(...result)
    })
    if (isSocket(socket)) connecting.add(socket)
  }
}

const isSocket = (value: unknown): value is Socket => typeof value === 'object' && value !== null && 'destroy' in value

const finished = (connector: Connector, to: buildConnector.Options): Promise<Socket> =>
  new Promise((resolve, reject) =>
    connector(to, (error, connected) => (error ? reject(error) : resolve(connected as Socket))),
  )

/** A socket to `target` through a proxy, ready for its first byte. */
async function openTunnel(
  route: Exclude<ProxyRoute, { kind: 'direct' }>,
  target: Target,
  ca: string[] | null,
  { timeoutMs, connecting }: RouteOptions,
): Promise<Socket> {
  const { kind, host, port } = route
  const socket =
    kind === 'https'
      ? connectTls({ host, port, ...(isIP(host) === 0 && { servername: host }), ...(ca && { ca }) })
      : connectTcp({ host, port })
  connecting.add(socket)
  const timer = setTimeout(
    () => socket.destroy(Object.assign(new Error('The proxy did not answer in time.'), { code: 'ETIMEDOUT' })),
    timeoutMs,
  )
  try {
    await once(socket, kind === 'https' ? 'secureConnect' : 'connect')
    socket.setNoDelay(true)
    if (kind === 'socks5') await socks5(socket, target)
    else if (kind === 'socks4') await socks4a(socket, target)
    else await connectByHttp(socket, target)
    return socket
  } catch (thrown) {
    socket.destroy()
    throw thrown
  } finally {
    clearTimeout(timer)
    connecting.delete(socket)
  }
}

function once(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(event, () => {
      socket.off('error', reject)
      resolve()
    })
    socket.once('error', reject)
  })
}

/** Reads until `enough` returns the length of a complete answer. Puts later bytes back into the socket. */
function answer(socket: Socket, enough: (bytes: Buffer) => number | null): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let bytes = Buffer.alloc(0)
    const stop = (): void => {
      socket.off('data', take).off('error', fail).off('close', closed)
      socket.pause()
    }
    const fail = (error: Error): void => {
      stop()
      reject(error)
    }
    const closed = (): void => fail(refused('It closed the connection'))
    const take = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk])
      const length = enough(bytes)
      if (length === null && bytes.length > maxHead) fail(refused('Its answer is too long'))
      if (length === null) return
      stop()
      if (bytes.length > length) socket.unshift(bytes.subarray(length))
      resolve(bytes.subarray(0, length))
    }
    socket.on('data', take).on('error', fail).on('close', closed)
    // An earlier answer has paused it.
    socket.resume()
  })
}

const refused = (why: string): StudioError =>
  new StudioError('connect_failed', `The proxy of this computer refused the connection. ${why}.`, {
    outputStarted: false,
  })

async function connectByHttp(socket: Socket, { authority }: Target): Promise<void> {
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`)
  const head = await answer(socket, (bytes) => {
    const end = bytes.indexOf('\r\n\r\n')
    return end < 0 ? null : end + 4
  })
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head.toString('latin1'))?.[1] ?? 0)
  if (status === 407) throw refused('It asks for a password, which the settings of the system can’t give')
  if (status < 200 || status > 299) throw refused(status === 0 ? 'Its answer is not HTTP' : `Its status is ${status}`)
}

/** Both protocols of SOCKS get the name, so that the proxy looks it up. @see RFC 1928 */
async function socks5(socket: Socket, { host, port }: Target): Promise<void> {
  socket.write(Buffer.from([5, 1, 0]))
  const [version, method] = await answer(socket, (bytes) => (bytes.length < 2 ? null : 2))
  if (version !== 5 || method !== 0)
    throw refused('It asks for a password, which the settings of the system can’t give')
  const name = Buffer.from(host, 'ascii')
  if (name.length > 255) throw refused('The name of the service is too long')
  socket.write(Buffer.concat([Buffer.from([5, 1, 0, 3, name.length]), name, Buffer.from([port >> 8, port & 255])]))
  const reply = await answer(socket, (bytes) => {
    const addressBytes = bytes[3] === 1 ? 4 : bytes[3] === 4 ? 16 : (bytes[4] ?? 0) + 1
    const length = 4 + addressBytes + 2
    return bytes.length < 5 || bytes.length < length ? null : length
  })
  if (reply[1] !== 0) throw refused(`Its SOCKS reply is ${reply[1]}`)
}

/** @see https://www.openssh.com/txt/socks4a.protocol */
async function socks4a(socket: Socket, { host, port }: Target): Promise<void> {
  const end = Buffer.from([0])
  // An address that can't exist says that a name follows.
  socket.write(
    Buffer.concat([Buffer.from([4, 1, port >> 8, port & 255, 0, 0, 0, 1]), end, Buffer.from(host, 'ascii'), end]),
  )
  const reply = await answer(socket, (bytes) => (bytes.length < 8 ? null : 8))
  if (reply[1] !== 90) throw refused(`Its SOCKS reply is ${reply[1]}`)
}

/** Time for name lookup, connection and TLS, ms. */
const connectMs = 10_000

/**
 * `fetch` over the proxies of the system, with its certificates, for addresses other than the service's, such as those of MCP servers. The
 * system's settings decide about loopback addresses. Null: Node's own network settings.
 */
export function systemFetch(system: SystemNetwork | null): typeof fetch {
  return system === null ? fetch : fetchOver(openAgent(system, {}))
}

/**
 * The same for addresses that must not lead to this computer or its link, whatever a name resolves to. The check is part of the
 * connection, so no second lookup can have another result. A proxy looks up names itself, and its own loopback is not this computer.
 * Addresses without a name are not looked up: check them before.
 */
export function awayFetch(system: SystemNetwork | null): typeof fetch {
  const connect = { lookup: lookupAway, timeout: connectMs }
  if (system !== null) return fetchOver(openAgent(system, connect))
  // As Node's own `fetch` does (https://nodejs.org/api/cli.html#node_use_env_proxy1).
  return fetchOver(process.env.NODE_USE_ENV_PROXY === '1' ? new EnvHttpProxyAgent({ connect }) : new Agent({ connect }))
}

function openAgent(system: SystemNetwork, options: buildConnector.BuildOptions): Agent {
  // An explicit list replaces the usual one.
  const ca = async (): Promise<string[]> => [
    ...new Set([...getCACertificates('default'), ...(await system.certificates())]),
  ]
  return new Agent({
    connect: systemConnector({
      ...{ system, ca, timeoutMs: connectMs, connecting: new Set() },
      direct: (found) =>
        buildConnector({ ...options, ...(found && { ca: found }), rejectUnauthorized: true, timeout: connectMs }),
    }),
  })
}

function fetchOver(dispatcher: Dispatcher): typeof fetch {
  // The types of Node's `fetch` and of the package differ in names only.
  const request = undiciFetch as unknown as (input: unknown, init: unknown) => Promise<Response>
  return (input, init) => request(input, { ...init, dispatcher })
}

/** A name lookup that fails when any of the addresses may reach this computer or its link, since a client may choose any of them. */
const lookupAway: LookupFunction = (name, options, callback) => {
  lookup(name, { ...options, all: true }, (error, found) => {
    const [first] = found ?? []
    if (error || !first) callback(error, [])
    else if (found.some(({ address }) => mayReachThisComputer(address, { orLink: true }))) {
      callback(new StudioError('foreign_address', `${name} leads to this computer or its local link.`), [])
    } else if (options.all) callback(null, found)
    else callback(null, first.address, first.family)
  })
}
