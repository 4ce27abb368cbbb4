import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import type { App } from '../../../../../src-preload/contract/apps.ts'
import type { Marks, Watched } from '../../../../listener/stall.ts'
import { asStudioError, type StudioError } from '../../../errors.ts'
import { inBackground } from '../../../shared/unexpected.ts'
import type { AppReply } from '../appReply.ts'
import type { BodyMemory, MemoryReservation } from '../bodyMemory.ts'
import { type Refusal, refusedByGuard } from '../errorReplies.ts'
import type { GuardPassed } from '../guard.ts'
import type { AllowedRequest, CutReason } from '../proxiedRequest.ts'
import { jsonLimit, noMemory } from '../requestBody.ts'
import type { FrameGate } from './frameGate.ts'
import type { TurnMemory } from './turnMemory.ts'
import { errorMessage, TurnReply } from './turnReply.ts'

/** Messages that wait while a turn runs. Clients send one turn after another. */
const maxWaiting = 4
/** How long a refused message is discarded, so that its sender can read why, ms. */
const discardMs = 1000
const closeNormal = 1000
const closeUnsupported = 1003
const closePolicy = 1008
const closeInternal = 1011
const closeLater = 1013

const onlyText = refusedByGuard(400, 'message_not_text', 'Only text messages with JSON are supported.')
const tooManyWaiting = refusedByGuard(
  429,
  'too_many_pending',
  `At most ${maxWaiting} messages may wait for a running response. Wait for the end of each response.`,
)
const reachedLimit = refusedByGuard(
  400,
  'websocket_connection_limit_reached',
  'The connection has reached its longest duration. Open a new one.',
)

/** What a connection needs from the server that accepted it. */
export interface ResponsesSocketOptions {
  /** The upgrade request. Each turn has its headers, and is checked again like a request with them. */
  request: IncomingMessage
  socket: Socket
  passed: GuardPassed
  marks: Marks
  memory: BodyMemory
  turns: TurnMemory
  /** Longest duration of the connection, ms. */
  maxAgeMs: number
  /** Longest time without a turn, ms. */
  idleMs: number
  /** Checks the upgrade request again: its key may have been revoked, and its limits may have changed. */
  check(): GuardPassed | Refusal
  relay(request: IncomingMessage, response: AppReply, allowed: AllowedRequest): Promise<void>
  /** A turn begins. */
  began(app: App): void
  /** A turn has ended. */
  ended(isRefused: boolean): void
  /** A turn was refused before it was relayed. */
  refused(refusal: Refusal): void
  failed(error: StudioError): void
}

interface WaitingMessage {
  bytes: Buffer
  reservation: MemoryReservation | null
}

/** A turn that is relayed. */
interface Turn {
  allowed: AllowedRequest
  reply: TurnReply
}

/** Headers that belong to the connection and to the upgrade, not to a turn. */
const ofConnection = /^(?:connection|upgrade|sec-websocket-.*|content-.*|transfer-encoding|accept|host)$/i

/** A turn as a request: POST with the headers of the upgrade request. */
function requestOf({ rawHeaders, headers, url = '' }: IncomingMessage, bytes: Buffer): IncomingMessage {
  // The socket of the connection must not be closed with a turn.
  const request = new IncomingMessage(new Socket())
  request.method = 'POST'
  request.url = url
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at], rawHeaders[at + 1]]
    if (!ofConnection.test(name)) request.rawHeaders.push(name, value)
  }
  request.rawHeaders.push('Content-Type', 'application/json', 'Content-Length', String(bytes.length))
  request.headers = {
    ...Object.fromEntries(Object.entries(headers).filter(([name]) => !ofConnection.test(name))),
    'content-type': 'application/json',
    'content-length': String(bytes.length),
  }
  request.push(bytes)
  request.push(null)
  request.complete = true
  return request
}

/** One WebSocket connection of an app in the Responses API. It relays one turn at a time. */
export class ResponsesSocket implements Watched {
  readonly marks: Marks
  readonly #options: ResponsesSocketOptions
  readonly #webSocket: WebSocket
  readonly #gate: FrameGate
  readonly #gone = new AbortController()
  readonly #openedAt = performance.now()
  /** Memory of the messages that have begun, in order. */
  readonly #admitted: (MemoryReservation | null)[] = []
  readonly #waiting: WaitingMessage[] = []
  #turn: Turn | null = null
  #isBusy = false
  #lastActiveAt = performance.now()
  #answersPings = true

  constructor(webSocket: WebSocket, gate: FrameGate, options: ResponsesSocketOptions) {
    this.#webSocket = webSocket
    this.#gate = gate
    this.#options = options
    this.marks = options.marks
    webSocket.on('message', (data: Buffer, isBinary: boolean) => this.#receive(data, isBinary))
    webSocket.on('pong', () => {
      this.#answersPings = true
    })
    // The library has sent a close frame with the reason, and discards what still arrives.
    webSocket.on('error', () => {
      this.leave()
      this.#terminateLater()
    })
    webSocket.once('close', () => this.leave())
  }

  /** The app whose key opened the connection. */
  get appId(): string {
    return this.#options.passed.app.id
  }

  get keyHash(): Uint8Array | undefined {
    return this.#options.passed.keyHash
  }

  get isRunning(): boolean {
    return this.#turn !== null
  }

  /** What the search for stalled connections reads: an incomplete message is an upload, and unsent events are a reply. */
  get request(): Watched['request'] {
    return { socket: this.#options.socket, complete: !this.#gate.isInMessage, readableLength: 0 }
  }

  get response(): Watched['response'] {
    const { socket } = this.#options
    return { socket, writableLength: this.#webSocket.bufferedAmount }
  }

  get awaitsContinue(): boolean {
    return this.#gate.isHeld
  }

  /** Reserves memory for a message before it is received. */
  admit(bytes: number): boolean | Promise<boolean> {
    const { memory } = this.#options
    // A turn must not wait behind a message that is not read, because the end of the connection would not be noticed.
    if (this.#isBusy) return this.#admitWith(memory.takeNow(this.appId, bytes))
    const reservation = memory.take(this.appId, bytes, this.#gone.signal)
    if (!('then' in reservation)) return this.#admitWith(reservation)
    return reservation.then((taken) => this.#admitWith(taken))
  }

  /** The app has left, or the connection has ended: the request to the service ends at once. */
  leave(): void {
    if (this.#gone.signal.aborted) return
    this.#gone.abort()
    this.#turn?.reply.destroy()
    for (const reservation of this.#admitted.splice(0)) reservation?.release()
    for (const { reservation } of this.#waiting.splice(0)) reservation?.release()
    this.#options.turns.close()
  }

  /** Ends the connection and its turn, with an error message if the app can still read one. */
  cut(why: CutReason, refusal: Refusal | null, code = closePolicy): void {
    const turn = this.#turn
    if (turn) {
      const { onCut } = turn.allowed
      turn.allowed.onCut = null
      onCut?.(why)
    }
    if (refusal) this.#sendRefusal(refusal)
    this.#close(code, why)
    if (why === 'reading_stalled' || why === 'upload_stalled') this.#webSocket.terminate()
  }

  /** Call regularly, about every 30 s. */
  tick(): void {
    if (!this.#answersPings && !this.#gate.isHeld) {
      this.#webSocket.terminate()
      return
    }
    this.#answersPings = false
    this.#webSocket.ping()
    if (this.#isBusy || this.#gate.isInMessage) return
    const now = performance.now()
    const { idleMs, maxAgeMs } = this.#options
    const checked = this.#options.check()
    if ('status' in checked) this.#endWith(checked)
    else if (now - this.#openedAt >= maxAgeMs) this.#endWith(reachedLimit, closeNormal)
    else if (now - this.#lastActiveAt >= idleMs) this.#close(closeNormal, 'idle')
  }

  terminate(): void {
    this.#webSocket.terminate()
  }

  #admitWith(reservation: MemoryReservation | null): boolean {
    if (this.#gone.signal.aborted) reservation?.release()
    else if (reservation) this.#admitted.push(reservation)
    else {
      this.#endWith(noMemory, closeLater)
      // The answer to the close frame is discarded with the message.
      this.#terminateLater()
    }
    return reservation !== null && !this.#gone.signal.aborted
  }

  #receive(bytes: Buffer, isBinary: boolean): void {
    const reservation = this.#admitted.shift() ?? null
    if (this.#gone.signal.aborted) {
      reservation?.release()
      return
    }
    if (isBinary || this.#waiting.length >= maxWaiting) {
      reservation?.release()
      this.#endWith(isBinary ? onlyText : tooManyWaiting, isBinary ? closeUnsupported : closePolicy)
      return
    }
    // The exact size of a message in several frames is known now.
    reservation?.shrink(bytes.length)
    this.#waiting.push({ bytes, reservation })
    if (!this.#isBusy) inBackground('A turn could not be relayed', this.#runAll())
  }

  async #runAll(): Promise<void> {
    this.#isBusy = true
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      try {
        if (!this.#gone.signal.aborted) await this.#run(next)
      } finally {
        next.reservation?.release()
      }
    }
    this.#isBusy = false
    this.#lastActiveAt = performance.now()
  }

  async #run({ bytes, reservation }: WaitingMessage): Promise<void> {
    const { check, relay, began, ended, failed, turns } = this.#options
    if (performance.now() - this.#openedAt >= this.#options.maxAgeMs) {
      this.#endWith(reachedLimit, closeNormal)
      return
    }
    const checked = check()
    if ('status' in checked) {
      this.#options.refused(checked)
      this.#endWith(checked)
      return
    }
    const { app, path } = checked
    const request = requestOf(this.#options.request, bytes)
    const reply = new TurnReply(request, (message, sent) => this.#webSocket.send(message, () => sent()))
    const proceed = (): void => undefined
    const allowed: AllowedRequest = {
      app,
      path,
      extraHeaders: [],
      onCut: null,
      refused: false,
      proceed,
      turns,
      reserved: reservation,
    }
    this.#turn = { allowed, reply }
    const closed = new Promise((resolve) => reply.once('close', resolve))
    began(app)
    try {
      await relay(request, reply, allowed)
    } catch (thrown) {
      reply.destroy()
      failed(asStudioError(thrown))
    }
    await closed
    this.#turn = null
    if (!reply.succeeded) turns.forget()
    ended(allowed.refused)
    // A response that has begun can't be ended by an error message.
    if (!reply.writableFinished) this.#close(closeInternal, 'The response broke off')
  }

  #sendRefusal({ status, type, code, message, param }: Refusal): void {
    if (this.#webSocket.readyState !== this.#webSocket.OPEN) return
    this.#webSocket.send(errorMessage({ status, type, code, message, param: param ?? null }))
  }

  #terminateLater(): void {
    setTimeout(() => this.#webSocket.terminate(), discardMs).unref()
  }

  #endWith(refusal: Refusal, code = closePolicy): void {
    this.#sendRefusal(refusal)
    this.#close(code, refusal.code)
  }

  #close(code: number, reason: string): void {
    this.#webSocket.close(code, reason)
    this.leave()
  }
}

/** Largest message, bytes. The same as of a request over HTTP. */
export const maxMessage = jsonLimit
