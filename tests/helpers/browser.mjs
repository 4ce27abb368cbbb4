// A Chromium for the browser tests: from an environment variable, Playwright's own, the system's, or installed.
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

/** Flags that every launch here needs: no GPU, no sandbox as root, no traffic of Chromium's own. */
export const chromiumArgs = [
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  // A whole browser lays out its address bar's suggestions for each window, in a process that costs as much as the page. (Only the last flag
  // of this name counts: the others are those that Playwright itself gives, as far as they change what a page does.)
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

/** The path of a whole browser, with extensions and permissions, or null where none is there. */
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

/** The one for pages: Debian's headless shell where it is there, whose page costs half of what a whole browser's window does. */
export async function findPageBrowser() {
  return named('STUDIO_BROWSER') ?? onPath(['chromium-headless-shell']) ?? (await findBrowser())
}

/** Installs what Debian has, as root; elsewhere says the one command that helps. */
export function installFromDebian(packages) {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false
  const quiet = { stdio: ['ignore', 2, 2], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }
  spawnSync('apt-get', ['update', '-qq'], quiet)
  return spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], quiet).status === 0
}
