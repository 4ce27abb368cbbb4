import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from '@swc/core'
import { describe, expect, it } from 'vitest'
import { en } from '../../../src-renderer/i18n/en.ts'

type Node = { type: string; [key: string]: unknown }
type Texts = { [name: string]: string | Texts }

/** `namespace:key` to text. */
const texts = new Map<string, string>()
const collect = (namespace: string, tree: Texts, path = ''): void => {
  for (const [name, value] of Object.entries(tree)) {
    if (typeof value === 'string') texts.set(`${namespace}:${path}${name}`, value)
    else collect(namespace, value, `${path}${name}.`)
  }
}
for (const [namespace, tree] of Object.entries(en)) collect(namespace, tree)

const root = fileURLToPath(new URL('../../../', import.meta.url))
const sources = ['src-renderer', 'src-main/core', 'src-main/hosts']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  .filter((name) => /\.tsx?$/.test(name) && !name.startsWith('src-renderer/i18n/en'))
  .map((name) => ({ name, tsx: name.endsWith('.tsx'), source: readFileSync(join(root, name), 'utf8') }))

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

function walk(value: unknown, visit: (node: Node) => void): void {
  if (typeof value !== 'object' || value === null) return
  if (isNode(value)) visit(value)
  for (const one of Object.values(value)) walk(one, visit)
}

/** Every string in the source that may be a key. A template is a pattern with `*` for what is computed. */
function keysIn(tree: unknown): string[] {
  const found: string[] = []
  walk(tree, (node) => {
    if (node.type === 'StringLiteral') found.push(String(node.value))
    else if (node.type === 'TemplateLiteral')
      found.push((node.quasis as { cooked?: string }[]).map(({ cooked }) => cooked ?? '').join('*'))
  })
  return found
}

const plural = /_(zero|one|two|few|many|other)$/
const trees = sources.map(({ tsx, source }) => parseSync(source, { syntax: 'typescript', tsx }))
const keys = new Set(trees.flatMap(keysIn))
const patterns = [...keys]
  .filter((key) => /^[\w.:*]+$/.test(key) && /\*/.test(key) && /[a-z]{2}[._:]|[._:][a-z]{2}/i.test(key))
  .map((key) => new RegExp(`^${key.replaceAll('.', '\\.').replaceAll('*', '[-\\w.]+')}$`))

function isUsed(path: string): boolean {
  const [, key = ''] = path.split(':')
  const names = [path, key].flatMap((name) => [name, name.replace(plural, '')])
  return names.some((name) => keys.has(name) || patterns.some((pattern) => pattern.test(name)))
}

/** The keys of all `t(…)` calls in an expression. */
function translatedIn(expression: unknown): string[] {
  const found: string[] = []
  walk(expression, (call) => {
    const { callee, arguments: args } = call as { callee?: Node; arguments?: { expression: Node }[] }
    if (call.type !== 'CallExpression') return
    const isTranslation = callee?.value === 't' || (callee?.property as Node | undefined)?.value === 't'
    if (isTranslation && args?.[0]) found.push(...keysIn(args[0].expression))
  })
  return found
}

/** Keys in the children of elements: `<Button>{t('save')}</Button>`. */
const childKeysIn = (tree: unknown, name: RegExp): string[] => {
  const found: string[] = []
  walk(tree, (node) => {
    if (node.type !== 'JSXElement' || !name.test((node.opening as { name: { value?: string } }).name.value ?? ''))
      return
    for (const child of list(node.children))
      if (isNode(child) && child.type === 'JSXExpressionContainer') found.push(...translatedIn(child))
  })
  return found
}

/** Keys in an attribute of elements: `<Dialog title={t('addTitle')}>`. */
const attributeKeysIn = (tree: unknown, element: RegExp, attribute: string): string[] => {
  const found: string[] = []
  walk(tree, (node) => {
    if (node.type !== 'JSXOpeningElement' || !element.test((node.name as { value?: string }).value ?? '')) return
    for (const one of list(node.attributes) as { name?: { value?: string }; value?: Node }[])
      if (one.name?.value === attribute) found.push(...translatedIn(one.value))
  })
  return found
}

/** Keys in properties of the objects of an attribute: `columns={[{ title: t('when') }]}`, `segments={[{ label: t('light') }]}`. */
const propertyKeysIn = (tree: unknown, attribute: string, property: string): string[] => {
  const found: string[] = []
  walk(tree, (node) => {
    if (node.type !== 'JSXAttribute' || (node.name as { value?: string }).value !== attribute) return
    walk(node.value, (pair) => {
      const { key, value } = pair as { key?: { value?: string }; value?: unknown }
      if (pair.type === 'KeyValueProperty' && key?.value === property) found.push(...translatedIn(value))
    })
  })
  return found
}

/** The namespaces that a file reads: `useTranslation('proxy')`, `useTranslation(['usage', 'proxy'])`. */
function namespacesIn(source: string): string[] {
  const used = [...source.matchAll(/useTranslation\(([^)]*)\)/g)].flatMap(
    ([, names = '']) => names.match(/\w+/g) ?? ['common'],
  )
  return [
    ...used,
    ...(/useChatTranslate/.test(source) ? ['chat'] : []),
    ...(/useToolTranslate/.test(source) ? ['chatTools'] : []),
  ]
}

/**
 * The texts, by path, of the keys that a search finds in each file. For a key with a computed part, the texts whose part the file names as a
 * string, or all that fit if it names none of them.
 */
function textsOf(find: (tree: unknown) => string[]): Map<string, string> {
  const found = new Map<string, string>()
  for (const [index, { source }] of sources.entries()) {
    const namespaces = namespacesIn(source)
    const named = new Set([...keysIn(trees[index]), ...namesIn(trees[index])])
    for (const key of find(trees[index])) {
      const names = key.includes(':') ? [key] : namespaces.map((namespace) => `${namespace}:${key}`)
      const fits = names.map((name) => new RegExp(`^${name.replaceAll('.', '\\.').replaceAll('*', '([-\\w]+)')}$`))
      const all = [...texts].flatMap(([path, text]) => {
        const parts = fits
          .map((fit) => fit.exec(path) ?? fit.exec(path.replace(plural, '')))
          .find((one) => one !== null)
        // A sentence beside computed labels is not one of them.
        const isOther = key.includes('*') && /[^.]\.$/.test(text)
        return parts && !isOther ? [{ path, text, isNamed: parts.slice(1).every((part) => named.has(part)) }] : []
      })
      const some = all.filter(({ isNamed }) => isNamed)
      for (const { path, text } of some.length > 0 ? some : all) found.set(path, text)
    }
  }
  return found
}

/** Names of properties, which may be the computed part of a key: `{ connection: 'wifi' }`. */
function namesIn(tree: unknown): string[] {
  const found: string[] = []
  walk(tree, ({ type, key }) => {
    if (type === 'KeyValueProperty' && isNode(key)) found.push(String((key as Node).value))
  })
  return found
}

const buttonTexts = textsOf((tree) =>
  [...childKeysIn(tree, /(Button|Tab)$/i), ...attributeKeysIn(tree, /MenuItem$/, 'label')].filter(
    (key) => !key.includes('*'),
  ),
)

/**
 * Labels by kind, and how many characters fit at 700 px without a line break or a cut: titles of dialogs and pages, of groups and sections,
 * names of fields and settings, headings of table columns, choices beside each other.
 */
const labels: [kind: string, most: number, texts: Map<string, string>][] = [
  ['titles of dialogs', 48, textsOf((tree) => attributeKeysIn(tree, /Dialog$/, 'title'))],
  ['titles of pages', 32, textsOf((tree) => attributeKeysIn(tree, /^StageBar$/, 'title'))],
  ['titles of empty pages', 48, textsOf((tree) => attributeKeysIn(tree, /^EmptyState$/, 'title'))],
  [
    'titles of groups',
    40,
    textsOf((tree) => [...attributeKeysIn(tree, /^(Group|Part)$/, 'title'), ...childKeysIn(tree, /^h[2-4]$/)]),
  ],
  [
    'names of settings and fields',
    40,
    textsOf((tree) => [
      ...attributeKeysIn(tree, /^(Row|Fact)$/, 'name'),
      ...attributeKeysIn(tree, /^(Field|TypedField|Checkbox|TextInput|Select)$/, 'label'),
    ]),
  ],
  [
    'headings of table columns',
    20,
    textsOf((tree) => [...childKeysIn(tree, /^th$/), ...propertyKeysIn(tree, 'columns', 'title')]),
  ],
  ['names of facts', 28, textsOf((tree) => [...propertyKeysIn(tree, 'rows', 'name'), ...childKeysIn(tree, /^dt$/)])],
  ['choices', 28, textsOf((tree) => ['segments', 'choices'].flatMap((name) => propertyKeysIn(tree, name, 'label')))],
]

/** The text without placeholders, because the data decides their length. */
const shown = (text: string): string => text.replace(/\{\{[^}]+\}\}/g, '')

/** Wording that newcomers did not understand. See docs/glossary.md for the words in use. */
const banned = [
  /^not sent$/i,
  /\bstands? here\b/i,
  /\bnothing is (set|asked)\b/i,
  /\bset nothing\b/i,
  /\bgo on\b/i,
  /\byour yes\b/i,
  /\bsay no\b/i,
  /\bbring some along\b/i,
  /\blet a text be heard\b/i,
  /\bbeing spoken\b/i,
  /\bwritten down\b/i,
  /\bcame of it\b/i,
  /\bwhose figures\b/i,
  /\bhere and elsewhere\b/i,
  /\bthis machine\b/i,
  /\bas of\b/i,
  /\bfetch now\b/i,
  /\brefused for their number\b/i,
  /\bturned away\b/i,
  /\blend\b/i,
  /\bcan(’|')t be used as it is\b/i,
  /\bin its whole life\b/i,
  /\bthrow(n)? away\b/i,
  /\bpictures?\b/i,
]

describe('texts of the window', () => {
  it('are all used', () => {
    expect(texts.size).toBeGreaterThan(1_000)
    expect(isUsed('chat:noSuchText')).toBe(false)
    expect([...texts.keys()].filter((path) => !isUsed(path))).toEqual([])
  })

  it('have none of the phrases that newcomers did not understand', () => {
    const faults = [...texts].flatMap(([path, text]) =>
      banned.filter((phrase) => phrase.test(text)).map((phrase) => `${path}: “${text}” has ${phrase}`),
    )
    expect(faults).toEqual([])
  })

  it('of buttons, menu items and tabs have at most 32 characters and no full stop', () => {
    expect(buttonTexts.size).toBeGreaterThan(100)
    const faults = [...buttonTexts].filter(([, text]) => shown(text).length > 32 || /[^.]\.$/.test(text))
    expect(faults).toEqual([])
  })

  it('of labels fit, by kind, and have no full stop', () => {
    for (const [kind, , found] of labels) expect(found.size, kind).toBeGreaterThan(4)
    const faults = labels.flatMap(([kind, most, found]) =>
      [...found].flatMap(([path, text]) =>
        shown(text).length > most || /[^.]\.$/.test(text) ? [`${kind}: ${path}: “${text}”`] : [],
      ),
    )
    expect(faults).toEqual([])
  })

  it('mark an estimate once, as “est.”', () => {
    const marks = /≈|~\{\{|\(est\.\)|\broughly\b|\babout\b.*\best\.|\best\..*\best\./i
    // Columns of a terminal have room for one character only.
    const ofWindow = [...texts].filter(([path]) => !path.startsWith('cli'))
    expect(ofWindow.filter(([, text]) => marks.test(text))).toEqual([])
    const drawn = sources.filter(({ source }) => source.includes('≈'))
    expect(drawn.map(({ name }) => name)).toEqual([])
  })
})
