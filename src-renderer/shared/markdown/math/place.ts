import type { Literal, PhrasingContent, Root, RootContent } from 'mdast'
import { type FoundFormulas, restored, splitPlaces } from './scan.ts'

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

/** Replaces placeholders in text nodes by formulas, and restores the source everywhere else (code, addresses, titles). */
export function placeFormulas(children: RootContent[], formulas: readonly FoundFormulas[]): void {
  if (formulas.length === 0) return
  const rest: (RootContent | Root)[] = [{ type: 'root', children }]
  for (let node = rest.pop(); node; node = rest.pop()) {
    restore(node, formulas)
    if (!('children' in node)) continue
    const before: readonly RootContent[] = node.children
    if (before.some((child) => child.type === 'text' && child.value.includes('\ue000'))) {
      const after = before.flatMap((child): RootContent[] =>
        child.type === 'text' ? inPlace(child.value, formulas) : [child],
      )
      // The new nodes are allowed wherever text is. The type of the list may be narrower.
      const list: RootContent[] = node.children
      list.splice(0, list.length, ...after)
    }
    rest.push(...node.children)
  }
}

const written = ['value', 'url', 'title', 'alt', 'label', 'lang', 'meta'] as const

function restore(node: RootContent | Root, formulas: readonly FoundFormulas[]): void {
  if (node.type === 'text') return
  const texts: object & Partial<Record<(typeof written)[number], unknown>> = node as object
  for (const name of written) {
    const text = texts[name]
    if (typeof text === 'string') texts[name] = restored(text, formulas)
  }
}

function inPlace(text: string, formulas: readonly FoundFormulas[]): PhrasingContent[] {
  const nodes: PhrasingContent[] = []
  for (const [at, part] of splitPlaces(text).entries()) {
    const found = at % 2 === 1 ? formulas[Number(part)] : undefined
    if (found) nodes.push({ type: 'formula', value: found.tex, display: found.display, source: found.source })
    else if (part !== '') nodes.push({ type: 'text', value: part })
  }
  return nodes
}
