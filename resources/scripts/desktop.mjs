// Whether Electron's binary is here, or can be fetched within a short while. It comes from outside the npm registry.
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
 * `{ path }` of a binary that can run here, or `{ why }` in one plain line.
 * Fetching is tried once per installation and given 60 s: an unreachable download must not hold up every start.
 */
export function findElectron({ tried, remember }) {
  if (process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) {
    return { why: 'there is no display here', noDisplay: true }
  }
  const here = binary()
  if (here) return { path: here }
  if (tried()) return { why: "Electron's binary is not here and could not be fetched" }
  process.stderr.write("Fetching Electron's binary (once) …\n")
  spawnSync(node24(), [join(home, 'install.js')], { cwd: root, stdio: 'ignore', timeout: 60_000 })
  remember()
  const fetched = binary()
  return fetched ? { path: fetched } : { why: "Electron's binary is not here and could not be fetched" }
}
