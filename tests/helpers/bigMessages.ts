/** What a message may repeat: each construct of Markdown, also unfinished ones. A function gets the number of the repetition. */
const units: Record<string, string | ((n: number) => string)> = {
  prose: 'The harbour is closed in winter, and nobody goes there. ',
  paragraphs: 'The harbour is closed in winter.\n\n',
  'long line': 'x',
  'short lines': 'a\n',
  list: '- an entry of a list\n',
  'ordered list': '1. one\n',
  'loose list': '1) a\n\n',
  'task list': '- [ ] do it\n',
  'nested list': '- a\n  - b\n    - c\n',
  quotes: '> a\n',
  'nested quotes': '> > > > > a\n',
  'deep quotes': '>',
  'lists in one line': '- ',
  table: (n) => (n === 0 ? '| a | b |\n|---|---|\n' : '| one cell | two |\n'),
  'table with formulas': (n) => (n === 0 ? '| a | b |\n|---|---|\n' : '| $|x|$ | $5 |\n'),
  'tables of one row': '| a |\n|---|\n| b |\n\n',
  headings: '# a\n',
  'underlined headings': 'a\n---\n',
  rules: '---\n',
  'indented code': '    code\n',
  fences: '```js\nlet a\n```\n',
  'one fence': (n) => (n === 0 ? '```js\n' : 'const value = lines(chunk.slice(0, -1))\n'),
  'open fence marks': '```',
  emphasis: '*a* ',
  strong: '**a** ',
  'emphasis run': '*',
  'open emphasis': '*a ',
  'closed emphasis': 'a* ',
  underscores: '_a ',
  'mixed emphasis': '*a **b _c ',
  'CJK emphasis': '**字。**字',
  strikethrough: '~~a ',
  brackets: '[',
  'closing brackets': ']',
  links: '[a](https://b.example/c) ',
  'open links': '[a](b',
  images: '![a](b) ',
  references: '[a] ',
  'defined references': (n) => (n === 0 ? '[a]: https://b.example\n\n' : '[a] '),
  'late definition': (n) => (n < 400_000 ? '[a] ' : '\n\n[a]: https://b.example\n'),
  definitions: (n) => `[a${n}]: b\n`,
  'same definition': '[a]: https://b.example\n',
  'open titles': '[a]: b "c\n',
  'references and definitions': (n) => `[a${n}] and [a${n + 1}]\n\n[a${n}]: b\n\n`,
  footnotes: (n) => `a[^${n}]\n\n[^${n}]: b\n\n`,
  'footnote references': '[^a] ',
  html: '<b>x</b> ',
  'open html': '<',
  comments: '<!-- a -->\n',
  'line breaks': 'a<br>',
  'code spans': '`a` ',
  backticks: '`',
  'unequal backticks': (n) => `${'`'.repeat((n % 40) + 1)}a`,
  entities: '&amp; ',
  'open entities': '&',
  addresses: 'https://a.example/b ',
  'bracketed addresses': '<https://a.example> ',
  'www addresses': 'www.a.example ',
  'mail addresses': 'a@b.example ',
  'open mail addresses': 'a@',
  'long words': 'a+b-c.',
  formulas: '$a$ ',
  dollars: '$',
  'open dollars': '$a ',
  'double dollars': '$$ a ',
  'formulas on lines': '$$\na\n$$\n',
  'open formulas on lines': '\\[\na\n',
  'TeX brackets': '\\(a\\) ',
  'open TeX brackets': '\\(',
  escapes: '\\*',
  backslashes: '\\',
  tabs: '\ta',
  'hard breaks': 'a  \n',
  'hidden characters': 'a\u200b',
  'turned text': 'a\u202e',
  'CJK text': '港口在冬天关闭，没有人去那里。',
  emoji: '😀',
  'Windows lines': 'a\r\n',
  nul: '\0',
  pipes: '|',
  citations: '[1] ',
}

export const constructs = Object.keys(units)

/** A message of about `length` characters that repeats one construct. */
export function bigMessage(construct: string, length: number): string {
  const unit = units[construct] ?? ''
  if (typeof unit === 'string') return unit.repeat(Math.ceil(length / unit.length))
  const parts: string[] = []
  for (let chars = 0; chars < length; ) {
    const part = unit(parts.length)
    parts.push(part)
    chars += part.length
  }
  return parts.join('')
}

/** A message per construct. */
export const bigMessages = (length: number): Record<string, string> =>
  Object.fromEntries(constructs.map((name) => [name, bigMessage(name, length)]))
