import { StudioError } from '../../errors.ts'

/** The error `bad_input` for a file that cannot be imported. `words` is one sentence with the reason. */
export const damaged = (words: string, cause?: unknown): StudioError =>
  new StudioError('bad_input', words, {}, cause === undefined ? undefined : { cause })

/** Counts what could not be imported: one sentence per kind, at most 50. */
export class Notes {
  readonly #counts = new Map<string, number>()

  /** Adds one occurrence. `#` in the sentence is replaced with the count. */
  add(words: string): void {
    this.#counts.set(words, (this.#counts.get(words) ?? 0) + 1)
  }

  /** Adds the note about an incomplete character, which SQLite cannot store as UTF-8. */
  addBrokenText = (): void =>
    this.add('# texts contained incomplete characters (lone surrogates), which were replaced with �.')

  list(): string[] {
    const all = [...this.#counts].map(([words, count]) => words.replace('#', String(count)))
    return all.length <= 50 ? all : [...all.slice(0, 49), `There are ${all.length - 49} more notes of this kind.`]
  }
}
