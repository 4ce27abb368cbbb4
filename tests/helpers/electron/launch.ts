import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
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
import { node24, root } from '../../../resources/scripts/ready.mjs'
import { type Modes, modesInEnvironment } from './modes.ts'

/** The running desktop program with the page of its first window. */
export interface Desktop {
  page: Page
  /** Runs `code` in the main process with the `electron` module. The function may use nothing outside of itself. */
  evaluate<R, A = undefined>(code: (electron: typeof Electron, arg: A) => R | Promise<R>, arg?: A): Promise<R>
  /** Resolves with the page of another window when its address matches. */
  pageAt(address: RegExp): Promise<Page>
  /** Standard error so far. */
  errors(): string
  /** Resolves with the exit code when the program has ended. */
  ended: Promise<number | null>
  /** Calls `app.quit()`, like the menu. Answers a question about running work with "Quit". */
  quit(): Promise<number | null>
}

// `npm run test:desktop` runs the suite on both, and compares the results.
const binary = process.env.STUDIO_DESKTOP === 'replacement' ? null : realElectron()
/** Whether Electron itself is installed. If not, the tests run on its stand-in. */
export const real = binary !== null
if (!real) console.log("Electron's binary is not here: the desktop tests run on the stand-in alone.")

function realElectron(): string | null {
  const home = join(root, 'node_modules', 'electron')
  const name = join(home, 'path.txt')
  if (!existsSync(name)) return null
  const path = join(home, 'dist', readFileSync(name, 'utf8').trim())
  return existsSync(path) ? path : null
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
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  ),
  INFERENCE_STUDIO_DATA_DIR: dataDir,
  // Without a session bus there is no keychain, so that the tests are the same in every environment.
  DBUS_SESSION_BUS_ADDRESS: '',
  ...modesInEnvironment(modes),
})
// Chromium's own sandbox does not run as root.
const realArgs = [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--use-fake-device-for-media-stream', root]

/** Starts the built program on a data folder and waits for its window's page. Only the stand-in has `modes`. */
export async function launchDesktop(
  dataDir: string,
  modes: Modes = {},
  args: readonly string[] = [],
): Promise<Desktop> {
  if (!existsSync(join(root, 'out/main/electron.js'))) throw new Error('There is no build: npm run build makes it.')
  return binary === null ? launchStandIn(dataDir, modes, args) : launchReal(binary, dataDir, args)
}

/** Starts the built program for a test that expects no window. Resolves when it has ended. */
export async function runDesktopToItsEnd(
  dataDir: string,
  modes: Modes = {},
  args: readonly string[] = [],
): Promise<{ code: number | null; output: string; errors: string }> {
  const child =
    binary === null
      ? forkStandIn(dataDir, modes, args, 'pipe')
      : spawn(binary, [...realArgs, ...args], { env: environment(dataDir, {}) })
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
  return fork(runner, [modes.folder ?? root, ...args], { execPath: node24(), execArgv: [], env, stdio })
}

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
}

interface Started extends Omit<Desktop, 'page' | 'pageAt'> {
  endpoint: Promise<string>
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
  child.on('message', ({ id, value, error, endpoint }: Answer) => {
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

/** Ends what a test left running. */
export async function closeDesktops(): Promise<void> {
  for (const browser of browsers) await browser.close().catch(() => undefined)
  browsers.clear()
  for (const child of running) {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    const late = setTimeout(() => child.kill('SIGKILL'), 5_000)
    await ended
    clearTimeout(late)
  }
  running.clear()
}
