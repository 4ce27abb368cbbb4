/** A formula as KaTeX built it: text, or an element with its attributes, style properties and children. */
export type TreeNode = string | TreeElement
export interface TreeElement {
  tag: string
  attributes: Record<string, string>
  style: Record<string, string>
  children: TreeNode[]
}

export interface FormulaQuestion {
  tex: string
  display: boolean
}
export type FormulaAnswer = { tree: TreeElement } | { reason: string }

/** The colour of a name that a formula may not use: the theme's, because KaTeX's own red can't be read on a dark ground (WCAG 1.4.3). */
export const refusedColor = 'var(--bad)'
