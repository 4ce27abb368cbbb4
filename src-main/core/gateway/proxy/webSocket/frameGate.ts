import { Duplex } from 'node:stream'
import { inBackground } from '../../../shared/unexpected.ts'

/** Decides about what arrives on a WebSocket before it is read. */
export interface FrameGateOptions {
  socket: Duplex
  /** Largest message, bytes. A larger one passes, because the WebSocket refuses it at its first frame. */
  maxMessage: number
  /**
   * Called at the first frame of each message, before its content is read, with the size of the message or the largest possible one.
   * Nothing more is read until it has resolved. When it resolves to false, everything that follows is discarded.
   */
  admit(bytes: number): boolean | Promise<boolean>
  /** The peer closes: its close frame or the end of its stream has arrived. Called before the WebSocket knows of it. */
  closing(): void
}

const close = 0x8
/** Longest frame header, bytes (RFC 6455, 5.2). */
const longestHeader = 14

/** The header of a frame. */
interface Frame {
  isLast: boolean
  opcode: number
  length: number
}

/** Reads the header of a frame from its first bytes. Null while it is not complete. */
function frameOf(bytes: Buffer, count: number): Frame | null {
  if (count < 2) return null
  const short = bytes.readUInt8(1) & 0x7f
  const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0
  const maskBytes = (bytes.readUInt8(1) & 0x80) === 0 ? 0 : 4
  if (count < 2 + lengthBytes + maskBytes) return null
  const first = bytes.readUInt8(0)
  const length =
    lengthBytes === 0 ? short : lengthBytes === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
  return { isLast: (first & 0x80) !== 0, opcode: first & 0x0f, length }
}

/**
 * Passes the bytes of a WebSocket unchanged, and stops reading before a message for which there is no memory. The library reads messages
 * whole, and many large ones at a time would fill the memory.
 * @see RFC 6455, 5.2
 */
export class FrameGate extends Duplex {
  readonly #options: FrameGateOptions
  readonly #header = Buffer.alloc(longestHeader)
  #headerLength = 0
  /** Bytes of the current frame that have not arrived. */
  #left = 0
  #isInMessage = false
  #endsMessage = false
  #isHeld = false
  #isRefused = false

  constructor(options: FrameGateOptions) {
    super({ allowHalfOpen: false })
    this.#options = options
    const { socket } = options
    socket.on('data', (bytes: Buffer) => {
      if (!this.#isRefused) this.#pass(bytes)
    })
    socket.once('end', () => {
      options.closing()
      this.push(null)
    })
    socket.once('close', () => {
      options.closing()
      this.destroy()
    })
    socket.on('error', () => this.destroy())
  }

  /** Whether a message has begun that is not complete. */
  get isInMessage(): boolean {
    return this.#isInMessage
  }

  /** Whether nothing is read, because a message waits for memory. */
  get isHeld(): boolean {
    return this.#isHeld
  }

  #pass(bytes: Buffer): void {
    let at = 0
    while (at < bytes.length) {
      if (this.#left > 0) {
        const count = Math.min(this.#left, bytes.length - at)
        at += count
        this.#left -= count
        if (this.#left === 0) this.#endFrame()
        continue
      }
      this.#header[this.#headerLength++] = bytes[at++] ?? 0
      const frame = frameOf(this.#header, this.#headerLength)
      if (frame === null) continue
      this.#headerLength = 0
      const admitted = this.#begin(frame)
      if (admitted === true) continue
      this.#hold(bytes.subarray(0, at), bytes.subarray(at), admitted)
      return
    }
    if (!this.push(bytes)) this.#options.socket.pause()
  }

  #begin({ isLast, opcode, length }: Frame): boolean | Promise<boolean> {
    this.#left = length
    if (opcode >= close) {
      if (opcode === close) this.#options.closing()
      return true
    }
    this.#endsMessage = isLast
    const isNew = !this.#isInMessage
    this.#isInMessage = true
    // The size of a message in several frames is unknown.
    const bytes = isLast ? length : this.#options.maxMessage
    if (length === 0) this.#endFrame()
    return !isNew || bytes > this.#options.maxMessage || this.#options.admit(bytes)
  }

  #endFrame(): void {
    if (!this.#endsMessage) return
    this.#endsMessage = false
    this.#isInMessage = false
  }

  #hold(before: Buffer, rest: Buffer, admitted: boolean | Promise<boolean>): void {
    const { socket } = this.#options
    this.#isHeld = true
    socket.pause()
    this.push(before)
    const decide = (isAdmitted: boolean): void => {
      this.#isHeld = false
      this.#isRefused = !isAdmitted
      socket.resume()
      if (isAdmitted && rest.length > 0) this.#pass(rest)
    }
    if (typeof admitted === 'boolean') decide(admitted)
    else inBackground('A message of a WebSocket could not be admitted', admitted.then(decide))
  }

  override _read(): void {
    if (!this.#isHeld) this.#options.socket.resume()
  }

  override _write(bytes: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#options.socket.write(bytes, done)
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#options.socket.write(Buffer.concat(chunks.map(({ chunk }) => chunk)), done)
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#options.socket.end(done)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#options.socket.destroy()
    done(error)
  }
}
