import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { programInfos } from '../../../src-preload/contract/programs.ts'
import { installAgent } from './install.ts'
import { tryPython } from './python.ts'
import { startStudio } from './studio.ts'
import { agents, type Trial, trials } from './table.ts'
import { type Result, tryAgent } from './trial.ts'

const usage = `npm run test:clients -- [--json] [--only ID,ID] [--trials NAME,NAME] [--cache DIR] [--records DIR]

  --json    the results as one JSON document on standard output, nothing else there
  --only    set-ups by id: ${[...agents.map(({ setup }) => setup), 'openai-python'].join(', ')}
  --trials  some of: ${trials.join(', ')}
  --cache   where packages are installed and kept, outside the project (default: studio-clients in the temporary folder)
  --records a folder for the requests, replies and output of each run, as JSON`

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
            ? {
                ...agent,
                name: programInfos[agent.setup].name,
                outcome: 'not run',
                detail: missing,
                trials: [],
                seconds: 0,
              }
            : await tryAgent(
                agent,
                studio,
                { home: join(folder, agent.setup), bin: join(at, 'node_modules', '.bin'), records: options.records },
                options.tries,
              ),
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
      options: {
        json: { type: 'boolean' },
        only: { type: 'string' },
        trials: { type: 'string' },
        cache: { type: 'string' },
        records: { type: 'string' },
      },
    })
    const only = values.only?.split(',')
    const known = [...agents.map(({ setup }) => setup), 'openai-python']
    if (only?.some((id) => !known.includes(id))) return null
    const some = values.trials?.split(',')
    if (some?.some((name) => !trials.includes(name as Trial))) return null
    return {
      json: values.json ?? false,
      some: only !== undefined,
      wants: (id: string) => only === undefined || only.includes(id),
      tries: (trial: Trial) => some === undefined || some.includes(trial),
      records: values.records === undefined ? null : resolve(values.records),
      cache: values.cache ?? join(tmpdir(), 'studio-clients'),
    }
  } catch {
    return null
  }
}

const line = ({ name, version, outcome, detail, trials: outcomes, seconds }: Result): string =>
  [
    `${outcome.padEnd(8)} ${`${name} ${version}`.padEnd(44)} ${`${seconds.toFixed(1)} s`.padStart(7)}`,
    ...(outcomes.length === 0
      ? [`  ${detail}`]
      : outcomes.map(({ trial, passed, seen }) => `  ${passed ? 'ok  ' : 'FAIL'} ${trial.padEnd(11)} ${seen}`)),
  ].join('\n')

/** The members of an entry in the result document. An entry of the table has more. */
const plain = ({ setup, name, package: from, version, outcome, detail, trials: outcomes, seconds }: Result) => ({
  setup,
  name,
  package: from,
  version,
  outcome,
  detail,
  trials: outcomes,
  seconds,
})
