import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Setup, setups } from '../../../src-renderer/rooms/proxy/setups/index.ts'
import { type Ended, runShell, shellWord } from './shell.ts'
import type { Studio } from './studio.ts'
import { type Agent, quiet } from './table.ts'
import type { Exchange } from './wire.ts'

export interface Result {
  setup: string
  name: string
  package: string
  version: string
  outcome: 'works' | 'fails' | 'not run'
  /** What was shown, or what went wrong. */
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
 * Sets the agent up in `home`, a folder that is thrown away, with nothing but the set-up's texts; has it do one turn; judges what went over
 * the wire and what it printed. `bin` is the folder with its command.
 */
export async function tryAgent(agent: Agent, studio: Studio, home: string, bin: string): Promise<Result> {
  const from = performance.now()
  const word = `lighthouse-${randomBytes(3).toString('hex')}`
  const work = join(home, 'work')
  for (const [path, text] of Object.entries(agent.files(word))) write(join(work, path), text)
  const script = settle(setupOf(agent.setup), studio, home, agent.arguments(`Please call ${agent.tool}.`))
  const before = studio.exchanges.length
  const seenBefore = (await studio.seen()).length
  const ended = await runShell(script, work, {
    PATH: `${bin}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    HOME: home,
    LANG: 'C.UTF-8',
    ...quiet,
    ...agent.env,
  })
  const passed = studio.exchanges.slice(before)
  const seen = (await studio.seen())
    .slice(seenBefore)
    .filter(({ path, stream }) => path.endsWith('/chat/completions') && stream)
  const wrong = findFault(agent, studio, word, ended, passed, seen.length)
  return {
    setup: agent.setup,
    name: setupOf(agent.setup).name,
    package: agent.package,
    version: agent.version,
    outcome: wrong ? 'fails' : 'works',
    detail: wrong ?? `${passed.length} streamed requests, \`${agent.tool}\` called, its result sent back, exit 0`,
    seconds: Math.round((performance.now() - from) / 100) / 10,
  }
}

/** Writes the set-up's files and gives its terminal texts as one script, the prompt appended to the line that starts the agent. */
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

/** The first thing that is not as it must be, in words; null where all is. */
function findFault(
  agent: Agent,
  studio: Studio,
  word: string,
  ended: Ended,
  passed: Exchange[],
  seen: number,
): string | null {
  const end = [ended.stderr, ended.stdout].join('\n').trim().slice(-400)
  if (ended.timedOut) return `not done in time: ${end}`
  if (ended.code !== 0) return `exit ${ended.code}: ${end}`
  if (passed.length !== seen) return `${passed.length} requests passed, the sandbox saw ${seen} streams`
  if (passed.some(({ authorization }) => authorization !== `Bearer ${studio.serviceKey}`)) {
    return 'a request went up without the service key'
  }
  const streamed = passed.filter(
    ({ body, status, contentType, whole }) =>
      body?.stream === true && status === 200 && contentType.startsWith('text/event-stream') && whole,
  )
  const offered = streamed.findIndex(({ body }) => body?.tools?.some((tool) => tool.function?.name === agent.tool))
  if (offered === -1) return `no streamed request offered the tool ${agent.tool}`
  const answered = streamed.findIndex(
    ({ body }, index) =>
      index > offered &&
      body?.messages?.some(({ role, content }) => role === 'tool' && JSON.stringify(content).includes(word)),
  )
  if (answered === -1) return `no later request carried the tool's result: ${end}`
  if (!ended.stdout.includes(word)) return `the final text was not printed: ${end}`
  return null
}
