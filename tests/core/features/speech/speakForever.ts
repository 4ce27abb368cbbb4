// A speech room of its own process, to be killed: speaks a text of four parts with a service that never ends the third, and prints how many
// bytes of that one had been told, one JSON a line.
import { flushCompileCache } from 'node:module'
import { openSpeechFeature, wish } from './room.ts'

const [, , folder = '', baseUrl = '', text = '', format = ''] = process.argv
const feature = openSpeechFeature({ baseUrl, apiKey: 'sk-of-a-test-0123456789' }, folder)
const { id } = await feature.speeches.make(wish(text, { format: format === 'wav' ? 'wav' : 'mp3' }))
// It is killed before it could keep what Node has compiled, as a program does that ends; the next one starts in half the time.
flushCompileCache()
const reported = new Map<number, number>()
for await (const sound of feature.speeches.listen({ id, fromPart: 1 })) {
  if (sound.type !== 'audio') continue
  reported.set(sound.part, (reported.get(sound.part) ?? 0) + Buffer.byteLength(sound.data, 'base64'))
  process.stdout.write(`${JSON.stringify({ id, part: sound.part, bytes: reported.get(sound.part) })}\n`)
}
