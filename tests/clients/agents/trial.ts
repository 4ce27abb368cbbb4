import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { programInfos } from '../../../src-preload/contract/programs.ts'
import {
  kindOf,
  marker,
  type RequestKind,
  type Script,
  type ScriptedCall,
  type ScriptedReply,
  scriptedModel,
} from './scripted.ts'
import { addTools, setUp } from './setUp.ts'
import { type Ended, runShell, shellWord } from './shell.ts'
import type { LogRow, Studio } from './studio.ts'
import { type Agent, quiet, type Trial } from './table.ts'
import { bigRead, faultOfTask, hasImage, layOut, longTalk, taskOf } from './task.ts'
import type { Exchange, Treatment } from './wire.ts'

/** The end of one trial. */
export interface Outcome {
  trial: Trial
  passed: boolean
  /** What was seen: figures, or the failure. */
  seen: string
}

export interface Result {
  setup: string
  name: string
  package: string
  version: string
  outcome: 'works' | 'fails' | 'not run'
  /** The result: facts that the trials have shown, or the failure. */
  detail: string
  trials: Outcome[]
  seconds: number
}

/** A coding agent that is set up, with its HOME. */
interface Ready {
  agent: Agent
  studio: Studio
  home: string
  /** Folder with its command. */
  bin: string
  /** Starts it. The arguments follow. */
  start: string
  /** Folder for the record of each run. Null: none is kept. */
  records: string | null
}

/** Sets the coding agent up in `home`, a temporary folder, and puts it through all trials that are `wanted`. */
export async function tryAgent(
  agent: Agent,
  studio: Studio,
  place: Pick<Ready, 'home' | 'bin' | 'records'>,
  wanted: (trial: Trial) => boolean,
): Promise<Result> {
  const { home } = place
  const from = performance.now()
  for (const [path, text] of Object.entries(agent.files ?? {})) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  const start = await setUp(agent, studio, home)
  const ready: Ready = { ...place, agent, studio, start }
  const outcomes: Outcome[] = []
  for (const one of [tryTask, tryCompaction, tryStop, tryFaults, tryManyTools, tryStudioTools])
    outcomes.push(...(await one(ready, wanted)))
  const wrong = outcomes.filter(({ trial, passed }) => passed === (agent.cannot?.[trial] !== undefined))
  return {
    setup: agent.setup,
    name: programInfos[agent.setup].name,
    package: agent.package,
    version: agent.version,
    outcome: wrong.length > 0 ? 'fails' : 'works',
    detail: outcomes.map(said).join('; '),
    trials: outcomes,
    seconds: Math.round((performance.now() - from) / 100) / 10,
  }
}

const said = ({ trial, passed, seen }: Outcome): string => `${trial} ${passed ? 'ok' : 'NOT OK'}${seen && ` (${seen})`}`

type Wanted = (trial: Trial) => boolean

/** The eleven turns, and what the model saw of the image. */
async function tryTask(ready: Ready, wanted: Wanted): Promise<Outcome[]> {
  if (!wanted('task') && !wanted('image')) return []
  const desk = layOut(join(ready.home, 'work'))
  const script = taskOf(ready.agent.tools, desk)
  const ran = await turn(ready, { model: scriptedModel(script) }, ready.agent.arguments(prompt))
  const turns = of(ran, 'turn')
  const wrong =
    faultOfTask(script, desk, turns, ran.ended.stdout) ?? faultOfEnd(ran.ended) ?? faultOfAccounts(ready.studio, ran)
  const figures = `${turns.length} turns, ${ran.passed.length - turns.length} other requests, ${bigRead(turns)} characters of the big file`
  return [
    outcome(
      'task',
      wrong === null,
      wrong ? `${wrong}${wrong.includes('stdout') ? '' : ` | ${endOf(ran.ended)}`}` : figures,
    ),
    outcome('image', hasImage(turns), ''),
  ]
}

/** A summary is asked once the context is full, and the conversation goes on with it. Some do that only before their next turn. */
async function tryCompaction(ready: Ready, wanted: Wanted): Promise<Outcome[]> {
  if (!wanted('compaction')) return []
  const desk = layOut(join(ready.home, 'work'))
  const script = longTalk(ready.agent.tools, desk)
  const answer = scriptedModel(script)
  const runs = [await turn(ready, { model: answer }, ready.agent.arguments(prompt))]
  const { again } = ready.agent
  if (again && of(runs[0] as Ran, 'summary').length === 0)
    runs.push(await turn(ready, { model: answer }, again(prompt)))
  const passed = runs.flatMap((ran) => ran.passed)
  const asked = passed.findIndex((one) => kindOfExchange(one) === 'summary')
  const bad = runs.map(({ ended }) => faultOfEnd(ended)).find((fault) => fault !== null)
  const shortened = passed.findIndex((one, index) => one.bytes < 0.8 * (passed[index - 1]?.bytes ?? 0))
  if (asked === -1 && shortened > 0 && !bad) {
    const [from, to] = [passed[shortened - 1], passed[shortened]].map((one) => Math.round((one?.bytes ?? 0) / 1000))
    return [
      outcome('compaction', true, `old results of tools cut, without a summary: ${from} kB before, ${to} kB after`),
    ]
  }
  if (asked === -1)
    return [outcome('compaction', false, `no summary was asked in ${passed.length} requests${bad ? `, ${bad}` : ''}`)]
  const used = passed
    .slice(asked + 1)
    .find(
      (one) => kindOfExchange(one) === 'turn' && JSON.stringify(one.body?.messages).includes(`So far, by ${desk.word}`),
    )
  const before = passed[asked]?.bytes ?? 0
  const where = runs.length === 1 ? 'inside its turn' : 'before its next turn'
  const figures = `${where}, ${Math.round(before / 1000)} kB before, ${Math.round((used?.bytes ?? 0) / 1000)} kB after`
  return [outcome('compaction', used !== undefined && !bad, used ? (bad ?? figures) : 'the summary was not used')]
}

/** Longest time from Ctrl+C to the closed connection of the service, ms. The coding agent needs most of it to end itself. */
const stopLimitMs = 5000

/** A stop in the middle of a reply. */
async function tryStop(ready: Ready, wanted: Wanted): Promise<Outcome[]> {
  if (!wanted('ctrl-c')) return []
  layOut(join(ready.home, 'work'))
  const streaming = ready.studio.whenStreaming()
  const ran = await turn(ready, { fault: 'stall; after=5', turnsOnly: true }, ready.agent.arguments(prompt), streaming)
  const { interruptedAt, timedOut, code } = ran.ended
  const turns = of(ran, 'turn')
  const closedAt = turns.at(-1)?.closedAt ?? null
  if (turns.length !== 1) return [outcome('ctrl-c', false, `${turns.length} requests`)]
  if (interruptedAt === null || closedAt === null || timedOut)
    return [outcome('ctrl-c', false, 'the connection stayed open')]
  const afterMs = Math.max(0, Math.round(closedAt - interruptedAt))
  return [outcome('ctrl-c', afterMs <= stopLimitMs, `closed after ${afterMs} ms, exit ${code}`)]
}

/** Ends the name of the tool that is searched for, and begins those of all sixty. */
const archive = { tool: 'mcp__archive__record_7', all: 'mcp__archive__' }

/** Sixty tools of an MCP server, of which one is searched for and called: only that one reaches the service. */
async function tryManyTools(ready: Ready, wanted: Wanted): Promise<Outcome[]> {
  const { agent, home } = ready
  if (agent.manyTools === undefined || !wanted('many-tools')) return []
  const desk = layOut(join(home, 'work'))
  const server = fileURLToPath(new URL('./archiveServer.ts', import.meta.url))
  const file = desk.path('mcp.json')
  writeFileSync(file, JSON.stringify({ mcpServers: { archive: { command: process.execPath, args: [server] } } }))
  const replies = [
    [agent.manyTools.search(archive.tool)],
    [[archive.tool, { number: 3 }]],
    `The search is done: ${desk.word}`,
  ] as const
  const args = [...agent.arguments(prompt), ...agent.manyTools.arguments(file)]
  const ran = await turn(ready, { model: scriptedModel({ replies, summary: '' }) }, args)
  const turns = of(ran, 'turn')
  const sent = turns.map(({ body }) =>
    (body?.tools ?? []).flatMap(({ function: tool }) => (tool?.name?.startsWith(archive.all) ? [tool.name] : [])),
  )
  const answered = JSON.stringify(turns.at(-1)?.body?.messages ?? []).includes('Record 3 of kind 7.')
  const figures = turns.map(({ bytes, body }) => `${Math.round(bytes / 1000)} kB with ${body?.tools?.length} tools`)
  const passed = answered && sent[0]?.length === 0 && sent[1]?.join() === archive.tool && ran.ended.code === 0
  return [outcome('many-tools', passed, `${figures.join(', ')}${answered ? '' : ', the call was not answered'}`)]
}

/** The turns that call a tool of the studio: found among the tools of the request, whatever the coding agent calls it, or searched for. */
function callsOf({ studioTool }: Agent, name: string, args: Record<string, unknown>): ScriptedReply[] {
  const [search, call] = studioTool?.(name, args) ?? []
  const offeredCall = (offered: readonly string[]): readonly ScriptedCall[] => {
    const found = offered.find((tool) => tool.endsWith(name))
    return found === undefined ? [] : [[found, args]]
  }
  return [...(search ? [[search]] : []), call ? [call] : offeredCall]
}

/** Makes an image and speaks a text through the MCP server that Connect has added. */
async function tryStudioTools(ready: Ready, wanted: Wanted): Promise<Outcome[]> {
  const { agent, studio, home } = ready
  if (!wanted('studio-tools')) return []
  const { programs } = await studio.command(['apps', 'programs'], home)
  const known = (programs as { id: string; canUseTools: boolean }[]).find(({ id }) => id === agent.setup)
  if (known?.canUseTools !== true) return []
  const desk = layOut(join(home, 'work'))
  const results = desk.path('results')
  mkdirSync(results)
  await addTools(agent, studio, home, results)
  const before = (await studio.rows(agent.setup)).length
  const replies = [
    // Some connect to their MCP servers only after their first request.
    [agent.tools.run('sleep 5')],
    ...callsOf(agent, 'generate_image', { prompt: 'A lighthouse' }),
    ...callsOf(agent, 'speak', { text: 'The harbour is quiet.', format: 'wav' }),
    `The tools are done: ${desk.word}`,
  ]
  // A result with the bytes of an image is long. Without a count of ours, it would fill the context and be compacted.
  const script: Script = { replies, summary: '', promptTokens: () => 20_000 }
  const ran = await turn(ready, { model: scriptedModel(script) }, agent.arguments(prompt))
  const rows = (await studio.rows(agent.setup)).slice(before)
  const answered = (endpoint: string) => rows.filter((row) => row.endpoint === endpoint && row.status === 200).length
  const files = readdirSync(results).sort()
  const seen = JSON.stringify(of(ran, 'turn').at(-1)?.body?.messages ?? [])
  const passed =
    files.join() === 'A lighthouse.png,The harbour is quiet.wav' &&
    readFileSync(join(results, 'The harbour is quiet.wav')).subarray(0, 4).toString() === 'RIFF' &&
    answered('images') === 1 &&
    answered('speech') === 1 &&
    seen.includes(`Saved: ${results}`) &&
    ran.ended.code === 0
  const figures = `${files.join(', ') || 'no file'}; ${answered('images')} image and ${answered('speech')} speech of its app`
  return [outcome('studio-tools', passed, passed ? figures : `${figures} | ${endOf(ran.ended)}`)]
}

/** Faults of the service in the sandbox's words, and the requests that our own retry policy makes for each. */
const faults = [
  ['503', 'refuse; status=503', 4],
  ['cut', 'cut; bytes=1500', 1],
  ['no-end', 'no-done-no-finish', 1],
  ['401', 'refuse; status=401', 1],
  ['402', 'refuse; status=402', 1],
] as const

/** Each fault reaches the service as often as our own retry policy asks, and the coding agent reports a failure. */
async function tryFaults(ready: Ready, wanted: Wanted): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const [trial, fault, most] of faults) {
    if (!wanted(trial)) continue
    layOut(join(ready.home, 'work'))
    const ran = await turn(ready, { fault }, ready.agent.arguments(prompt))
    const turns = of(ran, 'turn').length
    const others = ran.passed.filter((one) => kindOfExchange(one) !== 'turn')
    const distinct = new Set(others.map(({ body }) => JSON.stringify(body))).size
    const { timedOut, code } = ran.ended
    const few = turns > 0 && turns <= most && others.length <= most * distinct
    const counted = `${turns} requests${others.length > 0 ? ` and ${others.length} others` : ''}`
    const end = timedOut ? 'did not end' : `exit ${code}`
    const shown = few && !timedOut && code !== 0 ? '' : `: ${endOf(ran.ended).slice(-160)}`
    outcomes.push(outcome(trial, few && !timedOut && code !== 0, `${counted}, ${end}${shown}`))
  }
  return outcomes
}

const outcome = (trial: Trial, passed: boolean, seen: string): Outcome => ({ trial, passed, seen })

const prompt = `${marker} Read the notes first.`

const kindOfExchange = ({ body }: Exchange): RequestKind => (body ? kindOf(body) : 'side')

const of = ({ passed }: Ran, kind: RequestKind): Exchange[] => passed.filter((one) => kindOfExchange(one) === kind)

interface Ran {
  ended: Ended
  /** The chat requests at the service. */
  passed: Exchange[]
  /** The same requests in the studio's log. */
  rows: LogRow[]
}

/** Runs one turn of the coding agent. `interrupt`: when it resolves, the coding agent is stopped as by Ctrl+C. */
async function turn(
  { agent, studio, home, bin, start, records }: Ready,
  treatment: Treatment,
  args: string[],
  interrupt?: Promise<void>,
): Promise<Ran> {
  const before = { passed: studio.exchanges.length, rows: (await rowsOf(studio, agent)).length }
  const env = {
    PATH: `${bin}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    HOME: home,
    LANG: 'C.UTF-8',
    ...quiet,
    ...agent.env,
  }
  studio.treat(treatment)
  const ended = await runShell(
    `set -e\n${start} ${args.map(shellWord).join(' ')}\n`,
    join(home, 'work'),
    env,
    interrupt,
  )
  studio.treat({})
  const ran = {
    ended,
    passed: studio.exchanges.slice(before.passed),
    rows: (await rowsOf(studio, agent)).slice(before.rows),
  }
  if (records !== null) {
    mkdirSync(records, { recursive: true })
    writeFileSync(join(records, `${agent.setup}-${Date.now()}.json`), JSON.stringify({ treatment, args, ...ran }))
  }
  return ran
}

/** Requests of the log that went to the service. Counts of tokens, for example, are answered here. */
const rowsOf = async (studio: Studio, { setup }: Agent) =>
  (await studio.rows(setup)).filter(({ endpoint, attempts }) => endpoint === 'chat' && attempts > 0)

// Each check returns the first failure as a sentence, or null when there is none.

const endOf = ({ stderr, stdout }: Ended): string => [stderr, stdout].join('\n').trim().slice(-400)

function faultOfEnd(ended: Ended): string | null {
  if (ended.timedOut) return 'it did not end in time'
  return ended.code === 0 ? null : `exit ${ended.code}`
}

/** Begins a line that Claude Code writes before its system prompt, unless its settings forbid that. */
const billingLine = 'x-anthropic-billing-header'

function faultOfAccounts(studio: Studio, { passed, rows }: Ran): string | null {
  if (passed.length !== rows.length) return `${passed.length} requests passed, the log has ${rows.length}`
  if (passed.some(({ authorization }) => authorization !== `Bearer ${studio.serviceKey}`)) {
    return 'a request went up with another key than the service key'
  }
  if (passed.some(({ body }) => JSON.stringify(body?.messages?.[0]).includes(billingLine))) {
    return 'the prompt begins with a line that is another one in each session, so that the service finds nothing in its cache'
  }
  const unmeasured = rows.filter(({ tokensAre, tokensIn }) => tokensAre !== 'measured' || !tokensIn).length
  return unmeasured === 0 ? null : `${unmeasured} of ${rows.length} rows of the log have no measured tokens`
}
