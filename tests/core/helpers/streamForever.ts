// A core of its own process, to be killed: sends one long prompt, then prints each delta with its time, one JSON a line.
import { randomUUID } from 'node:crypto'
import { createCore } from '../../../src-main/core/core.ts'
import { testHost } from './core.ts'

const core = await createCore(testHost(process.argv[2] ?? '').host, { connect: { sandbox: true }, proxyPort: null })
const sent = await core.chat.send({
  requestId: randomUUID(),
  conversationId: null,
  text: 'Go on',
  models: [process.argv[3] ?? ''],
})
process.stdout.write(`${JSON.stringify({ sent })}\n`)
for await (const event of core.chat.watch(sent)) {
  if (event.type === 'delta')
    process.stdout.write(`${JSON.stringify({ at: Date.now(), length: event.at + event.append.length })}\n`)
}
