import { randomUUID } from 'node:crypto'
import type { Message, ToolRun } from '../../../../src-preload/contract/chat.ts'
import type { CallDecision, FunctionTool, ToolsState } from '../../../../src-preload/contract/tools.ts'
import type { Words } from '../../../../src-renderer/i18n/host.ts'
import { StudioError } from '../../errors.ts'
import type { SecretStore, SystemNetwork } from '../../host.ts'
import type { ChatNeighbours, ToolCallsPort } from '../../ports/toolCalls.ts'
import type { Feed } from '../../shared/events.ts'
import { Listeners } from '../../shared/events.ts'
import type { ForkProgram } from '../../shared/processWorker.ts'
import { StateFeed } from '../../shared/stateFeed.ts'
import type { Store } from '../../store/store.ts'
import { awayFetch, systemFetch } from '../../upstream/wire/systemRoute.ts'
import { rowsOf } from './callRows.ts'
import { functionId, requestMembers, ToolCatalogue } from './catalogue.ts'
import { limits, type ToolLimits } from './limits.ts'
import type { EnteredClient } from './mcp/oauth/clients.ts'
import { OAuthGrants } from './mcp/oauth/grants.ts'
import { ServerSecrets } from './mcp/secrets.ts'
import { McpServers, type SavedServer } from './mcp/servers.ts'
import { SchemaCheckClient } from './schemaCheck/workerClient.ts'
import { ToolCallRunner } from './toolCallRunner.ts'

export interface ToolsOptions {
  store: Store
  /** The keychain, which stores the values of servers' variables and headers. */
  secrets: SecretStore
  toolCalls: ToolCallsPort
  /** How many rounds of calls may follow one another without a message of the person. */
  toolRounds: () => number
  log: (level: 'info' | 'warn' | 'error', line: string) => void
  words: Words
  /** Version of this program, sent to servers. */
  version: string
  /** The network settings of the system, for servers over HTTP. Null: those of Node. */
  network: SystemNetwork | null
  /** Starts the process that checks schemas. */
  fork: ForkProgram
  /** Overrides for tests that cannot wait for minutes. */
  limits?: Partial<ToolLimits>
}

type Neighbours = Pick<ChatNeighbours, 'toolsFor' | 'toolsOf' | 'callsOf' | 'called' | 'stopCalls' | 'jsonFaults'>

/** The tools of chat: existing tools, permissions, and tool calls. */
export interface ToolsFeature extends Neighbours {
  /**
   * Starts the enabled servers in the background, and settles calls that were running when the program stopped. Other
   * open calls keep waiting.
   */
  start(): void
  /** Ends all servers with every process they started, and settles running calls. Bounded in time. */
  close(): Promise<void>
  state(): ToolsState
  watch(signal?: AbortSignal): Feed<ToolsState>
  saveFunction(given: Omit<FunctionTool, 'id' | 'updatedAt'> & { id?: string | undefined }): Promise<FunctionTool>
  removeFunction(id: string): void
  saveServer(given: SavedServer): Promise<{ id: string }>
  removeServer(id: string): Promise<void>
  switchServer(id: string, on: boolean): Promise<void>
  signIn(id: string, client?: EnteredClient): Promise<{ url: string }>
  continueSignIn(id: string, address: string): void
  cancelSignIn(id: string): Promise<void>
  signOut(id: string): Promise<void>
  forget(toolId: string): void
  decide(messageId: string, allow: CallDecision, why?: string): Promise<void>
  answer(messageId: string, text: string, isError: boolean): Promise<void>
  stopCall(messageId: string): { stopped: boolean }
  resume(messageId: string): Promise<{ replyId: string }>
}

/** Creates the tools feature. Call `start` once the port of chat works. */
export function createTools(parts: ToolsOptions): ToolsFeature {
  const { store, secrets, toolCalls, toolRounds, version, words } = parts
  const bounds: ToolLimits = { ...limits, ...parts.limits }
  const warn = (line: string): void => parts.log('warn', line)
  const changes = new Listeners()
  const changed = (): void => {
    catalogue.changed()
    changes.notify()
  }
  const checker = new SchemaCheckClient({ checkMs: bounds.checkMs, fork: parts.fork })
  const check = (schema: string): Promise<string[]> => checker.schema(schema)
  const grants = new OAuthGrants({ secrets, servers: store.mcpServers, log: warn })
  const serverParts = {
    secrets: new ServerSecrets(secrets),
    grants,
    check,
    version,
    words,
    fetch: systemFetch(parts.network),
    awayFetch: awayFetch(parts.network),
    limits: bounds,
    changed,
    log: warn,
  }
  const servers = new McpServers(store, serverParts, warn)
  const catalogue = new ToolCatalogue(store, servers)
  const runner = new ToolCallRunner({ store, toolCalls, catalogue, servers, checker, toolRounds, changed, log: warn })
  const state = new StateFeed<ToolsState>({
    everyMs: 50,
    read: () => catalogue.state(),
    observe: (notify) => changes.add(notify),
  })
  const use = (conversationId: string) => store.conversations.setup(conversationId).tools

  return {
    start() {
      runner.recover()
      servers.start()
    },
    async close() {
      runner.close()
      await servers.close()
      await checker.close()
    },
    state: state.read,
    watch: (signal) => state.watch(signal),
    jsonFaults: (reply, format) => checker.reply(reply, format),

    async saveFunction({ id = randomUUID(), name, description, schema, strict }) {
      const [fault] = await check(schema)
      if (fault !== undefined) throw new StudioError('bad_input', `This schema can’t be used. ${fault}`)
      const namesake = store.functionTools.named(name)
      if (namesake && namesake.id !== id) throw new StudioError('bad_input', `A tool called ${name} exists already.`)
      const tool = { id, name, description, schema, strict, updatedAt: new Date().toISOString() }
      store.functionTools.save(tool)
      changed()
      return tool
    },
    removeFunction(id) {
      store.transaction(() => {
        if (!store.functionTools.remove(id)) throw new StudioError('no_such_item', 'That tool does not exist any more.')
        store.toolPermissions.forget(functionId(id))
      })
      changed()
    },
    saveServer: (given) => servers.save(given),
    removeServer: (id) => servers.remove(id),
    switchServer: (id, on) => servers.switch(id, on),
    signIn: (id, client) => servers.signIn(id, client ?? null),
    continueSignIn: (id, address) => servers.continueSignIn(id, address),
    cancelSignIn: (id) => servers.cancelSignIn(id),
    signOut: (id) => servers.signOut(id),
    forget(toolId) {
      store.toolPermissions.forget(toolId)
      changed()
    },

    decide: (messageId, allow, why) => runner.decide(messageId, allow, why),
    answer: (messageId, text, isError) => runner.answer(messageId, text, isError),
    stopCall: (messageId) => ({ stopped: runner.stop(messageId) }),
    resume: (messageId) => runner.resume(messageId),

    toolsOf: (wanted) => requestMembers(catalogue.offered(wanted), wanted),
    toolsFor(conversationId) {
      const wanted = use(conversationId)
      return requestMembers(catalogue.offered(wanted), wanted)
    },
    callsOf: (reply) => rowsOf(reply.toolCalls, catalogue.offered(use(reply.conversationId))),
    called: (_reply, rows) => runner.called(rows.filter(isToolRow)),
    stopCalls: (conversationId) => runner.stopAll(conversationId),
  }
}

const isToolRow = (row: Message): row is Message & { run: ToolRun } => row.run !== null
