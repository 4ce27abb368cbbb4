import { createHash } from 'node:crypto'
import { asStudioError } from '../../errors.ts'
import type { FileContent, FileReader } from '../../ports/fileReader.ts'
import { type FileTexts, maxFileCharacters, type UnreadFile } from '../dialects/requestFiles.ts'
import type { Unread } from '../dialects/translationWorker.ts'
import { FairWorkers, type LaneWorker } from './fairWorkers.ts'

type FileText = { text: string; problem: string | null }
type Read = (reader: FileReader) => Promise<FileText>

export interface FileTextBounds {
  /** Most converters. An app uses one of them at a time. */
  readers: number
  /** How long a file may keep a file of another app waiting while all converters are busy, ms. */
  shareMs: number
  /** How long a request waits for its files, ms. A file that has begun is read to its end. */
  requestMs: number
  /** Most text that is kept for an app, UTF-16 units. */
  perApp: number
  /** Most apps whose texts are kept. */
  apps: number
}

const defaults: FileTextBounds = { readers: 2, shareMs: 10_000, requestMs: 90_000, perApp: 4_000_000, apps: 8 }

/** Counted for each text beside its own length, so that many short ones are bounded too. */
const lengthOfEntry = 1000

const late = 'There was no time to read it. It is read with a later request.'
const tooMuch = 'The files of this request have too much text.'

/**
 * The texts of files in requests, read by the document converter. Agents send a file again in every turn, so its text is kept in memory by
 * the hash of its content, for each app on its own.
 */
export class RequestFileTexts {
  readonly #bounds: FileTextBounds
  readonly #readers: FairWorkers<Read, FileText>
  /** By app, the one that was used last at the end. */
  readonly #kept = new Map<string, KeptTexts>()

  /** @param open a converter of its own for each call */
  constructor(open: () => FileReader, bounds: Partial<FileTextBounds> = {}) {
    this.#bounds = { ...defaults, ...bounds }
    const { readers: workers, shareMs, requestMs: jobMs } = this.#bounds
    this.#readers = new FairWorkers({ open: () => laneOf(open()), workers, shareMs, jobMs })
  }

  /** The texts of files, with the reason where there is none. @throws StudioError `cancelled` */
  async #texts(app: string, files: readonly UnreadFile[], signal: AbortSignal): Promise<FileTexts> {
    const kept = this.#keptOf(app)
    const texts = new Map<string, FileText>()
    const end = performance.now() + this.#bounds.requestMs
    let left = maxFileCharacters
    for (const file of files) {
      const known = kept.get(file.id)
      const isLate = performance.now() >= end
      const text =
        known ?? (left <= 0 ? nothing(tooMuch) : isLate ? nothing(late) : await this.#read(app, file, signal))
      texts.set(file.id, text)
      left -= text.text.length
    }
    return texts
  }

  /**
   * Runs a translation, and once more with the texts of the files that it lacked.
   * @throws StudioError `cancelled`, and what the translation throws
   */
  async translated<T extends object>(
    app: string,
    signal: AbortSignal,
    translate: (texts: FileTexts | undefined) => Promise<T | Unread> | T | Unread,
  ): Promise<T> {
    const first = await translate(undefined)
    if (!('unread' in first)) return first
    const second = await translate(await this.#texts(app, first.unread, signal))
    if ('unread' in second) throw new TypeError('A translation with the texts of all its files lacks none.')
    return second
  }

  /** The text of one file, at most `maxFileCharacters` of it, or the reason why there is none. @throws StudioError `cancelled` */
  async text(app: string, file: FileContent, signal: AbortSignal): Promise<FileText> {
    const unread = { ...file, id: createHash('sha256').update(file.bytes).update(file.name).digest('hex') }
    return this.#keptOf(app).get(unread.id) ?? this.#read(app, unread, signal)
  }

  terminate = (): Promise<void> => this.#readers.terminate()

  async #read(app: string, file: UnreadFile, signal: AbortSignal): Promise<FileText> {
    const kept = this.#keptOf(app)
    // Another request of the app may have read the same file while this one waited.
    const read: Read = async (reader) => kept.get(file.id) ?? kept.set(file.id, await textOf(reader, file))
    return (await this.#readers.run(app, () => read, signal)) ?? nothing(late)
  }

  #keptOf(app: string): KeptTexts {
    const kept = this.#kept.get(app) ?? new KeptTexts(this.#bounds.perApp)
    this.#kept.delete(app)
    this.#kept.set(app, kept)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > this.#bounds.apps && oldest !== undefined) this.#kept.delete(oldest)
    return kept
  }
}

const nothing = (problem: string): FileText => ({ text: '', problem })

const laneOf = (reader: FileReader): LaneWorker<Read, FileText> => ({
  run: (begin) => begin()(reader),
  terminate: () => reader.terminate(),
})

/** @throws StudioError `cancelled`, and what is no fault of the file */
async function textOf(reader: FileReader, file: UnreadFile): Promise<FileText> {
  try {
    return { text: await reader.read(file, maxFileCharacters), problem: null }
  } catch (thrown) {
    const error = asStudioError(thrown)
    if (error.kind !== 'bad_input') throw thrown
    return nothing(error.message)
  }
}

/** Texts by id, the one that was used last at the end. */
class KeptTexts {
  readonly #texts = new Map<string, FileText>()
  readonly #most: number
  #length = 0

  constructor(most: number) {
    this.#most = most
  }

  get(id: string): FileText | null {
    const text = this.#texts.get(id)
    if (text === undefined) return null
    this.#texts.delete(id)
    this.#texts.set(id, text)
    return text
  }

  set(id: string, text: FileText): FileText {
    this.#texts.set(id, text)
    this.#length += lengthOf(text)
    for (const [oldest, other] of this.#texts) {
      if (this.#length <= this.#most) break
      this.#texts.delete(oldest)
      this.#length -= lengthOf(other)
    }
    return text
  }
}

const lengthOf = ({ text, problem }: FileText): number => lengthOfEntry + text.length + (problem?.length ?? 0)
