// Finds a Chromium for the browser tests, and starts it once to see whether it works and whether its sandbox does.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { npmProgramAt } from './npmPrograms.mjs'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'msedge']
/** Longest start of a browser, ms. */
const startMs = 60_000

function onPath(names, { env, platform }) {
  return (env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .flatMap((folder) => names.map((name) => join(folder, platform === 'win32' ? `${name}.exe` : name)))
}

/** Where the installers of macOS and Windows put browsers, which are not on the PATH. */
function installed({ env, platform }) {
  if (platform === 'darwin') return ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome']
  if (platform !== 'win32') return []
  return [env.PROGRAMFILES, env['PROGRAMFILES(X86)'], env.LOCALAPPDATA]
    .filter(Boolean)
    .flatMap((folder) => [
      `${folder}\\Google\\Chrome\\Application\\chrome.exe`,
      `${folder}\\Microsoft\\Edge\\Application\\msedge.exe`,
    ])
}

const playwrights = () => createRequire(import.meta.url)('@playwright/test').chromium.executablePath()

function named(variable, env) {
  const path = env[variable]
  if (path && !existsSync(path)) throw new Error(`${variable} names ${path}, and nothing is there.`)
  return path || null
}

/** Whether a browser has neither extensions nor permissions. */
export const isShell = (path) => path === npmProgramAt('chromium') || /headless[-_]shell/.test(path)

/**
 * Every browser of this computer, best first: named by a variable, on the PATH, installed, Playwright's own, the one of an npm package.
 * A headless shell that is named for the page tests comes last, because it can't do what only a full browser can.
 */
export function browsersHere(system = { env: process.env, platform: process.platform }) {
  const { env } = system
  const forPages = named('STUDIO_BROWSER', env)
  const shell = forPages !== null && isShell(forPages) ? forPages : null
  const chosen = named('STUDIO_WHOLE_BROWSER', env) ?? (shell === null ? forPages : null) ?? named('CHROME_PATH', env)
  if (chosen !== null) return [chosen]
  const all = [...onPath(names, system), ...installed(system), playwrights(), npmProgramAt('chromium'), shell]
  return all.filter((path) => path && existsSync(path))
}

/** Path of a full browser, with extensions and permissions. Where there is none, that of a headless shell, or null. */
export const findBrowser = async () => browsersHere()[0] ?? null

/** Path of the browser for page tests: Debian's headless shell if installed, because it needs half the work of a full browser. */
export async function findPageBrowser() {
  const system = { env: process.env, platform: process.platform }
  return (
    named('STUDIO_BROWSER', process.env) ??
    onPath(['chromium-headless-shell'], system).find(existsSync) ??
    (await findBrowser())
  )
}

/** Starts a browser without a page, and ends it. @returns null, or why it does not start */
export async function whyNoStart(path, flags) {
  const profile = mkdtempSync(join(tmpdir(), 'inference-studio-browser-'))
  const own = [
    '--headless',
    '--disable-gpu',
    '--no-first-run',
    '--remote-debugging-port=0',
    `--user-data-dir=${profile}`,
  ]
  try {
    const child = spawn(path, [...flags, ...own, 'about:blank'], { stdio: ['ignore', 'ignore', 'pipe'] })
    const closed = new Promise((resolve) => {
      child.once('close', resolve)
      child.once('error', resolve)
    })
    let heard = ''
    const why = await new Promise((resolve) => {
      const timer = setTimeout(resolve, startMs, `it was not ready within ${startMs / 1000} s`)
      const settle = (value) => {
        clearTimeout(timer)
        resolve(value)
      }
      child.stderr.on('data', (bytes) => {
        heard += bytes
        if (heard.includes('DevTools listening on')) settle(null)
      })
      child.once('error', (error) => settle(error.message))
      child.once('close', () => settle(reasonIn(heard)))
    })
    child.kill('SIGKILL')
    await closed
    return why
  } finally {
    // On Windows, processes of the browser may hold files for a moment.
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
}

function reasonIn(output) {
  const library = /error while loading shared libraries: ([^:\s]+)/.exec(output)?.[1]
  if (library) return `the system library ${library} is missing`
  if (output.includes('No usable sandbox')) return 'this system does not allow its sandbox'
  return output.trim().split('\n').at(-1)?.slice(0, 200) || 'it ended at once'
}

/**
 * Whether a browser starts, and whether its sandbox does. Containers and some distributions do not allow ordinary users the namespaces that
 * it consists of, and root never has it.
 * @returns `{ why: null, isSandboxed }`, or why it starts neither with nor without a sandbox
 */
export async function tryBrowser(path) {
  const isRoot = process.getuid?.() === 0
  if (!isRoot && (await whyNoStart(path, [])) === null) return { why: null, isSandboxed: true }
  return { why: await whyNoStart(path, ['--no-sandbox']), isSandboxed: false }
}

/** Said once where ordinary users have no sandbox. */
export const noSandboxWords =
  'This system does not allow Chromium’s sandbox: the tests start Chromium without it, for the pages of this project only.'
