import { connect } from 'node:net'
import type { ProblemKind } from '../../../src-preload/contract/problem.ts'
import { StudioError } from '../errors.ts'
import type { BaseAddress } from './address.ts'
import { errorOfFault } from './errors.ts'
import type { Network } from './network.ts'

/** What the requests of one client tell of the way to the service, and who holds them back while it is gone. */
export interface Reachability {
  /** Null: go. Else it was gone when last looked for, and is looked for now: rejects with a StudioError where it still is. */
  gone(): Promise<void> | null
  /** A status line came, of whatever kind. */
  replied(status: number): void
  /** An attempt failed without one, or its body broke off. */
  failed(error: StudioError): void
}

const nothing = (): void => undefined
/** For clients that nobody listens to. */
export const openReachability: Reachability = { gone: () => null, replied: nothing, failed: nothing }

/** Nothing answered. It may be the network, the name server or the service; told apart from a service that answers with an error. */
const unanswered: ReadonlySet<ProblemKind> = new Set<ProblemKind>([
  'connect_failed',
  'connect_timeout',
  'tls_failed',
  'headers_timeout',
  'idle_timeout',
  'connection_lost',
])
export const isUnanswered = (kind: ProblemKind): boolean => unanswered.has(kind)

/** Name, connection: on a slow network a second or two. Whoever waits for this look wants to know it soon. */
const reachMs = 4000

/**
 * Opens a connection and closes it again: costs no request. Behind a proxy nothing could be told by that, and nothing is done.
 * @throws StudioError `connect_failed`, `connect_timeout`
 */
export async function reach(base: BaseAddress, network: Network): Promise<void> {
  if (network.proxied) return
  const { hostname, port, protocol } = new URL(base.origin)
  // An IPv6 address stands in brackets there.
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const socket = connect({ host, port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port) })
  // Not the socket's own timeout: that one does not count while the name is looked up.
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
