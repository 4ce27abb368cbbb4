// `npm start`: installs and builds if needed, then opens the desktop window, or the web host when a window is impossible.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { findElectron, runElectron } from './desktop.mjs'
import { buildIfNeeded, installIfNeeded, node24, root, say } from './ready.mjs'

installIfNeeded()
buildIfNeeded()

const own = process.argv.slice(2)
const electron = await findElectron()
const desktop = electron.path ? await runElectron(electron.path, own) : { why: electron.why }
if (desktop.why === undefined) process.exit(desktop.code)

say(`Opening in the browser instead of a desktop window: ${desktop.why}.`)
const args = [join(root, 'out', 'main', 'node.js'), 'serve', ...(electron.noDisplay ? [] : ['--open']), ...own]
const child = spawn(node24(), args, { stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
child.on('error', (error) => {
  say(`Could not start: ${error.message}`)
  process.exit(1)
})
child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)))
