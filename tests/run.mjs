// `npm test`: installs what is missing and runs every check and test. The last line is `N passed, N failed` (`, N skipped` may follow).
// `npm run test:long`: the same with many more tries of what is random, and with the tests that take minutes. CONTRIBUTING.md says what is where.
// Runs on any Node from 20.19 on, with nothing installed.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { delimiter, join, relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { buildIfNeeded, installIfNeeded, node24, root } from '../resources/scripts/ready.mjs'

const long = process.argv.includes('--long')
installIfNeeded()
const { prepare } = await import('./helpers/prepare.mjs')
const { pathForTests } = await import('./helpers/npmPrograms.mjs')
const { programs } = await import('./helpers/programs.mjs')

const { browser, pageBrowser, isSandboxed, lacking } = await prepare()
const env = {
  ...process.env,
  ...(browser && { STUDIO_WHOLE_BROWSER: browser, STUDIO_BROWSER: pageBrowser }),
  STUDIO_SANDBOX: isSandboxed ? 'on' : 'off',
  STUDIO_LACKS: JSON.stringify(lacking),
  PATH: [join(root, 'node_modules', '.bin'), pathForTests()].join(delimiter),
  ...(long && { STUDIO_TESTS: 'long', HOSTILE: 'all' }),
}
rmSync(join(root, 'test-results'), { recursive: true, force: true })
mkdirSync(join(root, 'test-results'))

const totals = { passed: 0, failed: 0, skipped: 0 }
/** Failed tests with the start of their messages. Printed again at the end, because a log of thousands of lines is read from there. */
const failures = []
/** Title and seconds of each stage. */
const stages = []
/** Number of skipped tests by the reason. */
const skippedFor = new Map()

function skip(reason, count = 1) {
  if (count > 0) skippedFor.set(reason, (skippedFor.get(reason) ?? 0) + count)
}

/** What is said of a test that was skipped: the program that it needs (by its tags) and why there is none. */
function reasonOf(tags) {
  const name = tags.find((tag) => typeof lacking[tag] === 'string')
  return name ? `${programs[name].what}: ${lacking[name]}` : 'for another system or user, or for the real Electron only'
}

/** Command line of a program of a package. It is run by Node, because `.bin` has scripts of the shell on Windows. */
function bin(name, ...args) {
  const folder = join(root, 'node_modules', name)
  const { bin: file } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const command = name.split('/').at(-1).replace('typescript', 'tsc')
  return [node24(), [join(folder, typeof file === 'string' ? file : file[command]), ...args]]
}

function ended(title, from, isGood) {
  const seconds = (performance.now() - from) / 1000
  stages.push([title, seconds])
  console.log(`  ${isGood ? 'passed' : 'FAILED'}, ${seconds.toFixed(1)} s`)
}

/** Prints each line with the name of its stage, because stages run beside each other. */
function printLines(stream, name, onLine) {
  let rest = ''
  stream.setEncoding('utf8')
  stream.on('data', (text) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      console.log(`${name} │ ${line}`)
      onLine(line)
    }
  })
  stream.on('end', () => {
    if (rest) console.log(`${name} │ ${rest}`)
  })
}

/**
 * @param onLine receives each line of the output
 * @returns whether the program ended without an error
 */
async function run(title, command, args, onLine = () => undefined) {
  const from = performance.now()
  console.log(`\n— ${title}`)
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env })
  for (const stream of [child.stdout, child.stderr]) printLines(stream, title, onLine)
  const isGood = await new Promise((resolve) => {
    child.on('error', (error) => {
      console.log(`${title} │ ${error.message}`)
      resolve(false)
    })
    child.on('close', (code) => resolve(code === 0))
  })
  console.log(`\n— ${title}`)
  ended(title, from, isGood)
  return isGood
}

/** Runs single-threaded checks, `atOnce` in parallel. Each counts as one test, and its output is printed when it has ended. */
async function checks(all, atOnce) {
  const waiting = [...all]
  const work = async () => {
    for (let one = waiting.shift(); one; one = waiting.shift()) await check(...one)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

async function check(title, command, args) {
  const from = performance.now()
  // One thread for the compiler and the linter, which are programs in Go: with two, the linter needs a third more processor time.
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env: { ...env, GOMAXPROCS: '1' } })
  const output = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => output.push(bytes))
  const isGood = await new Promise((resolve) => {
    child.on('error', (error) => {
      output.push(Buffer.from(`${error.message}\n`))
      resolve(false)
    })
    child.on('close', (code) => resolve(code === 0))
  })
  console.log(`\n— ${title}`)
  process.stdout.write(Buffer.concat(output))
  ended(title, from, isGood)
  totals[isGood ? 'passed' : 'failed'] += 1
  if (!isGood) failures.push(title)
}

function readReport(name) {
  const path = join(root, 'test-results', name)
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null
}

/** Failed tests under a title. */
const named = (title, list) => `\n— failed: ${title}\n${list.map((failure) => `  ${failure}`).join('\n')}`

function add(title, good, counted) {
  totals.passed += counted.passed
  totals.skipped += counted.skipped.length
  for (const tags of counted.skipped) skip(reasonOf(tags))
  totals.failed += counted.failed || (good && counted.passed > 0 ? 0 : 1)
  const found = [...counted.named]
  if (!(good && counted.passed > 0) && found.length === 0) found.push(title)
  failures.push(...found)
  // Beside the stage's own last lines, for readers who are shown only the part of a log where a stage failed.
  if (found.length > 0) console.log(named(title, found))
}

/** First eight lines of an error message, without colours. */
const firstWords = (message) =>
  stripVTControlCharacters(message ?? '')
    .split('\n')
    .slice(0, 8)
    .map((line) => `\n    ${line}`)
    .join('')

/** Failed tests of a Vitest report, and files that failed before their tests. */
function failedUnits(report) {
  return (report?.testResults ?? []).flatMap((file) => {
    const name = relative(root, file.name)
    const tests = file.assertionResults.filter((test) => test.status === 'failed')
    if (tests.length > 0) return tests.map((test) => `${name}: ${test.fullName}${firstWords(test.failureMessages[0])}`)
    return file.status === 'failed' ? [`${name}${firstWords(file.message)}`] : []
  })
}

/** Failed tests of a Playwright report, whose suites are nested. */
function failedJourneys(suite) {
  const own = (suite?.specs ?? []).flatMap((spec) =>
    spec.tests
      .filter((test) => test.status === 'unexpected')
      .map((test) => `${spec.file}: ${spec.title}${firstWords(test.results.find((one) => one.error)?.error?.message)}`),
  )
  return [...own, ...(suite?.suites ?? []).flatMap(failedJourneys)]
}

const isExpected = ({ isForCi, platforms }) => isForCi && (!platforms || platforms.includes(process.platform))

/** The programs that each skipped test of a Playwright report needs: `test.skip(…, 'ffmpeg')`. */
const skippedJourneys = (suite) => [
  ...(suite?.specs ?? []).flatMap(({ tests }) =>
    tests
      .filter(({ status }) => status === 'skipped')
      .map(({ annotations }) => annotations.map(({ description }) => description)),
  ),
  ...(suite?.suites ?? []).flatMap(skippedJourneys),
]

/** Every test of a Vitest report with its seconds. */
const unitTimes = (report) =>
  (report?.testResults ?? []).flatMap((file) =>
    file.assertionResults.map((test) => [
      `${relative(root, file.name)}: ${test.fullName}`,
      (test.duration ?? 0) / 1000,
    ]),
  )

/** Every test of a Playwright report with its seconds. */
const journeyTimes = (suite) => [
  ...(suite?.specs ?? []).flatMap((spec) =>
    spec.tests.map((test) => [
      `tests/e2e/${spec.file}: ${spec.title}`,
      test.results.reduce((sum, { duration }) => sum + duration, 0) / 1000,
    ]),
  ),
  ...(suite?.suites ?? []).flatMap(journeyTimes),
]

const vitest = (config) => [
  join(root, 'node_modules/vitest/vitest.mjs'),
  'run',
  '--config',
  `tests/${config}`,
  ...(long ? [] : ['--tags-filter=!long']),
]

/** Whether a skipped test belongs to `npm run test:long`, so that this run does not count it. */
const isLeftOut = ({ status, tags }) => !long && status === 'skipped' && tags.includes('long')

/** Counts the tests of a Vitest report, without those of some files. */
function countUnits(file, without = []) {
  const report = readReport(file)
  const results = (report?.testResults ?? []).filter(({ name }) => !without.includes(relative(root, name)))
  const named = failedUnits({ testResults: results })
  const all = results.flatMap((one) => one.assertionResults)
  return {
    passed: all.filter(({ status }) => status === 'passed').length,
    failed: named.length,
    named,
    skipped: all
      .filter((test) => ['skipped', 'pending', 'todo', 'disabled'].includes(test.status) && !isLeftOut(test))
      .map(({ tags }) => tags),
  }
}

/** Files with a test that failed, or that neither passed nor failed because their process ended first. */
const unfinished = (report) =>
  (report?.testResults ?? [])
    .filter((one) => one.status === 'failed' || one.assertionResults.some(({ status }) => status === 'pending'))
    .map(({ name }) => relative(root, name))

/**
 * In CI, up to this many failed tests of a stage run once more when no other stage runs, one at a time. Their names are printed. More of them
 * are a defect.
 */
const maxRerun = 30

/**
 * Runs Vitest with the arguments `chosen`, such as projects. The returned function adds the result to the totals. In CI, it also runs the
 * files of failed tests once more, and those of a test process that crashed, whose signal or exit code is printed. Call it when no other
 * stage runs.
 */
async function units(title, config, file, chosen = []) {
  const crashes = []
  let errors = 0
  const watch = (line) => {
    const plain = stripVTControlCharacters(line)
    if (plain.includes('Worker exited unexpectedly')) crashes.push(plain.trim())
    errors = Number(/^\s*Errors\s+(\d+) error/.exec(plain)?.[1] ?? errors)
  }
  const start = (output, ...more) => [
    title,
    node24(),
    [
      ...vitest(config),
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${join('test-results', output)}`,
      ...more,
    ],
  ]
  let good = await run(...start(file, ...chosen), watch)
  const files = unfinished(readReport(file))
  let counted = countUnits(file)
  return async () => {
    if (process.env.CI && files.length > 0 && counted.failed <= maxRerun && errors === crashes.length) {
      console.log(
        `\n— ${title}: again\n${[...crashes, ...files, ...counted.named].map((line) => `  ${line}`).join('\n')}`,
      )
      const again = `again-${file}`
      good = await run(...start(again, '--maxWorkers=1', ...files))
      const [first, second] = [countUnits(file, files), countUnits(again)]
      counted = {
        passed: first.passed + second.passed,
        failed: first.failed + second.failed,
        named: [...first.named, ...second.named],
        skipped: [...first.skipped, ...second.skipped],
      }
    }
    if (!good) failures.push(...crashes)
    add(title, good, counted)
  }
}

/**
 * The check of a project's types. One checker, because each of the usual four would create the types of shared code itself, which takes three
 * times the processor time.
 */
const types = (name, project) => [`types: ${name}`, ...bin('typescript', '-p', project, '--checkers', '1')]

/** Checks of the sources. */
const sources = (atOnce) =>
  checks(
    [
      ['lint with types', ...bin('oxlint', '--type-aware')],
      ['unused code', ...bin('knip')],
      ['code that only tests use', ...bin('knip', '--production')],
      ['layers', node24(), ['tests/architecture/layers.mjs']],
      types('main', '.'),
      types('preload', 'src-preload'),
      types('renderer', 'src-renderer'),
      types('tests', 'tests'),
      ['format and lint', ...bin('@biomejs/biome', 'check', '.')],
    ],
    atOnce,
  )

const playwright = (...more) => [
  node24(),
  [
    join(root, 'node_modules/@playwright/test/cli.js'),
    'test',
    '--config',
    'tests/playwright.config.ts',
    ...(long ? [] : ['--grep-invert=@long']),
    ...more,
  ],
]

/** Counts the tests of the last run of Playwright. */
function countPages() {
  const report = readReport('playwright.json')
  return {
    passed: report?.stats?.expected ?? 0,
    named: failedJourneys(report),
    failed: report?.stats?.unexpected ?? 0,
    skipped: skippedJourneys(report),
  }
}

/** Runs the page tests. In CI, this is also done once more with the failed ones. */
async function pages() {
  if (!browser) {
    const [command, args] = playwright('--list')
    const { stdout } = spawnSync(command, args, { cwd: root, encoding: 'utf8', env })
    const count = Number(/Total: (\d+) tests?/.exec(stdout)?.[1] ?? 0)
    totals.skipped += count
    return skip(reasonOf(['chromium']), count)
  }
  let good = await run('pages', ...playwright())
  const counted = countPages()
  if (process.env.CI && counted.failed > 0 && counted.failed <= maxRerun) {
    console.log(`\n— pages: again\n${counted.named.map((line) => `  ${line}`).join('\n')}`)
    renameSync(join(root, 'test-results/playwright.json'), join(root, 'test-results/first-playwright.json'))
    good = await run('pages', ...playwright('--last-failed', '--workers=1'))
    const second = countPages()
    counted.passed += second.passed
    counted.named = second.named
    counted.failed -= second.passed
  }
  add('pages', good, counted)
}

buildIfNeeded()
if (long) {
  // One after another: some of these tests measure memory and time.
  await sources(availableParallelism())
  for (const [title, config, file] of [
    ['units', 'vitest.config.ts', 'vitest.json'],
    ['long units', 'vitest.long.config.ts', 'vitest-long.json'],
  ]) {
    const finish = await units(title, config, file)
    await finish()
  }
  await pages()
  await checks([['soak', node24(), ['tests/soak/soak.mjs']]], 1)
} else {
  // The checks run beside the units, many of which wait for sockets, processes and timers. Two runs of units, because within one the tests
  // of whole programs and those in shared processes wait for each other. Pages run alone, because they show sound and streams in real time.
  const projects = (workers, ...names) => [...names.map((name) => `--project=${name}`), `--maxWorkers=${workers}`]
  const [finishPrograms, finishUnits] = await Promise.all([
    units('programs', 'vitest.config.ts', 'vitest-programs.json', projects(2, 'hosts', 'package', 'isolated')),
    units('units', 'vitest.config.ts', 'vitest.json', projects(4, 'shared')),
    sources(1),
  ])
  await finishPrograms()
  await finishUnits()
  await pages()
}
// In CI, nothing may be left out without anybody's notice.
const missingInCi = process.env.CI
  ? Object.keys(lacking).filter((name) => lacking[name] && isExpected(programs[name]))
  : []
for (const name of missingInCi) {
  totals.failed += 1
  failures.push(`missing in CI: ${programs[name].what}: ${lacking[name]}`)
}
const leavesOut = !process.env.CI && [...skippedFor.keys()].some((reason) => reason !== reasonOf([]))
await checks(
  [
    [
      'rules of the specification, by what has passed',
      node24(),
      ['tests/architecture/rules.mjs', leavesOut ? '--ran' : '--passed', `--require=${browser ? 'S,C,P,U' : 'S,C,P'}`],
    ],
  ],
  1,
)

const slowest = ['vitest.json', 'vitest-programs.json', 'vitest-long.json']
  .flatMap((file) => unitTimes(readReport(file)))
  .concat(...['first-playwright.json', 'playwright.json'].map((name) => journeyTimes(readReport(name))))
  .sort(([, one], [, other]) => other - one)
  .slice(0, 10)
const list = (rows) => rows.map(([what, seconds]) => `${seconds.toFixed(1).padStart(7)} s  ${what}`).join('\n')
console.log(`\n— the slowest tests\n${list(slowest)}`)
console.log(`\n— stages\n${list(stages)}\n${list([['total', performance.now() / 1000]])}`)

if (skippedFor.size > 0) {
  const rows = [...skippedFor].map(([reason, count]) => `${String(count).padStart(7)}  ${reason}`)
  console.log(`\n— skipped\n${rows.join('\n')}`)
}
if (failures.length > 0) console.log(named('all stages', failures))
const skipped = totals.skipped ? `, ${totals.skipped} skipped` : ''
console.log(`\n${totals.passed} passed, ${totals.failed} failed${skipped}`)
process.exit(totals.failed ? 1 : 0)
