import { createHash, createPublicKey, randomUUID } from 'node:crypto'
import {
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2'
import type { AddressInfo } from 'node:net'
import { newCertificate } from '../../../src-main/hosts/selfCheck/certificate.ts'

/** Header with the id of the reply that a request gets. Added after the page has sent it. */
export const replyHeader = 'x-stand-in-reply'

/**
 * Sends replies of `protocol.handle` to Chromium as streams, which DevTools can't do: Chromium reaches the custom scheme through this server
 * on loopback. A page that stops reading cancels the body of the reply, as in Electron.
 */
export class ReplyServer {
  /** Chromium's flags that lead all pages of custom schemes here, and trust nothing else. */
  readonly flags: readonly string[]
  readonly #waiting = new Map<string, Response>()
  readonly #close: () => void

  private constructor(flags: readonly string[], close: () => void, take: (serve: Serve) => void) {
    this.flags = flags
    this.#close = close
    take((request, response) => void this.#serve(request, response))
  }

  static async start(): Promise<ReplyServer> {
    const { cert, key } = newCertificate('stand-in', '*.app.localhost')
    let serve: Serve = () => undefined
    const sessions = new Set<ServerHttp2Session>()
    // HTTP/2, because HTTP/1 would allow six requests at the same time, and Electron has no such limit.
    const server = createSecureServer({ cert, key }, (request, response) => serve(request, response))
    server.on('session', (session) => {
      sessions.add(session)
      session.on('close', () => sessions.delete(session))
      session.on('error', () => undefined)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    // Ends with the process: Chromium is the only client.
    server.unref()
    const { port } = server.address() as AddressInfo
    const publicKey = createPublicKey(cert).export({ type: 'spki', format: 'der' })
    const flags = [
      `--host-resolver-rules=MAP *.app.localhost:443 127.0.0.1:${port}`,
      `--ignore-certificate-errors-spki-list=${createHash('sha256').update(publicKey).digest('base64')}`,
    ]
    const close = (): void => {
      server.close()
      for (const session of sessions) session.destroy()
    }
    return new ReplyServer(flags, close, (given) => {
      serve = given
    })
  }

  /** Stores a reply for the request with the returned id. */
  offer(reply: Response): string {
    const id = randomUUID()
    this.#waiting.set(id, reply)
    return id
  }

  close(): void {
    this.#close()
  }

  async #serve(request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> {
    request.resume()
    const id = String(request.headers[replyHeader] ?? '')
    const reply = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (!reply) return void response.writeHead(599).end()
    response.writeHead(reply.status, Object.fromEntries(reply.headers))
    const reader = reply.body?.getReader()
    if (!reader) return void response.end()
    response.once('close', () => void reader.cancel().catch(() => undefined))
    response.on('error', () => undefined)
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return void response.end()
        if (response.destroyed || response.writableEnded) return
        if (!response.write(value)) {
          await new Promise<void>((resolve) => {
            response.once('drain', resolve)
            response.once('close', resolve)
          })
        }
      }
    } catch {
      // A failed body fails the request of the page.
      response.stream?.close(2)
    }
  }
}

type Serve = (request: Http2ServerRequest, response: Http2ServerResponse) => void
