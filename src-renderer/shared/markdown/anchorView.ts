/** The last known height of each observed section, px. */
const heights = new WeakMap<Element, number>()
let sizes: ResizeObserver | null = null

/**
 * Keeps the text in view in place while a section above the view changes its height, because its height was an estimate until its first
 * layout. The browser's scroll anchoring does not do this inside of one long message. Returns the function that stops it.
 */
export function anchorView(section: Element): () => void {
  sizes ??= new ResizeObserver((entries) => {
    for (const { target } of entries) correct(target)
  })
  sizes.observe(section)
  return () => {
    heights.delete(section)
    sizes?.unobserve(section)
  }
}

function correct(section: Element): void {
  const before = heights.get(section)
  const { top, height } = section.getBoundingClientRect()
  heights.set(section, height)
  if (before === undefined || before === height) return
  const view = scrollerOf(section)
  if (view && top + before <= view.getBoundingClientRect().top) view.scrollTop += height - before
}

function scrollerOf(section: Element): Element | null {
  let box = section.parentElement
  while (box && !/auto|scroll/.test(getComputedStyle(box).overflowY)) box = box.parentElement
  return box
}
