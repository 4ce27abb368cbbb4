/** Of these nothing is copied: they are controls, a formula drawn twice, a table's header that is there again. */
const skipped = '.md-more thead, figcaption, .md-float, .katex, button, [aria-hidden="true"], .chat-sr'
const blocks = new Set(
  'ADDRESS ARTICLE ASIDE BLOCKQUOTE DIV DL FIGURE FOOTER H1 H2 H3 H4 H5 H6 HEADER HR LI OL P PRE SECTION TABLE TR UL'.split(
    ' ',
  ),
)

/**
 * A part of the page as text that reads: blocks on lines of their own, cells apart by tabs, items with their marks, formulas as
 * their TeX, hidden characters as they are.
 */
export function readableText(part: Node): string {
  const writer = new Writer()
  writer.write(part)
  return writer.text
    .replace(/[ \t]+\n/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** Kept free of recursion: a reply nests as deep as it likes. */
class Writer {
  text = ''

  write(part: Node): void {
    const rest: (Node | null)[] = [part]
    for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
      if (next === null) this.#newLine(false)
      else if (next instanceof Text) this.text += next.data
      else if (!(next instanceof Element)) rest.push(...[...next.childNodes].reverse())
      else if (!this.#whole(next)) {
        this.#begin(next)
        // What ends a block's line, once all in it is written.
        if (blocks.has(next.tagName)) rest.push(null)
        rest.push(...[...next.childNodes].reverse())
      }
    }
  }

  /** Elements that are written in one go, or not at all. */
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

/** Tables that are parts of one, as RFC 4180 has it; a cell that a spreadsheet would take for a formula is not changed, only quoted. */
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
      .replace(/\s*\n\s*/g, ' ')
  const marks = header.map(({ dataset: { align } }) => (align === 'right' ? '--:' : align === 'center' ? ':-:' : '---'))
  return [line(header.map(cellText)), line(marks), ...rows.map((row) => line(row.map(cellText)))].join('\n')
}

/** All rows, the header once. */
function rowsOf(tables: readonly HTMLTableElement[]): HTMLTableCellElement[][] {
  return tables.flatMap((table, at) => [...table.rows].slice(at === 0 ? 0 : 1).map((row) => [...row.cells]))
}
