import type { IncomingMessage } from 'node:http'
import type { Writable } from 'node:stream'

/** The reply to one request of an app: an HTTP message (`ServerResponse`), or the events of one turn on a WebSocket. */
export interface AppReply extends Writable {
  readonly headersSent: boolean
  readonly req: IncomingMessage
  writeHead(status: number, reason: string, headers: string[]): unknown
  flushHeaders(): void
}
