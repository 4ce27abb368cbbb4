import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Setup, setups } from '../../../src-renderer/features/proxy/setups/index.ts'
import { type Ended, runShell, shellWord } from './shell.ts'
import type { LogRow, Studio } from './studio.ts'
import { type Agent, quiet } from './table.ts'
import type { Exchange } from './wire.ts'

export interface Result {
  setup: string
  name: string
  package: string
  version: string
  outcome: 'works' | 'fails' | 'not run'
  /** The result: facts that the trial has shown, or the failure. */
  detail: string
  seconds: number
}

const model = 'tool-caller'

export function setupOf(id: string): Setup {
  const found = setups.find((setup) => setup.id === id)
  if (!found) throw new Error(`There is no set-up "${id}".`)
  return found
}

/**
 * Sets the coding agent up in `home`, a temporary folder, with only the texts of the set-up. Runs one turn, then checks the recorded
 * requests
 * and the output. `bin` is the folder with its command.
 */
export async function tryAgent(agent: Agent, studio: Studio, home: string, bin: string): Promise<Result> {
  const from = performance.now()
  const word = `lighthouse-${randomBytes(3).toString('hex')}`
  const work = join(home, 'work')
  for (const [path, text] of Object.entries(agent.files(word))) write(join(work, path), text)
  const script = settle(setupOf(agent.setup), studio, home, agent.arguments(`Please call ${agent.tool}.`))
  const before = await accounts(studio)
  const ended = await runShell(script, work, {
    PATH: `${bin}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    HOME: home,
    LANG: 'C.UTF-8',
    ...quiet,
    ...agent.env,
  })
  const after = await accounts(studio)
  const passed = after.passed.slice(before.passed.length)
  const rows = after.rows.slice(before.rows.length)
  const wrong =
    faultOfEnd(ended) ??
    faultOfAccounts(studio, passed, after.seen.length - before.seen.length, rows) ??
    faultOfTurn(agent, word, ended, passed)
  const tokens = rows.reduce((sum, row) => sum + (row.tokensIn ?? 0) + (row.tokensOut ?? 0), 0)
  return {
    setup: agent.setup,
    name: setupOf(agent.setup).name,
    package: agent.package,
    version: agent.version,
    outcome: wrong ? 'fails' : 'works',
    detail:
      wrong ??
      `${passed.length} streams, \`${agent.tool}\` called, its result sent back, ${tokens} tokens logged, exit 0`,
    seconds: Math.round((performance.now() - from) / 100) / 10,
  }
}

/** Number of chat requests so far, by the three records: relay, sandbox, and the studio's request log. */
async function accounts(studio: Studio) {
  const rows = (await studio.rows()).filter(({ endpoint }) => endpoint === 'chat')
  const seen = (await studio.seen()).filter(({ path }) => path.endsWith('/chat/completions'))
  return { passed: [...studio.exchanges], seen, rows }
}

/**
 * Writes the files of the set-up and returns its terminal texts as one script. Appends the prompt to the line that starts the coding
 * agent.
 */
function settle(setup: Setup, studio: Studio, home: string, args: string[]): string {
  const steps = setup.steps({ baseUrl: studio.baseUrl, key: studio.key, model })
  for (const { file, text } of steps) if (file) write(file.replace(/^~(?=\/)/, home), text)
  const typed = steps.filter(({ language, file }) => language === 'sh' && !file).map(({ text }) => text)
  return `set -e\n${typed.join('\n')} ${args.map(shellWord).join(' ')}\n`
}

function write(path: string, text: string) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

// Each check returns the first failure as a sentence, or null when there is none.

const endOf = ({ stderr, stdout }: Ended): string => [stderr, stdout].join('\n').trim().slice(-400)

function faultOfEnd(ended: Ended): string | null {
  if (ended.timedOut) return `not done in time: ${endOf(ended)}`
  return ended.code === 0 ? null : `exit ${ended.code}: ${endOf(ended)}`
}

function faultOfAccounts(studio: Studio, passed: Exchange[], seen: number, rows: LogRow[]): string | null {
  if (passed.length !== seen) return `${passed.length} requests passed, the sandbox saw ${seen}`
  if (passed.length !== rows.length) return `${passed.length} requests passed, the log has ${rows.length}`
  if (passed.some(({ authorization }) => authorization !== `Bearer ${studio.serviceKey}`)) {
    return 'a request went up with another key than the service key'
  }
  const unmeasured = rows.filter(({ tokensAre, tokensIn }) => tokensAre !== 'measured' || !tokensIn).length
  return unmeasured === 0 ? null : `${unmeasured} of ${rows.length} rows of the log have no measured tokens`
}

function faultOfTurn(agent: Agent, word: string, ended: Ended, passed: Exchange[]): string | null {
  const streamed = passed.filter(
    ({ body, status, contentType, whole }) =>
      body?.stream === true && status === 200 && contentType.startsWith('text/event-stream') && whole,
  )
  const offered = streamed.findIndex(({ body }) => body?.tools?.some((tool) => tool.function?.name === agent.tool))
  if (offered === -1) return `no streamed request offered the tool ${agent.tool}`
  const answered = streamed
    .slice(offered + 1)
    .some(({ body }) =>
      body?.messages?.some(({ role, content }) => role === 'tool' && JSON.stringify(content).includes(word)),
    )
  if (!answered) return `no later request carried the tool's result: ${endOf(ended)}`
  return ended.stdout.includes(word) ? null : `the final text was not printed: ${endOf(ended)}`
}
