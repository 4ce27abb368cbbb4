import fc from 'fast-check'
import { parse as parseToml } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { parse as parseYaml } from 'yaml'
import {
  type FormatName,
  findEntries,
  formats,
  type ProgramEntry,
  removeEntries,
  writeEntries,
} from '../../../../src-main/core/features/programs/edit/entries.ts'
import { tries } from '../../../helpers/effort.ts'

// Random files in the styles that people and programs write, edited and edited back.

const word = fc.constantFrom('a', 'b', 'model', 'env', 'models', 'name', 'x y', 'é', 'studio', 'ui')
const bare = fc.constantFrom('a', 'b', 'model', 'env', 'models', 'name', 'x-y', 'studio')
const remark = fc.constantFrom('', '', '', 'note', 'a "quoted" [thing], {too}', 'sk: 1 = 2')
const eol = fc.constantFrom('\n', '\r\n')
const mark = fc.constantFrom('', '', '\ufeff')

/** Entries whose names occur in the random files too, so that some replace, some add and some create what is around them. */
const entries: Record<FormatName, ProgramEntry[]> = {
  json: [
    { path: ['env', 'A'], value: 'http://127.0.0.1:8787' },
    { path: ['env', 'model'], value: 'it’s "big"' },
    { path: ['model'], value: 'studio/x' },
    {
      path: ['provider', 'inference-studio'],
      value: { models: { m: { limit: { context: 1 } } }, list: [1, 'b'] },
      isOwn: true,
    },
    {
      path: ['lists', 'all', { where: { name: 'inference-studio' } }],
      value: { name: 'inference-studio', a: ['x'] },
      isOwn: true,
    },
  ],
  toml: [
    { path: ['model'], value: 'gpt-5.5' },
    { path: ['env', 'on'], value: false },
    {
      path: ['providers', 'inference-studio'],
      value: { name: 'A "b" \u007f', n: 3, h: { 'X-Y': 'z' }, l: ['a', 1] },
      isOwn: true,
    },
  ],
  yaml: [
    { path: ['model'], value: 'a: b # c' },
    {
      path: ['models', { where: { name: 'inference-studio' } }],
      value: { name: 'inference-studio', roles: ['chat'], o: { p: 1 } },
      isOwn: true,
    },
  ],
  dotenv: [
    { path: ['A'], value: 'http://127.0.0.1:8787' },
    { path: ['model'], value: "it's 1" },
  ],
}

const comment = (text: string, line: string): string => (text === '' ? '' : ` ${line}${text}`)

type Tree = string | number | boolean | null | Tree[] | { [key: string]: Tree }
const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<Tree>('s', 'a//b', 'c /* d */ ,', '\\"', 1, -2.5e3, true, null),
    fc.dictionary(word, tie('tree'), { maxKeys: 4, noNullPrototype: true }),
    fc.array(tie('tree'), { maxLength: 3 }),
  ),
}))

/** A JSON file in a random style. */
const jsonText = fc
  .record({
    value: fc.dictionary(word, tree, { maxKeys: 5, noNullPrototype: true }),
    unit: fc.constantFrom('', ' ', '  ', '    ', '\t'),
    end: eol,
    mark,
    trailing: fc.boolean(),
    remarks: fc.array(remark, { minLength: 1, maxLength: 9 }),
    last: fc.constantFrom('', '\n'),
  })
  .map(({ value, unit, end, mark: first, trailing, remarks, last }) => {
    let count = 0
    const note = (): string => {
      count += 1
      return unit === '' ? '' : (remarks[count % remarks.length] ?? '')
    }
    const write = (node: Tree, indent: string): string => {
      if (typeof node !== 'object' || node === null) return JSON.stringify(node)
      const isList = Array.isArray(node)
      const items = Object.entries(node).map(
        ([key, inner]) => (isList ? '' : `${JSON.stringify(key)}: `) + write(inner, indent + unit),
      )
      const [open, close] = isList ? '[]' : '{}'
      if (items.length === 0) return `${open}${close}`
      if (unit === '') return `${open}${items.join(',')}${close}`
      const lines = items.map((item, index) => {
        const comma = index < items.length - 1 || trailing ? ',' : ''
        return `${indent}${unit}${item}${comma}${comment(note(), '// ')}`
      })
      return [`${open}${comment(note(), '//')}`, ...lines, `${indent}${close}`].join('\n')
    }
    return first + `${write(value, '')}${last}`.replaceAll('\n', end)
  })

const tomlScalar = fc.constantFrom(
  '"s # not"',
  "'lit'",
  '1',
  '-0.5',
  'true',
  '1979-05-27T07:32:00Z',
  '[1, 2]',
  '[ "a", # c\n  "b",\n]',
  '{ k = 1, "l m" = "v" }',
  '"""\nx = 1\n[t]\n"""',
)
const tomlText = fc
  .record({
    root: fc.uniqueArray(
      fc.tuple(fc.constantFrom('model', 'a', 'z', 'q.r', 'q.s', '"x y"', 'env.off'), tomlScalar, remark),
      { selector: ([key]) => key, maxLength: 5 },
    ),
    tables: fc.uniqueArray(
      fc.tuple(
        fc.constantFrom('env', 'providers.other', 'providers', 'projects."/home/me"', 'mcp', 'studio.deep.er'),
        fc.uniqueArray(fc.tuple(fc.constantFrom('on', 'name', 'c.d', 'e'), tomlScalar), {
          selector: ([key]) => key,
          maxLength: 3,
        }),
        remark,
      ),
      { selector: ([key]) => key, maxLength: 4 },
    ),
    arrays: fc.nat(2),
    gap: fc.constantFrom('', '\n', '\n\n'),
    end: eol,
    mark,
    last: fc.constantFrom('', '\n'),
    top: remark,
  })
  .filter(({ root, tables }) => !(root.some(([key]) => key === 'env.off') && tables.some(([key]) => key === 'env')))
  .map(({ root, tables, arrays, gap, end, mark: first, last, top }) => {
    const lines = [
      ...(top === '' ? [] : [`# ${top}`]),
      ...root.map(([key, value, note]) => `${key} = ${value}${comment(note, '# ')}`),
      ...tables.flatMap(([key, pairs, note]) => [
        `${gap}${note === '' ? '' : `# ${note}\n`}[${key}]${comment(note, '# ')}`,
        ...pairs.map(([name, value]) => `  ${name} = ${value}`),
      ]),
      ...Array.from({ length: arrays }, (_, index) => `[[hooks]]\nn = ${index}`),
    ]
    return first + (lines.join('\n') + last).replaceAll('\n', end)
  })

const yamlText = fc
  .record({
    top: remark,
    pairs: fc.uniqueArray(
      fc.tuple(
        fc.constantFrom('model', 'name', 'version', 'context', '"x y"'),
        fc.constantFrom(
          'v',
          "'it''s'",
          '"q # r"',
          '1.0.0',
          '[a, {b: 1}]',
          '|\n  text\n\n  more',
          '\n  - a\n  - b: 1\n    c: 2',
          '\n  k: v\n  l:\n    - 1',
        ),
        remark,
      ),
      { selector: ([key]) => key, maxLength: 4 },
    ),
    models: fc.constantFrom(
      '',
      'models: []',
      'models:\n  - name: a\n    provider: b # tail\n\n  # between\n  - name: c\n    roles:\n      - chat',
      'models:\n- name: a\n  x: |\n    hi',
      'models: [{name: a}]',
    ),
    isFirst: fc.boolean(),
    start: fc.constantFrom('', '', '---\n'),
    end: eol,
    mark,
    last: fc.constantFrom('', '\n', '\n\n', '\n# end\n'),
  })
  .map(({ top, pairs, models, isFirst, start, end, mark: first, last }) => {
    const own = pairs.map(([key, value, note]) => `${key}: ${value}${value.includes('\n') ? '' : comment(note, '# ')}`)
    const list = models === '' ? [] : [models]
    const lines = [...(top === '' ? [] : [`# ${top}`]), ...(isFirst ? [...list, ...own] : [...own, ...list])]
    return first + (start + lines.join('\n') + last).replaceAll('\n', end)
  })

const dotenvText = fc
  .record({
    lines: fc.array(
      fc.oneof(
        fc
          .tuple(bare, fc.constantFrom('v', '"q r"', "'s'", 'x # c', ''))
          .map(([key, value]) => `${key.replace('-', '_')}=${value}`),
        fc.constantFrom('# c', '', 'export Z=1'),
      ),
      { maxLength: 5 },
    ),
    end: eol,
    mark,
    last: fc.constantFrom('', '\n'),
  })
  .map(
    ({ lines, end, mark: first, last }) =>
      first + (lines.join('\n') + (lines.length > 0 ? last : '')).replaceAll('\n', end),
  )

const texts: Record<FormatName, fc.Arbitrary<string>> = {
  json: jsonText,
  toml: tomlText,
  yaml: yamlText,
  dotenv: dotenvText,
}
const names = Object.keys(texts) as FormatName[]
const runs = { numRuns: tries(300, 5000) }

/** What a second, independent parser reads. */
const readers: Partial<Record<FormatName, (text: string) => unknown>> = {
  // Line ends in values are the parser’s choice (TOML 1.0, String).
  toml: (text) => parseToml(text.replaceAll('\r\n', '\n')),
  yaml: (text) => parseYaml(text),
}

const withoutMark = (text: string): string => text.replace(/^\ufeff/, '')
const linesOf = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** A line without commas, and without the end of a map or list, in which entries may be. */
const bareLine = (line: string): string =>
  line
    .replaceAll(',', '')
    .replace(/(?:\{\}|\[\]).*$/, '')
    .replace(/[\]}]+$/, '')

/** Whether a text has all characters of another in their order. */
function isWithin(part: string, whole: string): boolean {
  let at = 0
  for (const character of whole) if (character === part[at]) at += 1
  return at >= part.length
}

/** Writes the entries; null when the editor refuses the file, which leaves it as it is. */
function written(name: FormatName, text: string) {
  try {
    return writeEntries(name, text, entries[name])
  } catch (thrown) {
    expect(thrown).toMatchObject({ kind: 'bad_input' })
    return null
  }
}

describe.each(names)('a %s file', (name) => {
  it('has exactly the written values and its own, in the eyes of another parser too', () => {
    fc.assert(
      fc.property(texts[name], (text) => {
        const result = written(name, text)
        if (!result) return
        expect(findEntries(name, result.text, result.written)).toMatchObject({ isComplete: true })
        const read = readers[name]
        if (read)
          expect(read(withoutMark(result.text))).toEqual(
            formats[name].parse(withoutMark(result.text).replaceAll('\r\n', '\n')),
          )
        // Writing again changes nothing.
        expect(writeEntries(name, result.text, entries[name]).text).toBe(result.text)
      }),
      runs,
    )
  })

  it('keeps each of its lines that no entry replaces, their order, its line ends and its byte order mark', () => {
    fc.assert(
      fc.property(texts[name], (text) => {
        const result = written(name, text)
        if (!result) return
        expect(result.text.startsWith('\ufeff')).toBe(text.startsWith('\ufeff'))
        if (text.includes('\r\n')) expect(result.text.replaceAll('\r\n', '')).not.toContain('\n')
        const replaced = result.written.filter(({ before }) => before !== null)
        if (replaced.length > 0 || !/[\n]/.test(text)) return
        let from = 0
        const now = linesOf(result.text)
        for (const line of linesOf(text).filter((one) => bareLine(one) !== '')) {
          // A last value gets a comma, and a map or list in this line gets content.
          const core = bareLine(line)
          const at = now.findIndex((one, index) => index >= from && isWithin(core, bareLine(one)))
          expect(at, `${line}\n---\n${result.text}`).toBeGreaterThanOrEqual(from)
          from = at
        }
      }),
      runs,
    )
  })

  it('has its former values again after the entries are taken out', () => {
    fc.assert(
      fc.property(texts[name], (text) => {
        const result = written(name, text)
        if (!result) return
        const back = removeEntries(name, result.text, result.written)
        expect(back.left).toEqual([])
        expect(formats[name].parse(withoutMark(back.text))).toEqual(formats[name].parse(withoutMark(text)))
        expect(linesOf(back.text).join('\n').replace(/\s/g, '')).toBe(linesOf(text).join('\n').replace(/\s/g, ''))
      }),
      runs,
    )
  })
})
