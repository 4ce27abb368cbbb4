import { once } from 'node:events'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ClientConnections } from './connections.ts'
import { boundedServer, type ServerBounds } from './server.ts'

// A server for one page that a person opens in a tab of a browser.

const host = '127.0.0.1'

/** Programs that only hold connections open are disconnected when others come, so the browser always gets through. */
const bounds: ServerBounds = {
  ...{ most: 1024, strangers: 64, graceMs: 250 },
  ...{ headersMs: 5000, requestMs: 10_000, keepAliveMs: 1000, maxHeaderBytes: 16_384, requestsPerSocket: 1 },
}

/** Headers that isolate a page from pages of other sites. */
export const isolatedPage = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  // The address may contain a secret.
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

/** Sends a page, or a few words, with these headers beside those that isolate it. */
export function sendPage(reply: ServerResponse, status: number, headers: Record<string, string>, text: string): void {
  reply.writeHead(status, { ...isolatedPage, 'Cache-Control': 'no-store', Connection: 'close', ...headers }).end(text)
}

/**
 * Status of a request that no tab sends for the page, or null. Such a request changes nothing.
 * @param isPage whether the path is that of the page
 */
export function refusalOf({ headers, method, socket }: IncomingMessage, isPage: boolean): 421 | 404 | 405 | 403 | null {
  // Another name for this computer would mean that a page of another site asks (DNS rebinding).
  if (headers.host !== `${host}:${socket.localPort}`) return 421
  if (!isPage) return 404
  if (method !== 'GET') return 405
  // Images, frames and scripts of other sites cannot use it up.
  const use = headers['sec-fetch-dest']
  return use === undefined || use === 'document' ? null : 403
}

/**
 * Listens on a port of 127.0.0.1.
 * @param preferredPort tried first; 0: any
 * @param failed called when a connection can't be accepted, for example because too many files are open
 * @throws what `listen` of node:net throws
 */
export async function openTabServer(
  preferredPort: number,
  receive: RequestListener,
  failed: (error: unknown) => void,
): Promise<{ origin: string; server: ReturnType<typeof boundedServer>; close(): void }> {
  const server = boundedServer(bounds, new ClientConnections(bounds, (socket) => socket.destroy()))
  server.on('request', receive)
  const listen = (port: number): Promise<unknown> => {
    server.listen({ host, port, exclusive: true })
    return once(server, 'listening')
  }
  if (preferredPort === 0) await listen(0)
  else await listen(preferredPort).catch(() => listen(0))
  // Without a listener, it would be an uncaught exception.
  server.on('error', failed)
  return {
    origin: `http://${host}:${(server.address() as AddressInfo).port}`,
    server,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
