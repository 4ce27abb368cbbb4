// A core in its own process, to be killed. It sends one long prompt (with N choices) and prints each delta with its time, one JSON a line.
import { randomUUID } from 'node:crypto'
import { flushCompileCache } from 'node:module'
import { createCore } from '../../../src-main/core/core.ts'
import { emptySetup } from '../../../src-preload/contract/chat.ts'
import { testHost } from './core.ts'

const [, , folder = '', model = '', n = '1'] = process.argv
const core = await createCore(testHost(folder).host, { connect: { sandbox: true }, proxyPort: null })
const sent = await core.chat.send({
  requestId: randomUUID(),
  conversationId: null,
  text: 'Go on',
  models: [model],
  setup: { ...emptySetup, params: { n: Number(n) } },
})
process.stdout.write(`${JSON.stringify({ sent })}\n`)
for await (const event of core.chat.watch(sent)) {
  if (event.type !== 'delta') continue
  const { messageId: id, at, append } = event
  // Stores Node's compile cache before the kill. The next process starts in half the time.
  if (at === 0) flushCompileCache()
  process.stdout.write(`${JSON.stringify({ at: Date.now(), id, length: at + append.length })}\n`)
}
