import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'

/** One request as it arrived. It grows while its body arrives. */
export interface Seen {
  method: string
  path: string
  /** Names in lower case. */
  headers: ReadonlyMap<string, string>
  /** Bytes of the body, without chunked framing. */
  body: Buffer
  /** Whether the body is complete. */
  whole: boolean
  /** The number of its connection, counted from 1. */
  connection: number
}

/** What a test does with one request, byte by byte. */
export interface Turn {
  seen: Seen
  /** The number of the request, counted from 1. */
  number: number
  socket: Socket
  /** Resolves when the bytes were handed to the kernel. */
  write(bytes: string | Uint8Array): Promise<void>
  /** FIN: closes the connection properly. */
  close(): void
  /** RST. */
  reset(): void
  /** When the other side closed, as `performance.now()`. */
  closed: Promise<number>
}

export interface RawFarEnd {
  url: string
  /** In the order in which their heads arrived. */
  seen: Seen[]
  turns: Turn[]
  connections(): number
  /** Number of open connections. */
  open(): number
  /** The n-th request, counted from 1, once its head has arrived. */
  turn(number: number): Promise<Turn>
  close(): Promise<void>
}

/**
 * A service that writes exactly the bytes of a test, valid HTTP or not. `act` is called when a request is complete or, with `early`, when
 * its head is.
 */
export async function openRawFarEnd(
  act: (turn: Turn) => void | Promise<void>,
  { early = false } = {},
): Promise<RawFarEnd> {
  const sockets = new Set<Socket>()
  const seen: Seen[] = []
  const turns: Turn[] = []
  const waiting: { number: number; resolve: (turn: Turn) => void }[] = []
  let connections = 0

  const server: Server = createServer({ noDelay: true }, (socket) => {
    connections += 1
    const connection = connections
    sockets.add(socket)
    socket.on('error', () => undefined)
    const closed = new Promise<number>((resolve) => {
      // `end` is emitted for the other side's FIN, `close` also for its RST.
      for (const event of ['end', 'close'] as const) socket.once(event, () => resolve(performance.now()))
    })
    socket.once('close', () => sockets.delete(socket))
    const reader = new RequestReader(connection)
    const begin = (one: Seen): void => {
      seen.push(one)
      const turn: Turn = {
        seen: one,
        number: seen.length,
        socket,
        closed,
        write: (bytes) => new Promise((resolve) => socket.write(bytes, () => resolve())),
        close: () => socket.end(),
        reset: () => socket.resetAndDestroy(),
      }
      turns.push(turn)
      for (const one of waiting) if (one.number === turn.number) one.resolve(turn)
      if (early) void act(turn)
    }
    const whole = (one: Seen): void => {
      const turn = turns.find((candidate) => candidate.seen === one)
      if (turn && !early) void act(turn)
    }
    socket.on('data', (bytes) => reader.push(bytes, begin, whole))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    turns,
    connections: () => connections,
    open: () => sockets.size,
    turn: (number) => {
      const there = turns[number - 1]
      if (there) return Promise.resolve(there)
      return new Promise((resolve) => waiting.push({ number, resolve }))
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** Parses the requests of one connection: just enough of HTTP/1.1 for a correct client. */
class RequestReader {
  readonly #connection: number
  #held: Buffer = Buffer.alloc(0)
  #current: Seen | null = null
  /** Remaining bytes of the current chunk. */
  #left = 0

  constructor(connection: number) {
    this.#connection = connection
  }

  push(bytes: Uint8Array, begin: (seen: Seen) => void, whole: (seen: Seen) => void): void {
    this.#held = Buffer.concat([this.#held, bytes])
    for (;;) {
      if (!this.#current) {
        const end = this.#held.indexOf('\r\n\r\n')
        if (end < 0) return
        this.#current = this.#begin(this.#held.subarray(0, end).toString('latin1'))
        this.#held = this.#held.subarray(end + 4)
        begin(this.#current)
      }
      const current = this.#current
      if (!this.#read(current)) return
      current.whole = true
      this.#current = null
      whole(current)
    }
  }

  #begin(head: string): Seen {
    const [first = '', ...lines] = head.split('\r\n')
    const [method = '', path = ''] = first.split(' ')
    const headers = new Map<string, string>()
    for (const line of lines) {
      const colon = line.indexOf(':')
      headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim())
    }
    return { method, path, headers, body: Buffer.alloc(0), whole: false, connection: this.#connection }
  }

  /** Reads available bytes of the body; true when it is complete. */
  #read(current: Seen): boolean {
    if (current.headers.get('transfer-encoding') === 'chunked') return this.#readChunks(current)
    const length = Number(current.headers.get('content-length') ?? 0)
    this.#take(current, Math.min(length - current.body.length, this.#held.length))
    return current.body.length === length
  }

  /** Reads each chunk's bytes as they arrive: some clients write the line end after a chunk only with the next one. */
  #readChunks(current: Seen): boolean {
    for (;;) {
      const taken = Math.min(this.#left, this.#held.length)
      this.#take(current, taken)
      this.#left -= taken
      if (this.#left > 0) return false
      const line = /^(?:\r\n)?([\da-f]+)\r\n/i.exec(this.#held.subarray(0, 20).toString('latin1'))
      if (!line) return false
      const size = Number.parseInt(line[1] ?? '', 16)
      if (size === 0) {
        if (this.#held.length < line[0].length + 2) return false
        this.#held = this.#held.subarray(line[0].length + 2)
        return true
      }
      this.#held = this.#held.subarray(line[0].length)
      this.#left = size
    }
  }

  #take(current: Seen, count: number): void {
    if (count === 0) return
    current.body = Buffer.concat([current.body, this.#held.subarray(0, count)])
    this.#held = this.#held.subarray(count)
  }
}
