import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
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
  const cache = join(root, 'node_modules', '.cache')
  const folder = join(cache, `nodes-${createHash('sha256').update(lock).digest('hex').slice(0, 16)}`)
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true })
    const fresh = mkdtempSync(join(cache, 'nodes-new-'))
    cpSync(source, fresh, { recursive: true })
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    execFileSync('npm', args, { cwd: fresh, stdio: ['ignore', 'ignore', 'inherit'] })
    try {
      renameSync(fresh, folder)
    } catch (thrown) {
      // Another test file was faster.
      if (!existsSync(folder)) throw thrown
      rmSync(fresh, { recursive: true, force: true })
    }
  }
  return join(folder, 'node_modules', alias(name), 'bin', 'node')
}
