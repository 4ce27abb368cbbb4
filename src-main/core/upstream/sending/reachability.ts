import { connect } from 'node:net'
import type { ProblemKind } from '../../../../src-preload/contract/problem.ts'
import { StudioError } from '../../errors.ts'
import type { BaseAddress } from '../address.ts'
import { errorOfFault } from '../wire/faults.ts'
import type { Network } from '../wire/network.ts'

/** Learns from one client's requests whether the service is reachable, and holds requests back while it is not. */
export interface Reachability {
  /** Null while the service is reachable. Otherwise checks again, and rejects with a StudioError while it is still unreachable. */
  whenReachable(): Promise<void> | null
  /** A status line arrived, with any status. */
  replied(status: number): void
  /** An attempt failed without a status line, or its body broke off. */
  failed(error: StudioError): void
}

const nothing = (): void => undefined
/** For clients without a watcher: always reachable. */
export const openReachability: Reachability = { whenReachable: () => null, replied: nothing, failed: nothing }

/** Failures without any answer. The cause may be the network, the name server or the service. */
const unanswered: ReadonlySet<ProblemKind> = new Set<ProblemKind>([
  'connect_failed',
  'connect_timeout',
  'tls_failed',
  'headers_timeout',
  'idle_timeout',
  'connection_lost',
])
/** Whether a failure means that nothing answered. */
export const isUnanswered = (kind: ProblemKind): boolean => unanswered.has(kind)

/** Timeout of name lookup and connection, ms. Slow networks need a second or two, and a person waits for the result. */
const reachMs = 4000

/**
 * Opens and closes a connection, which costs no request. Does nothing behind a proxy, because the connection would only reach the proxy.
 * @throws StudioError `connect_failed`, `connect_timeout`
 */
export async function reach(base: BaseAddress, network: Network): Promise<void> {
  if (await network.usesProxy()) return
  const { hostname, port, protocol } = new URL(base.origin)
  // URLs write IPv6 addresses in brackets.
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const socket = connect({ host, port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port) })
  // The socket's own timeout does not run during the name lookup.
  const timer = setTimeout(
    () =>
      reject(new StudioError('connect_timeout', 'The service could not be reached in time.', { outputStarted: false })),
    reachMs,
  )
  socket.once('connect', resolve)
  socket.on('error', (fault) => reject(errorOfFault(fault, { sent: false, replied: false, outputStarted: false })))
  try {
    await promise
  } finally {
    clearTimeout(timer)
    socket.destroy()
  }
}
