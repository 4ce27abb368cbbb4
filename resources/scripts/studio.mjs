// `npm run -s studio -- <command>`: runs the command line from a build of these sources.
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { join } from 'node:path'
import { buildIfNeeded, installIfNeeded, node24, root } from './ready.mjs'

installIfNeeded()
buildIfNeeded()
const child = spawn(node24(), [join(root, 'out', 'main', 'node.js'), ...process.argv.slice(2)], { stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : (code ?? 1)))
