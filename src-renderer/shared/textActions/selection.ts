/** Where a selection is on the screen, px from the top left corner of the window. */
export interface SelectionPlace {
  left: number
  right: number
  top: number
  bottom: number
}

/** A text that a person selected. */
export interface TextSelection {
  text: string
  place: SelectionPlace
  /** The field whose text is selected, and the range. Null for text that can't be changed. */
  field: { element: HTMLTextAreaElement; from: number; to: number } | null
  /** The modal dialog around the text. Null: the page. */
  layer: HTMLElement | null
}

/** Shortest text that actions are offered for, characters. One letter is selected by mistake. */
const shortest = 2

/**
 * The selected text of the window, or null. Fields of one line are left out: they have names, addresses and keys. So are texts that no
 * person selects, such as one inside of a menu.
 */
export function readSelection(): TextSelection | null {
  const { activeElement } = document
  if (activeElement instanceof HTMLTextAreaElement) return inField(activeElement)
  if (activeElement instanceof HTMLInputElement) return null
  const selection = getSelection()
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return null
  const text = selection.toString().trim()
  const range = selection.getRangeAt(0)
  const around = elementOf(range.commonAncestorContainer)
  if (text.length < shortest || !around || around.closest('[role="menu"], [role="toolbar"]')) return null
  const lines = [...range.getClientRects()].filter(({ width, height }) => width > 0 && height > 0)
  const box = range.getBoundingClientRect()
  const [first = box] = lines
  return {
    text,
    place: { left: first.left, right: box.right, top: first.top, bottom: (lines.at(-1) ?? box).bottom },
    field: null,
    layer: around.closest('dialog'),
  }
}

function inField(element: HTMLTextAreaElement): TextSelection | null {
  const { selectionStart: from, selectionEnd: to, value } = element
  const text = value.slice(from, to)
  if (text.trim().length < shortest) return null
  const { left, right, top, bottom } = element.getBoundingClientRect()
  return {
    text,
    place: { left, right, top, bottom },
    field: element.readOnly || element.disabled ? null : { element, from, to },
    layer: element.closest('dialog'),
  }
}

const elementOf = (node: Node): Element | null => (node instanceof Element ? node : node.parentElement)

/**
 * Position of a box beside a selection: above it when there is space, otherwise below, and always inside the window.
 * @param size of the box, px
 */
export function boxBeside(
  { left, top, bottom }: SelectionPlace,
  size: { width: number; height: number },
  view: { width: number; height: number },
  prefer: 'above' | 'below',
): { left: number; top: number } {
  const above = top - gap - size.height
  const below = bottom + gap
  const fitsAbove = above >= gap
  const fitsBelow = below + size.height <= view.height - gap
  const wanted = prefer === 'above' ? (fitsAbove ? above : below) : fitsBelow || !fitsAbove ? below : above
  const inside = (value: number, most: number): number => Math.max(gap, Math.min(value, most - gap))
  return { left: inside(left, view.width - size.width), top: inside(wanted, view.height - size.height) }
}

/** Space between a selection, a box and the edges of the window, px. */
const gap = 8
