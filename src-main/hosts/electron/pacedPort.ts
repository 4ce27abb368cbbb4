import type { MessagePortMain } from 'electron'

/** Maximum number of bytes that the page has not read. Above it no message is sent. */
const maxUnread = 4 * 1024 * 1024

/** The part of Electron's port that this file uses. */
type Port = Pick<MessagePortMain, 'on' | 'postMessage'>

/**
 * A port with flow control. The page acknowledges messages with a number: how many it has read since the last one.
 * Electron's port has no backpressure, so messages to a hanging window would pile up without limit.
 * Senders await `ready` first. A stream of the core then waits with one event and merges later ones into the last state.
 */
export class PacedPort {
  readonly #port: Port
  /** Sizes of the messages that the page has not read yet, oldest first, bytes. */
  #unread: number[] = []
  #bytes = 0
  #waiting: (() => void)[] = []
  #isClosed = false

  constructor(port: Port) {
    this.#port = port
    port.on('close', () => {
      this.#isClosed = true
      for (const go of this.#waiting.splice(0)) go()
    })
  }

  /** Bytes that the page has not read yet. */
  get unread(): number {
    return this.#bytes
  }

  /** The listener interface of oRPC's handler. */
  on<T extends string>(type: T, listener: (event?: { data: unknown }) => void): void {
    if (type === 'close') this.#port.on('close', () => listener())
    else if (type === 'message')
      this.#port.on('message', (event) => {
        if (typeof event.data === 'number') this.#read(event.data)
        else listener(event)
      })
  }

  postMessage(data: unknown): void {
    const size = sizeOf(data)
    this.#unread.push(size)
    this.#bytes += size
    this.#port.postMessage(data)
    this.#next()
  }

  /** Resolves when the next message may be sent, or the port is closed. */
  async ready(): Promise<void> {
    if (this.#isClosed || (this.#bytes < maxUnread && this.#waiting.length === 0)) return
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve)
    })
  }

  #read(messages: number): void {
    for (const size of this.#unread.splice(0, messages)) this.#bytes -= size
    this.#next()
  }

  /** Releases one sender at a time, because each adds unread bytes. */
  #next(): void {
    if (this.#bytes < maxUnread) this.#waiting.shift()?.()
  }
}

/** For `experimental_transfer` of the RPC handler, which awaits it before each message. */
export async function awaitReader(_message: unknown, port: unknown): Promise<undefined> {
  if (port instanceof PacedPort) await port.ready()
}

function sizeOf(data: unknown): number {
  if (typeof data === 'string') return data.length
  return ArrayBuffer.isView(data) || data instanceof ArrayBuffer ? data.byteLength : 0
}
