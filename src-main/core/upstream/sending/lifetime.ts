import { StudioError } from '../../errors.ts'

/** After the last reply, ms. A picture's file is fetched after the reply that names it was read. */
const lingerMs = 2000

/** Whether a client accepts requests, and how many attempts it has in progress. */
export class ClientLifetime {
  readonly #retired = new AbortController()
  #running = 0
  #idle: (() => void) | null = null

  /** Aborted when another connection has replaced this one. */
  get retired(): AbortSignal {
    return this.#retired.signal
  }

  /**
   * @param afterwards whether the request belongs to an earlier request, such as the file of a reply
   * @throws StudioError `connection_changed` when the client accepts nothing new
   */
  checkOpen(afterwards: boolean): void {
    if (this.#retired.signal.aborted && !afterwards) throw connectionChanged()
  }

  entered(): void {
    this.#running += 1
  }

  left(): void {
    this.#running -= 1
    if (this.#running === 0) this.#idle?.()
  }

  /** Refuses new requests from now on. Resolves when the running requests have ended. */
  retire(): Promise<void> {
    this.#retired.abort()
    return new Promise((resolve) => {
      const look = (): void => {
        if (this.#running === 0) resolve()
      }
      this.#idle = () => void setTimeout(look, lingerMs).unref()
      if (this.#running === 0) this.#idle()
    })
  }
}

/** Nothing was sent. A retry uses the current connection. */
export function connectionChanged(): StudioError {
  return new StudioError('connection_changed', 'Another connection was chosen before this was sent. Nothing was sent.')
}
