import { WorkerLine } from '../workerQueue.ts'
import type { LineMarks, PaintAnswer, PaintQuestion } from './paint.ts'

/** ms for one piece of 80 lines; the first one of a language fetches its grammar, too. */
const pieceLimit = 4_000
const firstLimit = 15_000

const line = new WorkerLine<PaintQuestion, PaintAnswer>(
  () => new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'code' }),
)
let blocks = 0

/** Marks of blocks that were painted whole, so that scrolling back shows them at once. */
const kept = new Map<string, readonly LineMarks[]>()
const maxKept = 400

const nothing: readonly LineMarks[] = []

interface Piece {
  /** What its marks were made of. */
  text: string
  marks: readonly LineMarks[]
  near: boolean
  notify: () => void
}

/**
 * Paints one block's pieces, those near the view only. At most one question is under way, and the next one is about the newest
 * text: a stream that is faster than the worker costs no queue. Each line is painted once, however the text arrives, and
 * once more for each new visit.
 */
export class BlockPainter {
  readonly #language: string
  #id = ++blocks
  #texts: readonly string[] = []
  readonly #pieces = new Map<number, Piece>()
  /** Pieces whose start state the worker knows: 0 to this. */
  #stated = 0
  #generation = line.generation
  #asking = false
  #over = false
  #settled = false
  /** The worker holds something of this block. */
  #asked = false

  constructor(language: string) {
    this.#language = language
  }

  /** Marks of a piece's lines, as far as they are known for the text that stands there now. */
  marks(at: number): readonly LineMarks[] {
    const piece = this.#pieces.get(at)
    if (piece && piece.marks !== nothing) return piece.marks
    const [only] = this.#texts
    return (this.#texts.length === 1 && only !== undefined && kept.get(`${this.#language}\n${only}`)) || nothing
  }

  /** `settled`: the block grows no more. */
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

  /** `tell` is called when the marks of piece `at` changed. The answer ends it. */
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
      // Late or broken: what hangs once hangs again, so this block stays as it is.
      this.#over = true
    }
    this.#asking = false
  }

  /** The first piece near the view whose marks are behind its text, or one before it whose end state it needs. */
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
      // From a worker begun anew meanwhile, which knows nothing of this block, it means only that.
      if (this.#generation === line.generation) this.#over = true
      return
    }
    if (at === this.#stated && this.#texts.length > at + 1 && this.#texts[at] === text) this.#stated = at + 1
    const piece = this.#pieces.get(at)
    if (!wanted || !piece) return
    const before = answer.from === 0 ? nothing : piece.marks
    // A visit anew: the worker may still know lines that this piece never heard of.
    if (before.length < answer.from) {
      this.#restart()
      return
    }
    piece.text = text
    piece.marks = [...before.slice(0, answer.from), ...answer.lines]
    if (this.#settled && this.#texts.length === 1 && this.#texts[0] === text)
      keep(`${this.#language}\n${text}`, piece.marks)
    piece.notify()
  }

  #question(at: number, wanted: boolean, language: string): PaintQuestion {
    const before = this.#texts[at - 1]
    const inLine = before !== undefined && !before.endsWith('\n')
    return { block: this.#id, language, at, text: this.#texts[at] ?? '', inLine, wanted }
  }
}

function keep(key: string, marks: readonly LineMarks[]): void {
  kept.delete(key)
  kept.set(key, marks)
  for (const oldest of kept.keys()) {
    if (kept.size <= maxKept) return
    kept.delete(oldest)
  }
}
