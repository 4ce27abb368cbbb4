import { WorkerLine } from '../workerQueue.ts'
import type { LineMarks, PaintAnswer, PaintQuestion } from './paint.ts'

/** Time limit for one piece of 80 lines, ms. The first piece of a language also loads its grammar. */
const pieceLimit = 4_000
const firstLimit = 15_000

const line = new WorkerLine<PaintQuestion, PaintAnswer>(
  () => new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'code' }),
)
let blocks = 0

/** Marks of completely coloured blocks, so that scrolling back shows them at once. */
const cachedMarks = new Map<string, readonly LineMarks[]>()
const maxKept = 400

const nothing: readonly LineMarks[] = []

interface Piece {
  /** The text that the marks belong to. */
  text: string
  marks: readonly LineMarks[]
  near: boolean
  notify: () => void
}

/**
 * Colours the pieces of one block that are near the view. At most one request runs, and the next request uses the newest text, so that a
 * fast stream builds no queue. Each line is coloured once, however the text arrives, and once more per visit.
 */
export class BlockPainter {
  readonly #language: string
  #id = ++blocks
  #texts: readonly string[] = []
  readonly #pieces = new Map<number, Piece>()
  /** The worker knows the start state of the pieces 0 to this one. */
  #stated = 0
  #generation = line.generation
  #asking = false
  #over = false
  #settled = false
  /** Whether the worker stores state of this block. */
  #asked = false

  constructor(language: string) {
    this.#language = language
  }

  /** Known marks of a piece's lines for its current text. */
  marks(at: number): readonly LineMarks[] {
    const piece = this.#pieces.get(at)
    if (piece && piece.marks !== nothing) return piece.marks
    const [only] = this.#texts
    return (this.#texts.length === 1 && only !== undefined && cachedMarks.get(`${this.#language}\n${only}`)) || nothing
  }

  /** @param settled the block no longer grows */
  update(texts: readonly string[], settled: boolean): void {
    this.#settled = settled
    const least = Math.min(this.#stated, texts.length)
    for (let at = 0; at < least; at++) {
      if (this.#texts[at] === texts[at]) continue
      this.#restart()
      break
    }
    this.#texts = texts
    void this.#go()
  }

  /** Calls `notify` when the marks of piece `at` change. Returns the function that stops it. */
  follow(at: number, notify: () => void): () => void {
    const piece: Piece = { text: '', marks: nothing, near: false, notify }
    this.#pieces.set(at, piece)
    return () => {
      if (this.#pieces.get(at) === piece) this.#pieces.delete(at)
    }
  }

  near(at: number, near: boolean): void {
    const piece = this.#pieces.get(at)
    if (!piece || piece.near === near) return
    piece.near = near
    if (near) void this.#go()
  }

  close(): void {
    this.#over = true
    if (line.generation === this.#generation) this.#forget()
  }

  reopen(): void {
    if (!this.#over) return
    this.#over = false
    this.#restart()
    void this.#go()
  }

  #restart(): void {
    this.#forget()
    this.#id = ++blocks
    this.#stated = 0
    for (const piece of this.#pieces.values()) piece.text = ''
  }

  #forget(): void {
    if (this.#asked) void line.ask(this.#question(0, false, ''), pieceLimit).catch(() => undefined)
    this.#asked = false
  }
  async #go(): Promise<void> {
    if (this.#asking || this.#over) return
    this.#asking = true
    try {
      for (let next = this.#next(); next && !this.#over; next = this.#next()) await this.#ask(next.at, next.wanted)
    } catch {
      // The worker exceeded its time limit or failed. A retry would fail again, so this block stays plain.
      this.#over = true
    }
    this.#asking = false
  }

  /** The first piece near the view with outdated marks, or an earlier one whose end state that piece needs. */
  #next(): { at: number; wanted: boolean } | null {
    if (this.#generation !== line.generation) {
      this.#generation = line.generation
      this.#stated = 0
      this.#asked = false
    }
    for (const [at, piece] of this.#pieces) {
      const text = this.#texts[at]
      if (!piece.near || text === undefined || piece.text === text) continue
      return at <= this.#stated ? { at, wanted: true } : { at: this.#stated, wanted: false }
    }
    return null
  }

  async #ask(at: number, wanted: boolean): Promise<void> {
    const text = this.#texts[at] ?? ''
    const id = this.#id
    const first = !this.#asked
    this.#asked = true
    const answer = await line.ask(this.#question(at, wanted, this.#language), first ? firstLimit : pieceLimit)
    if (id !== this.#id) return
    if (answer === null) {
      // Does not give up after a restart of the worker, because the new worker does not know this block.
      if (this.#generation === line.generation) this.#over = true
      return
    }
    if (at === this.#stated && this.#texts.length > at + 1 && this.#texts[at] === text) this.#stated = at + 1
    const piece = this.#pieces.get(at)
    if (!wanted || !piece) return
    const before = answer.from === 0 ? nothing : piece.marks
    // On a new visit, the worker may know lines that this object has no marks for.
    if (before.length < answer.from) {
      this.#restart()
      return
    }
    piece.text = text
    piece.marks = [...before.slice(0, answer.from), ...answer.lines]
    if (this.#settled && this.#texts.length === 1 && this.#texts[0] === text)
      cacheMarks(`${this.#language}\n${text}`, piece.marks)
    piece.notify()
  }

  #question(at: number, wanted: boolean, language: string): PaintQuestion {
    const before = this.#texts[at - 1]
    const inLine = before !== undefined && !before.endsWith('\n')
    return { block: this.#id, language, at, text: this.#texts[at] ?? '', inLine, wanted }
  }
}

function cacheMarks(key: string, marks: readonly LineMarks[]): void {
  cachedMarks.delete(key)
  cachedMarks.set(key, marks)
  for (const oldest of cachedMarks.keys()) {
    if (cachedMarks.size <= maxKept) return
    cachedMarks.delete(oldest)
  }
}
