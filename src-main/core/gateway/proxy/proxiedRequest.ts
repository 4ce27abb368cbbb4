import type { IncomingMessage, ServerResponse } from 'node:http'
import type { App } from '../../../../src-preload/contract/apps.ts'
import type { Marks, Watched } from '../../../listener/stall.ts'
import type { HeaderPairs } from '../../upstream/headers.ts'
import type { MemoryReservation } from './bodyMemory.ts'
import { type Refusal, sendRefusal } from './errorReplies.ts'
import type { GuardPassed } from './guard.ts'
import type { TurnMemory } from './webSocket/turnMemory.ts'

/** Why this server ends a running request: the app is stalled, its body is malformed, its key is no longer valid, or the server stops. */
export type CutReason = 'upload_stalled' | 'reading_stalled' | 'malformed_body' | 'key_ended' | 'closing'

/** A request that passed the guard. */
export interface AllowedRequest {
  readonly app: App
  /** The local path with its query. It is the same below the base address of the service. */
  readonly path: string
  /** Headers to add to every reply: CORS headers for an allowed origin, mostly none. */
  readonly extraHeaders: HeaderPairs
  /** Sends 100 Continue if the client waits for it. Call before reading the body. */
  proceed(): void
  /** Set by the relay. Called at most once, just before the request is answered or its connection cut. Returns whether the relay ends the reply itself. */
  onCut: ((why: CutReason) => boolean) | null
  /** For a turn on a WebSocket: the memory of its connection. */
  readonly turns?: TurnMemory
  /** Memory that was reserved for the whole body before it was received. */
  readonly reserved?: MemoryReservation | null
  /** For a request of a tool: called when its log row exists. */
  onRow?(id: number): void
  /** Set by the relay when nothing was sent to the service, as the request log says too. */
  refused: boolean
}

/** One running request of an app. The front end watches it and may cut it, and the relay answers it. */
export class ProxiedRequest implements AllowedRequest, Watched {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly app: App
  readonly keyHash: Uint8Array | undefined
  readonly path: string
  readonly extraHeaders: HeaderPairs
  readonly marks: Marks
  onCut: AllowedRequest['onCut'] = null
  refused = false
  awaitsContinue: boolean
  /** Whether the connection closes after this request. */
  readonly last: boolean

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    passed: GuardPassed,
    { awaitsContinue, last, marks }: { awaitsContinue: boolean; last: boolean; marks: Marks },
  ) {
    this.request = request
    this.response = response
    this.app = passed.app
    this.keyHash = passed.keyHash
    this.path = passed.path
    this.extraHeaders = passed.extraHeaders
    this.awaitsContinue = awaitsContinue
    this.last = last
    this.marks = marks
    // A client that waits for 100 Continue may send its body or omit it, so the next bytes are ambiguous.
    if (last || awaitsContinue) response.setHeader('Connection', 'close')
  }

  proceed(): void {
    if (!this.awaitsContinue) return
    this.awaitsContinue = false
    const { response } = this
    if (response.headersSent || response.destroyed) return
    if (!this.last) response.removeHeader('Connection')
    response.writeContinue()
  }

  /** Calls `onCut`, then ends the request: with an error reply if no reply has started, else by cutting the connection. */
  cut(why: CutReason, refusal: Refusal | null): void {
    const { onCut } = this
    this.onCut = null
    const isEnding = onCut?.(why) ?? false
    const { request, response } = this
    if (refusal && !response.headersSent) sendRefusal(response, { ...refusal, close: true }, this.extraHeaders)
    else if (!isEnding) response.destroy()
    // node:http drops the request with its response, so a reader of the body would wait for ever.
    if (!request.complete) response.once('close', () => request.destroy())
  }
}
