// Holds the walls between rooms. A check that reads no files would pass: so it must see modules, and the canary must fail.
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const bin = join(here, '..', '..', 'node_modules', 'dependency-cruiser', 'bin', 'dependency-cruiser.mjs')

function cruise(cwd, folders) {
  const run = spawnSync(
    process.execPath,
    [bin, '--config', join(here, 'layers.cjs'), '--output-type', 'json', ...folders],
    {
      cwd,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    },
  )
  if (!run.stdout) throw new Error(`dependency-cruiser said nothing: ${run.stderr}`)
  return JSON.parse(run.stdout)
}

const canary = cruise(join(here, 'canary'), ['src-renderer'])
const caught = canary.summary.violations.some((found) => found.rule.name === 'stores-are-pure')
if (!caught) {
  console.error('The canary was not caught: the layer check reads nothing.')
  process.exit(1)
}

const root = join(here, '..', '..')
const { summary, modules } = cruise(root, ['src-main', 'src-preload', 'src-renderer'])
const ours = modules.filter((module) => module.source.startsWith('src-')).length
if (ours < 50) {
  console.error(`Only ${ours} modules were read.`)
  process.exit(1)
}
for (const { rule, from, to } of summary.violations) console.error(`${rule.name}: ${from} -> ${to}`)
console.log(`${ours} modules, ${summary.violations.length} broken walls`)
process.exit(summary.violations.length ? 1 : 0)
