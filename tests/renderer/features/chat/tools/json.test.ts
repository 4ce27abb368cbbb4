import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { commandLine, programOf, splitCommand } from '../../../../../src-renderer/shared/ui/commandLine.ts'
import { jsonFault } from '../../../../../src-renderer/shared/ui/jsonFault.ts'
import { plainText } from '../../../../../src-renderer/shared/ui/plainText.ts'
import { tries } from '../../../../helpers/effort.ts'

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('jsonFault', () => {
  test('finds no fault in valid JSON, however it is spaced', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 1, 4, '\t'), (text, indent) => {
        expect(jsonFault(JSON.stringify(JSON.parse(text), null, indent))).toBeNull()
      }),
    )
  })

  test('agrees with JSON.parse about any truncated or changed text', () => {
    const pieces = fc
      .array(
        fc.constantFrom(
          '{',
          '}',
          '[',
          ']',
          ':',
          ',',
          '"a"',
          '"',
          '\\',
          '\\u00e9',
          '1',
          '-',
          '0',
          '.5',
          'e',
          'E+1',
          'true',
          'nul',
          ' ',
          '\n',
          '\u0001',
          'é',
        ),
      )
      .map((all) => all.join(''))
    const changed = fc.tuple(fc.json(), fc.nat(), fc.string({ maxLength: 2 })).map(([text, at, put]) => {
      const place = at % (text.length + 1)
      return text.slice(0, place) + put + text.slice(place + 1)
    })
    fc.assert(
      fc.property(fc.oneof(pieces, changed), (text) => {
        expect(jsonFault(text) === null).toBe(isJson(text))
      }),
      { numRuns: tries(500, 2_000) },
    )
  })

  test.each([
    ['{"a": 1,}', 1, 9, 'name', false],
    ['{\n  "a" 1\n}', 2, 7, 'colon', false],
    ['[1 2]', 1, 4, 'commaOrEnd', false],
    ['{"a": True}', 1, 7, 'word', false],
    ["{'a': 1}", 1, 2, 'name', false],
    ['{"a": "x', 1, 9, 'string', true],
    ['{"a": [1,', 1, 10, 'value', true],
    ['{} {}', 1, 4, 'end', false],
    ['"\\x"', 1, 2, 'escape', false],
    ['', 1, 1, 'value', true],
  ] as const)('%j: line %i, column %i, %s expected', (text, line, column, expected, atEnd) => {
    expect(jsonFault(text)).toEqual({ line, column, expected, atEnd })
  })

  test('reads a hundred thousand brackets without recursion', () => {
    expect(jsonFault(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)).toBeNull()
    expect(jsonFault('['.repeat(100_000))).toMatchObject({ expected: 'value', atEnd: true })
  })
})

describe('a command on one line', () => {
  test('splits into the same words that were joined', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), (words) => {
        const [command = '', ...args] = words
        expect(splitCommand(commandLine({ command, args }))).toEqual(words)
      }),
    )
  })

  test.each([
    ['npx -y @scope/server /tmp', ['npx', '-y', '@scope/server', '/tmp']],
    ['  "two words" \'it is\' a\\ b ', ['two words', 'it is', 'a b']],
    ['uvx "a \\"b\\" $HOME"', ['uvx', 'a "b" $HOME']],
    ['npx server \\\n  --x "a\\\nb"', ['npx', 'server', '--x', 'ab']],
    ["''", ['']],
    ['', []],
  ])('%j', (line, words) => {
    expect(splitCommand(line)).toEqual(words)
  })

  test.each(['say "hello', "it's", 'end\\'])('%j is incomplete', (line) => {
    expect(splitCommand(line)).toBeNull()
  })
})

describe('a typed or pasted command', () => {
  test.each([
    ['node server.mjs --x "a b"', { command: 'node', args: ['server.mjs', '--x', 'a b'] }],
    [" uvx 'my server' $HOME *\n", { command: 'uvx', args: ['my server', '$HOME', '*'] }],
    ["'/opt/my server/run'", { command: '/opt/my server/run', args: [] }],
    ['"C:\\Program Files\\node.exe" server.mjs', { command: 'C:\\Program Files\\node.exe', args: ['server.mjs'] }],
  ])('%j is split', (text, parts) => {
    expect(programOf(text)).toEqual(parts)
  })

  test.each(['', 'node', 'C:\\Program Files\\node.exe', 'say "hello', `node ${'a'.repeat(9000)}`])(
    '%j stays as it is',
    (text) => {
      expect(programOf(text)).toBeNull()
    },
  )
})

describe('untrusted text', () => {
  test('shows characters that would reverse, hide or truncate it', () => {
    expect(plainText('rm\u202Efdp.exe')).toBe('rm\\u{202E}fdp.exe')
    expect(plainText('a\u200bb\u0000c\u{e0041}')).toBe('a\\u{200B}b\\u{0000}c\\u{E0041}')
    expect(plainText('one\r\ntwo\rthree\tend')).toBe('one\ntwo\nthree\tend')
  })

  test('keeps the joiners that scripts and emoji need', () => {
    for (const text of ['日本語のテキスト', 'می‌خواهم', '👩‍👩‍👧', 'naïve — “quoted”']) expect(plainText(text)).toBe(text)
  })
})
