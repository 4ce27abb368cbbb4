import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { WebSocketServer } from 'ws'
import { type StallTimes, StallWatch } from '../../../../listener/stall.ts'
import type { Refusal } from '../errorReplies.ts'
import type { GuardPassed } from '../guard.ts'
import type { CutReason } from '../proxiedRequest.ts'
import { FrameGate } from './frameGate.ts'
import { maxMessage, ResponsesSocket, type ResponsesSocketOptions } from './responsesSocket.ts'
import { TurnMemories, type TurnMemoryBounds } from './turnMemory.ts'

/** Bounds of WebSocket connections in ms, counts and bytes. */
export interface WebSocketBounds {
  /** Open connections, and those of one app. */
  most: number
  mostOfApp: number
  idleMs: number
  /** Longest duration of a connection. */
  maxAgeMs: number
  /** Time between two pings. A connection without an answer to one ends at the next. */
  pingMs: number
  /** How long a closed connection may take to end. */
  closingMs: number
  memory: TurnMemoryBounds
}

const minute = 60_000
const megabyte = 1024 * 1024

export const defaultWebSocketBounds: WebSocketBounds = {
  most: 256,
  mostOfApp: 64,
  idleMs: 15 * minute,
  maxAgeMs: 60 * minute,
  pingMs: minute / 2,
  closingMs: 500,
  memory: { each: 8 * megabyte, total: 64 * megabyte },
}

const closeGoingAway = 1001

/** What the connections of all apps need from the server. */
type Dependencies = Pick<ResponsesSocketOptions, 'memory' | 'relay' | 'began' | 'ended' | 'failed'> & {
  check(request: IncomingMessage): GuardPassed | Refusal
  refused(request: IncomingMessage, refusal: Refusal): void
}

export const tooManyWebSockets: Refusal = {
  status: 503,
  type: 'studio_refused',
  code: 'too_many_websockets',
  message: 'Too many WebSocket connections are open. Close one that is not needed.',
}

/** The WebSocket connections of the Responses API (`GET /v1/responses` with an upgrade). */
export class ResponsesSockets {
  readonly #bounds: WebSocketBounds
  readonly #dependencies: Dependencies
  readonly #open = new Set<ResponsesSocket>()
  readonly #server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: maxMessage,
    perMessageDeflate: false,
    handleProtocols: () => false,
  })
  readonly #memories: TurnMemories
  readonly #stalls: StallWatch<ResponsesSocket>
  #timer: NodeJS.Timeout | null = null

  constructor(
    dependencies: Dependencies,
    bounds: WebSocketBounds,
    times: StallTimes,
    stalled: Record<'upload' | 'reading', Refusal | null>,
  ) {
    this.#dependencies = dependencies
    this.#bounds = bounds
    this.#memories = new TurnMemories(bounds.memory)
    this.#stalls = new StallWatch(this.#open, times, (socket, stall) => {
      socket.cut(stall === 'upload' ? 'upload_stalled' : 'reading_stalled', stalled[stall])
    })
  }

  /** Turns that run now. */
  get running(): number {
    return [...this.#open].filter(({ isRunning }) => isRunning).length
  }

  get size(): number {
    return this.#open.size
  }

  /** Accepts a connection that passed the guard, or returns why not. */
  accept(request: IncomingMessage, socket: Socket, head: Buffer, passed: GuardPassed): Refusal | null {
    const ofApp = [...this.#open].filter(({ appId }) => appId === passed.app.id).length
    if (this.#open.size >= this.#bounds.most || ofApp >= this.#bounds.mostOfApp) return tooManyWebSockets
    let connection: ResponsesSocket | null = null
    const gate = new FrameGate({
      socket,
      maxMessage,
      admit: (bytes) => connection?.admit(bytes) ?? false,
      closing: () => connection?.leave(),
    })
    // The WebSocket reports its own errors. Before and after its lifetime nothing listens to the socket.
    gate.on('error', () => undefined)
    // Frames in the packet of the upgrade request pass through the gate too.
    // The gate reads on. A socket that flows already would not notice them.
    socket.pause()
    if (head.length > 0) socket.unshift(head)
    socket.setTimeout(0)
    socket.setNoDelay(true)
    this.#server.handleUpgrade(request, gate, Buffer.alloc(0), (webSocket) => {
      const { memory, relay, began, ended, failed, check, refused } = this.#dependencies
      const opened = new ResponsesSocket(webSocket, gate, {
        request,
        socket,
        passed,
        memory,
        relay,
        began,
        ended,
        failed,
        maxAgeMs: this.#bounds.maxAgeMs,
        idleMs: this.#bounds.idleMs,
        marks: this.#stalls.begin(),
        turns: this.#memories.open(),
        check: () => check(request),
        refused: (refusal) => refused(request, refusal),
      })
      connection = opened
      this.#open.add(opened)
      webSocket.once('close', () => this.#open.delete(opened))
      this.#timer ??= setInterval(() => this.#tick(), this.#bounds.pingMs).unref()
    })
    return null
  }

  /** Ends the connections whose key is no longer valid. */
  cutInvalid(isValid: (appId: string, keyHash?: Uint8Array) => boolean, refusal: Refusal): void {
    for (const socket of this.#open) if (!isValid(socket.appId, socket.keyHash)) socket.cut('key_ended', refusal)
  }

  /** Closes all connections. Those that do not answer end after `closingMs`. */
  close(why: CutReason): void {
    this.#stalls.close()
    if (this.#timer) clearInterval(this.#timer)
    this.#timer = null
    const open = [...this.#open]
    for (const socket of open) socket.cut(why, null, closeGoingAway)
    if (open.length === 0) return
    setTimeout(() => {
      for (const socket of open) socket.terminate()
    }, this.#bounds.closingMs)
  }

  #tick(): void {
    for (const socket of this.#open) socket.tick()
    if (this.#open.size > 0 || this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
  }
}

/**
 * Whether this Node asks which upgrades to accept (`shouldUpgradeCallback`). Others pass every offer to a listener, and harmless ones such as
 * `h2c` of Java's client would no longer be answered.
 */
export const choosesUpgrades = ((): boolean => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  return major > 24 || (major === 24 && minor >= 9)
})()
