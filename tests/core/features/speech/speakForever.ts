// Runs the speech feature in its own process, to be killed. Speaks a text of four parts with a service that never ends the third. Prints how
// many bytes of that part were reported, one JSON object per line.
import { flushCompileCache } from 'node:module'
import { openSpeechFeature, wish } from './helpers.ts'

const [, , folder = '', baseUrl = '', text = '', format = ''] = process.argv
const feature = openSpeechFeature({ baseUrl, apiKey: 'sk-of-a-test-0123456789' }, folder)
const { id } = await feature.speeches.make(wish(text, { format: format === 'wav' ? 'wav' : 'mp3' }))
// Stores Node's compile cache before the kill. The next process starts in half the time.
flushCompileCache()
const bytesOf = new Map<number, number>()
for await (const sound of feature.speeches.listen({ id, fromPart: 1 })) {
  if (sound.type !== 'audio') continue
  bytesOf.set(sound.part, (bytesOf.get(sound.part) ?? 0) + Buffer.byteLength(sound.data, 'base64'))
  process.stdout.write(`${JSON.stringify({ id, part: sound.part, bytes: bytesOf.get(sound.part) })}\n`)
}
