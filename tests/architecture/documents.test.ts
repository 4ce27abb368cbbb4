import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { commandLine } from '../../src-main/hosts/node/program.ts'
import { unusedParts } from '../hosts/node/fixtures/inProcess.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const documents = globSync(['*.md', 'docs/**/*.md', 'src-*/**/README.md', 'tests/**/*.md', 'resources/**/*.md'], {
  cwd: root,
}).filter((path) => !path.startsWith('tests/fixtures/'))
/** The changelog names files, commands and options of earlier versions too. */
const current = documents.filter((path) => path !== 'CHANGELOG.md')
const exists = (path: string): boolean => existsSync(join(root, path))

/** Every end of the path of a source file: `c.ts`, `b/c.ts`, `a/b/c.ts`. */
const pathEnds = new Set(
  globSync(['*', '{src-*,tests,resources,docs}/**/*'], { cwd: root }).flatMap((path) =>
    path.split('/').map((_, at, parts) => parts.slice(at).join('/')),
  ),
)
/** Files that documents name but this repository does not contain: those of Electron, of a build, and a pattern. */
const foreignFiles = ['electron.d.ts', 'out/preload/preload.cjs', 'migrations/NNN-what.ts']

/** Links, paths and names of files in a document that lead to nothing. */
function stalePaths(document: string, markdown: string): string[] {
  const text = markdown.replace(/```[\s\S]*?```/g, '')
  const links = [...text.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)/g)].map(([, link = '']) => link)
  const spans = [...text.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span)
  return [
    ...links.filter((link) => !leads(document, link)),
    ...spans.filter((span) => isPath(span) && !isKnownPath(document, span)),
  ]
}

const isPath = (span: string): boolean =>
  /^(src-main|src-renderer|src-preload|tests|resources|docs)\/[\w./-]+$|^[\w./-]+\.(tsx?|mjs|cjs|css|html|md)$/.test(
    span,
  )

/** A path of the repository, relative to the document, or the end of one. */
const isKnownPath = (document: string, span: string): boolean =>
  foreignFiles.includes(span) || pathEnds.has(span) || exists(span) || exists(join(dirname(document), span))

function leads(document: string, link: string): boolean {
  const [path = '', heading] = link.split('#')
  const target = path === '' ? document : join(dirname(document), path)
  if (!exists(target)) return false
  return heading === undefined || headings(read(target)).has(heading)
}

/** The anchors of a document's headings, as GitHub makes them. */
const headings = (markdown: string): Set<string> =>
  new Set(
    [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, text = '']) =>
      text
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )

/** Text whose comments are not broken into lines. */
const oneLine = (source: string): string => source.replaceAll(/\s*\n\s*(?:\*|\/\/) /g, ' ')

const scripts = Object.keys(JSON.parse(read('package.json')).scripts)
const program = commandLine(unusedParts, () => undefined)
/** Arguments of the desktop application, which it reads itself. */
const desktopArguments = ['--quick-prompt', '--new-chat']

/** Commands in a document that this version does not have: npm scripts, scripts of the repository, and commands with their options. */
function staleCommands(markdown: string): string[] {
  const code = [...markdown.matchAll(/```[\s\S]*?```|`[^`\n]+`/g)].flatMap(([text]) =>
    text.replaceAll('`', '').split('\n'),
  )
  return code.flatMap((line) => {
    const npm = /\bnpm run (?:-s )?([\w:-]+)|\bnpm (start|test)\b/.exec(line)
    const script = npm?.[1] ?? npm?.[2]
    if (script !== undefined && !scripts.includes(script)) return [line]
    const [, file] = /\bnode ((?:src-main|tests|resources)\/\S+)/.exec(line) ?? []
    if (file !== undefined && !exists(file)) return [line]
    const [, words] = /(?:\binference-studio|\bnpm run (?:-s )?studio --) (.+)/.exec(line) ?? []
    return words !== undefined && !isCommand(words) ? [line] : []
  })
}

/** Whether the words name a command, with options that it has. Placeholders such as `<command>` match any word. */
function isCommand(given: string): boolean {
  const [words = '', served] = given.split(' -- ')
  // What follows are options of `serve`.
  if (served !== undefined && !isCommand(`serve ${served}`)) return false
  let command: Command = program
  const list = words.replace(/#.*/, '').trim().split(/\s+/)
  while (list[0] !== undefined && command.commands.length > 0 && /^[a-z]+$/.test(list[0])) {
    const next = command.commands.find((one) => one.name() === list[0])
    if (!next) return false
    command = next
    list.shift()
  }
  const known = ['--help', '--version', ...desktopArguments, ...options(command)]
  return [...words.matchAll(/--[a-z][a-z-]*/g)].every(([option]) => known.includes(option))
}

/** The long names of a command's options and of those of its commands. */
const options = (command: Command): string[] => [
  ...command.options.flatMap(({ long }) => long ?? []),
  ...command.commands.flatMap(options),
]

describe('documents', () => {
  it('are found', () => {
    expect(documents.length).toBeGreaterThan(20)
  })

  it.each(current)('%s names only files and headings that exist', (document) => {
    expect(stalePaths(document, read(document))).toEqual([])
  })

  it.each(current)('%s names only commands and options that exist', (document) => {
    expect(staleCommands(read(document))).toEqual([])
  })

  it('with stale names are noticed', () => {
    const text =
      'See [a](gone.md), [b](README.md#no-such-heading), [c](README.md#documentation), `src-main/gone.ts`, `nothing.ts`, `program.ts`.'
    expect(stalePaths('README.md', text)).toEqual([
      'gone.md',
      'README.md#no-such-heading',
      'src-main/gone.ts',
      'nothing.ts',
    ])
    const commands = [
      'npm run gone',
      'node tests/gone.mjs',
      'inference-studio gone',
      'inference-studio apps add x --gone',
    ]
    const right = [
      'npm run bench -- proxy',
      'inference-studio apps set x --map none',
      'inference-studio <command> --help',
    ]
    expect(staleCommands([...commands, ...right].map((line) => `\`${line}\``).join('\n'))).toEqual(commands)
  })
})

describe('docs/service-api.md', () => {
  const document = read('docs/service-api.md')
  const names = [...document.matchAll(/^#+ (.+)$|\b([A-Z]{3,4}-\d\d)\b/gm)].map(
    ([, heading, id]) => heading ?? id ?? '',
  )
  /** The places that comments and documents name: `(specification, Limits)`. Those of the MCP sign-in mean the specification of MCP. */
  const references = globSync('src-*/**/*.{ts,tsx,md}', { cwd: root })
    .filter((path) => !path.includes('/mcp/'))
    .flatMap((path) =>
      [...oneLine(read(path)).matchAll(/(?:\(s|\* S)pecification, ([^).;:]+)/g)].map(([, place = '']) => place),
    )

  it('has every heading and rule that the sources name', () => {
    expect(references.length).toBeGreaterThan(20)
    expect(references.filter((place) => !names.includes(place))).toEqual([])
  })
})

describe('docs/guide/command-line.md', () => {
  const rows = [...read('docs/guide/command-line.md').matchAll(/^\| (`.*?`) \| /gm)].map(([, cell = '']) => cell)
  const spans = rows.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span))

  it.each(spans)('`%s` is a command with these options', (span) => {
    expect(isCommand(span.replaceAll('\\|', '|').replace(/^(\w+) \[(\w+)\]/, '$1 $2'))).toBe(true)
  })

  it('lists every command', () => {
    const names = program.commands.filter(({ commands }) => commands.length === 0).map((command) => command.name())
    const groups = program.commands.flatMap((group) => group.commands.map((one) => `${group.name()} ${one.name()}`))
    const listed = spans.map((span) => span.replace(/^(\w+) \[(\w+)\]/, '$1 $2'))
    const missing = [...names, ...groups].filter((name) => !listed.some((span) => `${span} `.startsWith(`${name} `)))
    expect(missing).toEqual([])
  })
})

describe('the table of WCAG', () => {
  const table = read('docs/accessibility.md')
  const rows = table.split('\n').filter((line) => /^\| \d/.test(line))

  it('has each criterion of WCAG 2.2, A and AA, in order', () => {
    // 4.1.1 is no longer one.
    const levels = { 1: [1, 5, 5, 13], 2: [4, 2, 1, 11, 8], 3: [2, 6, 8], 4: [3] }
    const isAaa = (id: string): boolean =>
      [
        '1.4.6',
        '1.4.7',
        '1.4.8',
        '1.4.9',
        '2.1.3',
        '2.4.8',
        '2.4.9',
        '2.4.10',
        '2.5.5',
        '2.5.6',
        '3.3.5',
        '3.3.6',
      ].includes(id)
    const all = Object.entries(levels).flatMap(([principle, counts]) =>
      counts.flatMap((count, guideline) =>
        Array.from({ length: count }, (_, at) => `${principle}.${guideline + 1}.${at + 1}`),
      ),
    )
    const wanted = all.filter((id) => !isAaa(id) && !['3.2.5', '4.1.1'].includes(id))
    expect(wanted).toHaveLength(55)
    expect(rows.map((row) => row.split(' ')[1])).toEqual(wanted)
  })

  it('names tests that are there', () => {
    const named = rows.flatMap((row) => [...row.matchAll(/`((?:e2e|renderer)\/[^`]+)`(?:: “([^”]+)”)?/g)])
    expect(named.length).toBeGreaterThan(35)
    const missing = named.filter(([, file = '', title = '']) => {
      const path = `tests/${file}`
      return !exists(path) || !read(path).includes(title)
    })
    expect(missing.map(([found]) => found)).toEqual([])
  })
})
