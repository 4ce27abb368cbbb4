import type * as Electron from 'electron'
import { Emitter, only } from './only.ts'
import { decode, encode } from './wire.js'

/** The receiver of a port's messages: the other port in this process, or the page that got the other port. */
interface End {
  take(text: string): void
  gone(): void
}

export class StandInPort
  extends Emitter
  implements Pick<Electron.MessagePortMain, 'postMessage' | 'start' | 'close'>, End
{
  private far: End | null = null
  private started = false
  private closed = false
  private waiting: string[] = []

  constructor() {
    super(['message', 'close'])
  }

  postMessage(message: unknown, transfer: readonly Electron.MessagePortMain[] = []): void {
    if (transfer.length > 0) throw new Error('The stand-in for electron transfers no port through a port')
    const text = encode(message)
    if (!this.closed) this.far?.take(text)
  }

  start(): void {
    this.started = true
    for (const text of this.waiting.splice(0)) this.deliver(text)
  }

  close(): void {
    if (this.closed) return
    this.far?.gone()
    this.gone()
  }

  take(text: string): void {
    if (this.started) this.deliver(text)
    else this.waiting.push(text)
  }

  gone(): void {
    if (this.closed) return
    this.closed = true
    this.emit('close')
  }

  entangle(far: End): void {
    this.far = far
  }

  /** Transfers this port to `page`. Waiting messages are delivered first. Returns the other port. */
  handOver(page: End): End {
    const { far } = this
    if (this.closed || !(far instanceof StandInPort)) throw new Error('This port has been closed or transferred')
    for (const text of this.waiting.splice(0)) page.take(text)
    far.entangle(page)
    this.far = null
    this.closed = true
    return far
  }

  private deliver(text: string): void {
    setImmediate(() => {
      if (!this.closed) this.emit('message', { data: decode(text), ports: [] })
    })
  }
}

export class MessageChannelMain {
  readonly port1: StandInPort
  readonly port2: StandInPort

  constructor() {
    this.port1 = only('MessagePortMain', new StandInPort())
    this.port2 = only('MessagePortMain', new StandInPort())
    this.port1.entangle(this.port2)
    this.port2.entangle(this.port1)
  }
}
