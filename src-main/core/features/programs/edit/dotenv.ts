import { cannotEdit, type Format, lineEnd, nextLine, type ValuePlace } from './format.ts'

/** A line that sets a variable: name, and the text of its value up to the end of the line. */
const assignment = /^[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.]*)[ \t]*=[ \t]*(.*?)[ \t]*$/

/**
 * `.env` files: one variable a line. Values over several lines are not understood, but stay as they are: a line inside of one that looks
 * like one of our variables is never touched, because the last line of a name counts and is ours.
 */
export const dotenv: Format = {
  parse(text) {
    const values = Object.create(null) as Record<string, string>
    for (const { name, source } of linesOf(text)) values[name] = unquoted(source)
    return { ...values }
  },
  source: (text, at) => lineOf(text, at).source,
  replace(text, at, source) {
    const { start, end } = lineOf(text, at)
    return [{ start, end, text: source }]
  },
  add(text, at, _existing, value) {
    const before = text === '' || text.endsWith('\n') ? '' : '\n'
    return [{ start: text.length, end: text.length, text: `${before}${nameOf(at)}=${this.write(value)}\n` }]
  },
  remove(text, at) {
    const { line } = lineOf(text, at)
    return [{ start: line, end: nextLine(text, line), text: '' }]
  },
  write(value) {
    if (typeof value !== 'string' || /[\r\n]/.test(value)) throw cannotEdit()
    if (/^[\w:/.-]*$/.test(value)) return value
    const quote = ["'", '"', '`'].find((mark) => !value.includes(mark))
    // Only double quotes expand escapes.
    if (quote === undefined || (quote === '"' && value.includes('\\'))) throw cannotEdit()
    return quote + value + quote
  },
}

function* linesOf(text: string) {
  for (let line = 0; line < text.length; line = nextLine(text, line)) {
    const content = text.slice(line, lineEnd(text, line))
    const [whole, name, rest] = assignment.exec(content) ?? []
    if (whole === undefined || name === undefined || rest === undefined) continue
    const start = line + content.trimEnd().length - rest.length
    const source = withoutComment(rest)
    yield { name, source, line, start, end: start + source.length }
  }
}

function nameOf(at: ValuePlace): string {
  const [name] = at
  if (at.length !== 1 || typeof name !== 'string') throw cannotEdit()
  return name
}

function lineOf(text: string, at: ValuePlace) {
  const found = [...linesOf(text)].filter(({ name }) => name === nameOf(at)).at(-1)
  if (!found) throw cannotEdit()
  return found
}

/** A value with its quotes, without a comment behind it. */
const withoutComment = (text: string): string =>
  /^(["'`])(?:(?!\1).)*\1/.exec(text)?.[0] ?? text.replace(/(?:^|\s+)#.*$/, '')

/** A value without its quotes. */
const unquoted = (source: string): string => /^(["'`])(.*)\1$/.exec(source)?.[2] ?? source
