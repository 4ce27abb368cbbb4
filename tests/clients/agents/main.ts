import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { installAgent } from './install.ts'
import { tryPython } from './python.ts'
import { startStudio } from './studio.ts'
import { agents } from './table.ts'
import { type Result, setupOf, tryAgent } from './trial.ts'

const usage = `npm run test:clients -- [--json] [--only ID,ID] [--cache DIR]

  --json    the results as one JSON document on standard output, nothing else there
  --only    set-ups by id: ${[...agents.map(({ setup }) => setup), 'openai-python'].join(', ')}
  --cache   where packages are installed and kept, outside the project (default: studio-clients in the temporary folder)`

/** Minimum number of coding agents that must succeed. The others may need a network that is not available. */
const leastAgents = 3

/** Exit codes. 0: at least three coding agents completed a turn, and none failed. 1: otherwise. 2: usage error. */
export async function main(argv: string[]): Promise<number> {
  const options = optionsOf(argv)
  if (!options) {
    console.error(usage)
    return 2
  }
  const folder = mkdtempSync(join(tmpdir(), 'studio-clients-'))
  const results: Result[] = []
  const note = (result: Result) => {
    results.push(result)
    if (!options.json) console.log(line(result))
  }
  try {
    const studio = await startStudio(join(folder, 'data'))
    try {
      for (const agent of agents.filter(({ setup }) => options.wants(setup))) {
        const at = join(options.cache, `${agent.setup}-${agent.version}`)
        const missing = await installAgent(agent, at)
        note(
          missing
            ? { ...agent, name: setupOf(agent.setup).name, outcome: 'not run', detail: missing, seconds: 0 }
            : await tryAgent(agent, studio, join(folder, agent.setup), join(at, 'node_modules', '.bin')),
        )
      }
      if (options.wants('openai-python'))
        note(await tryPython(studio, join(folder, 'python'), join(options.cache, 'python')))
    } finally {
      await studio.stop()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
  const worked = results.filter(({ outcome }) => outcome === 'works').length
  const failed = results.filter(({ outcome }) => outcome === 'fails').length
  if (options.json) console.log(JSON.stringify(results.map(plain), null, 2))
  else console.log(`\n${worked} work, ${failed} fail, ${results.length - worked - failed} not run`)
  return failed === 0 && (options.some || worked >= leastAgents) ? 0 : 1
}

function optionsOf(argv: string[]) {
  try {
    const { values } = parseArgs({
      args: argv,
      options: { json: { type: 'boolean' }, only: { type: 'string' }, cache: { type: 'string' } },
    })
    const only = values.only?.split(',')
    const known = [...agents.map(({ setup }) => setup), 'openai-python']
    if (only?.some((id) => !known.includes(id))) return null
    return {
      json: values.json ?? false,
      some: only !== undefined,
      wants: (id: string) => only === undefined || only.includes(id),
      cache: values.cache ?? join(tmpdir(), 'studio-clients'),
    }
  } catch {
    return null
  }
}

const line = ({ name, version, outcome, detail, seconds }: Result): string =>
  `${outcome.padEnd(8)} ${`${name} ${version}`.padEnd(44)} ${`${seconds.toFixed(1)} s`.padStart(7)}  ${detail}`

/** The members of an entry in the result document. An entry of the table has more. */
const plain = ({ setup, name, package: from, version, outcome, detail, seconds }: Result) => ({
  setup,
  name,
  package: from,
  version,
  outcome,
  detail,
  seconds,
})
