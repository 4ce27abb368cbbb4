import type { AdmissionRequest } from '../../ports/requests.ts'
import type { Obstacle } from './capacity.ts'

export interface QueuedRequest {
  readonly request: AdmissionRequest
  /** Increases with each arrival. */
  readonly number: number
  /** Time of arrival on the scheduler's clock, ms. */
  readonly since: number
}

/** How many studio requests may be served in a row while apps wait. */
const maxStudioRun = 8
/** How long smaller requests may overtake a request that waits for tokens, ms. */
const overtakeMs = 10_000

/** The waiting requests of one sender, in order. Requests without a slot do not wait behind those with one. */
class SenderQueue<W extends QueuedRequest> {
  readonly slotted = new Set<W>()
  readonly slotless = new Set<W>()

  get size(): number {
    return this.slotted.size + this.slotless.size
  }

  of(request: AdmissionRequest): Set<W> {
    return request.slot ? this.slotted : this.slotless
  }

  /** The first request with a slot and the first without one, the earlier request first. */
  *heads(): Generator<W, void, undefined> {
    const [slotted] = this.slotted
    const [slotless] = this.slotless
    const later = slotted && slotless && slotted.number > slotless.number
    if (slotted && !later) yield slotted
    if (slotless) yield slotless
    if (slotted && later) yield slotted
  }
}

/** All waiting requests and their turns: the studio first, then one app after another, in order within each. */
export class FairQueue<W extends QueuedRequest> {
  readonly #all = new Set<W>()
  readonly #studio = new SenderQueue<W>()
  /** In the order of their turns. An app that was served moves to the end. */
  readonly #apps = new Map<string, SenderQueue<W>>()
  #slotless = 0
  #studioInARow = 0

  get size(): number {
    return this.#all.size
  }

  /** How many waiting requests need no slot. */
  get slotless(): number {
    return this.#slotless
  }

  /** In order of arrival. */
  all(): Iterable<W> {
    return this.#all
  }

  oldest(): W | undefined {
    const [first] = this.#all
    return first
  }

  waitingOf(app: string): number {
    return this.#apps.get(app)?.size ?? 0
  }

  add(waiting: W): void {
    const { requester, slot } = waiting.request
    this.#all.add(waiting)
    if (!slot) this.#slotless += 1
    this.#queueOf(requester.kind === 'app' ? requester.id : null)
      .of(waiting.request)
      .add(waiting)
  }

  /** Removes a request that gave up. */
  remove(waiting: W): void {
    const queue = this.#takeOut(waiting)
    const { requester } = waiting.request
    if (requester.kind === 'app' && queue.size === 0) this.#apps.delete(requester.id)
  }

  /** Removes a request that was admitted, and moves its app to the end. */
  serve(waiting: W): void {
    const queue = this.#takeOut(waiting)
    const { requester } = waiting.request
    if (requester.kind === 'studio') {
      this.#studioInARow = this.#apps.size > 0 ? this.#studioInARow + 1 : 0
      return
    }
    this.#studioInARow = 0
    this.#apps.delete(requester.id)
    if (queue.size > 0) this.#apps.set(requester.id, queue)
  }

  /** The first request in turn without an obstacle, or null. */
  next(now: number, obstacle: (request: AdmissionRequest) => Obstacle | null): W | null {
    let areTokensReserved = false
    for (const queue of this.#inTurn()) {
      for (const head of queue.heads()) {
        const found = obstacle(head.request)
        if (found === null && !(areTokensReserved && head.request.tokens > 0)) return head
        if (found === 'tokens' && now - head.since >= overtakeMs) areTokensReserved = true
      }
    }
    return null
  }

  /** The first requests of every sender, in turn. */
  *heads(): Generator<W, void, undefined> {
    for (const queue of this.#inTurn()) yield* queue.heads()
  }

  #inTurn(): SenderQueue<W>[] {
    return this.#studioInARow < maxStudioRun
      ? [this.#studio, ...this.#apps.values()]
      : [...this.#apps.values(), this.#studio]
  }

  #takeOut(waiting: W): SenderQueue<W> {
    const { requester, slot } = waiting.request
    const queue = this.#queueOf(requester.kind === 'app' ? requester.id : null)
    this.#all.delete(waiting)
    queue.of(waiting.request).delete(waiting)
    if (!slot) this.#slotless -= 1
    return queue
  }

  #queueOf(app: string | null): SenderQueue<W> {
    if (app === null) return this.#studio
    let queue = this.#apps.get(app)
    if (!queue) {
      queue = new SenderQueue()
      this.#apps.set(app, queue)
    }
    return queue
  }
}
