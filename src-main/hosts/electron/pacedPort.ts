import type { MessagePortMain } from 'electron'

/** Bytes on their way to a page above which nothing more is sent: what it has not read yet. */
const mostUnread = 4 * 1024 * 1024

/** What of Electron's port is used. */
type Port = Pick<MessagePortMain, 'on' | 'postMessage'>

/**
 * A port whose reader says how much it has read: after each message the page sends a number, of the messages since its last one. Electron's port
 * tells nothing of its reader, and what is sent to a window that hangs would pile up without an end. Who sends awaits `ready` first; a stream
 * then is a slow reader of the core's, which has one event waiting for it and the last state afterwards.
 */
export class PacedPort {
  readonly #port: Port
  /** Sizes of the messages that were not read yet, oldest first. */
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

  /** As oRPC's handler asks for messages and the end. */
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
    if (this.#isClosed || (this.#bytes < mostUnread && this.#waiting.length === 0)) return
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve)
    })
  }

  #read(messages: number): void {
    for (const size of this.#unread.splice(0, messages)) this.#bytes -= size
    this.#next()
  }

  /** One at a time: each adds to what is unread. */
  #next(): void {
    if (this.#bytes < mostUnread) this.#waiting.shift()?.()
  }
}

/** For the options of an RPC handler of ports: what it awaits before it sends. */
export async function waitsForReader(_message: unknown, port: unknown): Promise<undefined> {
  if (port instanceof PacedPort) await port.ready()
}

function sizeOf(data: unknown): number {
  if (typeof data === 'string') return data.length
  return ArrayBuffer.isView(data) || data instanceof ArrayBuffer ? data.byteLength : 0
}
