// A Chromium for the browser tests: from an environment variable, Playwright's own, the system's, or installed.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'msedge']

function onPath() {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    for (const name of names) {
      const path = join(folder, process.platform === 'win32' ? `${name}.exe` : name)
      if (existsSync(path)) return path
    }
  }
  const mac = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'
  return existsSync(mac) ? mac : null
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
]

/** The path of a browser, or null where none is there. */
export async function findBrowser() {
  const named = process.env.STUDIO_BROWSER ?? process.env.CHROME_PATH
  if (named) {
    if (!existsSync(named)) throw new Error(`STUDIO_BROWSER names ${named}, and nothing is there.`)
    return named
  }
  return (await playwrightsOwn()) ?? onPath()
}

/** Installs what Debian has, as root; elsewhere says the one command that helps. */
export function installFromDebian(packages) {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false
  const quiet = { stdio: ['ignore', 2, 2], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }
  spawnSync('apt-get', ['update', '-qq'], quiet)
  return spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], quiet).status === 0
}
