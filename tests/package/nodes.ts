import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../resources/scripts/ready.mjs'

/** `lowest`: the oldest supported Node. `electron`: the oldest Node that Electron 45 may contain. */
export type NodeName = 'lowest' | 'electron'

const source = join(root, 'tests', 'package', 'nodes')
const lock = readFileSync(join(source, 'package-lock.json'), 'utf8')
const alias = (name: NodeName): string => `${name}-${process.platform}-${process.arch}`

/** Whether npm has this Node for this system. */
export const hasNode = (name: NodeName): boolean => `node_modules/${alias(name)}` in JSON.parse(lock).packages

/**
 * Path of a Node binary from npm. The first call installs it into node_modules/.cache. tests/package/nodes/package-lock.json pins the
 * hashes.
 */
export function nodeBinary(name: NodeName): string {
  const folder = join(root, 'node_modules', '.cache', 'nodes')
  const done = join(folder, 'installed')
  if (!existsSync(done) || readFileSync(done, 'utf8') !== lock) {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    cpSync(source, folder, { recursive: true })
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
    writeFileSync(done, lock)
  }
  return join(folder, 'node_modules', alias(name), 'bin', 'node')
}
