/** A tool of the request, behind the name of its function in chat completions. */
export interface CallableTool {
  kind: 'function' | 'custom'
  name: string
  namespace: string | null
}

/** Longest function name of chat completions. */
const maxNameLength = 64

/** Gives each tool a unique function name, and finds the tool of a function name again. */
export class ToolNames {
  readonly #tools = new Map<string, CallableTool>()
  readonly #names = new Map<string, string>()
  /** The next number to try after the start of a name that several tools share, so that thousands of such tools are named in linear time. */
  readonly #nextNumbers = new Map<string, number>()

  /** Adds a tool. Returns its function name, or null when a tool of this namespace and name exists. */
  add(tool: CallableTool): string | null {
    const key = keyOf(tool.namespace, tool.name)
    if (this.#names.has(key)) return null
    const wanted = this.nameOf(tool.namespace, tool.name)
    const name = this.#tools.has(wanted) ? this.#numbered(wanted.slice(0, maxNameLength - 8)) : wanted
    this.#tools.set(name, tool)
    this.#names.set(key, name)
    return name
  }

  #numbered(start: string): string {
    let next = this.#nextNumbers.get(start) ?? 2
    while (this.#tools.has(`${start}_${next}`)) next++
    this.#nextNumbers.set(start, next + 1)
    return `${start}_${next}`
  }

  /** The function name of a tool, also of one that is not in the request but in its history. */
  nameOf(namespace: string | null, name: string): string {
    return this.#names.get(keyOf(namespace, name)) ?? (namespace === null ? name : flatName(namespace, name))
  }

  has(namespace: string | null, name: string): boolean {
    return this.#names.has(keyOf(namespace, name))
  }

  /** The tools by their function names, in the order in which they were added. */
  byChatName(): ReadonlyMap<string, CallableTool> {
    return this.#tools
  }

  /** The tools that a reply must translate back. All others are functions with the same name in both APIs. */
  translated(): Map<string, CallableTool> {
    const isSame = (chatName: string, { kind, name, namespace }: CallableTool): boolean =>
      kind === 'function' && name === chatName && namespace === null
    return new Map([...this.#tools].filter(([chatName, tool]) => !isSame(chatName, tool)))
  }
}

const keyOf = (namespace: string | null, name: string): string => JSON.stringify([namespace, name])

/** Joins both names. One that chat completions would refuse is shortened and gets a checksum, so that it remains unique. */
function flatName(namespace: string, name: string): string {
  const joined = namespace.endsWith('__') ? namespace + name : `${namespace}__${name}`
  const safe = joined.replace(/[^\w-]/g, '_')
  if (safe === joined && joined.length <= maxNameLength) return joined
  return `${safe.slice(0, maxNameLength - 9)}_${checksum(joined)}`
}

/** FNV-1a, 32 bits, in hexadecimal digits. */
function checksum(value: string): string {
  let hash = 0x811c9dc5
  for (let at = 0; at < value.length; at++) hash = Math.imul(hash ^ value.charCodeAt(at), 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, '0')
}
