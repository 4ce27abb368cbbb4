// Large replies in the studio's own client, in a process of its own: the longest turn of the main thread, and the peak of its memory.

import { parseBaseAddress } from '../../src-main/core/upstream/address.ts'
import { openUpstream } from '../../src-main/core/upstream/client.ts'
import { Credential } from '../../src-main/core/upstream/credential.ts'
import { longestTurn } from '../helpers/longestTurn.ts'

const [farUrl = '', kind = '', bytes = ''] = process.argv.slice(2)
const clientOf = (path: string) =>
  openUpstream({
    base: parseBaseAddress(`${farUrl}${path}`, { allowInsecure: false }),
    credential: Credential.fromText('sk-bench-0123456789abcdef'),
  })
type Client = ReturnType<typeof clientOf>

async function chat(client: Client): Promise<void> {
  const request = { model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }] }
  for await (const _ of client.streamChatCompletion(request));
}
const kinds: Record<string, (client: Client) => Promise<unknown>> = {
  chat,
  image: (client) => client.createImage({ prompt: 'A ship' }),
  transcript: (client) => client.createTranscription({ file: Buffer.from('RIFF'), fileName: 'a.wav' }),
}
const read = kinds[kind]
if (!read) throw new Error(`Unknown kind: ${kind}`)
await read(clientOf(`/large/${kind}/2000`))
const before = process.memoryUsage.rss()
let peak = before
const look = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss())
}, 5)
const stop = longestTurn()
const failed = await read(clientOf(`/large/${kind}/${bytes}`)).then(
  () => null,
  (error: Error) => error.message,
)
const turnMs = stop()
clearInterval(look)
peak = Math.max(peak, process.memoryUsage.rss())
console.log(JSON.stringify({ turnMs, grew: peak - before, failed }))
process.exit(0)
