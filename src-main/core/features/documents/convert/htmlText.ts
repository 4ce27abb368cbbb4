import { Parser } from 'htmlparser2'
import { badInput, note } from '../../../shared/notes.ts'
import { markdownTable, maxTableDepth, type TextCollector, trimmedLines } from './converted.ts'
import { eachOf, type XmlClose, type XmlOpen } from './officePackage.ts'

/** Elements whose content is not shown as text. Nothing in them is run or loaded. */
const skipped: ReadonlySet<string> = new Set([
  ...[
    'script',
    'style',
    'noscript',
    'template',
    'svg',
    'math',
    'iframe',
    'object',
    'embed',
    'canvas',
    'audio',
    'video',
  ],
  ...['select', 'datalist', 'head'],
])
const blocks: ReadonlySet<string> = new Set([
  ...['p', 'div', 'section', 'article', 'header', 'footer', 'main', 'aside', 'nav', 'figure', 'figcaption', 'address'],
  ...['dl', 'dt', 'dd', 'form', 'fieldset', 'details', 'summary', 'body', 'hr', 'center', 'caption'],
])
const maxDepth = 2000
/** Tags without an end tag (HTML, 13.1.2). */
const empty: ReadonlySet<string> = new Set([
  ...['area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'source', 'track', 'wbr'],
])

interface Table {
  rows: string[][]
  isInCell: boolean
  /** Text of the cell around the table before it. */
  before: string
}

/** Part of a page that is parsed at once, UTF-16 units. */
const sliceLength = 64 * 1024

/** Writes the text of an HTML page as Markdown: headings, lists, tables, links, code. Returns its title and first heading. */
export function htmlToMarkdown(
  html: string,
  out: TextCollector,
  { isXml = false } = {},
): { title: string; heading: string } {
  const writer = new MarkdownWriter(out)
  let title = ''
  let depth = 0
  let skip = 0
  let isTitle = false
  const isEmpty = (name: string): boolean => !isXml && empty.has(name)
  const parser = new Parser(
    {
      onopentag(tag, attributes) {
        const name = tag.toLowerCase()
        if (!isEmpty(name)) depth += 1
        if (depth > maxDepth) throw badInput(note('unreadable.deep'))
        if (name === 'title' && title === '') isTitle = true
        const isHidden = attributes.hidden !== undefined || attributes['aria-hidden'] === 'true'
        if (skip === 0 && !skipped.has(name) && !(isHidden && !isEmpty(name))) writer.open(name, attributes)
        else if (!isEmpty(name)) skip += 1
      },
      ontext(piece) {
        if (isTitle) title += piece
        if (skip === 0) writer.say(piece)
      },
      onclosetag(tag) {
        const name = tag.toLowerCase()
        if (!isEmpty(name)) depth -= 1
        if (name === 'title') isTitle = false
        if (skip === 0) writer.close(name)
        else if (!isEmpty(name)) skip -= 1
      },
    },
    { decodeEntities: true, xmlMode: isXml, lowerCaseTags: true, lowerCaseAttributeNames: true },
  )
  for (let at = 0; at < html.length && out.canTakeMore(); at += sliceLength)
    parser.write(html.slice(at, at + sliceLength))
  parser.end()
  writer.end()
  return { title: oneLine(title), heading: writer.heading }
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

const headingNames = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']
const longestFence = (code: string): string =>
  '`'.repeat((code.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length + 1), 3))

/** Turns shown elements into Markdown blocks. */
class MarkdownWriter {
  /** The first heading. */
  heading = ''
  readonly #out: TextCollector
  #text = ''
  #pre = 0
  #quote = 0
  readonly #lists: { isNumbered: boolean; item: number }[] = []
  readonly #links: string[] = []
  readonly #tables: Table[] = []
  /** Open tables beyond `maxTableDepth`, whose text belongs to the cell around them. */
  #flatTables = 0

  constructor(out: TextCollector) {
    this.#out = out
  }

  readonly #opened = new Map<string, XmlOpen>([
    ...eachOf([...headingNames, ...blocks], () => this.#endBlock()),
    ['br', () => this.#add('\n')],
    ...eachOf(['ul', 'ol'], (attributes: Record<string, string>, name: string) => {
      this.#endBlock()
      this.#lists.push({ isNumbered: name === 'ol', item: (Number(attributes.start ?? 1) || 1) - 1 })
    }),
    [
      'li',
      () => {
        this.#endBlock()
        const list = this.#lists.at(-1)
        if (list) list.item += 1
      },
    ],
    [
      'pre',
      () => {
        this.#endBlock()
        this.#pre += 1
      },
    ],
    ['code', () => this.#codeMark()],
    [
      'blockquote',
      () => {
        this.#endBlock()
        this.#quote += 1
      },
    ],
    [
      'a',
      ({ href = '' }) => {
        const address = /^(?:https?|mailto):/i.test(href) ? href : ''
        this.#links.push(address)
        if (address !== '') this.#add('[')
      },
    ],
    ...eachOf(['img', 'image'], ({ alt }: Record<string, string>) => {
      this.#out.count('images')
      if (alt) this.#add(`![${alt}]`)
    }),
    [
      'table',
      () => {
        this.#endBlock()
        if (this.#tables.length >= maxTableDepth) {
          this.#flatTables += 1
          return
        }
        this.#tables.push({ rows: [], isInCell: false, before: this.#text })
        this.#text = ''
      },
    ],
    ['tr', () => void this.#table()?.rows.push([])],
    ...eachOf(['td', 'th'], () => {
      const table = this.#table()
      if (!table) return
      table.isInCell = true
      this.#text = ''
    }),
  ])

  readonly #closed = new Map<string, XmlClose>([
    ...eachOf(headingNames, (name: string) => {
      const words = oneLine(this.#text)
      if (this.#tables.at(-1)?.isInCell) return
      this.#text = ''
      if (words === '') return
      this.heading ||= words
      this.#out.block(`${'#'.repeat(Number(name[1]))} ${words}`)
    }),
    ...eachOf([...blocks], () => this.#endBlock()),
    ['li', () => this.#item()],
    ...eachOf(['ul', 'ol'], () => {
      this.#item()
      this.#lists.pop()
      if (this.#lists.length === 0) this.#out.add('\n')
    }),
    ['pre', () => this.#endCode()],
    ['code', () => this.#codeMark()],
    [
      'blockquote',
      () => {
        this.#endBlock()
        this.#quote = Math.max(0, this.#quote - 1)
      },
    ],
    [
      'a',
      () => {
        const address = this.#links.pop() ?? ''
        if (address !== '') this.#add(`](${address})`)
      },
    ],
    ...eachOf(['td', 'th'], () => this.#endCell()),
    ['table', () => this.#endTable()],
  ])

  open = (name: string, attributes: Record<string, string>): void => this.#opened.get(name)?.(attributes, name)
  close = (name: string): void => this.#closed.get(name)?.(name)
  say = (text: string): void => this.#add(this.#pre > 0 ? text : text.replace(/\s+/g, ' '))
  end = (): void => this.#endBlock()

  #add(text: string): void {
    this.#text += text
  }

  #codeMark(): void {
    if (this.#pre === 0) this.#add('`')
  }

  /** Ends the text before a block: a space in a table cell, else a list item or a paragraph. */
  #endBlock(): void {
    if (this.#tables.at(-1)?.isInCell) this.#add(' ')
    else if (this.#lists.length > 0) this.#item()
    else this.#paragraph()
  }

  #paragraph(): void {
    const lines = trimmedLines(this.#text)
    const text = this.#pre > 0 ? lines : lines.replace(/^[ \t]+/gm, '')
    this.#text = ''
    if (text === '') return
    const mark = '> '.repeat(Math.min(this.#quote, 8))
    if (mark === '') this.#out.block(text)
    else this.#out.block(text.slice(0, this.#out.charactersLeft).replace(/^/gm, mark))
  }

  #item(): void {
    const list = this.#lists.at(-1)
    const words = oneLine(this.#text)
    this.#text = ''
    if (!list || words === '') return
    const indent = '  '.repeat(Math.min(8, this.#lists.length - 1))
    this.#out.add(`${indent}${list.isNumbered ? `${list.item}.` : '-'} ${words}\n`)
  }

  #endCode(): void {
    const code = trimmedLines(this.#text)
    this.#pre = Math.max(0, this.#pre - 1)
    if (this.#tables.at(-1)?.isInCell) return
    this.#text = ''
    const fence = longestFence(code)
    if (code.trim() !== '') this.#out.add(`${fence}\n${code}\n${fence}\n\n`)
  }

  /** The innermost table. Undefined inside of tables that are not kept as such. */
  #table(): Table | undefined {
    return this.#flatTables > 0 ? undefined : this.#tables.at(-1)
  }

  #endCell(): void {
    const table = this.#table()
    if (!table) return
    if (table.rows.length === 0) table.rows.push([])
    table.rows.at(-1)?.push(oneLine(this.#text))
    table.isInCell = false
    this.#text = ''
  }

  #endTable(): void {
    if (this.#flatTables > 0) {
      this.#flatTables -= 1
      return
    }
    const table = this.#tables.pop()
    this.#text = ''
    if (!table) return
    // A table inside a cell becomes a line of that cell.
    if (this.#tables.length > 0) this.#text = `${table.before}${table.rows.map((row) => row.join(', ')).join('; ')} `
    else this.#out.block(markdownTable(table.rows))
  }
}
