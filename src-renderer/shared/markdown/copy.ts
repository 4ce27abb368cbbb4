/** Not copied: controls, the second rendering of a formula, repeated table headers. */
const skipped =
  '.md-more thead, figcaption, .md-offer, .md-float, .md-plain-note, .katex, button, [aria-hidden="true"], .chat-sr'
const blocks = new Set(
  'ADDRESS ARTICLE ASIDE BLOCKQUOTE DIV DL FIGURE FOOTER H1 H2 H3 H4 H5 H6 HEADER HR LI OL P PRE SECTION TABLE TR UL'.split(
    ' ',
  ),
)

/**
 * Converts a part of the page to readable text: blocks on separate lines, cells separated by tabs, items with their markers, formulas as
 * TeX, hidden characters unchanged.
 */
export function readableText(part: Node): string {
  const writer = new Writer()
  writer.write(part)
  return writer.text
    .replace(/[ \t]+\n/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** The first child last, which is taken first. One by one: a call takes about 120,000 arguments at most. */
function addChildren(rest: (Node | null)[], { childNodes }: Node): void {
  for (const child of [...childNodes].reverse()) rest.push(child)
}

/** Not recursive, because a reply can nest without limit. */
class Writer {
  text = ''

  write(part: Node): void {
    const rest: (Node | null)[] = [part]
    for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
      if (next === null) this.#newLine(false)
      else if (next instanceof Text) this.text += next.data
      else if (!(next instanceof Element)) addChildren(rest, next)
      else if (!this.#whole(next)) {
        this.#begin(next)
        // Ends the block's line after its content.
        if (blocks.has(next.tagName)) rest.push(null)
        addChildren(rest, next)
      }
    }
  }

  /** Elements that are written as a unit, or skipped. */
  #whole(element: Element): boolean {
    const tex = element.getAttribute('data-tex')
    if (tex !== null) this.text += tex
    else if (element instanceof HTMLInputElement) this.text += element.checked ? '[x] ' : '[ ] '
    else if (element instanceof HTMLBRElement) this.text += '\n'
    else return element.matches(skipped)
    return true
  }

  #begin(element: Element): void {
    const apart =
      /^(?:P|ARTICLE|FIGURE|TABLE|H\d|UL|OL|BLOCKQUOTE)$/.test(element.tagName) && !element.matches('.md-more > table')
    if (blocks.has(element.tagName)) this.#newLine(apart && !element.parentElement?.closest('li, td, th'))
    else if (element.matches('.md-piece')) this.#newLine(false)
    if (element instanceof HTMLTableCellElement && element.previousElementSibling) this.text += '\t'
    if (element instanceof HTMLLIElement) this.text += markOf(element)
  }

  #newLine(empty: boolean): void {
    if (this.text === '') return
    if (!this.text.endsWith('\n')) this.text += '\n'
    if (empty && !this.text.endsWith('\n\n')) this.text += '\n'
  }
}

function markOf(item: HTMLLIElement): string {
  const list = item.parentElement
  if (!(list instanceof HTMLOListElement)) return '- '
  return `${list.start + [...list.children].indexOf(item)}. `
}

/** Converts the parts of a table to CSV (RFC 4180). A cell that a spreadsheet would treat as a formula is quoted, not changed. */
export function tableAsCsv(tables: readonly HTMLTableElement[]): string {
  const quoted = (cell: string): string =>
    /[",\r\n;\t]|^[=+\-@]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
  return rowsOf(tables)
    .map((row) => row.map((cell) => quoted(readableText(cell))).join(','))
    .join('\r\n')
}

export function tableAsMarkdown(tables: readonly HTMLTableElement[]): string {
  const [header = [], ...rows] = rowsOf(tables)
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const cellText = (cell: HTMLTableCellElement): string =>
    readableText(cell)
      .replaceAll('|', '\\|')
      .replace(/\s*\n\s*/g, '<br>')
  const marks = header.map(({ dataset: { align } }) => (align === 'right' ? '--:' : align === 'center' ? ':-:' : '---'))
  return [line(header.map(cellText)), line(marks), ...rows.map((row) => line(row.map(cellText)))].join('\n')
}

/** All rows, with the header once. */
function rowsOf(tables: readonly HTMLTableElement[]): HTMLTableCellElement[][] {
  return tables.flatMap((table, at) => [...table.rows].slice(at === 0 ? 0 : 1).map((row) => [...row.cells]))
}
