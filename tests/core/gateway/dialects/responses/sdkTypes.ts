import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { parseSync } from '@swc/core'

// Reads the type declarations of the official package. TypeScript 7 has no stable compiler API, so the parser is swc's.

type Node = { type: string; [key: string]: unknown }
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value
const nodes = (value: unknown): Node[] => (Array.isArray(value) ? value.filter(isNode) : [])

/** Declarations by qualified name, such as `ResponseInputItem.Message`. */
function declarations(file: string): Map<string, Node> {
  const found = new Map<string, Node>()
  const { body } = parseSync(readFileSync(file, 'utf8'), { syntax: 'typescript' })
  const add = (statement: Node, prefix: string): void => {
    const inner = isNode(statement.declaration) ? statement.declaration : statement
    const id = isNode(inner.id) ? String(inner.id.value) : ''
    if (inner.type === 'TsInterfaceDeclaration' || inner.type === 'TsTypeAliasDeclaration')
      found.set(prefix + id, inner)
    else if (inner.type === 'TsModuleDeclaration' && isNode(inner.body)) {
      for (const each of nodes(inner.body.body)) add(each, `${prefix}${id}.`)
    }
  }
  for (const statement of body as unknown as Node[]) add(statement, '')
  return found
}

const root = dirname(createRequire(import.meta.url).resolve('openai'))
const all = declarations(join(root, 'resources/responses/responses.d.ts'))
for (const [name, node] of declarations(join(root, 'resources/shared.d.ts'))) all.set(`Shared.${name}`, node)

function nameOf(entity: Node): string {
  if (entity.type === 'TsQualifiedName') {
    const left = nameOf(entity.left as Node)
    const right = String((entity.right as Node).value)
    return left === 'ResponsesAPI' ? right : `${left}.${right}`
  }
  return String(entity.value)
}

function declared(name: string): Node {
  // Within the shared file the names have no prefix.
  const node = all.get(name) ?? all.get(`Shared.${name}`)
  if (node === undefined) throw new Error(`The package declares no type ${name}`)
  return node
}

const isInterface = (name: string): boolean =>
  all.has(name) || all.has(`Shared.${name}`) ? declared(name).type === 'TsInterfaceDeclaration' : false

/** The members of a union, with the names of references and the values of string literals. Null and `{}` are left out. */
function alternatives(type: Node): { refs: string[]; literals: string[] } {
  const refs: string[] = []
  const literals: string[] = []
  const visit = (each: Node): void => {
    if (each.type === 'TsUnionType') nodes(each.types).forEach(visit)
    else if (each.type === 'TsParenthesizedType') visit(each.typeAnnotation as Node)
    else if (each.type === 'TsTypeReference') refs.push(nameOf(each.typeName as Node))
    else if (each.type === 'TsLiteralType' && isNode(each.literal) && each.literal.type === 'StringLiteral') {
      literals.push(String(each.literal.value))
    }
  }
  visit(type)
  return { refs, literals }
}

/** The interfaces of a union of interfaces, unions in it resolved. */
export function interfacesOf(name: string): string[] {
  const node = declared(name)
  if (node.type === 'TsInterfaceDeclaration') return [name]
  return alternatives(node.typeAnnotation as Node).refs.flatMap(interfacesOf)
}

function properties(name: string): Map<string, Node | null> {
  const node = declared(name)
  const found = new Map<string, Node | null>()
  for (const parent of nodes(node.extends)) {
    for (const [key, type] of properties(nameOf(parent.expression as Node))) found.set(key, type)
  }
  for (const member of nodes(isNode(node.body) ? node.body.body : [])) {
    if (member.type !== 'TsPropertySignature' || !isNode(member.key)) continue
    const annotation = isNode(member.typeAnnotation) ? member.typeAnnotation.typeAnnotation : null
    found.set(String(member.key.value), isNode(annotation) ? annotation : null)
  }
  return found
}

/** Names of the members of an interface, inherited ones included. */
export const membersOf = (name: string): string[] => [...properties(name).keys()]

/** Values of the `type` of an interface. Empty for a message, whose type can be absent in an alternative without it. */
export function typesOf(name: string): string[] {
  const type = properties(name).get('type')
  return type ? alternatives(type).literals : []
}

/** The interface that is the type of a member, or null when it has another type. */
export function interfaceOfMember(name: string, member: string): string | null {
  const type = properties(name).get(member)
  if (!type) return null
  const [only, ...others] = alternatives(type).refs
  if (only === undefined || others.length > 0) return null
  return isInterface(only) ? only : null
}

/** String values that a member can have. */
export function valuesOfMember(name: string, member: string): string[] {
  const type = properties(name).get(member)
  if (!type) return []
  const own = alternatives(type)
  return [...own.literals, ...own.refs.flatMap((ref) => valuesOf(ref))]
}

/** String values of a type alias. */
export function valuesOf(name: string): string[] {
  const node = declared(name)
  if (node.type === 'TsInterfaceDeclaration') return []
  const { refs, literals } = alternatives(node.typeAnnotation as Node)
  return [...literals, ...refs.flatMap(valuesOf)]
}
