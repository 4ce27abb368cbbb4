import type { AdmissionRequest } from '../../ports/requests.ts'
import type { Obstacle } from './capacity.ts'

export interface QueuedRequest {
  readonly wish: AdmissionRequest
  /** Later arrivals have a higher one. */
  readonly number: number
  /** On the desk's clock. */
  readonly since: number
}

/** The studio goes first so many times in a row at most while tools wait. */
const studioRun = 8
/** Smaller requests may go past one that waits for tokens until it has waited this long. */
const passedByMs = 10_000

/** Those of one asker, in order. What needs no slot does not wait behind what does. */
class Line<W extends QueuedRequest> {
  readonly slotted = new Set<W>()
  readonly slotless = new Set<W>()

  get size(): number {
    return this.slotted.size + this.slotless.size
  }

  of(wish: AdmissionRequest): Set<W> {
    return wish.slot ? this.slotted : this.slotless
  }

  /** Who is first of each kind, the earlier one first. */
  *heads(): Generator<W, void, undefined> {
    const [slotted] = this.slotted
    const [slotless] = this.slotless
    const later = slotted && slotless && slotted.number > slotless.number
    if (slotted && !later) yield slotted
    if (slotless) yield slotless
    if (slotted && later) yield slotted
  }
}

/** Everyone who waits, and whose turn it is: the studio first, then tool after tool, each tool's own in order. */
export class FairQueue<W extends QueuedRequest> {
  readonly #all = new Set<W>()
  readonly #studio = new Line<W>()
  /** In the order of their turns: whoever was served goes to the end. */
  readonly #tools = new Map<string, Line<W>>()
  #slotless = 0
  #studioInARow = 0

  get size(): number {
    return this.#all.size
  }

  /** Of those, how many need no slot. */
  get slotless(): number {
    return this.#slotless
  }

  /** In the order of arrival. */
  all(): Iterable<W> {
    return this.#all
  }

  oldest(): W | undefined {
    const [first] = this.#all
    return first
  }

  waitingOf(tool: string): number {
    return this.#tools.get(tool)?.size ?? 0
  }

  add(waiting: W): void {
    const { asker, slot } = waiting.wish
    this.#all.add(waiting)
    if (!slot) this.#slotless += 1
    this.#lineOf(asker.kind === 'tool' ? asker.id : null)
      .of(waiting.wish)
      .add(waiting)
  }

  /** Takes out one that gave up. */
  remove(waiting: W): void {
    const line = this.#takeOut(waiting)
    const { asker } = waiting.wish
    if (asker.kind === 'tool' && line.size === 0) this.#tools.delete(asker.id)
  }

  /** Takes out one that was let in. */
  serve(waiting: W): void {
    const line = this.#takeOut(waiting)
    const { asker } = waiting.wish
    if (asker.kind === 'studio') {
      this.#studioInARow = this.#tools.size > 0 ? this.#studioInARow + 1 : 0
      return
    }
    this.#studioInARow = 0
    this.#tools.delete(asker.id)
    if (line.size > 0) this.#tools.set(asker.id, line)
  }

  /** Whose turn it is, of those in whose way nothing stands. */
  next(now: number, obstacle: (wish: AdmissionRequest) => Obstacle | null): W | null {
    let tokensKept = false
    for (const line of this.#inTurn()) {
      for (const head of line.heads()) {
        const stands = obstacle(head.wish)
        if (stands === null && !(tokensKept && head.wish.tokens > 0)) return head
        if (stands === 'tokens' && now - head.since >= passedByMs) tokensKept = true
      }
    }
    return null
  }

  *heads(): Generator<W, void, undefined> {
    for (const line of this.#inTurn()) yield* line.heads()
  }

  #inTurn(): Line<W>[] {
    return this.#studioInARow < studioRun
      ? [this.#studio, ...this.#tools.values()]
      : [...this.#tools.values(), this.#studio]
  }

  #takeOut(waiting: W): Line<W> {
    const { asker, slot } = waiting.wish
    const line = this.#lineOf(asker.kind === 'tool' ? asker.id : null)
    this.#all.delete(waiting)
    line.of(waiting.wish).delete(waiting)
    if (!slot) this.#slotless -= 1
    return line
  }

  #lineOf(tool: string | null): Line<W> {
    if (tool === null) return this.#studio
    let line = this.#tools.get(tool)
    if (!line) {
      line = new Line()
      this.#tools.set(tool, line)
    }
    return line
  }
}
