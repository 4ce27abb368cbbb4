// `npm run test:desktop`: starts the desktop application as `npm start` does and looks at it, then runs the desktop suite on a real Electron
// and on its replacement, and reports what differed. With `--smoke`, the first of these only.
// Runs on any Node from 20.19 on, with nothing installed. Exit code 2: Electron can't run here.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { findElectron, whyNotAsRoot } from '../resources/scripts/desktop.mjs'
import { buildIfNeeded, installIfNeeded, node24, root, say } from '../resources/scripts/ready.mjs'

installIfNeeded()
const refused = whyNotAsRoot()
const electron = refused ? { why: refused } : await findElectron()
if (!electron.path) {
  say(`The desktop suite needs a real Electron, which can't run here: ${electron.why}.`)
  say(
    'Run it as an ordinary user of a computer with a display and a connection to the internet. "npm test" runs the same suite on a replacement of Electron.',
  )
  process.exit(2)
}
buildIfNeeded()
const { smokeTest } = await import('./smoke.mjs')
try {
  await smokeTest('start', node24(), [join(root, 'resources/scripts/start.mjs')])
} catch (thrown) {
  say(thrown.message)
  process.exit(1)
}
if (process.argv.includes('--smoke')) process.exit()
const { findBrowser, findPageBrowser } = await import('./helpers/browser.mjs')
const { compareRuns, describeRuns } = await import('./helpers/electron/compareRuns.mjs')

const results = join(root, 'test-results')
mkdirSync(results, { recursive: true })

/** Runs the suite on `host` (`electron` or `replacement`) and returns the status of each test by its name. */
function run(host, browsers = {}) {
  const report = join(results, `desktop-${host}.json`)
  rmSync(report, { force: true })
  say(`\n— the desktop suite on ${host === 'electron' ? electron.path : 'the replacement'}`)
  const args = ['run', '--config', 'tests/vitest.config.ts', '--project', 'hosts', 'tests/hosts/electron']
  spawnSync(
    node24(),
    [
      join(root, 'node_modules/vitest/vitest.mjs'),
      ...args,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ],
    { cwd: root, stdio: 'inherit', env: { ...process.env, ...browsers, STUDIO_DESKTOP: host } },
  )
  if (!existsSync(report)) return null
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'))
  return Object.fromEntries(
    testResults.flatMap(({ name, assertionResults }) =>
      assertionResults.map(({ fullName, status }) => [`${relative(root, name)}: ${fullName}`, status]),
    ),
  )
}

const real = run('electron')
if (!real) {
  say('The suite could not run. See above.')
  process.exit(1)
}
const browser = await findBrowser()
const replaced = browser
  ? run('replacement', { STUDIO_WHOLE_BROWSER: browser, STUDIO_BROWSER: await findPageBrowser() })
  : null
const comparison = compareRuns(real, replaced)
writeFileSync(join(results, 'desktop.json'), `${JSON.stringify(comparison, null, 2)}\n`)
say(`\n${describeRuns(comparison)}\nAll results: test-results/desktop.json`)
process.exit(comparison.failed.length > 0 ? 1 : 0)
