// `npm test`: installs what is missing and runs everything. The last line is `N passed, N failed` (`, N skipped` may follow).
// Runs on any Node from 20.19 on, with nothing installed.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { buildIfNeeded, installIfNeeded, node24, root } from '../resources/scripts/ready.mjs'

installIfNeeded()
const { findBrowser, findPageBrowser, installFromDebian } = await import('./helpers/browser.mjs')

const has = (program) => spawnSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' }).status === 0

/** Programs that the tests measure with, and the Debian packages that bring them. */
const needs = [
  [() => has('ffmpeg') && has('ffprobe'), 'ffmpeg'],
  [() => has('openssl'), 'openssl'],
  [() => process.platform !== 'linux' || has('dbus-run-session'), 'dbus-daemon'],
  [() => process.platform !== 'linux' || has('gnome-keyring-daemon'), 'gnome-keyring'],
  [() => process.platform !== 'linux' || existsLibsecret(), 'libsecret-1-0'],
]

/** Programs that single tests need and that nobody's own machine gets for them: those tests are skipped and say so. */
const wishes = [[() => process.platform !== 'linux' || has('nginx'), 'nginx']]

function existsLibsecret() {
  return spawnSync('sh', ['-c', 'ldconfig -p | grep -q libsecret-1.so.0'], { stdio: 'ignore' }).status === 0
}

/** Answers a whole browser and the one for pages. */
async function prepare() {
  const missing = needs.filter(([there]) => !there()).map(([, name]) => name)
  const wished = wishes.filter(([there]) => !there()).map(([, name]) => name)
  let browser = await findBrowser()
  if (!browser) missing.push('chromium')
  if (wished.length > 0 && (missing.length > 0 || process.env.CI)) installFromDebian(wished)
  if (missing.length > 0) {
    console.error(`Installing ${missing.join(', ')} …`)
    installFromDebian(missing)
    browser = await findBrowser()
    const still = needs.filter(([there]) => !there()).map(([, name]) => name)
    if (!browser) still.push('chromium')
    if (still.length > 0) {
      const command =
        still.join() === 'chromium'
          ? 'npx playwright install --with-deps chromium'
          : `sudo apt-get install ${still.join(' ')}`
      console.error(`Missing for the tests: ${still.join(', ')}. This helps: ${command}`)
      process.exit(1)
    }
  }
  // It only spares time: not every Debian has it, and nobody's own machine gets it for that alone.
  if (browser === (await findPageBrowser()) && !process.env.STUDIO_BROWSER && (missing.length > 0 || process.env.CI))
    installFromDebian(['chromium-headless-shell'])
  return [browser, await findPageBrowser()]
}

const [wholeBrowser, pageBrowser] = await prepare()
const env = {
  ...process.env,
  STUDIO_WHOLE_BROWSER: wholeBrowser,
  STUDIO_BROWSER: pageBrowser,
  PATH: `${join(root, 'node_modules', '.bin')}:${process.env.PATH}`,
}
rmSync(join(root, 'test-results'), { recursive: true, force: true })
mkdirSync(join(root, 'test-results'))

const totals = { passed: 0, failed: 0, skipped: 0 }
/** What failed, each with its first words: told again at the end, where a log of thousands of lines is read first. */
const failures = []
const bin = (name) => join(root, 'node_modules', '.bin', name)

function run(title, command, args) {
  const from = Date.now()
  console.log(`\n— ${title}`)
  const done = spawnSync(command, args, { cwd: root, stdio: 'inherit', env })
  console.log(`  ${done.status === 0 ? 'good' : 'NOT GOOD'}, ${((Date.now() - from) / 1000).toFixed(1)} s`)
  return done.status === 0
}

/** A check counts as one test. */
function check(title, command, args) {
  const good = run(title, command, args)
  totals[good ? 'passed' : 'failed'] += 1
  if (!good) failures.push(title)
}

function readReport(name) {
  const path = join(root, 'test-results', name)
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null
}

/** A suite counts its own tests; one that ends badly without a failed test counts as one failure. */
function suite(title, command, args, count) {
  const good = run(title, command, args)
  const counted = count()
  totals.passed += counted.passed
  totals.skipped += counted.skipped
  totals.failed += counted.failed || (good && counted.passed > 0 ? 0 : 1)
  failures.push(...counted.named)
  if (!(good && counted.passed > 0) && counted.named.length === 0) failures.push(title)
}

/** Four lines of what was thrown, without colours. */
const firstWords = (message) =>
  stripVTControlCharacters(message ?? '')
    .split('\n')
    .slice(0, 4)
    .map((line) => `\n    ${line}`)
    .join('')

/** The failed tests of a report of vitest, and files that did not come to theirs. */
function failedUnits(report) {
  return (report?.testResults ?? []).flatMap((file) => {
    const name = relative(root, file.name)
    const tests = file.assertionResults.filter((test) => test.status === 'failed')
    if (tests.length > 0) return tests.map((test) => `${name}: ${test.fullName}${firstWords(test.failureMessages[0])}`)
    return file.status === 'failed' ? [`${name}${firstWords(file.message)}`] : []
  })
}

/** The failed tests of a report of playwright, whose suites stand in one another. */
function failedJourneys(suite) {
  const own = (suite?.specs ?? []).flatMap((spec) =>
    spec.tests
      .filter((test) => test.status === 'unexpected' || (test.status === 'flaky' && !process.env.CI))
      .map((test) => `${spec.file}: ${spec.title}${firstWords(test.results.find((one) => one.error)?.error?.message)}`),
  )
  return [...own, ...(suite?.suites ?? []).flatMap(failedJourneys)]
}

buildIfNeeded()
check('types: main', bin('tsc'), ['-p', '.'])
check('types: preload', bin('tsc'), ['-p', 'src-preload'])
check('types: renderer', bin('tsc'), ['-p', 'src-renderer'])
check('types: tests', bin('tsc'), ['-p', 'tests'])
check('format and lint', bin('biome'), ['check', '.'])
check('lint with types', bin('oxlint'), ['--type-aware'])
check('layers', node24(), ['tests/architecture/layers.mjs'])
check('unused code', bin('knip'), [])
suite(
  'unit, contract, hosts',
  node24(),
  [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--config', 'tests/vitest.config.ts'],
  () => {
    const report = readReport('vitest.json')
    const named = failedUnits(report)
    return {
      passed: report?.numPassedTests ?? 0,
      failed: named.length,
      named,
      skipped: (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0),
    }
  },
)
suite(
  'browser',
  node24(),
  [join(root, 'node_modules/@playwright/test/cli.js'), 'test', '--config', 'tests/playwright.config.ts'],
  () => {
    const report = readReport('playwright.json')
    const stats = report?.stats
    return {
      passed: stats?.expected ?? 0,
      named: failedJourneys(report),
      failed: (stats?.unexpected ?? 0) + (process.env.CI ? 0 : (stats?.flaky ?? 0)),
      skipped: stats?.skipped ?? 0,
    }
  },
)

check('rules of the specification, by what has passed', node24(), ['tests/architecture/rules.mjs', '--passed'])

if (failures.length > 0) console.log(`\n— failed\n${failures.map((failure) => `  ${failure}`).join('\n')}`)
const skipped = totals.skipped ? `, ${totals.skipped} skipped` : ''
console.log(`\n${totals.passed} passed, ${totals.failed} failed${skipped}`)
process.exit(totals.failed ? 1 : 0)
