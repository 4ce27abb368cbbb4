/** Uploads of `transfer.ts`, as far as this file uses them. */
export interface UploadActions<T> {
  /** @returns the id of the upload. Deletes an unfinished upload when the signal aborts. */
  start: (file: T, signal: AbortSignal) => Promise<string>
  /** Deletes a finished upload. */
  cancel: (uploadId: string) => void
}

/**
 * Uploads a recording to the core while the pause that would end its turn is still running. Costs nothing at the service: only the end of
 * the turn requests the transcript. A person who speaks on makes the upload worthless, and the next pause replaces it.
 */
export class EarlyUpload<T> {
  readonly #actions: UploadActions<T>
  #running: { uploadId: Promise<string>; abort: AbortController } | null = null

  constructor(actions: UploadActions<T>) {
    this.#actions = actions
  }

  /** Starts the upload of `file`. Deletes the upload before it. */
  begin(file: T): void {
    this.drop()
    const abort = new AbortController()
    const uploadId = this.#actions.start(file, abort.signal)
    // `take` reports the failure. Without `take` nobody needs the upload.
    uploadId.catch(() => undefined)
    this.#running = { uploadId, abort }
  }

  /**
   * Returns the running or finished upload, which then belongs to the caller. Null without one.
   * @param signal its abort also ends the upload
   */
  take(signal: AbortSignal): Promise<string> | null {
    const running = this.#running
    this.#running = null
    if (!running) return null
    signal.addEventListener('abort', () => running.abort.abort(signal.reason), { once: true })
    return running.uploadId
  }

  /** Deletes the upload. */
  drop(): void {
    const running = this.#running
    this.#running = null
    if (!running) return
    running.abort.abort()
    running.uploadId.then(this.#actions.cancel, () => undefined)
  }
}
