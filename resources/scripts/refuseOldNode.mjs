// Run by npm before it installs the package: refuses a Node on which the installed command can't run, so that no install succeeds in silence.
// Runs on any Node. A clone installs a Node of its own, so the one that runs npm does not matter there.
import { existsSync } from 'node:fs'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const canRun = major >= 24 || (major === 22 && minor >= 16)
if (!canRun && !existsSync(new URL('ready.mjs', import.meta.url))) {
  process.stderr.write(
    `Inference Studio needs Node 24, or 22.16 or later of Node 22; this is ${process.version}. See https://nodejs.org.\n`,
  )
  process.exitCode = 1
}
