import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Installs the packages of a manifest (the text of a package.json) into a folder, once. Install scripts of foreign packages are not run. */
export function installOnce(folder, manifest) {
  const done = join(folder, 'installed')
  if (existsSync(done)) return
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), manifest)
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  writeFileSync(done, '')
}
