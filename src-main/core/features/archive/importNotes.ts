import type { LeftOutRecord } from '../../../../src-preload/contract/transfers.ts'
import { StudioError } from '../../errors.ts'

/** The error `bad_input` for a file that cannot be imported. `words` is one sentence with the reason. */
export const damaged = (words: string, cause?: unknown): StudioError =>
  new StudioError('bad_input', words, {}, cause === undefined ? undefined : { cause })

/** The reason why one record of a file can't be imported, one sentence. Null for a failure that concerns the whole import. */
export function faultOf(thrown: unknown): string | null {
  // Deep nesting overflows the stack of a recursive check.
  if (thrown instanceof RangeError) return 'It is nested too deeply.'
  return thrown instanceof StudioError && thrown.kind === 'bad_input' ? thrown.message : null
}

/** Most left out records that are listed with their titles. */
const mostLeftOut = 1000

/** Counts what could not be imported: one sentence per kind, at most 50, and the records that were left out, by title. */
export class Notes {
  readonly #counts = new Map<string, number>()
  readonly #leftOut: LeftOutRecord[] = []
  #more = 0

  /**
   * Adds one occurrence. In the sentence, `#` becomes the count, `{s}` an "s" unless the count is 1, and `{are|is}` the first or, for 1, the second
   * form.
   */
  add(words: string): void {
    this.#counts.set(words, (this.#counts.get(words) ?? 0) + 1)
  }

  /** Names a record that is not imported, or only in part, with one sentence for the reason. */
  leaveOut(title: string, reason: string): void {
    if (this.#leftOut.length < mostLeftOut) this.#leftOut.push({ title: shortened(title), reason })
    else this.#more += 1
  }

  /** Imports one record. If the record is bad, names it, so that the others are imported. Returns whether the record was good. */
  async attempt(title: () => Promise<string> | string, work: () => Promise<void>): Promise<boolean> {
    try {
      await work()
      return true
    } catch (thrown) {
      const reason = faultOf(thrown)
      if (reason === null) throw thrown
      this.leaveOut(await title(), reason)
      return false
    }
  }

  /** The records that were left out, and the number of those beyond the first 1,000. */
  leftOut(): { leftOut: LeftOutRecord[]; leftOutMore: number } {
    return { leftOut: [...this.#leftOut], leftOutMore: this.#more }
  }

  /** Adds the note about an incomplete character, which SQLite cannot store as UTF-8. */
  addBrokenText = (): void =>
    this.add('# text{s} contained incomplete characters (lone surrogates), which were replaced with �.')

  list(): string[] {
    const all = [...this.#counts].map(([words, count]) =>
      words
        .replace('#', String(count))
        .replaceAll(/\{([^{}|]*)\|?([^{}|]*)\}/g, (_, many: string, one: string) => (count === 1 ? one : many)),
    )
    return all.length <= 50 ? all : [...all.slice(0, 49), `There are ${all.length - 49} more notes of this kind.`]
  }
}

/** A title in one line, of a length that a list can show. */
function shortened(title: string): string {
  const line = title.replaceAll(/\s+/gu, ' ').trim().toWellFormed()
  return line.length <= 200 ? line : `${line.slice(0, 199).toWellFormed()}…`
}
