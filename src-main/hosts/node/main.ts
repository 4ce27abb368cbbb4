// Entry of the command line with the real core. Asks for the Node first and loads everything else afterwards: the core needs full-text search
// in node:sqlite, which Node has since 22.16 and 24, and modules that older ones lack can't even be loaded.
import process from 'node:process'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 16) || major === 23) {
  process.stderr.write(
    `Inference Studio needs Node 24, or 22.16 or later of Node 22; this is ${process.version}. See https://nodejs.org.\n`,
  )
  process.exitCode = 1
} else {
  const [{ run }, { realParts }] = await Promise.all([import('./program.ts'), import('./realDependencies.ts')])
  process.exitCode = await run(process.argv.slice(2), realParts)
}
