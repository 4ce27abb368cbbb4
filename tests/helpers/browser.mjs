// Finds a Chromium for the browser tests: an environment variable, Playwright's own, the system's, or a fresh installation.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'msedge']

function onPath(names) {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    for (const name of names) {
      const path = join(folder, process.platform === 'win32' ? `${name}.exe` : name)
      if (existsSync(path)) return path
    }
  }
  return null
}

function onMac() {
  const path = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'
  return existsSync(path) ? path : null
}

async function playwrightsOwn() {
  const { chromium } = await import('@playwright/test')
  const path = chromium.executablePath()
  return path && existsSync(path) ? path : null
}

/** Flags for every launch: no GPU, no sandbox as root, no traffic of Chromium's own. */
export const chromiumArgs = [
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  // Chromium runs a process for the suggestions of the address bar, which costs as much as the page. Only the last flag of this name
  // counts, so the list repeats the features that Playwright disables.
  `--disable-features=${[
    'WebUIOmniboxPopup',
    'WebUIOmniboxAimPopup',
    'AvoidUnnecessaryBeforeUnloadCheckSync',
    'DestroyProfileOnBrowserClose',
    'DialMediaRouteProvider',
    'GlobalMediaControls',
    'HttpsUpgrades',
    'LensOverlay',
    'MediaRouter',
    'OptimizationHints',
    'PaintHolding',
    'ThirdPartyStoragePartitioning',
    'Translate',
  ].join(',')}`,
]

function named(variable) {
  const path = process.env[variable]
  if (path && !existsSync(path)) throw new Error(`${variable} names ${path}, and nothing is there.`)
  return path || null
}

/** Path of a full browser, with extensions and permissions, or null. */
export async function findBrowser() {
  return (
    named('STUDIO_WHOLE_BROWSER') ??
    named('STUDIO_BROWSER') ??
    named('CHROME_PATH') ??
    (await playwrightsOwn()) ??
    onPath(names) ??
    onMac()
  )
}

/** Path of the browser for page tests: Debian's headless shell if installed, because it needs half the work of a full browser. */
export async function findPageBrowser() {
  return named('STUDIO_BROWSER') ?? onPath(['chromium-headless-shell']) ?? (await findBrowser())
}

/** Installs Debian packages, as root. */
export function installFromDebian(packages) {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false
  const quiet = { stdio: ['ignore', 2, 2], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }
  spawnSync('apt-get', ['update', '-qq'], quiet)
  return spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], quiet).status === 0
}
