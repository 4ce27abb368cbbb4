import type { Note, Sentence } from '../../../../src-preload/contract/note.ts'
import type { LeftOutRecord } from '../../../../src-preload/contract/transfers.ts'
import { StudioError } from '../../errors.ts'
import { note, sentenceOfError } from '../../shared/notes.ts'

/** The reason why one record of a file can't be imported. Null for a failure that concerns the whole import. */
export function faultOf(thrown: unknown): Sentence | null {
  // Deep nesting overflows the stack of a recursive check.
  if (thrown instanceof RangeError) return note('file.deep')
  return thrown instanceof StudioError && thrown.kind === 'bad_input' ? sentenceOfError(thrown) : null
}

/** Most left out records that are listed with their titles. */
const mostLeftOut = 1000

/** The notes that count something. */
type CountKey =
  | `import.${'attached' | 'citations' | 'copies' | 'detached' | 'asJson' | 'recordings' | 'restored' | 'noImages'}`
  | `import.${'noDocuments' | 'additional' | 'brokenText'}`
  | `sync.${'moreFiles' | 'future' | 'tooManyItems' | 'fullProject' | 'busy' | 'sameId' | 'elsewhere'}`

/** Counts what could not be imported: one note per kind, and the records that were left out, by title. */
export class Notes {
  readonly #counts = new Map<CountKey, number>()
  /** Files that their project has no room for, and how many it can have. */
  #beyond = { figure: 0, most: 0 }
  readonly #leftOut: LeftOutRecord[] = []
  #more = 0

  /** Adds one occurrence. */
  add(key: CountKey): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
  }

  /** Adds a file that is left out, because its project can have at most `most`. */
  addBeyond(most: number): void {
    this.#beyond = { figure: this.#beyond.figure + 1, most }
  }

  /** Names a record that is not imported, or only in part. */
  leaveOut(title: Sentence, reason: Sentence): void {
    if (this.#leftOut.length < mostLeftOut)
      this.#leftOut.push({ title: typeof title === 'string' ? shortened(title) : title, reason })
    else this.#more += 1
  }

  /** Imports one record. If the record is bad, names it, so that the others are imported. Returns whether the record was good. */
  async attempt(title: () => Promise<Sentence> | Sentence, work: () => Promise<void>): Promise<boolean> {
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
  addBrokenText = (): void => this.add('import.brokenText')

  list(): Note[] {
    const counted = [...this.#counts].map(([key, figure]) => note(key, { figure }))
    return [...counted, ...(this.#beyond.figure > 0 ? [note('import.fullProject', this.#beyond)] : [])]
  }
}

/** A title in one line, of a length that a list can show. */
function shortened(title: string): string {
  const line = title.replaceAll(/\s+/gu, ' ').trim().toWellFormed()
  return line.length <= 200 ? line : `${line.slice(0, 199).toWellFormed()}…`
}
