// `npm start`: installs and builds if needed, then opens the desktop window, or the web host when a window is impossible.
import { spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findElectron } from './desktop.mjs'
import { buildIfNeeded, installIfNeeded, node24, root } from './ready.mjs'

installIfNeeded()
buildIfNeeded()

const attempt = join(root, 'node_modules', '.studio-electron-tried')
const electron = findElectron({ tried: () => existsSync(attempt), remember: () => writeFileSync(attempt, '') })
const own = process.argv.slice(2)
if (electron.why) process.stderr.write(`Opening in the browser instead of a desktop window: ${electron.why}.\n`)

const [command, args] = electron.path
  ? [electron.path, [root, ...own]]
  : [node24(), [join(root, 'out', 'main', 'node.js'), 'serve', ...(electron.noDisplay ? [] : ['--open']), ...own]]
const child = spawn(command, args, { stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
child.on('error', (error) => {
  process.stderr.write(`Could not start: ${error.message}\n`)
  process.exit(1)
})
child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)))
