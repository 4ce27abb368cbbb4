/** Element of at most one SwapRemoveList, which owns `place`. */
export interface SwapRemoveElement {
  place: number
}

/**
 * A list for elements that are added and removed thousands of times a second, such as running requests. A Set or a Map is worse for them.
 * Each time its table has filled up with deleted entries, V8 allocates a new table and leaves a pointer to it in the old one. A dead table
 * in the old generation then keeps all younger tables and their entries alive until the next full collection. For requests, that was a
 * quarter of all allocated memory, and as much CPU time as relaying them.
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

  /** Does nothing when the item is not in the list. Changes the order of the others. */
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

  /** Iterates over a copy, so the list may change during the iteration. */
  [Symbol.iterator](): ArrayIterator<T> {
    return [...this.#items].values()
  }
}
