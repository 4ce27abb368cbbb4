import { FunctionNames } from '../functionNames.ts'

/** A tool of the request, behind the name of its function in chat completions. */
export interface CallableTool {
  kind: 'function' | 'custom'
  name: string
  namespace: string | null
}

/** Gives each tool a unique function name, and finds the tool of a function name again. */
export class ToolNames {
  readonly #tools = new Map<string, CallableTool>()
  readonly #added = new Set<string>()
  readonly #functions = new FunctionNames()

  /** Adds a tool. Returns its function name, or null when a tool of this namespace and name exists. */
  add(tool: CallableTool): string | null {
    if (this.has(tool.namespace, tool.name)) return null
    const name = this.nameOf(tool.namespace, tool.name)
    this.#tools.set(name, tool)
    this.#added.add(keyOf(tool.namespace, tool.name))
    return name
  }

  /** The function name of a tool, also of one that is not in the request but in its history. */
  nameOf(namespace: string | null, name: string): string {
    return this.#functions.nameOf(keyOf(namespace, name), joined(namespace, name))
  }

  has(namespace: string | null, name: string): boolean {
    return this.#added.has(keyOf(namespace, name))
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

function joined(namespace: string | null, name: string): string {
  if (namespace === null) return name
  return namespace.endsWith('__') ? namespace + name : `${namespace}__${name}`
}
