/** A browser's storage, shared by windows, full or blocked when the test says so. */
export class MemoryStorage implements Storage {
  readonly #items = new Map<string, string>()
  /** UTF-16 units of all keys and values together. */
  quota = Number.POSITIVE_INFINITY

  get length(): number {
    return this.#items.size
  }
  key(at: number): string | null {
    return [...this.#items.keys()][at] ?? null
  }
  getItem(key: string): string | null {
    return this.#items.get(key) ?? null
  }
  setItem(key: string, value: string): void {
    const others = [...this.#items].filter(([one]) => one !== key)
    const size = [...others, [key, value]].reduce((sum, [one = '', text = '']) => sum + one.length + text.length, 0)
    if (size > this.quota) throw new DOMException('The quota has been exceeded.', 'QuotaExceededError')
    this.#items.set(key, value)
  }
  removeItem(key: string): void {
    this.#items.delete(key)
  }
  clear(): void {
    this.#items.clear()
  }
}
