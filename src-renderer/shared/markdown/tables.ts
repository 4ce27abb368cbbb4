import type { RootContent, Table } from 'mdast'

declare module 'mdast' {
  interface Table {
    /** Further parts of the table, each with the header again: a long table is parsed in parts, so that only the last one grows. */
    more?: readonly Table[]
  }
}

export const visibleNodes = (nodes: readonly RootContent[]): RootContent[] =>
  nodes.filter(({ type }) => type !== 'definition')

/** Whether the nodes of a block are one table, which the next block may continue. */
export function isTableAlone(nodes: readonly RootContent[]): boolean {
  const [only, ...rest] = visibleNodes(nodes)
  return only?.type === 'table' && rest.length === 0
}

/** Joins the nodes of blocks that continue the table of the first one: one table, then the remaining nodes. */
export function joinTables(parts: readonly RootContent[][]): RootContent[] {
  const [first = [], ...others] = parts
  if (others.length === 0) return first
  const table = first.find((node) => node.type === 'table')
  if (!table) return parts.flat()
  const more: Table[] = []
  const rest: RootContent[] = first.filter((node) => node !== table)
  for (const nodes of others) {
    const [next, ...after] = nodes
    if (next?.type === 'table') more.push(next)
    else if (next) rest.push(next)
    rest.push(...after)
  }
  return [{ ...table, more }, ...rest]
}
