// `npm run bench [-- proxy start]`: figures beside their bars, and beside a bare relay taken in the same run.
import { cpus } from 'node:os'
import { buildIfNeeded } from '../../resources/scripts/ready.mjs'
import { removeFolders, stopAll } from './processes.mjs'
import { proxyBench } from './proxy.mjs'
import { startBench } from './start.mjs'

const suites = { start: startBench, proxy: proxyBench }
const asked = process.argv.slice(2).filter((name) => !name.startsWith('-'))
const unknown = asked.find((name) => !(name in suites))
if (unknown) {
  console.error(`No bench is called ${unknown}; there are: ${Object.keys(suites).join(', ')}`)
  process.exit(2)
}

buildIfNeeded()
console.log(`Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? 'unknown processor'}\n`)
let missed = 0
function report(what, figure, good, bar) {
  if (good === false) missed += 1
  const verdict = good === undefined ? '' : good ? `within ${bar}` : `MISSED ${bar}`
  console.log(`${what.padEnd(50)} ${String(figure).padEnd(44)} ${verdict}`)
}
try {
  for (const name of asked.length ? asked : Object.keys(suites)) await suites[name](report)
} finally {
  await stopAll()
  removeFolders()
}
process.exit(missed ? 1 : 0)
