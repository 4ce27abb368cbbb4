// Gets the programs that `npm test` measures with: on Debian as root by apt, else from Playwright and npm. What can't be had is named, and its
// tests are skipped. Never asks for root.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { node24, root, say } from '../../resources/scripts/ready.mjs'
import { browsersHere, findPageBrowser, isShell, noSandboxWords, tryBrowser } from './findBrowser.mjs'
import { fetchNpmProgram } from './npmPrograms.mjs'
import { probe, programs } from './programs.mjs'

/** Longest silence of a download, ms. */
const silenceMs = 30_000

const hasApt = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')

/** Installs Debian packages, as root. */
function installFromDebian(packages) {
  const quiet = { stdio: ['ignore', 2, 2], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }
  spawnSync('apt-get', ['update', '-qq'], quiet)
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], quiet)
}

/** The first browser that starts. `why` is the reason of the last one that does not. */
async function workingBrowser() {
  let why = 'there is none on this computer'
  for (const path of new Set(browsersHere())) {
    const tried = await tryBrowser(path)
    if (tried.why === null) return { path, why: null, isSandboxed: tried.isSandboxed }
    why = `${path} does not start: ${tried.why}`
  }
  return { path: null, why, isSandboxed: true }
}

/** Playwright's own download. It ends when nothing has arrived for a while. @returns null, or why it failed */
async function downloadPlaywrights() {
  say('Downloading Chromium (of Playwright, once) …')
  const args = [join(root, 'node_modules/@playwright/test/cli.js'), 'install', 'chromium']
  const env = { PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: String(silenceMs), ...process.env }
  const child = spawn(node24(), args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let heard = ''
  return new Promise((resolve) => {
    const give = () => child.kill('SIGKILL')
    let timer = setTimeout(give, silenceMs)
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (bytes) => {
        clearTimeout(timer)
        timer = setTimeout(give, silenceMs)
        heard = (heard + bytes).slice(-100_000)
      })
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code) => {
      clearTimeout(timer)
      const host = /hostname: '([^']+)'/.exec(heard)?.[1]
      if (code === 0) resolve(null)
      else resolve(host ? `${host} can’t be reached` : (/Error: (.+)/.exec(heard)?.[1] ?? 'it was silent for too long'))
    })
  })
}

async function prepareBrowser() {
  let found = await workingBrowser()
  if (!found.path && !process.env.STUDIO_BROWSER) {
    const reasons = [found.why]
    const met = await downloadPlaywrights()
    if (met === null) found = await workingBrowser()
    reasons.push(met === null ? found.why : `Playwright’s can’t be downloaded: ${met}`)
    if (!found.path) {
      const fetched = fetchNpmProgram('chromium')
      if (fetched.path) found = await workingBrowser()
      reasons.push(fetched.why ?? found.why)
    }
    if (!found.path) found.why = [...new Set(reasons.filter(Boolean))].join('; ')
  }
  return found
}

/** Installs with apt what is missing. What only single tests need comes with it, or in CI: elsewhere those tests are skipped with a message. */
function installMissing(without, hasBrowser) {
  const packagesOf = (some) => some.flatMap(([, { debian }]) => debian)
  const usual = packagesOf(without.filter(([, { isUsual }]) => isUsual))
  if (!hasBrowser) usual.push('chromium')
  const rest = packagesOf(without.filter(([, { isUsual, isForCi }]) => !isUsual && isForCi))
  if (usual.length > 0) say(`Installing ${usual.join(', ')} …`)
  if (rest.length > 0 && (usual.length > 0 || process.env.CI)) installFromDebian(rest)
  if (usual.length > 0) installFromDebian(usual)
  return usual.length > 0
}

/**
 * Prepares what the tests need.
 * @returns the full browser and the one for page tests (null without any), whether their sandbox works, and by the name of each program in
 * programs.mjs why it can't be used, or null
 */
export async function prepare() {
  const tried = Object.entries(programs).filter(([, program]) => program.probe)
  const lacking = Object.fromEntries(tried.map(([name]) => [name, probe(name)]))
  let browser = await workingBrowser()
  const without = tried.filter(
    ([name, { platforms = [process.platform] }]) => lacking[name] && platforms.includes(process.platform),
  )
  const hasInstalled = hasApt && installMissing(without, browser.path || process.env.STUDIO_BROWSER)
  if (hasApt) for (const [name] of without) lacking[name] = probe(name)
  if (lacking.ffmpeg) {
    const reasons = ['ffmpeg', 'ffprobe'].flatMap((program) => fetchNpmProgram(program).why ?? [])
    lacking.ffmpeg = probe('ffmpeg') && [lacking.ffmpeg, ...reasons].join('; ')
  }
  if (!browser.path) browser = await prepareBrowser()
  lacking.chromium = browser.why
  lacking['full-browser'] = browser.path && isShell(browser.path) ? 'only a headless shell is here' : browser.why
  if (!browser.path) return { browser: null, pageBrowser: null, isSandboxed: true, lacking }
  process.env.STUDIO_WHOLE_BROWSER = browser.path
  // Only saves time. Not every Debian has it, and it is not worth an installation on a person's own machine.
  const isPlain = browser.path === (await findPageBrowser()) && !process.env.STUDIO_BROWSER
  if (hasApt && isPlain && (hasInstalled || process.env.CI)) installFromDebian(['chromium-headless-shell'])
  if (!browser.isSandboxed && process.getuid?.() !== 0) say(noSandboxWords)
  return { browser: browser.path, pageBrowser: await findPageBrowser(), isSandboxed: browser.isSandboxed, lacking }
}
