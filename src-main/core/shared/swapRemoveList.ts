/** Something that is in at most one list; the place is the list's own to write. */
export interface SwapRemoveElement {
  place: number
}

/**
 * What is under way now. For things that come and go thousands of times a second, instead of a Set or a Map: each time one of those
 * has filled up with what was deleted, V8 makes a new table and leaves a pointer to it in the old one. Once a dead table has grown
 * old, it keeps all younger ones alive, with everything in them, until the next full collection; for whole requests that was a
 * quarter of all memory that was allocated, and as much CPU as relaying them.
 */
export class SwapRemoveList<T extends SwapRemoveElement> implements Iterable<T> {
  readonly #items: T[] = []

  get size(): number {
    return this.#items.length
  }

  add(item: T): void {
    item.place = this.#items.length
    this.#items.push(item)
  }

  /** Nothing happens where it is not in it. The order changes. */
  delete(item: T): void {
    if (this.#items[item.place] !== item) return
    const last = this.#items.pop()
    if (last === undefined || last === item) return
    last.place = item.place
    this.#items[item.place] = last
  }

  has(item: T): boolean {
    return this.#items[item.place] === item
  }

  /** A copy: the list may change while it is gone through. */
  [Symbol.iterator](): ArrayIterator<T> {
    return [...this.#items].values()
  }
}
