import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  _electron,
  type Browser,
  type BrowserContext,
  chromium,
  type ElectronApplication,
  type Page,
} from '@playwright/test'
import type * as Electron from 'electron'
import { electronBinary, electronEnvironment, hasDisplay, whyNotAsRoot } from '../../../resources/scripts/desktop.mjs'
import { node24, root } from '../../../resources/scripts/ready.mjs'
import { pageTimeout } from '../effort.ts'
import { type Modes, modesInEnvironment } from './modes.ts'
import { processesLeft } from './tree.ts'

/** The running desktop program with the page of its first window. */
export interface Desktop {
  page: Page
  /** Runs `code` in the main process with the `electron` module. The function may use nothing outside of itself. */
  evaluate<R, A = undefined>(code: (electron: typeof Electron, arg: A) => R | Promise<R>, arg?: A): Promise<R>
  /** Resolves with the page of another window when its address matches. */
  pageAt(address: RegExp): Promise<Page>
  /** Standard error so far. */
  errors(): string
  /** When and where the main thread ran one task for more than 200 ms, of the stand-in only. */
  stalls(): readonly string[]
  /** Resolves with the exit code when the program has ended. */
  ended: Promise<number | null>
  /** Calls `app.quit()`, like the menu. Answers a question about running work with "Quit". */
  quit(): Promise<number | null>
}

// `npm run test:desktop` runs the suite on both, and compares the results.
const binary = process.env.STUDIO_DESKTOP === 'replacement' ? null : electronBinary()
const whyNoWindow = whyNotAsRoot() ?? (hasDisplay() ? null : 'this computer has no display')
/** Whether Electron itself is installed and can open windows. If not, the tests run on its stand-in. */
export const real = binary !== null && whyNoWindow === null
if (!real) {
  const why = binary === null ? "Electron's binary is not here" : whyNoWindow
  console.log(`The desktop tests run on the stand-in alone: ${why}.`)
}

/** Runs in the program. */
function quitNow({ app, dialog }: typeof Electron): void {
  dialog.showMessageBox = async () => ({ response: 0, checkboxChecked: false })
  app.quit()
}

const running = new Set<ChildProcess>()
const browsers = new Set<Browser>()

const environment = (dataDir: string, modes: Modes): Record<string, string> => ({
  ...Object.fromEntries(
    Object.entries(electronEnvironment()).filter((entry): entry is [string, string] => entry[1] !== undefined),
  ),
  INFERENCE_STUDIO_DATA_DIR: dataDir,
  // Without a session bus there is no keychain, so that the tests are the same in every environment.
  DBUS_SESSION_BUS_ADDRESS: '',
  ...modesInEnvironment(modes),
})
const realArgs = ['--use-fake-device-for-media-stream', root]

/** Starts the built program on a data folder and waits for its window's page. Only the stand-in has `modes`. */
export async function launchDesktop(
  dataDir: string,
  modes: Modes = {},
  args: readonly string[] = [],
): Promise<Desktop> {
  if (!existsSync(join(root, 'out/main/electron.js'))) throw new Error('There is no build: npm run build makes it.')
  return binary !== null && real ? launchReal(binary, dataDir, args) : launchStandIn(dataDir, modes, args)
}

/** Starts the built program for a test that expects no window. Resolves when it has ended. */
export async function runDesktopToItsEnd(
  dataDir: string,
  modes: Modes = {},
  args: readonly string[] = [],
): Promise<{ code: number | null; output: string; errors: string }> {
  const child =
    binary !== null && real
      ? spawn(binary, [...realArgs, ...args], { env: environment(dataDir, {}) })
      : forkStandIn(dataDir, modes, args, 'pipe')
  const errors = collect(child)
  let output = ''
  child.stdout?.on('data', (bytes: Buffer) => {
    output += bytes
  })
  running.add(child)
  const [code] = await once(child, 'close')
  running.delete(child)
  return { code, output, errors: errors() }
}

function forkStandIn(
  dataDir: string,
  modes: Modes,
  args: readonly string[] = [],
  stdout: 'ignore' | 'pipe' = 'ignore',
): ChildProcess {
  const runner = fileURLToPath(new URL('./run.mjs', import.meta.url))
  const stdio: ('ignore' | 'pipe' | 'ipc')[] = ['ignore', stdout, 'pipe', 'ipc']
  const env = { ...environment(dataDir, modes), ...modes.env }
  // A session of its own, in which the processes that it leaves behind are found.
  const options = { execPath: node24(), execArgv: [], env, stdio, detached: process.platform !== 'win32' }
  const child = fork(runner, [modes.folder ?? root, ...args], options)
  child.once('exit', (code) => {
    // A killed program can't end its processes.
    if (child.pid !== undefined) ends.push(processesLeft(child.pid).then((left) => (code === null ? [] : left)))
  })
  return child
}

/** Command lines that each ended stand-in has left behind. */
const ends: Promise<string[]>[] = []

function collect(child: ChildProcess): () => string {
  let heard = ''
  child.stderr?.on('data', (bytes: Buffer) => {
    heard += bytes
  })
  return () => heard
}

async function launchReal(executablePath: string, dataDir: string, args: readonly string[]): Promise<Desktop> {
  const program: ElectronApplication = await _electron.launch({
    executablePath,
    // Playwright's default is --no-sandbox, with which the program that people run was never tested.
    chromiumSandbox: true,
    args: [...realArgs, ...args],
    env: environment(dataDir, {}),
  })
  const child = program.process()
  running.add(child)
  const errors = collect(child)
  const ended = once(child, 'exit').then(([code]: (number | null)[]) => {
    running.delete(child)
    return code ?? null
  })
  return {
    page: await program.firstWindow(),
    pageAt: (address) => pageAt(program.context(), address),
    evaluate: (code, arg) => program.evaluate(code as never, arg) as never,
    errors,
    stalls: () => [],
    ended,
    async quit() {
      await program.evaluate(quitNow).catch(() => undefined)
      return await ended
    },
  }
}

interface Answer {
  id?: number
  value?: unknown
  error?: string
  endpoint?: string
  stall?: string
}

interface Started extends Omit<Desktop, 'page' | 'pageAt'> {
  endpoint: Promise<string>
}

const reported = new Set<string>()

/** Prints the first stall of each place. A report is no failure, because a machine may be busy with other things than this test. */
function reportOnce(stall: string): void {
  const place = stall.slice(stall.indexOf('\n'))
  if (!reported.has(place)) console.warn(stall)
  reported.add(place)
}

/** Starts the stand-in and returns at once, before `ready` and any window. A real Electron can't be observed that early. */
export function startStandIn(dataDir: string, modes: Modes = {}, args: readonly string[] = []): Started {
  const child = forkStandIn(dataDir, modes, args)
  running.add(child)
  const errors = collect(child)
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  const ready = Promise.withResolvers<string>()
  const ended = once(child, 'exit').then(([code]: (number | null)[]) => {
    running.delete(child)
    const gone = new Error(`The program has ended with ${code}: ${errors()}`)
    ready.reject(gone)
    for (const { reject } of waiting.values()) reject(gone)
    return code ?? null
  })
  const stalls: string[] = []
  child.on('message', ({ id, value, error, endpoint, stall }: Answer) => {
    if (stall !== undefined) {
      stalls.push(stall)
      reportOnce(stall)
    }
    if (endpoint !== undefined) ready.resolve(endpoint)
    if (id === undefined) return
    if (error === undefined) waiting.get(id)?.resolve(value)
    else waiting.get(id)?.reject(new Error(error))
    waiting.delete(id)
  })
  let last = 0
  const evaluate: Desktop['evaluate'] = (code, arg) => {
    last += 1
    const id = last
    const answer = Promise.withResolvers<unknown>()
    waiting.set(id, answer)
    child.send({ id, code: String(code), arg })
    return answer.promise as never
  }
  // Without a reader of `endpoint`, a program that ends early would be an unhandled rejection.
  ready.promise.catch(() => undefined)
  return {
    endpoint: ready.promise,
    evaluate,
    errors,
    stalls: () => stalls,
    ended,
    async quit() {
      // The program may end before it answers.
      evaluate(quitNow).catch(() => undefined)
      return await ended
    },
  }
}

async function launchStandIn(dataDir: string, modes: Modes, args: readonly string[]): Promise<Desktop> {
  const { endpoint, ...started } = startStandIn(dataDir, modes, args)
  const browser = await chromium.connectOverCDP(await endpoint)
  browsers.add(browser)
  const [context] = browser.contexts()
  if (!context) throw new Error('Chromium has no context')
  return { ...started, page: await firstPage(browser), pageAt: (address) => pageAt(context, address) }
}

async function firstPage(browser: Browser): Promise<Page> {
  const [context] = browser.contexts()
  if (!context) throw new Error('Chromium has no context')
  context.setDefaultTimeout(pageTimeout)
  const page = context.pages()[0] ?? (await context.waitForEvent('page'))
  await page.waitForURL((url) => url.protocol !== 'about:')
  await page.waitForLoadState('load')
  return page
}

async function pageAt(context: BrowserContext, address: RegExp): Promise<Page> {
  for (;;) {
    const known = context.pages().find((page) => address.test(page.url()))
    if (known) {
      await known.waitForLoadState('load')
      return known
    }
    const fresh = await context.waitForEvent('page')
    await fresh.waitForURL((url) => url.protocol !== 'about:')
  }
}

/** Ends what a test left running. @throws Error when a program that has ended by itself left processes behind */
export async function closeDesktops(): Promise<void> {
  for (const browser of browsers) await browser.close().catch(() => undefined)
  browsers.clear()
  for (const child of running) {
    const ended = once(child, 'exit')
    end(child)
    const late = setTimeout(() => child.kill('SIGKILL'), 5_000)
    await ended
    clearTimeout(late)
  }
  running.clear()
  const left = (await Promise.all(ends.splice(0))).flat()
  if (left.length > 0)
    throw new Error(`The program has ended, and these processes of it still ran:\n${left.join('\n')}`)
}

/** Asks a program to end. On Windows, Playwright's child is a shell, whose end would leave Electron running. */
function end(child: ChildProcess): void {
  if (process.platform === 'win32') spawnSync('taskkill', ['/pid', String(child.pid), '/T', '/F'])
  else child.kill('SIGTERM')
}
