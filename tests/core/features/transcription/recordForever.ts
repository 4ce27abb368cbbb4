import { readFileSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { createMedia } from '../../../../src-main/core/features/media/media.ts'
import { createTranscription } from '../../../../src-main/core/features/transcription/transcription.ts'
import { createTransfers } from '../../../../src-main/core/features/transfers/transfers.ts'
import { openStore } from '../../../../src-main/core/store/store.ts'

// Records the file of its second argument into the data folder of its first, piece by piece and repeatedly, until it is killed. Prints one
// JSON object per completed step. With a third argument each recording is ended; without it the first one never ends.
const [, , dataDir = '', source = '', ending = ''] = process.argv
const store = openStore(dataDir)
const transfers = createTransfers({ dataDir })
const feature = createTranscription({
  store,
  files: createMedia({ dataDir, store, uploads: transfers.uploads }),
  transfers,
  // A service that never answers.
  upstream: async () => ({
    createTranscription: (_request, options) => {
      options?.onRow?.(7)
      return new Promise(() => undefined)
    },
  }),
  costOf: () => ({ cost: null, costIs: 'unknown' }),
  spoken: () => {
    throw new Error('Nothing was spoken.')
  },
  log: () => undefined,
})
const say = (what: object): void => void process.stdout.write(`${JSON.stringify(what)}\n`)
const speech = readFileSync(source)
// Stores Node's compile cache before the kill. The next process starts in half the time.
flushCompileCache()
for (let turn = 0; ; turn++) {
  const { id } = await feature.begin({ name: `Take ${turn}`, mime: 'audio/webm;codecs=opus' })
  say({ id, begun: true })
  // Each recording has other bytes: the same bytes would be stored once.
  const whole = Buffer.concat([speech, Buffer.from(id)])
  const size = ending === '' ? 400 : 100_000
  for (let at = 0; at < whole.length; at += size) {
    const bytes = await feature.append({ id, at, data: whole.subarray(at, at + size) })
    say({ id, bytes })
  }
  if (ending === '') continue
  await feature.finish({ id, seconds: 1 })
  say({ id, kept: true })
  const { id: transcriptId } = await feature.transcribe({
    recordingId: id,
    model: null,
    language: null,
    prompt: null,
    format: null,
    temperature: null,
  })
  say({ id, transcriptId })
}
