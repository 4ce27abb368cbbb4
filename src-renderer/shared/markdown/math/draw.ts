import katex from 'katex'
import { type FormulaAnswer, type FormulaQuestion, refusedColor, type TreeElement, type TreeNode } from './tree.ts'

/** Elements of one formula. */
const maxNodes = 6_000

/** As much of a document as KaTeX asks for when it builds its elements: here they become plain data, which a worker can hand over. */
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
 * Builds a formula. What could lead out of it (`\href`, `\url`, `\includegraphics`, `\html…`) is not trusted and comes out as its own
 * name in red; sizes end at 20 em, and macros after 1,000 steps.
 */
export function drawFormula({ tex, display }: FormulaQuestion): FormulaAnswer {
  Object.assign(globalThis, { document })
  const base = new Part('span')
  try {
    // Its types want an element of a real document; it uses no more of it than `textContent` and `appendChild`.
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
