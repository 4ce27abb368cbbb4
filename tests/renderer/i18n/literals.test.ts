import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from '@swc/core'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../src-renderer/', import.meta.url))
const desktop = fileURLToPath(new URL('../../../src-main/hosts/electron/', import.meta.url))
const commandLine = fileURLToPath(new URL('../../../src-main/hosts/node/', import.meta.url))
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name))
const files = sources.filter((name) => name.endsWith('.tsx'))

/** Attributes that a person reads or hears. */
const spoken = new Set([
  'aria-label',
  'aria-description',
  'aria-roledescription',
  'aria-valuetext',
  'alt',
  'title',
  'placeholder',
  'label',
  'name',
  'hint',
  'about',
  'text',
])
/** An address is not a word. */
const isWord = (text: string): boolean => /\p{L}{2,}/u.test(text) && !/^https?:\/\//.test(text)
/**
 * Texts that are the same in every language: a key, a unit, a code language, a JSON example, a model id, and the `name` of a form field.
 */
const signs = new Set(['Esc', 'SC', 'mermaid', '{ "top_k": 40 }', 'colour', 'clean-up-by', 'tts-1'])

type Node = { type: string; span?: { start: number }; [key: string]: unknown }
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const nameOf = ({ name }: Node): string => (isNode(name) && typeof name.value === 'string' ? name.value : '')

/** Literal texts in JSX: between tags, in braces between tags, and in attributes that are read out. */
function literalsIn(source: string): string[] {
  const found: string[] = []
  const add = (text: string): void => {
    const words = text.trim()
    if (isWord(words) && !signs.has(words)) found.push(words)
  }
  /** Every string that an expression may evaluate to. */
  const texts = (value: unknown): void => {
    if (!isNode(value)) return
    if (value.type === 'StringLiteral' && typeof value.value === 'string') add(value.value)
    else if (value.type === 'TemplateLiteral') {
      for (const quasi of value.quasis as { cooked?: string }[]) add(quasi.cooked ?? '')
    } else if (value.type === 'ConditionalExpression') {
      texts(value.consequent)
      texts(value.alternate)
    } else if (value.type === 'BinaryExpression' && ['&&', '||', '??', '+'].includes(String(value.operator))) {
      texts(value.left)
      texts(value.right)
    } else if (value.type === 'ParenthesisExpression' || value.type === 'JSXExpressionContainer')
      texts(value.expression)
  }
  const read = (node: Node): void => {
    if (node.type === 'JSXText') add(String(node.value))
    else if (node.type === 'JSXElement' || node.type === 'JSXFragment')
      for (const one of list(node.children)) texts(one)
    else if (node.type === 'JSXAttribute' && spoken.has(nameOf(node))) texts(node.value)
  }
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    if (isNode(value)) read(value)
    for (const one of Object.values(value)) walk(one)
  }
  walk(parseSync(source, { syntax: 'typescript', tsx: true }))
  return found
}

/**
 * Sentences in code: texts with a capital letter, a space and a full stop. Without the messages of failures, which are English as those of
 * the core, because the window shows the translated texts of their kind.
 */
function sentencesIn(source: string, tsx: boolean): string[] {
  const found: string[] = []
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || (isNode(value) && isUnread(value))) return
    if (isNode(value)) found.push(...textsIn(value).filter((text) => /^\p{Lu}.* .*[\p{L}*)”][.?!]$/su.test(text)))
    for (const one of Object.values(value)) walk(one)
  }
  walk(parseSync(source, { syntax: 'typescript', tsx }))
  return found
}

const isUnread = ({ type, key }: Node): boolean =>
  type === 'NewExpression' ||
  type === 'ImportDeclaration' ||
  (type === 'KeyValueProperty' && isNode(key) && key.value === 'message')

function textsIn(node: Node): string[] {
  if (node.type === 'StringLiteral') return [String(node.value)]
  if (node.type !== 'TemplateLiteral') return []
  return [(node.quasis as { cooked?: string }[]).map(({ cooked }) => cooked ?? '').join('*')]
}

/** What a menu, a dialog, a notification or a window of the desktop shows. */
const shownByDesktop = new Set(['label', 'title', 'message', 'detail', 'body', 'buttons', 'description', 'toolTip'])

/** Methods that show their arguments. */
const showingMethods = new Set(['showErrorBox', 'setToolTip', 'setTitle'])

/** Every expression whose value the desktop host shows: of properties such as `label`, and arguments of methods such as `setToolTip`. */
function shownIn(node: Node): unknown[] {
  const { type, key, value, callee } = node
  if (type === 'KeyValueProperty') return isNode(key) && shownByDesktop.has(String(key.value)) ? [value] : []
  if (type !== 'CallExpression' || !isNode(callee) || !isNode(callee.property)) return []
  return showingMethods.has(String(callee.property.value)) ? expressionsOf(node.arguments) : []
}

const expressionsOf = (items: unknown): unknown[] =>
  list(items).map((item) => (item as { expression?: unknown } | null)?.expression)

/** The expressions that may be the value of an expression. */
function choicesOf(node: Node): unknown[] {
  if (node.type === 'ConditionalExpression') return [node.consequent, node.alternate]
  if (node.type === 'BinaryExpression') return [node.left, node.right]
  return node.type === 'ArrayExpression' ? expressionsOf(node.elements) : []
}

/** Literal words that the desktop host gives to menus, dialogs, notifications and windows. */
function desktopLiteralsIn(source: string): string[] {
  const found: string[] = []
  const add = (value: unknown): void => {
    if (!isNode(value)) return
    const words = textsIn(value).map((text) => text.replaceAll('Inference Studio', '').replaceAll('*', '').trim())
    found.push(...words.filter(isWord))
    choicesOf(value).forEach(add)
  }
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    if (isNode(value)) shownIn(value).forEach(add)
    for (const one of Object.values(value)) walk(one)
  }
  walk(parseSync(source, { syntax: 'typescript' }))
  return found
}

/** Calls whose value is a text of the window: `t(…)`, `i18n.t(…)`, `showSize(…)`. */
function isText(node: Node): boolean {
  const { type, callee } = node
  if (type !== 'CallExpression' || !isNode(callee)) return false
  const called = isNode(callee.property) ? callee.property.value : callee.value
  return called === 't' || /^(show[A-Z]|inSc$)/.test(String(called))
}

const hasText = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  ((isNode(value) && isText(value)) || Object.values(value).some(hasText))

/** Expressions that are a text, or a text under a condition. An element between two texts divides them. */
const isTextual = (value: unknown): boolean =>
  isNode(value) && (isText(value) || choicesOf(value).some(isTextual) || isTextual(value.expression))

/** Punctuation and spaces, which other languages write differently or in another order. */
const isMark = (text: string): boolean => text !== '' && /^[ ·,:;.()[\]–—]+$/u.test(text)

/** Attributes of code: they are not shown. */
const isHidden = (node: Node): boolean =>
  node.type === 'JSXAttribute' && /^(className|key|style|id|href|src)$/.test(nameOf(node))

/**
 * Places where a text and another one are joined by punctuation or a space in code: `${t('a')}: ${b}`, `{t('a')} {t('b')}`,
 * `[t('a'), b].join(' · ')`. Lists are joined by `joinFacts`, `joinSentences`, `showList` and `showNamed`.
 */
function gluedIn(source: string, tsx: boolean): string[] {
  const found: string[] = []
  const inTemplate = ({ quasis, expressions }: Node): void => {
    const marks = list(quasis).map((one) => String((one as { cooked?: string }).cooked ?? ''))
    if (hasText(expressions) && marks.some(isMark)) found.push(marks.join('*'))
  }
  const inChildren = (children: unknown): void => {
    const parts = list(children).flatMap((child): unknown[] => {
      if (!isNode(child)) return []
      if (child.type === 'JSXText') {
        const text = String(child.value).replace(/\s*\n\s*/g, '')
        return text === '' ? [] : [text]
      }
      const { expression } = child
      if (child.type !== 'JSXExpressionContainer' || !isNode(expression)) return [child]
      return expression.type === 'StringLiteral' ? [String(expression.value)] : [expression]
    })
    for (const [at, part] of parts.entries()) {
      if (typeof part !== 'string' || !isMark(part)) continue
      const beside = [parts[at - 1], parts[at + 1]].filter((one) => one !== undefined)
      if (part.trim() === '' ? beside.length === 2 && beside.every(isTextual) : beside.some(hasText))
        found.push(`{}${part}{}`)
    }
  }
  const inJoin = ({ callee, arguments: given }: Node): void => {
    if (!isNode(callee) || !isNode(callee.property) || callee.property.value !== 'join') return
    const [mark] = expressionsOf(given)
    if (!isNode(mark) || mark.type !== 'StringLiteral') return
    if (/[·–—;]/.test(String(mark.value)) || (isMark(String(mark.value)) && hasText(callee.object)))
      found.push(`join(${String(mark.value)})`)
  }
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || (isNode(value) && isHidden(value))) return
    if (isNode(value)) {
      if (value.type === 'TemplateLiteral' && Array.isArray(value.expressions)) inTemplate(value)
      if (value.type === 'JSXElement' || value.type === 'JSXFragment') inChildren(value.children)
      if (value.type === 'CallExpression') inJoin(value)
    }
    for (const one of Object.values(value)) walk(one)
  }
  walk(parseSync(source, { syntax: 'typescript', tsx }))
  return found
}

describe('texts of the desktop', () => {
  it('are found in menus, dialogs, notifications and windows', () => {
    const source = `const a = [{ label: 'New chat' }, { role: 'quit' }, { message: \`Quit \${n}?\`, buttons: ['Yes', t('no')] }]
    dialog.showErrorBox('It failed', x); new W({ title: open ? 'Inference Studio' : 'A page' }); log('error', 'Not this.')`
    expect(desktopLiteralsIn(source)).toEqual(['New chat', 'Quit ?', 'Yes', 'It failed', 'A page'])
  })
  it('all come from i18n', () => {
    const all = readdirSync(desktop, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
    expect(all.length).toBeGreaterThan(40)
    const faults = all
      // What the self-check prints is for a terminal.
      .filter((name) => name !== 'selfCheck.ts')
      .flatMap((name) => desktopLiteralsIn(readFileSync(join(desktop, name), 'utf8')).map((text) => `${name}: ${text}`))
    expect(faults).toEqual([])
  })
})

/** Functions whose arguments a person reads, so that one word is a text too. */
const showing = new Set(['say', 'tell', 'sayTable', 'usageError', 'ownError', 'fileError', 'InvalidArgumentError'])
/** Of the command line: log lines, and errors that only the core or a program sees, are English. */
const unread = new Set(['log', 'unexpected', 'StudioError', 'Error'])
/** The name of the program, commands, flags, and headers of HTTP and of roff. */
const isNoText = (text: string): boolean =>
  /^(?:Inference Studio$|(?:[A-Z_]+=\S+ )?inference-studio |serve --|--[\w-]+ <|HTTP\/|text\/|\.TH )/.test(text)
const hasTwoWords = (text: string): boolean => /\p{L}{2,}[,:;]? \p{L}{2,}/u.test(text)
/** Without the codes of errors and levels. */
const isShownWord = (text: string): boolean => /\p{L}{2,}/u.test(text) && !/^[a-z_]+$/.test(text)

/** Texts in the code of the command line: two words in a row anywhere, and any word where it is shown. */
function commandLineLiteralsIn(source: string): string[] {
  const found: string[] = []
  const read = (node: Node, isShown: boolean): void => {
    const { type, callee } = node
    const name = isNode(callee) ? String(callee.value) : ''
    if (unread.has(name) || type === 'ImportDeclaration') return
    const words = textsIn(node).filter((text) => !isNoText(text))
    found.push(...words.filter((text) => hasTwoWords(text) || (isShown && isShownWord(text))))
    const isCall = type === 'CallExpression' || type === 'NewExpression'
    walk(Object.values(node), isCall ? showing.has(name) : isShown)
  }
  const walk = (value: unknown, isShown: boolean): void => {
    if (isNode(value)) read(value, isShown)
    else if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) walk(one, isShown)
  }
  walk(parseSync(source, { syntax: 'typescript' }), false)
  return found
}

/** What is no text of a command: HTTP replies, scripts and files for other programs, and the check whose results the window shows too. */
const elsewhere = /^web\/|^(serviceFiles|completion|folder|main|commanderWords|commands\/selfCheck)\.ts$/

describe('texts of the command line', () => {
  it('are found in code', () => {
    const source = `say('Done', t('key'), \`\${n} files\`); log('info', 'Not this one.'); throw new StudioError('bug', 'Nor this one.')
    const a = open ? 'Two words' : 'one'; tell('warn', x ? 'Gone' : name); usageError(\`--all needs \${b}\`)
    withExamples(command, ['inference-studio chat Hello there'])`
    expect(commandLineLiteralsIn(source)).toEqual(['Done', '* files', 'Two words', 'Gone', '--all needs *'])
  })
  it('all come from i18n', () => {
    const all = readdirSync(commandLine, { recursive: true, encoding: 'utf8' })
      .map((name) => name.replaceAll('\\', '/'))
      .filter((name) => name.endsWith('.ts') && !elsewhere.test(name))
    expect(all.length).toBeGreaterThan(50)
    const faults = all.flatMap((name) =>
      commandLineLiteralsIn(readFileSync(join(commandLine, name), 'utf8')).map((text) => `${name}: ${text}`),
    )
    expect(faults).toEqual([])
  })
})

/** Folders of the core and the hosts that give a person sentences of the program. Each of them is a note, by its code. */
const noted = ['core/features/archive', 'core/features/documents', 'core/shared/zipReader.ts', 'hosts/selfCheck']
/** Words for programs and models, and the README of an archive. */
const ofPrograms = ['The rest of this file was left out, because it is too long.']

describe('notes of imports, documents and checks', () => {
  it('all come from i18n', () => {
    const main = fileURLToPath(new URL('../../../src-main/', import.meta.url))
    const all = noted.flatMap((place) =>
      place.endsWith('.ts')
        ? [join(main, place)]
        : readdirSync(join(main, place), { recursive: true, encoding: 'utf8' })
            .filter((name) => name.endsWith('.ts'))
            .map((name) => join(main, place, name)),
    )
    expect(all.length).toBeGreaterThan(40)
    const faults = all
      .flatMap((path) =>
        sentencesIn(readFileSync(path, 'utf8'), false).map((text) => `${path.slice(main.length)}: ${text}`),
      )
      .filter((fault) => !ofPrograms.some((words) => fault.endsWith(words)))
    expect(faults).toEqual([])
  })
})

describe('texts', () => {
  it('are found in JSX', () => {
    const source = `const A = () => <p title="Two words" className="not these" onClick={() => go('not this')}>
      Hello {open ? 'Shut it' : t('key')} <b>{\`\${n} items\`}</b> {n} · — <Kbd>Esc</Kbd>
      <input aria-label={'Name'} type="text" value="nor this" />
    </p>`
    expect(literalsIn(source).toSorted()).toEqual(['Hello', 'Name', 'Shut it', 'Two words', 'items'])
  })
  it('of the window all come from i18n', () => {
    expect(files.length).toBeGreaterThan(80)
    const faults = files.flatMap((name) =>
      literalsIn(readFileSync(join(root, name), 'utf8')).map((text) => `${name}: ${text}`),
    )
    expect(faults).toEqual([])
  })
  it('of code are found', () => {
    const source = `const a = { about: 'Save the file.', message: 'Not this one.', b: \`Gave up after \${n} tries.\`, c: 'nor this' }
    throw new Error('It is not shown.')`
    expect(sentencesIn(source, false)).toEqual(['Save the file.', 'Gave up after * tries.'])
  })
  it('of code all come from i18n', () => {
    const faults = sources
      .filter((name) => !name.startsWith('i18n/'))
      .map((name) => ({ name, source: readFileSync(join(root, name), 'utf8') }))
      // Parsing every file takes seconds.
      .filter(({ source }) => /['"`]\p{Lu}[^\n]* [^\n]*[.?!]['"`]/u.test(source))
      .flatMap(({ name, source }) => sentencesIn(source, name.endsWith('.tsx')).map((text) => `${name}: ${text}`))
    expect(faults).toEqual([])
  })
  it('that code joins with punctuation or spaces are found', () => {
    const source = `const A = () => <p className={\`\${t('no')} x\`} title={\`\${t('a')}: \${b}\`}>
      {t('c')} {on && t('d')} <b>{t('no')}</b> {n}
      <i>{showSize(n)} · <Path /></i>{' '}{n} x
    </p>
    const b = [t('e'), f].filter(Boolean).join(' '), c = facts.join(' · '), d = classes.join(' '), e = lines.join('\\n')`
    expect(gluedIn(source, true).toSorted()).toEqual([...['*: *', 'join( )', 'join( · )', '{} {}', '{} · {}']])
  })
  it('are joined by the functions for it, never by code', () => {
    const faults = sources
      // Both join for all others.
      .filter((name) => !name.startsWith('i18n/') && name !== 'shared/ui/Facts.tsx')
      .map((name) => ({ name, source: readFileSync(join(root, name), 'utf8') }))
      .filter(({ source }) => /\bt\(|\bshow[A-Z]\w*\(|\.join\(/.test(source))
      .flatMap(({ name, source }) => gluedIn(source, name.endsWith('.tsx')).map((text) => `${name}: ${text}`))
    expect(faults).toEqual([])
  })
})
