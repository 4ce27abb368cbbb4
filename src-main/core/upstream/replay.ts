import { StudioError } from '../errors.ts'

/** A body up to this size is kept until its reply begins, so that it can be sent again. */
export const replayLimit = 256 * 1024

/**
 * An upload that can be read again from its start as long as all that was read still fits into the copy. The source is
 * read once, at the pace of the reader; a reader that was given up leaves nothing behind.
 */
export class ReplayableBody {
  readonly #source: AsyncIterator<Uint8Array>
  readonly #onRead: (bytes: Uint8Array) => void
  readonly #limit: number
  #kept: Uint8Array[] | null = []
  #size = 0
  #ended = false
  #pulling: Promise<void> | null = null
  /** Chunks that no longer fit into the copy, for the one reader there can be then. */
  #passing: Uint8Array[] = []

  /**
   * @param onRead sees each piece once, whatever is sent again
   * @param mayKeep false: no copy is kept, and what was read can't be sent again
   */
  constructor(
    source: AsyncIterable<Uint8Array>,
    onRead: (bytes: Uint8Array) => void = () => undefined,
    mayKeep = true,
  ) {
    this.#source = source[Symbol.asyncIterator]()
    this.#onRead = onRead
    this.#limit = mayKeep ? replayLimit : 0
  }

  /** All of it was read, and all of it is in the copy. */
  get whole(): boolean {
    return this.#kept !== null && (this.#ended || this.#size === 0)
  }

  async *read(): AsyncGenerator<Uint8Array, void, undefined> {
    const kept = this.#kept ?? []
    for (let i = 0; ; ) {
      const chunk = kept[i] ?? this.#passing.shift()
      if (chunk !== undefined) {
        i++
        yield chunk
      } else if (this.#ended) {
        return
      } else {
        // Shared: a pull that an earlier reader began may still be under way.
        this.#pulling ??= this.#pull()
        await this.#pulling
      }
    }
  }

  /** The reply has begun: nothing is sent again, and the copy is of no more use. */
  forget(): void {
    this.#kept = null
  }

  async #pull(): Promise<void> {
    try {
      const next = await this.#source.next()
      if (next.done === true) this.#ended = true
      else this.#keep(next.value)
    } catch (cause) {
      this.#kept = null
      throw new StudioError('cancelled', 'The upload was broken off by its sender.', {}, { cause })
    } finally {
      this.#pulling = null
    }
  }

  #keep(chunk: Uint8Array): void {
    this.#onRead(chunk)
    this.#size += chunk.length
    if (this.#size > this.#limit) this.#kept = null
    if (this.#kept === null) this.#passing.push(chunk)
    else this.#kept.push(chunk)
  }
}
