// Fails where a name, a comment, a document, a message or a test title uses a private word instead of the field's own (CONTRIBUTING.md, "Words").
// `--list PATH` prints each use below a path. `--update` writes the allow-list again, and refuses to make it longer.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, '..', '..')
const allowFile = join(here, 'vocabulary-allowed.json')

/** In prose: comments, documents, messages, test titles. */
const inProse = /\b(doors?|desks?|books?|deeds?|rooms?|lies|lay|lying|stands?|standing|tells?|telling|told)\b/gi
/** What is good English, or somebody else's name. */
const proseAllowed = /\b(stand-ins?|room for|rooms? of memory|tells? (?:\w+ )?apart|standing order|book value)\b/gi
/** A word of an identifier, which is cut at capitals. */
const inNames = new Set(
  'door doors desk desks book books deed deeds room rooms lie lies stand stands standing tell tells telling told keep keeps'.split(
    ' ',
  ),
)
/** Names of the platform, of libraries, and of stored columns. */
const namesAllowed =
  /^(keep-?alive\w*|keepMounted|standIn\w*|StandIn\w*|\w+StandIn\w*|BookText|BookmarkPlus|BookOpen)$/i

/** Files by git, or all files of the folders in a copy without it. */
function everyFile() {
  const args = ['ls-files', '-co', '--exclude-standard', '--', 'src-*', 'tests', 'resources', 'docs', '*.md', '*.ts']
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  if (status === 0) return stdout.split('\n')
  const folders = ['src-main', 'src-preload', 'src-renderer', 'tests', 'resources', 'docs']
  const within = (folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((path) => join(folder, path).replaceAll('\\', '/'))
  return [...readdirSync(root), ...folders.flatMap(within)]
}

const files = everyFile()
  .filter((path) => /\.(ts|tsx|mjs|cjs|css|html|md)$/.test(path))
  // Migrations are never changed, so tables keep the names that they were created with.
  .filter(
    (path) => !/^(tests\/fixtures\/|src-main\/core\/store\/.*migrations|tests\/architecture\/vocabulary)/.test(path),
  )

/** Names of files and folders that do not say what the file contains. */
const badFile =
  /(^|\/)(words|deeds|look|parts|live|names|door|desk|goOn|takes|way|back|waiting|traffic|chatParts|feed|liveList|folded|booksBeside|booksThread|accountRooms|chatRooms|mediaRooms|erasing|opening|openingThread)\.tsx?$|(^|\/)(books|ledger|keep|mend|erase|admission|chatTools|rooms|words|waiting)\//

const token =
  /\/\*[\s\S]*?\*\/|(?<![:\w'"`\\])\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|[A-Za-z_$][\w$]*/g
const title = /\b(?:it|test|describe)(?:\.\w+(?:\([^)]*\))?)*\(\s*$/

/** The words of an identifier: `keepAliveMs` is keep, Alive, Ms. */
const wordsOf = (name) =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(/[ _$]+/)

/** The private words of one text, as `{ at, word, in }`. */
function proseUses(text, at, kind) {
  const rest = text.replace(proseAllowed, (match) => ' '.repeat(match.length))
  return [...rest.matchAll(inProse)].map(({ 0: word, index }) => ({ at: at + index, word, in: kind }))
}

/** Whether people read this string: a title of a test, or a message. A message has a space in it; a single word is a value of the wire or the disk. */
const isRead = (path, part, before) =>
  path.startsWith('tests/')
    ? title.test(before)
    : part.includes(' ') &&
      /^(src-main\/(core|hosts)|src-renderer\/i18n)\//.test(path) &&
      !path.startsWith('src-main/core/store/')

/** The private words of one piece of code: a comment, a string or an identifier. */
function codeUses(path, part, at, before) {
  if (part.startsWith('/')) return proseUses(part, at, 'comment')
  if (/^['"`]/.test(part)) return isRead(path, part, before) ? proseUses(part, at, 'text') : []
  if (namesAllowed.test(part)) return []
  return wordsOf(part)
    .filter((word) => inNames.has(word.toLowerCase()))
    .map(() => ({ at, word: part, in: 'name' }))
}

/** Every use in one file, as `{ line, word, in }`. */
function uses(path, text) {
  const blank = (code) => code.replace(/[^\n]/g, ' ')
  const found = path.endsWith('.md')
    ? proseUses(text.replace(/```[\s\S]*?```|`[^`\n]*`/g, blank), 0, 'document')
    : [...text.matchAll(token)].flatMap(({ 0: part, index }) =>
        codeUses(path, part, index, text.slice(Math.max(0, index - 80), index)),
      )
  return found.map(({ at, ...use }) => ({ line: text.slice(0, at).split('\n').length, ...use }))
}

const all = new Map(files.map((path) => [path, uses(path, readFileSync(join(root, path), 'utf8'))]))
const [flag, below = ''] = process.argv.slice(2)
if (flag === '--list') {
  for (const [path, found] of all)
    if (path.startsWith(below))
      for (const { line, word, in: kind } of found) console.log(`${path}:${line}: ${word} (${kind})`)
  process.exit(0)
}
const counts = Object.fromEntries(
  [...all].filter(([, found]) => found.length > 0).map(([path, found]) => [path, found.length]),
)
const total = (list) => Object.values(list).reduce((sum, count) => sum + count, 0)
if (flag === '--update') {
  const before = total(JSON.parse(readFileSync(allowFile, 'utf8')))
  if (total(counts) > before) {
    console.error(`${total(counts)} uses, ${before} allowed: the list may only get shorter. --list names them.`)
    process.exit(1)
  }
  writeFileSync(allowFile, `${JSON.stringify(counts, null, 2)}\n`)
  process.exit(0)
}
const allowed = JSON.parse(readFileSync(allowFile, 'utf8'))
const problems = []
// A check that finds nothing anywhere would pass: it must see its own sample.
if (uses('tests/sample.ts', '/** The desk tells the room. */\nconst bookDoor = 1').length !== 5)
  problems.push('The check does not find its own sample.')
for (const path of files)
  if (!path.startsWith('src-renderer/i18n/') && badFile.test(path.replace(/\.test\.ts/, '.ts')))
    problems.push(`${path}: this name does not say what the file contains`)
for (const [path, found] of all) {
  const most = allowed[path] ?? 0
  if (found.length > most)
    for (const { line, word, in: kind } of found)
      problems.push(`${path}:${line}: "${word}" (${kind}); ${found.length} uses, ${most} allowed`)
}
for (const [path, most] of Object.entries(allowed))
  if ((counts[path] ?? 0) < most)
    problems.push(`${path}: ${counts[path] ?? 0} uses, ${most} allowed: lower the allow-list with --update`)
for (const problem of problems) console.error(problem)
console.log(`${files.length} files, ${total(counts)} uses of private words left`)
process.exit(problems.length > 0 ? 1 : 0)
