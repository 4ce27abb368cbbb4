import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setups, type TextSetup } from '../../helpers/setups.ts'
import { type Ended, runShell, shellWord } from './shell.ts'
import type { LogRow, Studio } from './studio.ts'
import { type Agent, edited, quiet } from './table.ts'
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

const toolCaller = 'tool-caller'

export function setupOf(id: string): TextSetup {
  const found = setups.find((setup) => setup.id === id)
  if (!found) throw new Error(`There is no set-up "${id}".`)
  return found
}

/**
 * Sets the coding agent up in `home`, a temporary folder, with only the texts of the set-up. Runs one turn, then checks the recorded
 * requests and the output. A coding agent with a script then goes through a stop and three broken replies. `bin` is the folder with its
 * command.
 */
export async function tryAgent(agent: Agent, studio: Studio, home: string, bin: string): Promise<Result> {
  const from = performance.now()
  const word = `lighthouse-${randomBytes(3).toString('hex')}`
  const work = join(home, 'work')
  for (const [path, text] of Object.entries(agent.files(word))) write(join(work, path), text)
  const { script } = agent
  const prompt = script ? scriptText(script.calls(word, work)) : `Please call ${agent.tool}.`
  const { ended, passed, seen, rows } = await turn(agent, studio, { home, bin, model: toolCaller, prompt })
  const wrong =
    faultOfEnd(ended) ??
    faultOfAccounts(studio, passed, seen, rows) ??
    faultOfTurn(agent, word, ended, passed) ??
    (script ? (faultOfScript(word, work, passed) ?? (await faultOfBreaks(agent, studio, home, bin))) : null)
  const tokens = rows.reduce((sum, row) => sum + (row.tokensIn ?? 0) + (row.tokensOut ?? 0), 0)
  const shown = script
    ? ', 2 calls in one reply, file edited, stopped in mid-stream, 1 request after each of 3 faults'
    : ''
  return {
    setup: agent.setup,
    name: setupOf(agent.setup).name,
    package: agent.package,
    version: agent.version,
    outcome: wrong ? 'fails' : 'works',
    detail:
      wrong ??
      `${passed.length} streams, \`${agent.tool}\` called, its result sent back, ${tokens} tokens logged, exit 0${shown}`,
    seconds: Math.round((performance.now() - from) / 100) / 10,
  }
}

interface TurnOptions {
  home: string
  bin: string
  /** The service's model that answers. */
  model: string
  prompt: string
  /** When it resolves, the coding agent is stopped as by Ctrl+C. */
  interrupt?: Promise<void>
}

/** Runs one turn of the coding agent. `passed`, `seen` and `rows` are its chat requests by the relay, the sandbox and the studio's log. */
async function turn(agent: Agent, studio: Studio, { home, bin, model, prompt, interrupt }: TurnOptions) {
  const asksFor = agent.script?.asksFor
  if (asksFor !== undefined) await studio.mapModels(asksFor, model)
  const text = settle(setupOf(agent.setup), studio, home, model, agent.arguments(prompt))
  const before = await accounts(studio)
  const env = {
    PATH: `${bin}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    HOME: home,
    LANG: 'C.UTF-8',
    ...quiet,
    ...agent.env,
  }
  const ended = await runShell(text, join(home, 'work'), env, interrupt)
  const after = await accounts(studio)
  return {
    ended,
    passed: after.passed.slice(before.passed.length),
    seen: after.seen.length - before.seen.length,
    rows: after.rows.slice(before.rows.length),
  }
}

/** A prompt that makes the sandbox's `tool-caller` make exactly these calls (src-main/sandbox/README.md). */
function scriptText(replies: [tool: string, args: Record<string, unknown>][][]): string {
  const lines = replies.map((calls) => calls.map(([tool, args]) => `${tool} ${JSON.stringify(args)}`).join('\n'))
  return `Please make these calls:\n\`\`\`calls\n${lines.join('\n\n')}\n\`\`\`\n`
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
function settle(setup: TextSetup, studio: Studio, home: string, model: string, args: string[]): string {
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

/** Begins a line that Claude Code writes before its system prompt, unless its settings forbid that. */
const billingLine = 'x-anthropic-billing-header'

function faultOfScript(word: string, work: string, passed: Exchange[]): string | null {
  const most = Math.max(
    ...passed.flatMap(({ body }) => (body?.messages ?? []).map(({ tool_calls }) => tool_calls?.length ?? 0)),
  )
  if (most !== 2) return `the largest reply that came back had ${most} calls instead of 2`
  if (passed.some(({ body }) => JSON.stringify(body?.messages?.[0]).includes(billingLine))) {
    return 'the prompt begins with a line that is another one in each session, so that the service finds nothing in its cache'
  }
  const notes = readFileSync(join(work, 'notes.txt'), 'utf8')
  return notes === `${edited(word)}\n` ? null : `notes.txt was not edited, it is: ${notes.slice(0, 200)}`
}

/** Longest time from Ctrl+C to the closed connection of the service, ms. The coding agent needs most of it to end itself. */
const stopLimitMs = 5000

/** A stop in mid-stream, and three replies that fail. Each reaches the service once and is never sent again. */
async function faultOfBreaks(agent: Agent, studio: Studio, home: string, bin: string): Promise<string | null> {
  const options = { home, bin, prompt: 'Write a long story about a harbour.' }
  const stopped = await turn(agent, studio, { ...options, model: 'fault/stall', interrupt: studio.whenStreaming() })
  const [only, ...more] = stopped.passed
  if (!only || more.length > 0) return `a stopped turn made ${stopped.passed.length} requests`
  const { interruptedAt } = stopped.ended
  if (interruptedAt === null || only.closedAt === null) return 'a stop did not close the connection of the service'
  if (only.closedAt - interruptedAt > stopLimitMs)
    return 'the connection of the service was closed too late after a stop'
  for (const fault of ['503-final', 'cut', 'no-done-no-finish']) {
    const { ended, passed } = await turn(agent, studio, { ...options, model: `fault/${fault}` })
    if (passed.length !== 1) return `${passed.length} requests reached the service after the fault ${fault}`
    if (ended.timedOut || ended.code === 0) return `it did not report the fault ${fault}: ${endOf(ended)}`
  }
  return null
}
