import type { Literal, PhrasingContent, Root, RootContent } from 'mdast'
import { type Found, restored, splitPlaces } from './scan.ts'

export interface FormulaNode extends Literal {
  type: 'formula'
  /** The TeX. */
  value: string
  display: boolean
  /** With its delimiters, as written. */
  source: string
}
declare module 'mdast' {
  interface PhrasingContentMap {
    formula: FormulaNode
  }
  interface RootContentMap {
    formula: FormulaNode
  }
}

/** Puts formulas into the text nodes where places stand for them, and gives all else (code, addresses, titles) back as it was. */
export function placeFormulas(children: RootContent[], formulas: readonly Found[]): void {
  if (formulas.length === 0) return
  const rest: (RootContent | Root)[] = [{ type: 'root', children }]
  for (let node = rest.pop(); node; node = rest.pop()) {
    if (node.type !== 'text' && 'value' in node) node.value = restored(node.value, formulas)
    if ('url' in node) node.url = restored(node.url, formulas)
    if ('title' in node && node.title) node.title = restored(node.title, formulas)
    if ('alt' in node && node.alt) node.alt = restored(node.alt, formulas)
    if ('label' in node && node.label) node.label = restored(node.label, formulas)
    if (node.type === 'code') {
      if (node.lang) node.lang = restored(node.lang, formulas)
      if (node.meta) node.meta = restored(node.meta, formulas)
    }
    if (!('children' in node)) continue
    const before: readonly RootContent[] = node.children
    const after = before.some((child) => child.type === 'text' && child.value.includes('\ue000'))
      ? before.flatMap((child) => (child.type === 'text' ? inPlace(child.value, formulas) : [child]))
      : before
    // Text becomes text and formulas, which may stand wherever text may.
    if (after !== before) (node as { children: readonly RootContent[] }).children = after
    rest.push(...after)
  }
}

function inPlace(text: string, formulas: readonly Found[]): PhrasingContent[] {
  const nodes: PhrasingContent[] = []
  for (const [at, part] of splitPlaces(text).entries()) {
    const found = at % 2 === 1 ? formulas[Number(part)] : undefined
    if (found) nodes.push({ type: 'formula', value: found.tex, display: found.display, source: found.source })
    else if (part !== '') nodes.push({ type: 'text', value: part })
  }
  return nodes
}
