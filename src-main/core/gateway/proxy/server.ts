import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { asStudioError, StudioError } from '../../errors.ts'
import { hostsOf } from './guard.ts'
import { type Bounds, HttpFrontend, type ProxyDeps, usualBounds } from './httpFrontend.ts'

export type { Bounds, ProxyDeps } from './httpFrontend.ts'
export type { AllowedRequest as Pass, CutReason } from './proxiedRequest.ts'

export interface ProxyServer {
  readonly port: number
  /** Such as `http://127.0.0.1:8787/v1`. */
  readonly baseUrl: string
  /** Why ::1 is not listened to although it was asked for, or null. 127.0.0.1 is, all the same. */
  readonly ipv6Problem: StudioError | null
  /** Requests under way; relayed and refused since start. */
  counts(): { active: number; relayed: number; refused: number }
  /** Ends what runs for tools whose key is no longer good. */
  cutBad(isGood: (toolId: string) => boolean): void
  /** Cuts what is open and stops listening. */
  close(): Promise<void>
}

/** How many ports above the wanted one are tried when it is taken. */
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

async function listenNear(server: Server, wanted: number): Promise<number> {
  const last = wanted === 0 ? 0 : Math.min(wanted + portsTried, 65_535)
  for (let port = wanted; port <= last; port += 1) {
    try {
      return await listen(server, '127.0.0.1', port)
    } catch (thrown) {
      if (!taken(thrown)) throw thrown
    }
  }
  throw new StudioError('port_taken', `No port from ${wanted} to ${last} is free for the local /v1.`)
}

async function listenOnIpv6(server: Server, port: number): Promise<StudioError | null> {
  try {
    await listen(server, '::1', port)
    return null
  } catch (cause) {
    const why = taken(cause) ? `port ${port} of ::1 is taken` : 'this machine has no ::1'
    return new StudioError('port_taken', `The local /v1 answers on 127.0.0.1 alone: ${why}.`, {}, { cause })
  }
}

const closed = (server: Server): Promise<void> =>
  new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()))
    server.closeAllConnections()
  })

/**
 * Starts the local `/v1` on 127.0.0.1: the wanted port, or the next free one; 0 means any. With `ipv6` on the same port of ::1 too.
 * @throws StudioError `port_taken`
 */
export async function startProxy(
  wanted: { port: number; ipv6: boolean },
  deps: ProxyDeps,
  bounds: Partial<Bounds> = {},
): Promise<ProxyServer> {
  const frontend = new HttpFrontend(deps, { ...usualBounds, ...bounds })
  const first = frontend.server()
  const servers = [first]
  const port = await listenNear(first, wanted.port)
  let ipv6Problem: StudioError | null = null
  if (wanted.ipv6) {
    const second = frontend.server()
    ipv6Problem = await listenOnIpv6(second, port)
    if (!ipv6Problem) servers.push(second)
  }
  // Such as no file descriptors left: one connection is lost, and the rest goes on.
  for (const server of servers) server.on('error', (error) => deps.failed(asStudioError(error)))
  frontend.opensFor(hostsOf(port, servers.length > 1))
  return {
    port,
    baseUrl: `http://127.0.0.1:${port}/v1`,
    ipv6Problem,
    counts: () => frontend.counts(),
    cutBad: (isGood) => frontend.cutBad(isGood),
    close: async () => {
      frontend.close()
      await Promise.all(servers.map(closed))
    },
  }
}
