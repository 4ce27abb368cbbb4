/** What the sandbox saw of one request. Never holds the bearer. Times are ms since 1970 with fractions. */
export interface RequestRecord {
  id: string
  method: string
  path: string
  /** What followed the `?`, without it. */
  query: string
  /** Null until a status line was sent; stays null where the connection was cut before one. */
  status: number | null
  model: string | null
  /** The name of the seeded key that was used, null where none was accepted. */
  key: string | null
  /** Header names in lower case, credentials and cookies left out. */
  headers: Record<string, string>
  startedAt: number
  /** When the last byte was handed to the socket, or the connection closed. Null while open. */
  endedAt: number | null
  /** True when the other side closed before the reply was whole. */
  closedByClient: boolean
  closedByClientAt: number | null
  /** Body bytes received and sent. */
  bytesIn: number
  bytesOut: number
  /** SHA-256 in hex of the body that was read, null where none was read to its end. */
  bodySha256: string | null
  stream: boolean
}

/** What tests and the curious may watch. */
export interface Observe {
  /** Oldest first; the last 10,000. */
  requests(): RequestRecord[]
  /** Event streams that are open now. */
  openStreams(): number
  /** Resolves with the record once that request is over; rejects for an id never seen. */
  whenClosed(requestId: string): Promise<RequestRecord>
}

/** Sub-millisecond, and comparable between processes of one machine. */
export const preciseNow = () => performance.timeOrigin + performance.now()

const KEPT = 10_000

export class Records implements Observe {
  readonly #records = new Map<string, RequestRecord>()
  readonly #waiting = new Map<string, ((record: RequestRecord) => void)[]>()
  readonly #nextId: () => string

  constructor(nextId: () => string) {
    this.#nextId = nextId
  }

  begin(facts: Pick<RequestRecord, 'method' | 'path' | 'query' | 'headers'>): RequestRecord {
    const record: RequestRecord = {
      ...facts,
      id: this.#nextId(),
      status: null,
      model: null,
      key: null,
      startedAt: preciseNow(),
      endedAt: null,
      closedByClient: false,
      closedByClientAt: null,
      bytesIn: 0,
      bytesOut: 0,
      bodySha256: null,
      stream: false,
    }
    this.#records.set(record.id, record)
    if (this.#records.size > KEPT) {
      const oldest = this.#records.keys().next().value
      if (oldest !== undefined) this.#records.delete(oldest)
    }
    return record
  }

  end(record: RequestRecord, closedByClient: boolean): void {
    if (record.endedAt !== null) return
    record.endedAt = preciseNow()
    record.closedByClient = closedByClient
    record.closedByClientAt = closedByClient ? record.endedAt : null
    for (const resolve of this.#waiting.get(record.id) ?? []) resolve({ ...record })
    this.#waiting.delete(record.id)
  }

  requests(): RequestRecord[] {
    return [...this.#records.values()].map((record) => ({ ...record }))
  }

  openStreams(): number {
    let open = 0
    for (const record of this.#records.values()) if (record.stream && record.endedAt === null) open += 1
    return open
  }

  whenClosed(requestId: string): Promise<RequestRecord> {
    const record = this.#records.get(requestId)
    if (!record) return Promise.reject(new Error(`no request ${requestId} was seen`))
    if (record.endedAt !== null) return Promise.resolve({ ...record })
    return new Promise((resolve) => {
      this.#waiting.set(requestId, [...(this.#waiting.get(requestId) ?? []), resolve])
    })
  }
}
