// Checks the import rules of layers.cjs, and that the drawing in docs/architecture.md shows the imports of today. `--draw` writes the
// drawing again. `--small` lists the files of under 30 lines with at most one importer (decision 0001). A check that reads no files would
// pass. The check therefore requires modules, and a canary file that must fail.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
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
  if (!run.stdout) throw new Error(`dependency-cruiser printed nothing: ${run.stderr}`)
  return JSON.parse(run.stdout)
}

const linesOf = (path) => readFileSync(path, 'utf8').split('\n').length - 1

/** The box of the drawing that a source file belongs to; null for a file that has none. */
function boxOf(path) {
  const [, main] = /^src-main\/core\/([^/]+)\//.exec(path) ?? []
  if (main) return `core/${main}`
  const [, entry] = /^src-main\/core\/((?:core|stored)\.ts)$/.exec(path) ?? []
  if (entry) return `core/${entry}`
  const [box] = /^src-main\/(hosts\/(electron|node)|sandbox|listener)(?=\/)/.exec(path) ?? []
  if (box) return box.slice('src-main/'.length)
  if (path.startsWith('src-preload/contract/')) return 'contract'
  const [, part] = /^src-renderer\/([^/]+)\//.exec(path) ?? []
  return part ? `renderer/${part}` : null
}

/**
 * Imports between boxes as Mermaid. Leaves out the folders that almost every box imports (contract, ports, shared, i18n), because they
 * would hide the rest.
 */
function drawing(modules) {
  const everywhere = new Set(['contract', 'core/ports', 'core/shared', 'renderer/shared', 'renderer/i18n', 'listener'])
  const edges = new Map()
  for (const { source, dependencies } of modules)
    for (const { resolved } of dependencies) {
      const [from, to] = [boxOf(source), boxOf(resolved)]
      if (!from || !to || from === to || everywhere.has(from) || everywhere.has(to)) continue
      edges.set(`${from} ${to}`, (edges.get(`${from} ${to}`) ?? 0) + 1)
    }
  const byName = (a, b) => (a < b ? -1 : 1)
  const id = (box) => box.replace(/[^a-z]/gi, '_')
  const boxes = [...new Set([...edges.keys()].flatMap((edge) => edge.split(' ')))].sort(byName)
  return [
    '```mermaid',
    'flowchart TD',
    ...boxes.map((box) => `  ${id(box)}["${box}"]`),
    ...[...edges.keys()].sort(byName).map((edge) => `  ${edge.split(' ').map(id).join(' --> ')}`),
    '```',
  ].join('\n')
}

const canary = cruise(join(here, 'canary'), ['src-main', 'src-renderer'])
const caught = new Set(canary.summary.violations.map(({ rule }) => rule.name))
const missed = ['stores-are-pure', 'hosts-import-the-entries-of-core'].filter((name) => !caught.has(name))
if (missed.length > 0) {
  console.error(`The canary was not caught by ${missed.join(', ')}: the layer check reads nothing.`)
  process.exit(1)
}

const root = join(here, '..', '..')
const { summary, modules } = cruise(root, ['src-main', 'src-preload', 'src-renderer'])
const ours = modules.filter((module) => module.source.startsWith('src-')).length
if (ours < 50) {
  console.error(`Only ${ours} modules were read.`)
  process.exit(1)
}
const docs = join(root, 'docs', 'architecture.md')
const text = readFileSync(docs, 'utf8')
const drawn = text.replace(/```mermaid[\s\S]*?```/, () => drawing(modules))
if (process.argv.includes('--draw')) writeFileSync(docs, drawn)
else if (drawn !== text) {
  console.error('The drawing in docs/architecture.md is out of date: npm run layers -- --draw')
  process.exitCode = 1
}
for (const { rule, from, to } of summary.violations) console.error(`${rule.name}: ${from} -> ${to}`)
if (process.argv.includes('--small')) {
  const small = modules
    .filter(({ source, dependents }) => source.startsWith('src-') && dependents.length <= 1)
    .map(({ source, dependents }) => ({ source, lines: linesOf(join(root, source)), user: dependents[0] ?? 'none' }))
    .filter(({ lines }) => lines < 30)
  for (const { source, lines, user } of small) console.log(`${source}, ${lines} lines, imported by ${user}`)
  console.log(`${small.length} files under 30 lines with at most one importer`)
}
console.log(`${ours} modules, ${summary.violations.length} imports against the rules`)
if (summary.violations.length > 0) process.exitCode = 1
