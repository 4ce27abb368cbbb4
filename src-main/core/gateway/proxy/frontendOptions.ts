import type { IncomingMessage } from 'node:http'
import type { App } from '../../../../src-preload/contract/apps.ts'
import type { ConnectionBounds } from '../../../listener/connections.ts'
import type { StallTimes } from '../../../listener/stall.ts'
import type { StudioError } from '../../errors.ts'
import type { Verified } from '../../ports/requests.ts'
import type { AppReply } from './appReply.ts'
import type { BodyMemory } from './bodyMemory.ts'
import type { Refusal } from './errorReplies.ts'
import type { AllowedRequest } from './proxiedRequest.ts'
import type { RefusalWithOrigin } from './recentRefusals.ts'
import type { WebSocketBounds } from './webSocket/responsesSockets.ts'

/** What the HTTP front end needs from its surroundings. */
export interface FrontendDependencies {
  /** Checks a presented key in constant time. */
  verify(presented: string): Verified
  /** Relays one request until it has ended. Replies to failures of the service itself, and throws only for bugs. */
  relay(request: IncomingMessage, response: AppReply, allowed: AllowedRequest): Promise<void>
  /** Memory for buffered bodies. Without it no WebSocket is accepted. */
  memory?: BodyMemory
  /** Called for each request that passed the guard. Must write "last used" later, off the hot path. */
  used(app: App): void
  /** Called for each request that was refused here. */
  refused(refusal: RefusalWithOrigin): void
  /** Origins that a person has allowed. Read for each request with an origin. */
  allowedOrigins(): readonly string[]
  /** While set, every request that would need a key gets this refusal. */
  closed?: Refusal
  /** For a server that needs no key, as in `GuardRules`. */
  keyless?(): App | Refusal
  /** Counters changed. Called often, so the receiver must coalesce calls. */
  changed(): void
  /** A bug while a request was checked or relayed. The app's connection is cut. */
  failed(error: StudioError): void
}

/** Whether running requests with this key of an app may continue. Without a key, those that needed none. */
export type IsValid = (appId: string, keyHash?: Uint8Array) => boolean

/** Bounds of the server in ms and counts. The README explains the values. */
export interface ProxyBounds extends StallTimes, ConnectionBounds {
  headersMs: number
  keepAliveMs: number
  requestsPerSocket: number
  /** Requests without a reply on one connection. */
  pipelined: number
  webSockets: Partial<WebSocketBounds>
  /** How long the rest of a refused upload is read and discarded, so that its sender can read the reply. */
  lingerMs: number
}

export const defaultBounds: ProxyBounds = {
  uploadMs: 30_000,
  readMs: 60_000,
  most: 4096,
  strangers: 1024,
  graceMs: 1000,
  headersMs: 15_000,
  // Longer than the 60 s of common clients, so that this server does not close a connection just as a request arrives.
  keepAliveMs: 65_000,
  requestsPerSocket: 10_000,
  pipelined: 8,
  webSockets: {},
  lingerMs: 5000,
}

/** Where the local API listens besides loopback. Chosen for one run by the command line, and never stored. */
export interface BeyondLoopback {
  /** An IP address of this computer; `0.0.0.0` and `::` are all of them. */
  address: string
  /** Names or addresses by which others call this computer, each with a port or without. Other `Host` values are refused. */
  hosts: readonly string[]
}
