import { StudioError } from '../../errors.ts'

/** Largest body that is copied for a retry, bytes. The copy exists until the reply begins. */
export const replayLimit = 256 * 1024

/**
 * An upload that can be read again from its start, as long as the part read so far fits into the copy. The source is read once, at the
 * reader's pace. An abandoned reader leaves nothing behind.
 */
export class ReplayableBody {
  readonly #source: AsyncIterator<Uint8Array>
  readonly #onRead: (bytes: Uint8Array) => void
  readonly #limit: number
  #kept: Uint8Array[] | null = []
  #size = 0
  #ended = false
  #pulling: Promise<void> | null = null
  /** Chunks that do not fit into the copy. Only one reader can exist then. */
  #passing: Uint8Array[] = []

  /**
   * @param onRead sees each piece once, however often it is sent
   * @param mayCopy false: without a copy, what was read can't be sent again
   */
  constructor(
    source: AsyncIterable<Uint8Array>,
    onRead: (bytes: Uint8Array) => void = () => undefined,
    mayCopy = true,
  ) {
    this.#source = source[Symbol.asyncIterator]()
    this.#onRead = onRead
    this.#limit = mayCopy ? replayLimit : 0
  }

  /** Whether all of the body was read and fits into the copy. */
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
        // Shared: a pull that an earlier reader began may still be pending.
        this.#pulling ??= this.#pull()
        await this.#pulling
      }
    }
  }

  /** Drops the copy. Call when the reply begins, because nothing is sent again after that. */
  forget(): void {
    this.#kept = null
  }

  async #pull(): Promise<void> {
    try {
      const next = await this.#source.next()
      if (next.done === true) this.#ended = true
      else this.#copyPiece(next.value)
    } catch (cause) {
      this.#kept = null
      throw new StudioError('cancelled', 'The sender cancelled the upload.', {}, { cause })
    } finally {
      this.#pulling = null
    }
  }

  #copyPiece(chunk: Uint8Array): void {
    this.#onRead(chunk)
    this.#size += chunk.length
    if (this.#size > this.#limit) this.#kept = null
    if (this.#kept === null) this.#passing.push(chunk)
    else this.#kept.push(chunk)
  }
}
