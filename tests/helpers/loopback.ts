import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'

export interface Listening {
  url: string
  /** Open connections. */
  sockets: ReadonlySet<Socket>
  /** Cuts all connections and stops the server. */
  close(): void
}

/** Starts an HTTP server on a free port of 127.0.0.1. Errors of its sockets are ignored. */
export async function listenOnLoopback(server: Server): Promise<Listening> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sockets,
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
