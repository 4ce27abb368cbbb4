import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Browser, chromium, type Page } from '@playwright/test'
import { chromiumArgs, findBrowser } from '../helpers/browser.mjs'

/**
 * A screen of its own (Xvfb) with a window manager and a session bus, where a browser has a window, and keys take the way through the system:
 * input methods and screen readers see them.
 */
export interface Screen {
  /** Opens the address in a browser with a window. Its page has the focus of the screen. */
  open(url: string, args?: string[]): Promise<Page>
  /** Presses keys as a keyboard does, by their names in X: `Return`, `ctrl+k`. */
  press(...keys: string[]): void
  /** Starts a program on this screen. It ends with the screen. */
  start(command: string, args: string[], output?: (text: string) => void): ChildProcess
  /** Runs a program on this screen. @returns its output */
  run(command: string, ...args: string[]): string
  /** Home and runtime folder of the programs. */
  folder: string
  close(): Promise<void>
}

/** @param env additional variables of all programs on the screen */
export async function openScreen(env: Record<string, string> = {}): Promise<Screen> {
  const folder = mkdtempSync(join(tmpdir(), 'studio-screen-'))
  const runtime = join(folder, 'run')
  mkdirSync(runtime, { mode: 0o700 })
  const children: ChildProcess[] = []
  const all: NodeJS.ProcessEnv = {
    ...process.env,
    HOME: folder,
    XDG_RUNTIME_DIR: runtime,
    XDG_CONFIG_HOME: join(folder, '.config'),
    XDG_CACHE_HOME: join(folder, '.cache'),
    XDG_DATA_HOME: join(folder, '.local', 'share'),
    LANG: 'C.UTF-8',
    ...env,
  }
  const start: Screen['start'] = (command, args, output) => {
    // A group of its own, so that what it starts ends with it.
    const child = spawn(command, args, { env: all, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    children.push(child)
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', output ?? (() => undefined))
    return child
  }
  const firstLine = async (command: string, args: string[]): Promise<string> => {
    const child = start(command, args)
    if (!child.stdout) throw new Error(`${command} has no output.`)
    const exited = once(child, 'exit').then(() => Promise.reject(new Error(`${command} ended at once.`)))
    const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), exited])
    exited.catch(() => undefined)
    return String(line)
  }
  all.DISPLAY = `:${await firstLine('Xvfb', ['-displayfd', '1', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'])}`
  all.DBUS_SESSION_BUS_ADDRESS = await firstLine('dbus-daemon', ['--session', '--nofork', '--print-address'])
  start('openbox', [])
  const run: Screen['run'] = (command, ...args) => {
    const { stdout, stderr, status, error } = spawnSync(command, args, { env: all, encoding: 'utf8', timeout: 60_000 })
    if (status !== 0) throw error ?? new Error(`${command} ${args.join(' ')}: ${stderr || stdout || status}`)
    return stdout.trim()
  }
  const browsers: Browser[] = []
  return {
    folder,
    start,
    run,
    async open(url, args = []) {
      const executablePath = await findBrowser()
      if (!executablePath) throw new Error('There is no browser.')
      const browser = await chromium.launch({
        headless: false,
        executablePath,
        args: [...chromiumArgs, '--window-position=0,0', '--window-size=1280,900', ...args],
        env: all as Record<string, string>,
      })
      browsers.push(browser)
      const page = await (await browser.newContext({ viewport: null, reducedMotion: 'reduce' })).newPage()
      await page.goto(url)
      await page.bringToFront()
      return page
    },
    press: (...keys) => {
      run('xdotool', 'key', '--delay', '80', ...keys)
    },
    async close() {
      for (const browser of browsers) await browser.close()
      for (const child of children.reverse()) {
        if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) continue
        process.kill(-child.pid, 'SIGTERM')
        // Some programs ignore it while they wait for the bus.
        const timer = setTimeout(() => child.pid && process.kill(-child.pid, 'SIGKILL'), 3_000)
        await once(child, 'exit')
        clearTimeout(timer)
      }
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
    },
  }
}
