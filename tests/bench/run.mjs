// `npm run bench [-- start stop proxy render] [--quick] [--only name,name]`: figures with their limits, beside peers in the same run.
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { bodiesBench } from './bodies.mjs'
import { dialectsBench } from './dialects.mjs'
import { documentsBench } from './documents.mjs'
import { galleryBench } from './gallery.mjs'
import { passagesBench } from './passages.mjs'
import { prepareBuild, removeFolders, stopAll } from './processes.mjs'
import { proxyBench, proxyNames } from './proxy.mjs'
import { renderBench } from './render.mjs'
import { searchBench } from './search.mjs'
import { soundBench } from './sound.mjs'
import { startBench } from './start.mjs'
import { stopBench } from './stop.mjs'
import { usageBench } from './usage.mjs'

const suites = {
  start: startBench,
  stop: stopBench,
  proxy: proxyBench,
  dialects: dialectsBench,
  bodies: bodiesBench,
  passages: passagesBench,
  search: searchBench,
  documents: documentsBench,
  usage: usageBench,
  render: renderBench,
  gallery: galleryBench,
  sound: soundBench,
}

function refuse(words) {
  console.error(words)
  process.exit(2)
}

const { values, positionals: asked } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean' }, only: { type: 'string', multiple: true } },
})
const only = (values.only ?? []).flatMap((names) => names.split(','))
const unknown = asked.find((name) => !(name in suites))
if (unknown) refuse(`Unknown suite: ${unknown}. Suites: ${Object.keys(suites).join(', ')}`)
const nothing = only.find((name) => !proxyNames.includes(name))
if (nothing) refuse(`--only accepts: ${proxyNames.join(', ')}`)

prepareBuild()
console.log(`Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? 'unknown processor'}\n`)
let missed = 0
function report(what, figure, good, bar) {
  if (good === false) missed += 1
  const verdict = good === undefined ? '' : good ? `within ${bar}` : `MISSED ${bar}`
  console.log(`${what.padEnd(52)} ${String(figure).padEnd(48)} ${verdict}`)
}
try {
  for (const name of asked.length ? asked : Object.keys(suites))
    await suites[name](report, { quick: values.quick, only })
} finally {
  await stopAll()
  removeFolders()
}
process.exit(missed ? 1 : 0)
