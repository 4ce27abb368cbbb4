import type { PhrasingContent, RootContent } from 'mdast'

/** All text of a node, without recursion. */
export function textOf(node: RootContent | PhrasingContent): string {
  let text = ''
  const rest: RootContent[] = [node]
  for (let next = rest.pop(); next; next = rest.pop()) {
    if ('value' in next) text += next.value
    if ('children' in next) rest.push(...[...next.children].reverse())
  }
  return text
}
