import type { Fields } from '../../../upstream/json/values.ts'

/** Maximum number of entries, so that the response header stays small. */
const maxEntries = 48
const maxNameLength = 60

/** The fields, tools and blocks of one request to the Messages API that have no effect, each named once. */
export class IgnoredMessagesFields {
  readonly #names = new Set<string>()

  /** Names come from the request. Only characters that are safe in a header remain, and the list has a maximum length. */
  add(name: string): void {
    if (this.#names.size === maxEntries) this.#names.add('more')
    else if (this.#names.size < maxEntries) this.#names.add(name.slice(0, maxNameLength).replace(/[^\w.-]/g, '_'))
  }

  /**
   * Adds each field of `value` that is not in `known` and not null. `cache_control` has the same name everywhere, since agents send it on
   * many blocks.
   */
  addUnknown(value: Fields, known: ReadonlySet<string>, prefix: string): void {
    for (const key of Object.keys(value)) {
      if (known.has(key) || value[key] === null || value[key] === undefined) continue
      this.add(key === 'cache_control' ? key : `${prefix}${key}`)
    }
  }

  /** In the order in which they were found. */
  list(): string[] {
    return [...this.#names]
  }
}
