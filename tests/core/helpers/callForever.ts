// A chat feature in its own process, to be killed. Its model calls tools endlessly. Each state of a call is printed after it is stored, one
// JSON a line.
import { randomUUID } from 'node:crypto'
import { flushCompileCache } from 'node:module'
import { openChat } from '../../../src-main/core/features/chat/chat.ts'
import type { ChatUpstream } from '../../../src-main/core/features/chat/replyRuns.ts'
import { send } from '../../../src-main/core/features/chat/send.ts'
import { openToolCallsPort } from '../../../src-main/core/features/chat/toolCallsPort.ts'
import { openStore } from '../../../src-main/core/store/store.ts'
import { plainNeighbours } from './chatFeature.ts'

const store = openStore(process.argv[2] ?? '')
const say = (said: unknown): void => void process.stdout.write(`${JSON.stringify(said)}\n`)
const upstream: ChatUpstream = {
  async *streamChatCompletion() {
    yield { type: 'content', choice: 0, text: 'Let me see.' }
    for (const index of [0, 1]) {
      yield { type: 'tool_call', choice: 0, index, id: randomUUID(), name: 'clock', arguments: '{}' }
    }
    yield { type: 'finish', choice: 0, reason: 'tool_calls' }
  },
}
const feature = openChat({
  store,
  upstream: async () => upstream,
  log: say,
  neighbours: {
    ...plainNeighbours,
    called(_, rows) {
      for (const { id } of rows) say({ id, state: 'awaiting' })
      setImmediate(() => void work(rows.map(({ id }) => id)))
    },
  },
})
const toolCalls = openToolCallsPort(feature)

async function work(ids: readonly string[]): Promise<void> {
  for (const state of ['running', 'done'] as const) {
    for (const id of ids) {
      toolCalls.setRun(id, { ...toolCalls.toolMessage(id).run, state }, 'Noon.')
      say({ id, state })
      await new Promise<void>((resolve) => setTimeout(resolve, 3))
    }
  }
  const { replyId } = await toolCalls.askOn(ids[0] ?? '')
  say({ id: replyId, state: 'asked' })
}

// Stores Node's compile cache before the kill. The next process starts in half the time.
flushCompileCache()
await send(feature, { requestId: randomUUID(), conversationId: null, text: 'What time is it?', models: ['m'] })
setInterval(() => undefined, 1000)
