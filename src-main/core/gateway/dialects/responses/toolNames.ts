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

  /** Adds a tool. Returns its function name, or null when a tool of this namespace and name exists. */
  add(tool: CallableTool): string | null {
    const key = keyOf(tool.namespace, tool.name)
    if (this.#names.has(key)) return null
    const wanted = this.nameOf(tool.namespace, tool.name)
    let name = wanted
    for (let next = 2; this.#tools.has(name); next++) name = `${wanted.slice(0, maxNameLength - 8)}_${next}`
    this.#tools.set(name, tool)
    this.#names.set(key, name)
    return name
  }

  /** The function name of a tool, also of one that is not in the request but in its history. */
  nameOf(namespace: string | null, name: string): string {
    return this.#names.get(keyOf(namespace, name)) ?? (namespace === null ? name : flatName(namespace, name))
  }

  has(namespace: string | null, name: string): boolean {
    return this.#names.has(keyOf(namespace, name))
  }

  /** The tool that a model called. A name that no tool has is returned as the name of a function. */
  toolOf(chatName: string): CallableTool {
    return this.#tools.get(chatName) ?? { kind: 'function', name: chatName, namespace: null }
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
