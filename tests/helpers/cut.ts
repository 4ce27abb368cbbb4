import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** State of the network to the service. `open`: works. `swallow`: accepts connections and never replies. */
export type CutMode = 'open' | 'refuse' | 'reset' | 'swallow'

/** A TCP relay in front of a service. Cutting it ends the open connections. */
export interface Cut {
  /** Base URL of the service through the relay. */
  readonly url: string
  readonly port: number
  /** Connections accepted since the start. */
  taken(): number
  set(mode: CutMode): Promise<void>
  close(): Promise<void>
}

export async function cutBefore(service: string): Promise<Cut> {
  const target = new URL(service)
  const sockets = new Set<Socket>()
  let mode: CutMode = 'open'
  let taken = 0
  let server: Server | null = null

  function take(socket: Socket): void {
    taken += 1
    track(socket)
    if (mode === 'reset') return void socket.resetAndDestroy()
    // Reads and drops the bytes: a socket that nobody reads never reports its end.
    if (mode === 'swallow') return void socket.resume()
    const beyond = connect(Number(target.port), target.hostname)
    track(beyond)
    socket.pipe(beyond).pipe(socket)
    socket.once('close', () => beyond.destroy())
    beyond.once('close', () => socket.destroy())
  }

  function track(socket: Socket): void {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => sockets.delete(socket))
  }

  async function listen(port: number): Promise<Server> {
    const made = createServer(take)
    made.listen(port, '127.0.0.1')
    await once(made, 'listening')
    return made
  }

  async function stopListening(): Promise<void> {
    if (!server) return
    const closed = once(server, 'close')
    server.close()
    server = null
    for (const socket of sockets) socket.resetAndDestroy()
    await closed
  }

  server = await listen(0)
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    taken: () => taken,
    async set(now) {
      mode = now
      for (const socket of sockets) socket.resetAndDestroy()
      if (now === 'refuse') await stopListening()
      else server ??= await listen(port)
    },
    close: stopListening,
  }
}
