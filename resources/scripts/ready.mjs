// What must be there before anything of ours runs: packages from the lockfile and a build of these sources.
// Runs on any Node from 20.19 on, with nothing installed: built-in modules only.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))
const stamp = (name) => join(root, 'node_modules', `.studio-${name}`)
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
const say = (line) => process.stderr.write(`${line}\n`)

/** Path of the Node 24 that npm installed; scripts run on it whatever the machine's own version is. */
export function node24() {
  const own = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  return existsSync(own) ? own : process.execPath
}

function fail(words) {
  say(words)
  process.exit(1)
}

function remembered(name) {
  return existsSync(stamp(name)) ? readFileSync(stamp(name), 'utf8') : ''
}

/** Installs from the lockfile when it is not what was installed last. */
export function installIfNeeded() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < 20 || (major === 20 && minor < 19)) {
    fail(`Inference Studio needs Node 20.19 or later to install; this is ${process.version}. See https://nodejs.org.`)
  }
  const want = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(`${process.platform}-${process.arch}`)
    .digest('hex')
  if (remembered('installed') === want && existsSync(node24())) return
  say('Installing packages (once) …')
  const done = spawnSync(npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  if (done.status !== 0) fail('Installing failed. See above; `npm ci` tries again.')
  writeFileSync(stamp('installed'), want)
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

/** Size and time of every source, hashed: a changed, new or missing file changes it. Costs some milliseconds. */
function sourceState() {
  const hash = createHash('sha256')
  const sources = [
    'src-main',
    'src-preload',
    'src-renderer',
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

/** Builds out/ when the sources are not those of the last build. */
export function buildIfNeeded() {
  const built = join(root, 'out', 'main', 'node.js')
  // An installed package has the build and no sources.
  if (!existsSync(join(root, 'src-main'))) return
  const want = sourceState()
  if (remembered('built') === want && existsSync(built)) return
  say('Building …')
  const bin = join(root, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js')
  const done = spawnSync(node24(), [bin, 'build', '--logLevel', 'warn'], { cwd: root, stdio: ['ignore', 2, 2] })
  if (done.status !== 0) fail('The build failed. See above.')
  writeFileSync(stamp('built'), want)
}
