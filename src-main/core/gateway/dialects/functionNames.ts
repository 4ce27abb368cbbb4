/** Longest function name of chat completions. */
const maxLength = 64

/**
 * Gives each tool of a request, and each tool in its history, a function name that services accept. A name that services would refuse is
 * shortened and gets a checksum, so that a tool has the same name in each turn. Two tools never have the same function name. The work is
 * linear in the names.
 */
export class FunctionNames {
  readonly #names = new Map<string, string>()
  readonly #keys = new Map<string, string>()
  readonly #renamed = new Map<string, string>()
  /** The next number to try after the start of a name that several tools share, so that thousands of such tools are named in linear time. */
  readonly #nextNumbers = new Map<string, number>()

  /**
   * The function name of a tool: the wanted one where it is allowed and no other tool has it.
   * @param key what distinguishes the tool from all others
   */
  nameOf(key: string, wanted: string): string {
    const known = this.#names.get(key)
    if (known !== undefined) return known
    const allowed = allowedName(wanted)
    const name = this.#keys.has(allowed) ? this.#numbered(allowed.slice(0, maxLength - 8)) : allowed
    this.#names.set(key, name)
    this.#keys.set(name, key)
    if (name !== wanted) this.#renamed.set(name, wanted)
    return name
  }

  /** The wanted names of the tools that have another one, by function name. */
  renamed(): ReadonlyMap<string, string> {
    return this.#renamed
  }

  #numbered(start: string): string {
    let next = this.#nextNumbers.get(start) ?? 2
    while (this.#keys.has(`${start}_${next}`)) next++
    this.#nextNumbers.set(start, next + 1)
    return `${start}_${next}`
  }
}

/** A name with the characters and the length that services accept. */
function allowedName(wanted: string): string {
  const safe = wanted.replace(/[^a-zA-Z0-9_-]/g, '_')
  if (safe === wanted && wanted !== '' && wanted.length <= maxLength) return wanted
  return `${safe.slice(0, maxLength - 9)}_${checksum(wanted)}`
}

/** FNV-1a, 32 bits, in hexadecimal digits. */
function checksum(value: string): string {
  let hash = 0x811c9dc5
  for (let at = 0; at < value.length; at++) hash = Math.imul(hash ^ value.charCodeAt(at), 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, '0')
}
