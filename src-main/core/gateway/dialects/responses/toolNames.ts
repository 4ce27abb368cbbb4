import { FunctionNames } from '../functionNames.ts'
import { type ClientToolKind, isClientTool, joinedName } from './clientTools.ts'

/** A tool of the request, behind the name of its function in chat completions. */
export interface CallableTool {
  kind: 'function' | 'custom' | ClientToolKind
  /** Of a tool with a type of its own: the type. */
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
    const key = isClientTool(tool.kind) ? keyOfClient(tool.kind) : keyOf(tool.namespace, tool.name)
    if (this.#added.has(key)) return null
    const name = this.#functions.nameOf(key, joined(tool.namespace, tool.name))
    this.#tools.set(name, tool)
    this.#added.add(key)
    return name
  }

  /** The function name of a tool, also of one that is not in the request but in its history. */
  nameOf(namespace: string | null, name: string): string {
    return this.#functions.nameOf(keyOf(namespace, name), joined(namespace, name))
  }

  /** The function name of a tool with a type of its own. */
  nameOfClient(kind: ClientToolKind): string {
    return this.#functions.nameOf(keyOfClient(kind), kind)
  }

  hasClient(kind: ClientToolKind): boolean {
    return this.#added.has(keyOfClient(kind))
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

/** Differs from the keys of functions with such a name. */
const keyOfClient = (kind: ClientToolKind): string => JSON.stringify([kind])

const joined = (namespace: string | null, name: string): string =>
  namespace === null ? name : joinedName(namespace, name)
