import { StudioError } from '../errors.ts'
import { Cancel, type CancelSignal } from '../shared/cancel.ts'

/** After the last reply: a picture's file is asked for once the reply that names it has been read. */
const lingerMs = 2000

/** Whether a client takes requests, and how many attempts are under way over it. */
export class ClientLifetime {
  readonly #retired = new Cancel()
  #running = 0
  #idle: (() => void) | null = null

  /** Aborted once another connection took this one's place. */
  get retired(): CancelSignal {
    return this.#retired
  }

  /** @throws StudioError `connection_changed` where nothing new goes out any more; `afterwards` belongs to what has been sent */
  pass(afterwards: boolean): void {
    if (this.#retired.aborted && !afterwards) throw connectionChanged()
  }

  entered(): void {
    this.#running += 1
  }

  left(): void {
    this.#running -= 1
    if (this.#running === 0) this.#idle?.()
  }

  /** Takes nothing new from now on; resolves when what was under way is over. */
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

/** Nothing of it was sent: asked again, it goes to the connection that stands now. */
export function connectionChanged(): StudioError {
  return new StudioError('connection_changed', 'Another connection was chosen before this was sent. Nothing was sent.')
}
