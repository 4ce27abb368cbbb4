import { StudioError } from '../../errors.ts'

/** The file can't be read in, as one sentence; nothing of it is taken. */
export const damaged = (words: string, cause?: unknown): StudioError =>
  new StudioError('bad_input', words, {}, cause === undefined ? undefined : { cause })

/** What could not be taken over, counted: one sentence for each kind, at most 50. */
export class Notes {
  readonly #counts = new Map<string, number>()

  /** `words` says it of one; `#` in it stands for the count. */
  add(words: string): void {
    this.#counts.set(words, (this.#counts.get(words) ?? 0) + 1)
  }

  list(): string[] {
    const all = [...this.#counts].map(([words, count]) => words.replace('#', String(count)))
    return all.length <= 50 ? all : [...all.slice(0, 49), `There are ${all.length - 49} more notes of this kind.`]
  }
}
