import type { ServerResponse } from 'node:http'
import { errorBody, type ServiceError } from '../errors.ts'
import { withFieldFaults } from '../faults/fields.ts'
import { FaultPlan } from '../faults/plan.ts'
import type { RequestRecord } from '../world/records.ts'
import { Body } from './body.ts'

/** One reply: its headers, its body with the ordered faults, and whether the client has closed. */
export class HttpReply {
  readonly #response: ServerResponse
  readonly #record: RequestRecord
  readonly #headers = new Map<string, string>()
  /** Aborted when the socket is closed by either side, or the reply is complete. */
  readonly closed: AbortSignal
  readonly faults = new FaultPlan()
  #closedByUs = false

  /** `onClosed` runs when the reply is over. `byClient` is true if the client closed before the reply was complete. */
  constructor(response: ServerResponse, record: RequestRecord, onClosed: (byClient: boolean) => void) {
    this.#response = response
    this.#record = record
    const closing = new AbortController()
    this.closed = closing.signal
    this.#setHeader('X-Request-Id', record.id)
    response.on('close', () => {
      onClosed(!response.writableFinished && !this.#closedByUs)
      closing.abort()
    })
  }

  #setHeader(name: string, value: string): void {
    this.#headers.set(name, value)
  }

  /** Headers for any reply that follows. */
  addHeaders(headers: Record<string, string>): void {
    for (const [name, value] of Object.entries(headers)) this.#setHeader(name, value)
  }

  get started(): boolean {
    return this.#response.headersSent
  }

  async json(status: number, value: unknown): Promise<void> {
    const text = JSON.stringify(withFieldFaults(value, this.faults))
    const broken = this.faults.has('malformed') && status < 400
    const body = broken ? text.slice(0, Math.ceil(text.length / 2)) : text
    await this.bytes(status, body, { 'Content-Type': 'application/json; charset=utf-8' })
  }

  async error(error: ServiceError): Promise<void> {
    this.addHeaders(error.headers)
    await this.json(error.status, errorBody(error))
  }

  /** Sends a complete reply. */
  async bytes(status: number, data: string | Uint8Array, headers: Record<string, string>): Promise<void> {
    const length = Buffer.byteLength(data)
    const body = this.open(status, headers, length)
    if (length > 0) await body.write(data)
    await body.end()
  }

  /** Sends the headers and returns the body to write. `length`: bytes, or null for a stream. */
  open(status: number, headers: Record<string, string>, length: number | null = null): Body {
    this.addHeaders(headers)
    if (this.faults.has('gzip')) this.#setHeader('Content-Encoding', 'gzip')
    else if (length !== null) this.#setHeader('Content-Length', String(length))
    if (this.faults.has('content-type')) {
      this.#setHeader('Content-Type', this.faults.text('content-type', 'type') ?? 'text/plain')
    }
    if (this.faults.has('odd-headers')) {
      this.addHeaders({ 'X-RateLimit-Limit': 'plenty', 'X-RateLimit-Remaining': '-3.7e', 'Retry-After': 'in a while' })
    }
    if (this.faults.has('no-headers')) {
      for (const name of ['X-Request-Id', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'Retry-After']) {
        this.#headers.delete(name)
      }
    }
    this.#response.socket?.setNoDelay(true)
    this.#response.writeHead(status, Object.fromEntries(this.#headers))
    this.#record.status = status
    return new Body({
      response: this.#response,
      record: this.#record,
      plan: this.faults,
      closed: this.closed,
      length,
      destroy: () => this.destroy(),
    })
  }

  /** Resets the connection (RST) without any output. */
  reset(): void {
    this.#closedByUs = true
    this.#response.socket?.resetAndDestroy()
  }

  /** Closes the connection with an unfinished reply. */
  destroy(): void {
    this.#closedByUs = true
    this.#response.destroy()
  }
}
