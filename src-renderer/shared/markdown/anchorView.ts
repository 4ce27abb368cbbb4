interface Known {
  /** px. */
  height: number
  /** False while the height is an estimate and the section is blank. */
  isLaidOut: boolean
}

const known = new WeakMap<Element, Known>()
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
    known.delete(section)
    sizes?.unobserve(section)
  }
}

function correct(section: Element): void {
  const before = known.get(section)
  const { top, height } = section.getBoundingClientRect()
  const isLaidOut = section.firstElementChild?.checkVisibility({ contentVisibilityAuto: true }) ?? false
  known.set(section, { height, isLaidOut })
  if (before === undefined || before.height === height) return
  const view = scrollerOf(section)
  if (!view) return
  const area = view.getBoundingClientRect()
  const end = top + before.height
  // In a blank section there was nothing to read, so the text after it stays.
  const isAbove = before.isLaidOut ? end <= area.top : top < area.top && end < area.bottom
  if (isAbove) view.scrollTop += height - before.height
}

function scrollerOf(section: Element): Element | null {
  let box = section.parentElement
  while (box && !/auto|scroll/.test(getComputedStyle(box).overflowY)) box = box.parentElement
  return box
}
