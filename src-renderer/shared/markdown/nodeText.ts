import type { PhrasingContent, RootContent } from 'mdast'

/** All text of a node, without recursion. */
export function textOf(node: RootContent | PhrasingContent): string {
  let text = ''
  const rest: RootContent[] = [node]
  for (let next = rest.pop(); next; next = rest.pop()) {
    if ('value' in next) text += next.value
    // One by one: a call takes about 120,000 arguments at most.
    if ('children' in next) for (const child of [...next.children].reverse()) rest.push(child)
  }
  return text
}
