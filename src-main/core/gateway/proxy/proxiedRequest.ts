import type { IncomingMessage, ServerResponse } from 'node:http'
import type { App } from '../../../../src-preload/contract/apps.ts'
import type { Marks, Watched } from '../../../listener/stall.ts'
import type { SwapRemoveElement } from '../../shared/swapRemoveList.ts'
import type { HeaderPairs } from '../../upstream/headers.ts'
import { answer, type Refusal } from './errorReplies.ts'
import type { Passed } from './guard.ts'

/**
 * Why a request is ended from here: its tool stands still, its body can't be read, its key is no longer good, or the local /v1
 * goes.
 */
export type CutReason = 'upload_stalled' | 'reading_stalled' | 'malformed_body' | 'key_ended' | 'closing'

/** A request that the gate let through. */
export interface AllowedRequest {
  readonly tool: App
  /** The whole local path, with its query; below the base address it is the same. */
  readonly path: string
  /** To be added to the reply, whoever gives it: CORS headers for an origin that was allowed by hand; mostly empty. */
  readonly extraHeaders: HeaderPairs
  /** Sends 100 Continue where the client waits for it: to be called before the body is read. */
  proceed(): void
  /** Set by whoever carries the request. Called at most once, just before the connection is answered or cut. */
  onCut: ((why: CutReason) => void) | null
}

/** One request under way. */
export class ProxiedRequest implements AllowedRequest, Watched, SwapRemoveElement {
  place = -1
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly tool: App
  readonly path: string
  readonly extraHeaders: HeaderPairs
  readonly marks: Marks
  onCut: ((why: CutReason) => void) | null = null
  holdsBack: boolean
  /** Nothing follows it on its connection. */
  readonly last: boolean

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    passed: Passed,
    { holdsBack, last, marks }: { holdsBack: boolean; last: boolean; marks: Marks },
  ) {
    this.request = request
    this.response = response
    this.tool = passed.tool
    this.path = passed.path
    this.extraHeaders = passed.extraHeaders
    this.holdsBack = holdsBack
    this.last = last
    this.marks = marks
    // A client that was not told to go on may send its body or leave it out: what would follow is in doubt.
    if (last || holdsBack) response.setHeader('Connection', 'close')
  }

  proceed(): void {
    if (!this.holdsBack) return
    this.holdsBack = false
    const { response } = this
    if (response.headersSent || response.destroyed) return
    if (!this.last) response.removeHeader('Connection')
    response.writeContinue()
  }

  /** Tells its carrier, then ends it: with an answer where no reply has begun, else by cutting the connection. */
  cut(why: CutReason, refusal: Refusal | null): void {
    const { onCut } = this
    this.onCut = null
    onCut?.(why)
    const { request, response } = this
    if (refusal && !response.headersSent) answer(response, { ...refusal, close: true }, this.extraHeaders)
    else response.destroy()
    // Whoever still reads the body hears that no more of it comes: node:http forgets a request with its answer.
    if (!request.complete) response.once('close', () => request.destroy())
  }
}
