// Finds, downloads and runs Electron's binary, which is hosted outside the npm registry.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { node24, root } from './ready.mjs'

const home = join(root, 'node_modules', 'electron')

function binary() {
  const named = process.env.ELECTRON_OVERRIDE_DIST_PATH
  const pathFile = join(home, 'path.txt')
  if (!existsSync(pathFile)) return null
  const path = join(named ?? join(home, 'dist'), readFileSync(pathFile, 'utf8').trim())
  return existsSync(path) ? path : null
}

/**
 * Returns `{ path }` of a usable binary, or the reason as `{ why }`. Downloads a missing binary. Every start tries again, because the
 * reason of a failure may have gone, such as a computer that was offline.
 */
export async function findElectron() {
  if (process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) {
    return { why: 'this computer has no display', noDisplay: true }
  }
  const here = binary()
  if (here) return { path: here }
  await run(fileURLToPath(new URL('downloadElectron.mjs', import.meta.url)))
  const fetched = binary()
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

/**
 * Runs the desktop application. Resolves with its exit code, or with `{ why }` when Electron itself ended before the application showed
 * a window or a message of its own. Electron's early error output is held back until then, so that such an end is one line.
 */
export async function runElectron(path, args) {
  const folder = mkdtempSync(join(tmpdir(), 'inference-studio-'))
  const mark = join(folder, 'started')
  // With ELECTRON_RUN_AS_NODE, Electron would be a plain Node. Editors based on Electron leave it in their terminals.
  const { ELECTRON_RUN_AS_NODE: _, ...env } = process.env
  const child = spawn(path, [root, ...args], {
    stdio: ['inherit', 'inherit', 'pipe'],
    env: { ...env, INFERENCE_STUDIO_STARTED_FILE: mark },
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
  const signals = ['SIGINT', 'SIGTERM'].map((name) => {
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
    if (!isOpen && !isOurs && code !== 0) return { why: reasonOf(held, code, signal) }
    if (!isOpen) open()
    return { code: signal ? 1 : (code ?? 1) }
  } finally {
    clearInterval(timer)
    for (const stop of signals) stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Why Electron ended, for the reader of one line. `code` 127 is the loader's or the shell's: a library or the program is missing. */
function reasonOf(output, code, signal) {
  const library = /error while loading shared libraries: ([^:\s]+)/.exec(output)?.[1]
  if (library) return `the system library ${library} is missing`
  if (/no-sandbox|sandbox_host|namespace_sandbox|Failed to move to new namespace/i.test(output)) {
    return process.getuid?.() === 0
      ? "Chromium's sandbox does not run as root"
      : "this system does not allow Chromium's sandbox (on Ubuntu 23.10 and later, an AppArmor profile allows it)"
  }
  if (/Missing X server|cannot open display|Failed to connect to Wayland/i.test(output)) {
    return 'the display could not be opened'
  }
  const last = output.trim().split('\n').at(-1)?.slice(0, 200)
  return `Electron ended with ${signal ?? `exit code ${code}`} before its first window${last ? `: ${last}` : ''}`
}
