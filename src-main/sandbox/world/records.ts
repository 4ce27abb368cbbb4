/** Record of one request. Never contains the key. Times are ms since 1970 with fractions. */
export interface RequestRecord {
  id: string
  method: string
  path: string
  /** The part after the `?`. */
  query: string
  /** Null until a status line was sent, or if the connection was cut before it. */
  status: number | null
  model: string | null
  /** The name of the seeded key; null if no key was accepted. */
  key: string | null
  /** Header names in lower case, without credentials and cookies. */
  headers: Record<string, string>
  startedAt: number
  /** When the last byte was passed to the socket, or the connection closed. Null while the request runs. */
  endedAt: number | null
  /** True if the client closed before the reply was complete. */
  closedByClient: boolean
  closedByClientAt: number | null
  /** Body bytes received and sent. */
  bytesIn: number
  bytesOut: number
  /** SHA-256 in hex of the received body; null if it was not read to its end. */
  bodySha256: string | null
  stream: boolean
}

/** What tests can observe. */
export interface Observe {
  /** Oldest first; the last 10,000. */
  requests(): RequestRecord[]
  /** Number of open event streams. */
  openStreams(): number
  /** Resolves to the record of a request when that request is over. Rejects for an unknown id. */
  whenClosed(requestId: string): Promise<RequestRecord>
}

/** ms with fractions, comparable between processes of one machine. */
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
