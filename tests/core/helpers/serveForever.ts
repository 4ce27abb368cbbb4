// A core in its own process with its local API, for tests with failures of databases, the disk or the operating system. Reads one command
// a line
// (JSON, `{id, do, …}`) from standard input and replies with `{id, …}`. The first line has its address.
import { closeSync, openSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { createRouterClient, ORPCError } from '@orpc/server'
import { createCore } from '../../../src-main/core/core.ts'
import { testHost } from './core.ts'

const [, , folder = '', baseUrl = '', apiKey = ''] = process.argv
/** Uncaught failures, which would end the process. The test checks that there are none. */
const uncaught: string[] = []
const note = (thrown: unknown): void =>
  void uncaught.push(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown))
process.on('uncaughtException', note)
process.on('unhandledRejection', note)

const { host, lines } = testHost(folder)
const core = await createCore(host, { connect: { baseUrl, apiKey }, proxyPort: 0 })
const client = createRouterClient(core.router)
await core.connection.check()
const { key } = core.apps.add({ name: 'fault' })

/** Longest pause of the event loop since `measure`, ms. */
let pauseMs = 0
const tickMs = 5
let tick = { at: 0, stoodMs: 0 }
/**
 * Time in which this thread was runnable while other processes used the CPU, ms. Reads the second number, which is in ns (`man 5 proc`).
 */
function stoodMs(): number {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6
  } catch {
    // Not Linux, or no file descriptors: the whole pause counts.
    return tick.stoodMs
  }
}
setInterval(() => {
  const now = { at: performance.now(), stoodMs: stoodMs() }
  if (tick.at > 0) pauseMs = Math.max(pauseMs, now.at - tick.at - tickMs - (now.stoodMs - tick.stoodMs))
  tick = now
}, tickMs)
const files: number[] = []
const modules = createRequire(import.meta.url).cache
const tokenizer = /[\\/]encoding[\\/]cl100k_base/

type Command = { id: number; do: string; path?: string[]; input?: unknown }
const procedureOf = (path: string[]): ((input: unknown) => Promise<unknown>) =>
  // biome-ignore lint/suspicious/noExplicitAny: the test names procedures by their path
  path.reduce((at: any, name) => at[name], client)

const commands: Record<string, (command: Command) => unknown> = {
  call: ({ path = [], input }) => procedureOf(path)(input),
  /** A conversation as a newly opened page shows it. */
  async messages({ input }) {
    const events = core.chat.watch({ conversationId: String(input) })
    for await (const event of events) if (event.type === 'snapshot') return [...event.messages, ...event.beside]
    return []
  },
  /** Resets the measurement. */
  measure() {
    pauseMs = 0
  },
  facts: () => ({ pauseMs, uncaught, lines }),
  useUpFiles() {
    try {
      for (;;) files.push(openSync('/dev/null', 'r'))
    } catch {
      return { files: files.length, hasTokenizer: Object.keys(modules).some((path) => tokenizer.test(path)) }
    }
  },
  freeFiles() {
    for (const file of files.splice(0)) closeSync(file)
  },
  stop: () => core.stop(),
}

const say = (answer: object): void => void process.stdout.write(`${JSON.stringify(answer)}\n`)
async function carryOut(line: string): Promise<void> {
  const command: Command = JSON.parse(line)
  try {
    say({ id: command.id, result: (await commands[command.do]?.(command)) ?? null })
  } catch (thrown) {
    const problem = thrown instanceof ORPCError ? thrown.data : { kind: 'thrown', message: String(thrown) }
    say({ id: command.id, problem })
  }
  if (command.do === 'stop') process.exit(0)
}
createInterface({ input: process.stdin }).on('line', (line) => void carryOut(line))
say({ proxy: core.addresses().proxy, key })
