import type { Block } from './blocks.ts'

/** The blocks of sections that are in the page as an empty box, because nobody has scrolled near them yet. */
const blocksOf = new WeakMap<Element, readonly Block[]>()

export const isUndrawnWith = (box: Element, blocks: readonly Block[]): void => void blocksOf.set(box, blocks)

/** Whether parts of a message are not in the page. */
export const hasUndrawn = (message: Element): boolean => message.querySelector('.md-undrawn, .md-earlier') !== null

/** Writes the undrawn sections of a range as Markdown into `copy`, which is a clone of the contents of the range. */
export function writeUndrawn(copy: DocumentFragment, range: Range, within: Element): void {
  const copies = copy.querySelectorAll('.md-undrawn')
  if (copies.length === 0) return
  // The clone has the same sections in the same order.
  const boxes = [...within.querySelectorAll('.md-undrawn')].filter((box) => range.intersectsNode(box))
  for (const [at, box] of boxes.entries())
    copies[at]?.replaceChildren((blocksOf.get(box) ?? []).map((block) => sourceOf(block)).join(''))
}

function sourceOf(block: Block): string {
  if (block.kind !== 'flow') {
    const text = block.pieces.join('')
    return block.kind === 'code' ? `\`\`\`${block.language}\n${text}\`\`\`\n` : text
  }
  // A block that continues a table repeats its header and delimiter row.
  return block.carries ? block.source.replace(/^(?:.*\n){2}/, '') : block.source
}
