import { type CSSProperties, createElement, type ReactNode } from 'react'
import { refusedColor, type TreeNode } from './tree.ts'

/**
 * The elements that KaTeX 0.18 creates (its domTree.ts and mathMLTree.ts), without links and images. Others are dropped with their content.
 */
const tags = new Set(
  'span svg path line math annotation semantics mtext mn mo mi mspace mover munder munderover msup msub msubsup mfrac mroot msqrt mtable mtr mtd mlabeledtr mrow menclose mstyle mpadded mphantom'.split(
    ' ',
  ),
)
const attributeNames: Record<string, string> = {
  class: 'className',
  'aria-hidden': 'aria-hidden',
  'stroke-width': 'strokeWidth',
}
for (const name of 'width height viewBox preserveAspectRatio d x1 y1 x2 y2 depth voffset mathvariant mathcolor mathbackground mathsize stretchy fence separator symmetric lspace rspace minsize maxsize movablelimits accent accentunder linethickness display displaystyle scriptlevel encoding notation columnalign columnlines columnspacing rowlines rowspacing side'.split(
  ' ',
))
  attributeNames[name] = name

const properties = new Set(
  'backgroundColor borderBottomWidth borderColor borderRightStyle borderRightWidth borderTopWidth borderStyle borderWidth bottom color height left margin marginLeft marginRight marginTop minWidth paddingLeft position textShadow top width verticalAlign'.split(
    ' ',
  ),
)
/** Lengths, colours and words: nothing that loads. */
const honestValue = /^[-+#.%,\w ]{1,120}$/

/**
 * Creates React elements from a built formula. The formula comes from our worker. The allow-lists are a second barrier behind KaTeX's own.
 */
export function elementsOf(node: TreeNode, key?: number): ReactNode {
  if (typeof node === 'string') return node
  if (!tags.has(node.tag)) return null
  const props: Record<string, unknown> = { key }
  for (const [name, value] of Object.entries(node.attributes)) {
    const known = Object.hasOwn(attributeNames, name) ? attributeNames[name] : undefined
    if (known !== undefined) props[known] = value
  }
  const style: Record<string, string> = {}
  for (const [name, value] of Object.entries(node.style)) {
    if (properties.has(name) && (honestValue.test(value) || value === refusedColor)) style[name] = value
  }
  if (Object.keys(style).length > 0) props.style = style satisfies CSSProperties
  return createElement(node.tag, props, ...node.children.map((child, at) => elementsOf(child, at)))
}
