// Prepares a clone: installs packages from the lockfile and builds the sources when needed.
// Runs on any Node from 20.19 on, with nothing installed: built-in modules only.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))
const modules = join(root, 'node_modules')
const stamp = (name) => join(modules, `.studio-${name}`)
/** List of installed packages, which npm writes at the end of an installation. */
const npmsList = join(modules, '.package-lock.json')
const ownNode = join(modules, 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')

/** Prints a line on standard error. Standard output belongs to the started program. */
export const say = (line) => process.stderr.write(`${line}\n`)

/** Path of the Node 24 that npm installed, or of the current Node. */
export function node24() {
  return existsSync(ownNode) ? ownNode : process.execPath
}

function fail(words) {
  say(words)
  process.exit(1)
}

const remembered = (name) => (existsSync(stamp(name)) ? readFileSync(stamp(name), 'utf8') : '')

/** Records that the step `name` (`installed`, `built`) is done for `state`. */
export function remember(name, state) {
  mkdirSync(modules, { recursive: true })
  writeFileSync(stamp(name), state)
}

/** Deletes the record of the step `name`. */
export function forget(name) {
  rmSync(stamp(name), { force: true })
  if (name === 'installed') rmSync(npmsList, { force: true })
}

/** Hash of everything that an installation depends on. */
export const installState = () =>
  createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(`${process.platform}-${process.arch}`)
    .digest('hex')

/** Whether node_modules matches the lockfile. Takes some milliseconds. */
export function isInstalled() {
  if (!existsSync(npmsList)) return false
  return (remembered('installed') === installState() && existsSync(ownNode)) || matchesLockfile()
}

function matchesLockfile() {
  let wanted
  let there
  try {
    wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
    there = JSON.parse(readFileSync(npmsList, 'utf8')).packages
  } catch {
    return false
  }
  return Object.entries(wanted).every(([place, want]) => {
    if (place === '') return true
    const own = there[place]
    // npm leaves out packages for other systems, and optional ones that could not be installed.
    if (!own) return want.optional === true || want.devOptional === true
    const isSame = own.version === want.version && own.integrity === want.integrity && own.resolved === want.resolved
    return isSame && isForThisSystem(own) && existsSync(join(root, place, 'package.json'))
  })
}

/** Whether a package is for this system. A node_modules folder may be copied from another one. */
function isForThisSystem({ os, cpu }) {
  const allows = (list, own) =>
    !list || (!list.includes(`!${own}`) && (list.every((one) => one.startsWith('!')) || list.includes(own)))
  return allows(os, process.platform) && allows(cpu, process.arch)
}

/** Hash of path, size and time of every source file. Takes some milliseconds. */
export function sourceState() {
  const hash = createHash('sha256')
  const sources = [
    'src-main',
    'src-preload',
    'src-renderer',
    'docs/guide',
    'electron.vite.config.ts',
    'package-lock.json',
    'package.json',
  ]
  for (const source of sources) {
    for (const file of filesUnder(join(root, source))) {
      const { size, mtimeMs } = statSync(file)
      hash.update(`${file}:${size}:${mtimeMs}\n`)
    }
  }
  return hash.digest('hex')
}

function* filesUnder(path) {
  if (!statSync(path).isDirectory()) {
    yield path
    return
  }
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const at = join(path, entry.name)
    if (entry.isDirectory()) yield* filesUnder(at)
    else yield at
  }
}

/** Whether out/ is a build of these sources. */
export function isBuilt() {
  // An installed package has a build and no sources.
  if (!existsSync(join(root, 'src-main'))) return true
  return existsSync(join(root, 'out', 'main', 'node.js')) && remembered('built') === sourceState()
}

/** Path of npm-cli.js: the npm that started this process, beside this Node, or on the PATH. Null for wrappers such as version managers. */
export function npmProgram() {
  const folders = [dirname(process.execPath), ...(process.env.PATH ?? '').split(delimiter)]
  const places = [
    process.env.npm_execpath,
    ...folders.flatMap((folder) => [
      process.platform === 'win32' ? join(folder, 'node_modules', 'npm', 'bin', 'npm-cli.js') : join(folder, 'npm'),
    ]),
  ]
  for (const place of places) {
    if (!place || !existsSync(place)) continue
    const path = realpathSync(place)
    if (path.endsWith('npm-cli.js')) return path
  }
  return null
}

/** Runs a step in a separate process, which holds the lock, so that two starts do not install or build at once. */
function runStep(name, node) {
  const program = fileURLToPath(new URL('step.mjs', import.meta.url))
  return spawnSync(node, [program, name], { cwd: root, stdio: ['ignore', 2, 2] }).status === 0
}

/** Installs from the lockfile unless node_modules matches it. */
export function installIfNeeded() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < 20 || (major === 20 && minor < 19)) {
    fail(`Inference Studio needs Node 20.19 or later to install; this is ${process.version}. See https://nodejs.org.`)
  }
  if (!isInstalled() && !runStep('install', process.execPath))
    fail('The installation failed. See above. `npm ci` tries again.')
}

/** Builds out/ when the sources have changed since the last build. */
export function buildIfNeeded() {
  if (!isBuilt() && !runStep('build', node24())) fail('The build failed. See above.')
}
