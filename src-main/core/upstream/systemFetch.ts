import { getCACertificates } from 'node:tls'
import { Agent, buildConnector, fetch as undiciFetch } from 'undici'
import type { SystemNetwork } from '../host.ts'
import { systemConnector } from './systemRoute.ts'

/** Time for name lookup, connection and TLS, ms. */
const connectMs = 10_000

/**
 * `fetch` over the proxies of the system, with its certificates, for addresses other than the service's, such as those of MCP servers. The
 * system's settings decide about loopback addresses.
 */
export function systemFetch(system: SystemNetwork): typeof fetch {
  // An explicit list replaces the usual one.
  const ca = (): string[] => [...new Set([...getCACertificates('default'), ...system.certificates()])]
  const dispatcher = new Agent({
    connect: systemConnector({
      ...{ system, ca, timeoutMs: connectMs, connecting: new Set() },
      direct: () => buildConnector({ ca: ca(), rejectUnauthorized: true, timeout: connectMs }),
    }),
  })
  // The types of Node's `fetch` and of the package differ in names only.
  const request = undiciFetch as unknown as (input: unknown, init: unknown) => Promise<Response>
  return (input, init) => request(input, { ...init, dispatcher })
}
