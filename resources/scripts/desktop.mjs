// Finds, downloads and runs Electron's binary, which is hosted outside the npm registry.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { node24, root } from './ready.mjs'

const home = join(root, 'node_modules', 'electron')

/** Where the binary is or would be, by the rule of the package `electron` (its index.js), or null. Downloads nothing. */
function binaryPlace() {
  const pathFile = join(home, 'path.txt')
  const name = existsSync(pathFile) ? readFileSync(pathFile, 'utf8') : ''
  const named = process.env.ELECTRON_OVERRIDE_DIST_PATH
  if (named) return join(named, name || 'electron')
  return name ? join(home, 'dist', name) : null
}

/** Path of Electron's binary, or null where there is none. */
export function electronBinary() {
  const place = binaryPlace()
  return place !== null && existsSync(place) ? place : null
}

/** Whether windows and browsers can be shown here. */
export const hasDisplay = () =>
  process.platform !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY)

/** Chromium's zygote refuses root, and without its sandbox Chromium would be another program than the tested one. */
export const whyNotAsRoot = () => (process.getuid?.() === 0 ? "Chromium's sandbox does not run as root" : null)

/**
 * Returns `{ path }` of a usable binary, or the reason as `{ why }`. Downloads a missing binary. Every start tries again, because the
 * reason of a failure may have gone, such as a computer that was offline.
 */
export async function findElectron() {
  if (!hasDisplay()) return { why: 'this computer has no display' }
  const here = electronBinary()
  if (here) return { path: here }
  if (process.env.ELECTRON_OVERRIDE_DIST_PATH)
    return { why: `there is no ${binaryPlace()} (ELECTRON_OVERRIDE_DIST_PATH)` }
  await run(fileURLToPath(new URL('downloadElectron.mjs', import.meta.url)))
  const fetched = electronBinary()
  return fetched
    ? { path: fetched }
    : { why: "Electron's binary is missing and could not be downloaded. The next start tries again" }
}

async function run(program) {
  const child = spawn(node24(), [program], { cwd: root, stdio: ['ignore', 2, 2] })
  await once(child, 'exit').catch(() => undefined)
}

/** Most characters of early error output that are held back. */
const maxHeld = 64_000

/** This process's environment without ELECTRON_RUN_AS_NODE, which editors based on Electron leave in their terminals: Electron would be a plain Node. */
export function electronEnvironment() {
  const { ELECTRON_RUN_AS_NODE: _, ...env } = process.env
  return env
}

/**
 * Runs the desktop application. Resolves with its exit code, or when Electron itself ended before the application showed a window or a
 * message of its own, with the reason `why` and the lines `advice`, which say how to allow the window. Electron's early error output is held
 * back until then, so that such an end is one line.
 */
export async function runElectron(path, args) {
  const folder = mkdtempSync(join(tmpdir(), 'inference-studio-'))
  // The smoke test waits for the same file.
  const mark = process.env.INFERENCE_STUDIO_STARTED_FILE ?? join(folder, 'started')
  const child = spawn(path, [root, ...args], {
    stdio: ['ignore', 'inherit', 'pipe'],
    env: { ...electronEnvironment(), INFERENCE_STUDIO_STARTED_FILE: mark },
    // Ctrl+C in a terminal is a signal to a whole process group. Chromium's processes would end before the program is asked to, as in a crash.
    // Windows has no groups of this kind; a detached program would get a console of its own there.
    detached: process.platform !== 'win32',
  })
  let held = ''
  let isOpen = false
  let isOurs = false
  const open = () => {
    isOpen = true
    process.stderr.write(held)
    held = ''
  }
  const look = () => {
    if (!isOpen && existsSync(mark)) open()
  }
  child.stderr.on('data', (bytes) => {
    if (isOpen) process.stderr.write(bytes)
    else held = (held + bytes).slice(-maxHeld)
  })
  const timer = setInterval(look, 100)
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'].map((name) => {
    const pass = () => {
      isOurs = true
      child.kill(name)
    }
    process.on(name, pass)
    return () => process.off(name, pass)
  })
  try {
    const [code, signal] = await new Promise((resolve) => {
      child.on('close', (...end) => resolve(end))
      child.on('error', (error) => {
        held = error.message
        resolve([127, null])
      })
    })
    look()
    if (!isOpen && !isOurs && code !== 0) {
      const why = reasonOf(held, code, signal)
      return { why, advice: isSandboxRefused(held) && !args.includes(noSandbox) ? waysToAllow(path) : [] }
    }
    if (!isOpen) open()
    return { code: signal ? 1 : (code ?? 1) }
  } finally {
    clearInterval(timer)
    for (const stop of signals) stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The switch that starts Chromium without its sandbox. Only a person gives it. */
export const noSandbox = '--no-sandbox'

const isSandboxRefused = (output) =>
  /no-sandbox|usable sandbox|sandbox_host|namespace_sandbox|Failed to move to new namespace/i.test(output)

/** Why Electron ended, for the reader of one line. `code` 127 is the loader's or the shell's: a library or the program is missing. */
function reasonOf(output, code, signal) {
  const library = /error while loading shared libraries: ([^:\s]+)/.exec(output)?.[1]
  if (library) return `the system library ${library} is missing`
  if (isSandboxRefused(output)) return whyNotAsRoot() ?? "this system does not allow Chromium's sandbox"
  if (/Missing X server|cannot open display|Failed to connect to Wayland/i.test(output)) {
    return 'the display could not be opened'
  }
  const last = output.trim().split('\n').at(-1)?.slice(0, 200)
  return `Electron ended with ${signal ?? `exit code ${code}`} before its first window${last ? `: ${last}` : ''}`
}

const withoutSandbox =
  'In a container, or where nothing else is possible, "npm start -- --no-sandbox" opens the window without this protection.'

/** Lines that say how the window can open although the system refuses Chromium's sandbox. @param path of Electron's binary */
function waysToAllow(path) {
  if (whyNotAsRoot()) return ['The window opens for an ordinary user.', withoutSandbox]
  const real = realpathSync(path)
  const name = `inference-studio-clone-${createHash('sha256').update(real).digest('hex').slice(0, 8)}`
  const file = `/etc/apparmor.d/${name}`
  // AppArmor reads these characters as patterns.
  const attached = real.replace(/[\\"*?[\]{}^]/g, '\\$&')
  const profile = [
    'abi <abi/4.0>,',
    'include <tunables/global>',
    `profile ${name} "${attached}" flags=(unconfined) {`,
    '  userns,',
    '}',
  ]
  const quoted = profile.map((line) => `'${line.replaceAll("'", "'\\''")}'`).join(' ')
  return [
    'On Ubuntu 23.10 and later, these two commands allow the window of this clone:',
    `  printf '%s\\n' ${quoted} | sudo tee ${file}`,
    `  sudo apparmor_parser --replace ${file}`,
    withoutSandbox,
  ]
}
