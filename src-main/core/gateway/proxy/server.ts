import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { asStudioError, StudioError } from '../../errors.ts'
import {
  type BeyondLoopback,
  defaultBounds,
  type FrontendDependencies,
  type IsValid,
  type ProxyBounds,
} from './frontendOptions.ts'
import { hostsOf } from './guard.ts'
import { HttpFrontend } from './httpFrontend.ts'

export interface ProxyServer {
  readonly port: number
  /** Such as `http://127.0.0.1:8787/v1`. */
  readonly baseUrl: string
  /** Why binding to ::1 failed, or null. The server on 127.0.0.1 runs in both cases. */
  readonly ipv6Problem: StudioError | null
  /** Running requests now; relayed and refused requests since the start. */
  counts(): { active: number; relayed: number; refused: number }
  /** Cuts the running requests of apps whose key is no longer valid. */
  cutInvalid(isValid: IsValid): void
  /** Stops listening and cuts every connection. */
  close(): Promise<void>
}

/** How many higher ports are tried when the wanted one is taken. */
const portsTried = 50

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, exclusive: true, ipv6Only: host === '::1' }, () => {
      server.off('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
}

const taken = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && (thrown.code === 'EADDRINUSE' || thrown.code === 'EACCES')

/** Listens on the wanted port or the next free one, and returns it. @throws StudioError `port_taken`; `bad_input` for an unknown address */
async function listenNear(server: Server, host: string, wanted: number, isExact: boolean): Promise<number> {
  const last = wanted === 0 || isExact ? wanted : Math.min(wanted + portsTried, 65_535)
  for (let port = wanted; port <= last; port += 1) {
    try {
      return await listen(server, host, port)
    } catch (thrown) {
      if (thrown instanceof Error && 'code' in thrown && thrown.code === 'EADDRNOTAVAIL') {
        throw new StudioError('bad_input', `This computer does not have the address ${host}.`, {}, { cause: thrown })
      }
      if (!taken(thrown)) throw thrown
    }
  }
  const ports = isExact ? `Port ${wanted} is not` : `No port from ${wanted} to ${last} is`
  throw new StudioError('port_taken', `${ports} free for the local API.`)
}

async function listenOnIpv6(server: Server, port: number): Promise<StudioError | null> {
  try {
    await listen(server, '::1', port)
    return null
  } catch (cause) {
    const why = taken(cause) ? `port ${port} of ::1 is taken` : 'this computer has no ::1'
    return new StudioError('port_taken', `The local API listens only on 127.0.0.1: ${why}.`, {}, { cause })
  }
}

/** The `Host` values of a name: as given, or with our port and, for a proxy or a mapped port in front, without one. */
const hostValues = (host: string, port: number): string[] => {
  const name = host.toLowerCase()
  return /:\d+$/.test(name) && !name.endsWith(']') ? [name] : [name, `${name}:${port}`]
}

const closed = (server: Server): Promise<void> =>
  new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()))
    server.closeAllConnections()
  })

/**
 * Starts the local API on 127.0.0.1, on the wanted port or the next free one, or only on the wanted one (`isExact`). Port 0 means any. With
 * `ipv6` it also listens on the same port of ::1, and with `beyond` on that of another address, which other computers know: so only on the
 * wanted one.
 * @throws StudioError `port_taken`; `bad_input` for an address that this computer does not have
 */
export async function startProxy(
  wanted: { port: number; ipv6: boolean; isExact?: boolean; beyond?: BeyondLoopback | undefined },
  deps: FrontendDependencies,
  bounds: Partial<ProxyBounds> = {},
): Promise<ProxyServer> {
  const frontend = new HttpFrontend(deps, { ...defaultBounds, ...bounds })
  const first = frontend.server()
  const servers = [first]
  const { beyond } = wanted
  const coversLoopback = beyond !== undefined && (beyond.address === '0.0.0.0' || beyond.address === '::')
  const address = coversLoopback ? beyond.address : '127.0.0.1'
  const port = await listenNear(first, address, wanted.port, wanted.isExact ?? beyond !== undefined)
  let ipv6Problem: StudioError | null = null
  if (beyond && !coversLoopback) {
    const other = frontend.server()
    await listenNear(other, beyond.address, port, true).catch(async (thrown: unknown) => {
      await closed(first)
      throw thrown
    })
    servers.push(other)
  }
  if (wanted.ipv6 && !coversLoopback) {
    const second = frontend.server()
    ipv6Problem = await listenOnIpv6(second, port)
    if (!ipv6Problem) servers.push(second)
  }
  // For example when no file descriptors are left: one connection is lost and the server continues.
  for (const server of servers) server.on('error', (error) => deps.failed(asStudioError(error)))
  const loopback = hostsOf(port, wanted.ipv6 && ipv6Problem === null)
  frontend.acceptHosts(new Set([...loopback, ...(beyond?.hosts ?? []).flatMap((host) => hostValues(host, port))]))
  return {
    port,
    baseUrl: `http://127.0.0.1:${port}/v1`,
    ipv6Problem,
    counts: () => frontend.counts(),
    cutInvalid: (isValid) => frontend.cutInvalid(isValid),
    close: async () => {
      frontend.close()
      await Promise.all(servers.map(closed))
    },
  }
}
