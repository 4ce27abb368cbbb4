import { JsonScan } from '../json/jsonScan.ts'
import { parseBetween } from '../json/offsets.ts'

/** Maximum number of bytes captured of one value. A usage has some hundred bytes. */
const maxValueBytes = 64 * 1024
const maxKeyBytes = 256

/** Finds the values of some top-level keys of a JSON object that arrives in chunks. Memory is bounded, whatever the size of the object. */
export class TopLevel extends JsonScan {
  readonly #wanted: readonly string[]
  readonly #found = new Map<string, unknown>()
  /** The wanted key whose value comes next or is being captured. */
  #key: string | null = null

  constructor(wanted: readonly string[]) {
    super({ anyBytes: true })
    this.#wanted = wanted
  }

  /** The last value of a wanted key. Undefined when the key is missing, or its value is incomplete, too large or no JSON. */
  value(key: string): unknown {
    return this.#found.get(key)
  }

  protected override stringBegan(isKey: boolean, at: number): void {
    if (isKey && this.depth === 1) this.startCapture(at, maxKeyBytes)
  }

  protected override stringEnded(isKey: boolean, bytes: Buffer, at: number): void {
    if (!isKey || this.depth !== 1) return
    const key = this.#captured(bytes, at)
    this.#key = typeof key === 'string' && this.#wanted.includes(key) ? key : null
  }

  protected override valueBegan(at: number): void {
    if (this.depth === 1 && this.#key !== null) this.startCapture(at, maxValueBytes)
  }

  protected override valueEnded(bytes: Buffer, at: number): void {
    if (this.depth !== 1 || this.#key === null) return
    this.#found.set(this.#key, this.#captured(bytes, at))
    this.#key = null
  }

  #captured(bytes: Buffer, at: number): unknown {
    const captured = this.stopCapture(bytes, at)
    return captured === null ? undefined : parseBetween(captured, 0, captured.length)
  }
}
