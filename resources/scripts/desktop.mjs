// Finds or downloads Electron's binary, which is hosted outside the npm registry.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
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
 * Returns `{ path }` of a usable binary, or the reason as `{ why }`.
 * Downloads once per installation, for at most 60 s, so that an unreachable server does not delay every start.
 */
export function findElectron({ tried, remember }) {
  if (process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) {
    return { why: 'this computer has no display', noDisplay: true }
  }
  const here = binary()
  if (here) return { path: here }
  if (tried()) return { why: "Electron's binary is missing and could not be downloaded" }
  process.stderr.write("Downloading Electron's binary (once) …\n")
  spawnSync(node24(), [join(home, 'install.js')], { cwd: root, stdio: 'ignore', timeout: 60_000 })
  remember()
  const fetched = binary()
  return fetched ? { path: fetched } : { why: "Electron's binary is missing and could not be downloaded" }
}
