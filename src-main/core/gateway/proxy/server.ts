import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { asStudioError, StudioError } from '../../errors.ts'
import { defaultBounds, type FrontendDependencies, type IsValid, type ProxyBounds } from './frontendOptions.ts'
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

function listen(server: Server, host: '127.0.0.1' | '::1', port: number): Promise<number> {
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

/** Listens on the wanted port or the next free one, and returns it. */
async function listenNear(server: Server, wanted: number, isExact: boolean): Promise<number> {
  const last = wanted === 0 || isExact ? wanted : Math.min(wanted + portsTried, 65_535)
  for (let port = wanted; port <= last; port += 1) {
    try {
      return await listen(server, '127.0.0.1', port)
    } catch (thrown) {
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

const closed = (server: Server): Promise<void> =>
  new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()))
    server.closeAllConnections()
  })

/**
 * Starts the local API on 127.0.0.1, on the wanted port or the next free one, or only on the wanted one (`isExact`). Port 0 means any. With
 * `ipv6` it also listens on the same port of ::1.
 * @throws StudioError `port_taken`
 */
export async function startProxy(
  wanted: { port: number; ipv6: boolean; isExact?: boolean },
  deps: FrontendDependencies,
  bounds: Partial<ProxyBounds> = {},
): Promise<ProxyServer> {
  const frontend = new HttpFrontend(deps, { ...defaultBounds, ...bounds })
  const first = frontend.server()
  const servers = [first]
  const port = await listenNear(first, wanted.port, wanted.isExact ?? false)
  let ipv6Problem: StudioError | null = null
  if (wanted.ipv6) {
    const second = frontend.server()
    ipv6Problem = await listenOnIpv6(second, port)
    if (!ipv6Problem) servers.push(second)
  }
  // For example when no file descriptors are left: one connection is lost and the server continues.
  for (const server of servers) server.on('error', (error) => deps.failed(asStudioError(error)))
  frontend.acceptHosts(hostsOf(port, servers.length > 1))
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
