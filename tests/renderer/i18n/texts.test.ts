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

const root = fileURLToPath(new URL('../../../src-renderer/', import.meta.url))
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !name.startsWith('i18n/en'))
  .map((name) => ({ tsx: name.endsWith('.tsx'), source: readFileSync(join(root, name), 'utf8') }))

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

/** Keys that are the text of a button, a menu item or a tab: `<Button>{t('save')}</Button>`. */
function buttonKeysIn(tree: unknown): string[] {
  const found: string[] = []
  walk(tree, (node) => {
    if (node.type !== 'JSXElement') return
    const { name } = node.opening as { name: { value?: string } }
    if (!/(Button|MenuItem|Tab)$/i.test(name.value ?? '')) return
    for (const child of list(node.children)) {
      if (!isNode(child) || child.type !== 'JSXExpressionContainer') continue
      walk(child, (call) => {
        const { callee, arguments: args } = call as { callee?: Node; arguments?: { expression: Node }[] }
        if (call.type !== 'CallExpression' || callee?.value !== 't') return
        if (args?.[0]) found.push(...keysIn(args[0].expression))
      })
    }
  })
  return found
}

/** The namespaces that a file reads: `useTranslation('proxy')`, `useTranslation(['usage', 'proxy'])`. */
const namespacesIn = (source: string): string[] =>
  [...source.matchAll(/useTranslation\(([^)]*)\)/g)].flatMap(([, names = '']) => names.match(/\w+/g) ?? ['common'])

const buttonTexts = new Map<string, string>()
for (const [index, { source }] of sources.entries()) {
  for (const key of buttonKeysIn(trees[index])) {
    const paths = key.includes(':') ? [key] : namespacesIn(source).map((namespace) => `${namespace}:${key}`)
    for (const path of paths) {
      const text = texts.get(path)
      if (text !== undefined) buttonTexts.set(path, text)
    }
  }
}

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
})
