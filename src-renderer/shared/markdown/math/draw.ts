import katex from 'katex'
// `\ce{…}` and `\pu{…}`.
import 'katex/contrib/mhchem'
import { type FormulaAnswer, type FormulaQuestion, refusedColor, type TreeElement, type TreeNode } from './tree.ts'

/** Upper limit of elements per formula. */
const maxNodes = 6_000

/** The part of `document` that KaTeX uses. Elements become plain data that a worker can send. */
class Part {
  className = ''
  textContent = ''
  readonly style: Record<string, string> = {}
  readonly attributes: Record<string, string> = {}
  readonly children: (Part | string)[] = []
  readonly tag: string
  constructor(tag: string) {
    this.tag = tag
  }
  setAttribute(name: string, value: unknown): void {
    this.attributes[name] = String(value)
  }
  appendChild(child: Part | string): void {
    if (typeof child !== 'string' && child.tag === '') this.children.push(...child.children)
    else this.children.push(child)
  }
}

const document = {
  createElement: (tag: string): Part => new Part(tag),
  createElementNS: (_space: string, tag: string): Part => new Part(tag),
  createDocumentFragment: (): Part => new Part(''),
  createTextNode: (text: string): string => text,
}

/**
 * Builds a formula. Commands that could load or link something (`\href`, `\url`, `\includegraphics`, `\html…`) are not trusted and show
 * their own name in red. Sizes are limited to 20 em, and macros to 1,000 expansions.
 */
export function drawFormula({ tex, display }: FormulaQuestion): FormulaAnswer {
  Object.assign(globalThis, { document })
  const base = new Part('span')
  try {
    // KaTeX's types expect a real element, but it uses only `textContent` and `appendChild`.
    const element = base as unknown as HTMLElement
    katex.render(tex, element, {
      displayMode: display,
      throwOnError: true,
      trust: false,
      strict: 'ignore',
      maxSize: 20,
      maxExpand: 1_000,
      output: 'htmlAndMathml',
      errorColor: refusedColor,
      macros: {},
    })
    let nodes = 0
    const plain = (part: Part): TreeElement => {
      if (++nodes > maxNodes) throw new RangeError('Too many elements.')
      const attributes = part.className === '' ? part.attributes : { ...part.attributes, class: part.className }
      const children: TreeNode[] = part.children.map((child) => (typeof child === 'string' ? child : plain(child)))
      return { tag: part.tag, attributes, style: part.style, children }
    }
    return { tree: plain(base) }
  } catch (thrown) {
    const words = thrown instanceof Error ? thrown.message : String(thrown)
    return { reason: words.replace(/^KaTeX parse error: /, '').slice(0, 300) }
  }
}
