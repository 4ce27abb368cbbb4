import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { WebSocket } from 'ws'
import { withKey } from './appRequest.ts'
import type { Gateway } from './gateway.ts'

export type Event = Record<string, unknown> & {
  type: string
  status?: number
  error?: { code: string; message: string; param: string | null }
  response?: { id: string; status: string; error: { code: string; message: string } | null; output: unknown[] }
}

const last = new Set(['response.completed', 'response.incomplete', 'response.failed', 'error'])

/** A client of the Responses API over a WebSocket, with the `ws` package. */
export class SocketClient {
  readonly socket: WebSocket
  readonly #arrived: Event[] = []
  #waiting: (() => void) | null = null
  /** Code and reason of the end, once it has come. */
  readonly closed: Promise<{ code: number; reason: string }>

  constructor(gateway: Gateway, headers: Record<string, string> = withKey, path = '/responses') {
    this.socket = new WebSocket(`${gateway.url.replace('http', 'ws')}${path}`, { headers })
    this.socket.on('message', (data: Buffer) => {
      this.#arrived.push(JSON.parse(data.toString()) as Event)
      this.#waiting?.()
    })
    this.closed = new Promise((resolve) => {
      this.socket.once('close', (code, reason) => {
        resolve({ code, reason: reason.toString() })
        this.#waiting?.()
      })
    })
    this.socket.on('error', () => undefined)
  }

  static async open(gateway: Gateway, headers: Record<string, string> = {}): Promise<SocketClient> {
    const client = new SocketClient(gateway, { ...withKey, ...headers })
    await once(client.socket, 'open')
    return client
  }

  create(body: Record<string, unknown>): void {
    this.socket.send(JSON.stringify({ type: 'response.create', model: 'writer-small', ...body }))
  }

  /** The next message, or an error when the connection has ended. */
  async next(): Promise<Event> {
    while (this.#arrived.length === 0) {
      if (this.socket.readyState === WebSocket.CLOSED) throw new Error('The connection has ended')
      await new Promise<void>((resolve) => {
        this.#waiting = resolve
      })
    }
    return this.#arrived.shift() as Event
  }

  /** The messages of one turn, to the one that ends it. */
  async rest(): Promise<Event[]> {
    const events: Event[] = []
    do events.push(await this.next())
    while (!last.has(events.at(-1)?.type ?? ''))
    return events
  }

  /** Sends a turn and returns the message that ends it. */
  async turn(body: Record<string, unknown>): Promise<Event> {
    this.create(body)
    return (await this.rest()).at(-1) as Event
  }
}

/** Status and error of an upgrade that is refused. */
export async function refusedUpgrade(
  gateway: Gateway,
  headers: Record<string, string>,
  path?: string,
): Promise<{ status: number; code: string }> {
  const { socket } = new SocketClient(gateway, headers, path)
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage]
  let text = ''
  for await (const piece of response) text += String(piece)
  const { error } = JSON.parse(text) as { error: { code: string } }
  return { status: response.statusCode ?? 0, code: error.code }
}
