import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import { implement } from '@orpc/server'
import { RPCHandler } from '@orpc/server/message-port'
import { contract } from '../../../../../../src-preload/contract/contract.ts'
import type { ToolsState } from '../../../../../../src-preload/contract/tools.ts'
import type { Client } from '../../../../../../src-renderer/api/connect.ts'

/** An in-memory core behind a real MessagePort: it returns one state of the tools and records all calls. */
export function toolsCore(
  first: ToolsState,
  onChange: (state: ToolsState) => void,
): { client: Client; asked: unknown[] } {
  const asked: unknown[] = []
  let state = first
  const change = (next: Partial<ToolsState>) => {
    state = { ...state, ...next }
    onChange(state)
  }
  const os = implement(contract)
  const say = <T>(what: string, input: unknown, answer: T): T => {
    asked.push([what, input])
    return answer
  }
  const router = {
    app: {
      updateSettings: os.app.updateSettings.handler(({ errors, input }) => {
        say('updateSettings', input, null)
        throw errors.PROBLEM({ data: { kind: 'bug', message: 'This scene keeps no settings.' } })
      }),
    },
    chat: { saveSetup: os.chat.saveSetup.handler(({ input }) => say('saveSetup', input, {})) },
    chatTools: {
      saveFunction: os.tools.saveFunction.handler(({ input }) => {
        const saved = { ...input, id: input.id ?? crypto.randomUUID(), updatedAt: new Date().toISOString() }
        change({ functions: [...state.functions.filter(({ id }) => id !== saved.id), saved] })
        return say('saveFunction', input, saved)
      }),
      removeFunction: os.tools.removeFunction.handler(({ input }) => {
        change({ functions: state.functions.filter(({ id }) => id !== input.id) })
        return say('removeFunction', input, {})
      }),
      saveServer: os.tools.saveServer.handler(({ input }) =>
        say('saveServer', input, { id: input.id ?? crypto.randomUUID() }),
      ),
      removeServer: os.tools.removeServer.handler(({ input }) => {
        change({ servers: state.servers.filter(({ id }) => id !== input.id) })
        return say('removeServer', input, {})
      }),
      switchServer: os.tools.switchServer.handler(({ input }) => {
        change({
          servers: state.servers.map((one) =>
            one.id === input.id ? { ...one, on: input.on, state: input.on ? 'starting' : 'off' } : one,
          ),
        })
        return say('switchServer', input, {})
      }),
      revokeApproval: os.tools.revokeApproval.handler(({ input }) => {
        change({ always: state.always.filter((one) => one !== input.toolId) })
        return say('revokeApproval', input, {})
      }),
      decideCall: os.tools.decideCall.handler(({ input }) => say('decideCall', input, {})),
      enterResult: os.tools.enterResult.handler(({ input }) => say('enterResult', input, {})),
      stopCall: os.tools.stopCall.handler(({ input }) => say('stopCall', input, { stopped: true })),
      continueRounds: os.tools.continueRounds.handler(({ input }) =>
        say('continueRounds', input, { replyId: crypto.randomUUID() }),
      ),
    },
  }
  const { port1, port2 } = new MessageChannel()
  new RPCHandler(router).upgrade(port1)
  port1.start()
  port2.start()
  return { client: createORPCClient(new RPCLink({ port: port2 })), asked }
}
