import { createHash } from 'node:crypto'

/** A file in a request, such as a PDF, whose text is not known to the translation yet. */
export interface UnreadFile {
  /** SHA-256 of the content as it was sent. */
  id: string
  bytes: Uint8Array
  /** File name, or empty. */
  name: string
}

/** Text of a file by `UnreadFile.id`. `problem` says in one sentence why there is none. */
export type FileTexts = ReadonlyMap<string, { text: string; problem: string | null }>

/** Most different files of one request that are read. */
const maxFiles = 100
/** Most text of all files of one request, UTF-16 units. A chat message of this program sends no more either. */
export const maxFileCharacters = 2_000_000

/**
 * The files of one request. A translation has no access to the document converter: it collects the files whose text it lacks, and is run
 * again with their texts.
 */
export class RequestFiles {
  /** Files that have to be read before the translation counts. */
  readonly unread: UnreadFile[] = []
  readonly #texts: FileTexts
  readonly #seen = new Set<string>()
  #left = maxFileCharacters

  constructor(texts: FileTexts = new Map()) {
    this.#texts = texts
  }

  /** The text of a file, or a note in its place that says what the reason is. @param mediaType names a file without a name */
  text({ base64, mediaType, name }: { base64: string; mediaType: string; name: string }): {
    text: string
    isRead: boolean
  } {
    const id = createHash('sha256').update(base64).digest('base64url')
    const what = `The file ${JSON.stringify((name === '' ? mediaType : name).slice(0, 200))}`
    const note = (problem: string) => ({ text: `[${what} could not be read: ${problem}]`, isRead: false })
    const isFirst = !this.#seen.has(id)
    if (isFirst && this.#seen.size >= maxFiles) return note(`Only ${maxFiles} different files of a request are read.`)
    this.#seen.add(id)
    const known = this.#texts.get(id)
    if (known === undefined) {
      if (isFirst) this.unread.push({ id, bytes: Buffer.from(base64, 'base64'), name })
      return note('It has not been read yet.')
    }
    if (known.problem !== null) return note(known.problem)
    return { text: this.#bounded(known.text), isRead: true }
  }

  #bounded(text: string): string {
    const kept = text.length <= this.#left ? text : text.slice(0, this.#left).toWellFormed()
    this.#left -= kept.length
    if (kept.length === text.length) return text
    return `${kept}\n[The rest of this file was left out, because the files of this request have too much text.]`
  }
}
