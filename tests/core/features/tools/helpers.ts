import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { StudioError } from '../../../../src-main/core/errors.ts'
import { mcpId } from '../../../../src-main/core/features/tools/catalogue.ts'
import { createTools, type ToolsFeature, type ToolsOptions } from '../../../../src-main/core/features/tools/tools.ts'
import { isSettled, type NewToolRow, type ToolCallsPort } from '../../../../src-main/core/ports/toolCalls.ts'
import { openStore } from '../../../../src-main/core/store/store.ts'
import { forkNode } from '../../../../src-main/hosts/node/forkNode.ts'
import {
  emptySetup,
  type Message,
  type ToolCall,
  type ToolRun,
  type ToolSelection,
} from '../../../../src-preload/contract/chat.ts'
import type { Problem } from '../../../../src-preload/contract/problem.ts'
import type { McpServer } from '../../../../src-preload/contract/tools.ts'
import { createWords } from '../../../../src-renderer/i18n/host.ts'
import { plainMessage } from '../../../helpers/contractRows.ts'
import { temporaryFolder } from '../../../helpers/folders.ts'
import { memorySecrets } from '../../helpers/core.ts'

export type Row = Message & { run: ToolRun }

const newMessage = (values: Partial<Message> & Pick<Message, 'conversationId' | 'role'>): Message =>
  plainMessage({ id: randomUUID(), model: 'm', createdAt: '2026-11-21T00:00:00.000Z', ...values })

/** A `ToolCallsPort` in memory. Its rows survive a restart of the feature, and it throws if its rules are broken. */
export class MemoryToolCalls implements ToolCallsPort {
  readonly rows = new Map<string, Row>()
  readonly asked: string[] = []
  readonly settledTimes = new Map<string, number>()
  readonly #changes = new Set<() => void>()
  /** Called when the model is asked to continue. */
  onAsk: () => void = () => undefined
  /** Error of the next request, or null. */
  refuse: StudioError | null = null

  add(reply: Message, made: readonly NewToolRow[]): Row[] {
    const rows = made.map(({ run, text }): Row => {
      const { conversationId, id: parentId } = reply
      return { ...newMessage({ conversationId, role: 'tool', parentId, text }), run }
    })
    for (const row of rows) {
      this.rows.set(row.id, row)
      if (isSettled(row.run)) this.settledTimes.set(row.id, 1)
    }
    return rows
  }
  toolMessage(id: string): Row {
    const row = this.rows.get(id)
    if (!row) throw new StudioError('no_such_item', 'That message does not exist any more.')
    return row
  }
  openCalls = (conversationId?: string): Row[] =>
    [...this.rows.values()].filter(
      (row) => !isSettled(row.run) && (conversationId === undefined || row.conversationId === conversationId),
    )
  setRun(id: string, run: ToolRun, text: string): void {
    const row = this.toolMessage(id)
    if (isSettled(row.run)) throw new Error('a settled call was written again')
    if (isSettled(run)) this.settledTimes.set(id, (this.settledTimes.get(id) ?? 0) + 1)
    // JSON, because only contract fields survive the database.
    this.rows.set(id, { ...row, run: JSON.parse(JSON.stringify(run)), text })
    for (const notify of [...this.#changes]) notify()
  }
  rowsBeside = (id: string): Row[] => {
    const { parentId } = this.toolMessage(id)
    return [...this.rows.values()].filter((row) => row.parentId === parentId)
  }
  roundsUpTo = 1
  rounds = (): number => this.roundsUpTo
  async askOn(id: string): Promise<{ replyId: string }> {
    if (this.rowsBeside(id).some(({ run }) => !isSettled(run))) throw new Error('asked on before the round was over')
    if (this.refuse) throw this.refuse
    this.asked.push(String(this.toolMessage(id).parentId))
    this.onAsk()
    for (const notify of [...this.#changes]) notify()
    return { replyId: randomUUID() }
  }
  /** Resolves when the condition is true. */
  async until(good: () => boolean): Promise<void> {
    while (!good()) {
      await new Promise<void>((resolve) => {
        const notify = (): void => {
          this.#changes.delete(notify)
          resolve()
        }
        this.#changes.add(notify)
      })
    }
  }
  async settled(id: string): Promise<Row> {
    await this.until(() => isSettled(this.toolMessage(id).run))
    return this.toolMessage(id)
  }
}

export const call = (name: string, args: unknown, id: string | null = `call_${randomUUID()}`): ToolCall => ({
  index: 0,
  id,
  name,
  arguments: typeof args === 'string' ? args : JSON.stringify(args),
})

export const stdioScript = fileURLToPath(new URL('../../../helpers/mcp/stdio.ts', import.meta.url))
/** Short delays for tests. */
export const quick = {
  backOffMs: [50, 100, 200],
  hangUpMs: 150,
  terminateMs: 300,
  killMs: 2000,
  relistMs: 20,
  probeMs: 2000,
}

export function makeFeature(more: Partial<ToolsOptions> = {}) {
  const folder = temporaryFolder('studio-tools-')
  const secrets = memorySecrets()
  const toolCalls = new MemoryToolCalls()
  const lines: string[] = []
  let store = openStore(folder)
  const build = (): ToolsFeature =>
    createTools({
      fork: forkNode,
      store,
      secrets,
      toolCalls,
      toolRounds: () => 10,
      network: null,
      version: '0.0.0',
      words: createWords(),
      log: (level, line) => void lines.push(`${level} ${line}`),
      ...more,
      limits: { ...quick, ...more.limits },
    })
  const feature = {
    folder,
    secrets,
    toolCalls,
    lines,
    tools: build(),
    /** Whether the program is stopping or has not started again. */
    down: false,
    get store() {
      return store
    },
    /** Restarts the feature from the stored state. */
    async restart(): Promise<void> {
      feature.down = true
      await feature.tools.close()
      store.close()
      store = openStore(folder)
      feature.tools = build()
      feature.tools.start()
      feature.down = false
    },
    conversation(tools: Partial<ToolSelection> = {}): string {
      const id = randomUUID()
      const setup = { ...emptySetup, tools: { ...emptySetup.tools, ...tools } }
      store.conversations.insert({ id, title: null, model: 'm', now: new Date().toISOString(), setup })
      return id
    },
    /** Ends a reply that calls tools. */
    reply(conversationId: string, calls: readonly ToolCall[]): Row[] {
      const reply = newMessage({ conversationId, role: 'assistant', toolCalls: [...calls] })
      const rows = toolCalls.add(reply, feature.tools.callsOf(reply))
      feature.tools.called(reply, rows)
      return rows
    },
    async state(id: string, good: (server: McpServer) => boolean): Promise<McpServer> {
      const stop = new AbortController()
      for await (const { servers } of feature.tools.watch(stop.signal)) {
        const server = servers.find((one) => one.id === id)
        if (!server || !good(server)) continue
        stop.abort()
        return server
      }
      throw new Error('The state was never so.')
    },
    /** A ready stdio server of the tests. */
    async stdio(
      mode = 'good',
      given: { name?: string; secrets?: Record<string, string>; timeoutSeconds?: number } = {},
    ) {
      const { id } = await feature.tools.saveServer({
        name: given.name ?? 'Test',
        transport: {
          kind: 'stdio',
          command: process.execPath,
          args: [stdioScript, mode],
          env: Object.keys(given.secrets ?? {}),
          cwd: null,
        },
        timeoutSeconds: given.timeoutSeconds ?? 20,
        secrets: given.secrets ?? {},
      })
      await feature.tools.switchServer(id, true)
      return id
    },
    ready: (id: string) => feature.state(id, ({ state }) => state === 'ready'),
    /** A saved copy of `addTool`, and a conversation that has it enabled. */
    async withAdd(more: object = {}) {
      const tool = await feature.tools.saveFunction({ ...addTool, ...more })
      return { tool, conversation: feature.conversation({ enabled: [`function:${tool.id}`] }) }
    },
    /** One call of `add` in a conversation. */
    oneRow: (conversation: string, args: unknown = { a: 1, b: 2 }): Row =>
      onlyRow(feature.reply(conversation, [call('add', args)])),
    /** A call of one tool of a server, in a new conversation that has the tool enabled. */
    callOf(server: string, tool: string, args: unknown): Row {
      const conversation = feature.conversation({ enabled: [mcpId(server, tool)] })
      return onlyRow(feature.reply(conversation, [call(`Test_${tool}`, args)]))
    },
    /** Calls a tool of a server, allows the call and resolves with its settled row. */
    async run(server: string, tool: string, args: unknown): Promise<Row> {
      const row = feature.callOf(server, tool, args)
      await feature.tools.decide(row.id, 'once')
      return await feature.toolCalls.settled(row.id)
    },
    async close(): Promise<void> {
      await feature.tools.close()
      store.close()
    },
  }
  return feature
}
export type Feature = ReturnType<typeof makeFeature>

function onlyRow([row]: readonly Row[]): Row {
  if (!row) throw new Error('The reply has no row.')
  return row
}

/** The problem of rejected work, or null. */
export const problemOf = (work: Promise<unknown>): Promise<Problem | null> =>
  work.then(
    () => null,
    (thrown: unknown) => {
      if (thrown instanceof StudioError) return thrown.toProblem()
      throw thrown
    },
  )

export const addSchema = JSON.stringify({
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
  additionalProperties: false,
})

export const addTool = { name: 'add', description: 'Adds two numbers.', schema: addSchema, strict: false }

/** Whether a process exists and is not a zombie. */
export async function alive(pid: number): Promise<boolean> {
  const { readFile } = await import('node:fs/promises')
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  return stat !== null && !/\) [ZX] /.test(stat)
}

/** A feature that is closed after the running test. */
export function featureOfTest(): Feature {
  const feature = makeFeature()
  onTestFinished(() => feature.close())
  return feature
}
