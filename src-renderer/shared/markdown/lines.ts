/** What the start of a line says about its block (CommonMark 0.31, sections 4 and 5), without parsing its content. */
export interface LineStart {
  blank: boolean
  /** Columns of leading white space. A tab advances to the next multiple of 4. */
  indent: number
  /** An opening code fence: three or more backticks or tildes, indented by at most 3 columns. */
  fence: { char: string; length: number; info: string } | null
  /** Content column of the list item. 0 when the line starts none. */
  item: number
  quote: boolean
  heading: boolean
  /** `[label]: ` or `[^label]: `, as written. */
  definition: string | null
}

/** Characters of a line that are examined. */
export const headLength = 300

const item = /^(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$)/
const fenceStart = /^(`{3,}|~{3,})(.*)$/
const definition = /^\[((?:[^[\]\\]|\\.){1,200})\]:/

export function readLine(head: string): LineStart {
  let indent = 0
  let at = 0
  for (; at < head.length; at++) {
    const char = head[at]
    if (char === ' ') indent++
    else if (char === '\t') indent += 4 - (indent % 4)
    else break
  }
  const rest = head.slice(at)
  const blank = rest === '' || rest === '\r'
  const shallow = indent <= 3
  const marker = shallow ? item.exec(rest)?.[0] : undefined
  return {
    blank,
    indent,
    fence: shallow ? readFence(rest) : null,
    item: marker === undefined ? 0 : indent + marker.length + 1,
    quote: shallow && rest.startsWith('>'),
    heading: shallow && /^#{1,6}(?:[ \t]|$)/.test(rest),
    definition: shallow ? (definition.exec(rest)?.[1] ?? null) : null,
  }
}

function readFence(rest: string): LineStart['fence'] {
  const match = fenceStart.exec(rest)
  if (!match) return null
  const [, run = '', info = ''] = match
  // A backtick in the info string makes it inline code (CommonMark 4.5).
  if (run.startsWith('`') && info.includes('`')) return null
  return { char: run.charAt(0), length: run.length, info: info.trim() }
}

export function closesFence(head: string, char: string, length: number): boolean {
  const match = /^ {0,3}(`{3,}|~{3,})[ \t]*\r?$/.exec(head)
  const run = match?.[1] ?? ''
  return run.startsWith(char) && run.length >= length
}

/** A line that makes the paragraph before it a heading (CommonMark 4.3). */
export function isUnderline(head: string): boolean {
  return head.length < headLength && /^ {0,3}(?:=+|-+)[ \t]*\r?$/.test(head)
}

/** A thematic break (CommonMark 4.1). */
export function isRule(head: string): boolean {
  return /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}\r?$/.test(head)
}

/** The second line of a table (GFM 4.10). */
export function isDelimiterRow(head: string): boolean {
  return (
    head.includes('-') &&
    /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*\r?$/.test(head) &&
    /[|:]/.test(head)
  )
}

/** Labels match regardless of case and white space (CommonMark 4.7). */
export function normalLabel(label: string): string {
  return label.trim().replace(/\s+/g, ' ').toLowerCase().toUpperCase()
}
