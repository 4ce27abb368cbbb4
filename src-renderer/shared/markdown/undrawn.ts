import type { Block } from './blocks.ts'

type Section = readonly Block[]

/** The section of each box in the page, also of an empty one, and the sections that the button before them shows. */
const shownBy = new WeakMap<Element, readonly Section[]>()

export const shows = (element: Element, sections: readonly Section[]): void => void shownBy.set(element, sections)

export const sectionsOf = (element: Element): readonly Section[] => shownBy.get(element) ?? []

/** The text of a section as Markdown. */
export const writtenText = (section: Section): string => section.map(sourceOf).join('')

/**
 * Names a drawn section while the browser skips its contents because they are out of view, and so have no accessible text. Returns the
 * function that stops it.
 */
export function nameWhileSkipped(box: Element, section: Section): () => void {
  const name = (isSkipped: boolean): void => {
    if (isSkipped) {
      box.setAttribute('role', 'img')
      box.setAttribute('aria-label', writtenText(section))
    } else for (const attribute of ['role', 'aria-label']) box.removeAttribute(attribute)
  }
  const follow = (event: Event): void => {
    // The elements inside of a box have such events too.
    if (event.target === box && 'skipped' in event) name(event.skipped === true)
  }
  box.addEventListener('contentvisibilityautostatechange', follow)
  return () => {
    box.removeEventListener('contentvisibilityautostatechange', follow)
    name(false)
  }
}

/** Whether parts of a message are not in the page. */
export const hasUndrawn = (message: Element): boolean => message.querySelector('.md-undrawn, .md-earlier') !== null

/** Writes the undrawn sections of a range as Markdown into `copy`, which is a clone of the contents of the range. */
export function writeUndrawn(copy: DocumentFragment, range: Range, within: Element): void {
  const copies = copy.querySelectorAll('.md-undrawn')
  if (copies.length === 0) return
  // The clone has the same sections in the same order.
  const boxes = [...within.querySelectorAll('.md-undrawn')].filter((box) => range.intersectsNode(box))
  for (const [at, box] of boxes.entries()) copies[at]?.replaceChildren(...sectionsOf(box).map(writtenText))
}

function sourceOf(block: Block): string {
  if (block.kind !== 'flow') {
    const text = block.pieces.join('')
    return block.kind === 'code' ? `\`\`\`${block.language}\n${text}\`\`\`\n` : text
  }
  // A block that continues a table repeats its header and delimiter row.
  return block.carries ? block.source.replace(/^(?:.*\n){2}/, '') : block.source
}
