// `npm run rules`: the index of the service's rules (tests/rules.md) against the tests whose titles quote them, and against the rules' text in
// docs/service-api.md. Fails on an id that no rule has, on a rule without text, and on a gap in a column named in --require (S sandbox, C client,
// P proxy, U what a person sees).
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const tests = join(dirname(fileURLToPath(import.meta.url)), '..')

const rules = new Map()
for (const line of readFileSync(join(tests, 'rules.md'), 'utf8').split('\n')) {
  const row = /^\| ([A-Z]+-\d\d) \| (.+) \| ([SCPU ]+) \|$/.exec(line)
  if (row) rules.set(row[1], { text: row[2], who: row[3].trim().split(/ +/), shown: { S: [], C: [], P: [], U: [] } })
}

/** The column that a test file counts for, by its folder. */
function columnOf(path) {
  if (path.startsWith('sandbox/')) return 'S'
  if (path.startsWith('core/gateway/') || path.startsWith('clients/')) return 'P'
  if (path.startsWith('core/')) return 'C'
  if (path.startsWith('e2e/') || path.startsWith('renderer/')) return 'U'
  return null
}

/** Ids that the sources quote: in brackets, outside comments. Needs no test run. */
function* quoted() {
  for (const path of readdirSync(tests, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(test|spec)\.tsx?$/.test(path) || path.includes('canary')) continue
    const source = readFileSync(join(tests, path), 'utf8')
    yield { path, text: source.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '') }
  }
}

/**
 * Titles of the tests that passed in the last run, from its reports. A failed test shows nothing, and neither does a skipped one, except with
 * `--ran`, for a computer that lacks what some tests need.
 */
function* passed() {
  const shown = process.argv.includes('--ran') ? ['passed', 'skipped', 'pending'] : ['passed']
  const results = join(tests, '..', 'test-results')
  // Reports of files that ran again are among them.
  for (const report of readdirSync(results)
    .filter((name) => /vitest.*\.json$/.test(name))
    .map((name) => join(results, name))) {
    for (const { name, assertionResults } of JSON.parse(readFileSync(report, 'utf8')).testResults) {
      for (const { fullName, status } of assertionResults) {
        if (shown.includes(status)) yield { path: relative(tests, name), text: fullName }
      }
    }
  }
  const specs = ({ file, specs: own = [], suites = [] }) => [
    ...own.map((spec) => ({ path: join('e2e', file), text: spec.title, ok: spec.ok })),
    ...suites.flatMap(specs),
  ]
  // The first report exists if tests ran again.
  for (const report of ['first-playwright.json', 'playwright.json']
    .map((name) => join(results, name))
    .filter(existsSync))
    yield* JSON.parse(readFileSync(report, 'utf8'))
      .suites.flatMap(specs)
      .filter(({ ok }) => ok)
}

const unknown = []
for (const { path, text } of process.argv.some((argument) => ['--passed', '--ran'].includes(argument))
  ? passed()
  : quoted()) {
  const column = columnOf(path.replaceAll('\\', '/'))
  for (const [, id] of text.matchAll(/\[([A-Z]{3,4}-\d\d)\]/g)) {
    const rule = rules.get(id)
    if (!rule) unknown.push(`${id} in ${path}`)
    else if (column) rule.shown[column].push(path)
  }
}

// The index and the text name the same rules.
const document = readFileSync(join(tests, '..', 'docs', 'service-api.md'), 'utf8')
const specified = new Set([...document.matchAll(/\b[A-Z]{3,4}-\d\d\b/g)].map(([id]) => id))
for (const id of specified) if (!rules.has(id)) unknown.push(`${id} in docs/service-api.md`)

const required = (process.argv.find((argument) => argument.startsWith('--require='))?.slice(10) ?? 'S,C,P,U').split(',')
const gaps = [...rules.keys()].filter((id) => !specified.has(id)).map((id) => `${id} is not in docs/service-api.md`)
for (const [id, { text, who, shown }] of rules) {
  const cells = ['S', 'C', 'P', 'U'].map((column) => {
    if (!who.includes(column)) return '  · '
    if (!shown[column].length && required.includes(column)) gaps.push(`${id} ${column}`)
    return String(shown[column].length || '—')
      .padStart(3)
      .padEnd(4)
  })
  console.log(`${id.padEnd(8)} ${cells.join(' ')} ${text.slice(0, 90)}`)
}
console.log(`\n${rules.size} rules; columns S, C, P, U: number of tests that quote the rule; · not asked; — none yet`)
for (const line of unknown) console.error(`unknown rule id: ${line}`)
for (const gap of gaps) console.error(`gap: ${gap}`)
if (rules.size < 60) console.error(`only ${rules.size} rules were read`)
process.exit(unknown.length || gaps.length || rules.size < 60 ? 1 : 0)
