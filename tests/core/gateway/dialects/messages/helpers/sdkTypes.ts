import { fileURLToPath } from 'node:url'
import { API, type Checker, SymbolFlags, type Type, type TypeReference } from 'typescript/unstable/sync'

const sdk = new URL('../../../../../../node_modules/@anthropic-ai/sdk/resources/', import.meta.url)
const files = ['messages/messages.d.ts', 'beta/messages/messages.d.ts']

/** The type declarations of the Messages API in the official SDK, read with the TypeScript compiler. Names are without the prefix `Beta`. */
interface SdkTypes {
  /** Names of the properties of an object type, or of all members of a union. */
  properties(name: string): string[]
  /** Values of a property that has string literal types, such as `type`, in all members of a union. */
  literals(name: string, property: string): string[]
  /** Values of a union of string literals. */
  values(name: string): string[]
  /** Values of `type` in the objects that a property, or the elements of its array, may have. */
  typesIn(name: string, property: string): string[]
}

interface Module {
  checker: Checker
  find(name: string): Type | undefined
}

function modulesOf(api: API): Module[] {
  const paths = files.map((file) => fileURLToPath(new URL(file, sdk)))
  const snapshot = api.updateSnapshot({ openFiles: paths })
  return paths.map((path, index) => {
    const project = snapshot.getDefaultProjectForFile(path)
    const source = project?.program.getSourceFile(path)
    const symbol = source && project?.checker.getSymbolAtLocation(source)
    if (project === undefined || symbol === undefined) throw new Error(`${path} could not be read.`)
    const { checker } = project
    const exported = new Map(checker.getExportsOfModule(symbol).map((each) => [each.name, each]))
    return {
      checker,
      find(name) {
        const found = exported.get(index === 1 && !exported.has(name) ? `Beta${name}` : name)
        if (found === undefined) return undefined
        const isAlias = (found.flags & SymbolFlags.Alias) !== 0
        return checker.getDeclaredTypeOfSymbol(isAlias ? checker.getAliasedSymbol(found) : found)
      },
    }
  })
}

const membersOf = (type: Type): readonly Type[] => (type.isUnionType() ? type.getTypes() : [type])
const literalsOf = (type: Type | undefined): string[] =>
  type === undefined ? [] : membersOf(type).flatMap((each) => (each.isStringLiteralType() ? [String(each.value)] : []))

/** Calls `use` with the SDK's types, which are read by a process of the compiler. */
export function withSdkTypes<T>(use: (types: SdkTypes) => T): T {
  const api = new API()
  try {
    const modules = modulesOf(api)
    const collect = (name: string, read: (type: Type, checker: Checker) => string[]): string[] => {
      const found = modules.flatMap(({ checker, find }) => {
        const type = find(name)
        return type === undefined ? [] : read(type, checker)
      })
      if (found.length === 0) throw new Error(`The SDK has nothing for ${name}.`)
      return [...new Set(found)].sort()
    }
    const propertyTypes = (type: Type, property: string, checker: Checker): Type[] =>
      membersOf(type).flatMap((member) => {
        const symbol = checker.getPropertiesOfType(member).find((each) => each.name === property)
        const found = symbol && checker.getTypeOfSymbol(symbol)
        return found === undefined ? [] : [found]
      })
    return use({
      properties: (name) =>
        collect(name, (type, checker) =>
          membersOf(type).flatMap((member) => checker.getPropertiesOfType(member).map((each) => each.name)),
        ),
      literals: (name, property) =>
        collect(name, (type, checker) => propertyTypes(type, property, checker).flatMap(literalsOf)),
      values: (name) => collect(name, literalsOf),
      typesIn: (name, property) =>
        collect(name, (type, checker) =>
          propertyTypes(type, property, checker)
            .flatMap(membersOf)
            .flatMap((each) => [
              each,
              ...(checker.isArrayType(each) ? checker.getTypeArguments(each as TypeReference) : []),
            ])
            .flatMap(membersOf)
            .flatMap((each) => propertyTypes(each, 'type', checker))
            .flatMap(literalsOf),
        ),
    })
  } finally {
    api.close()
  }
}
