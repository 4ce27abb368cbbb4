/** A built formula: text, or an element with its attributes, style properties and children. */
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

/** Colour of a command that is not allowed: from the theme, because KaTeX's red is unreadable on a dark background (WCAG 1.4.3). */
export const refusedColor = 'var(--bad)'
