import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createMedia } from '../../../../src-main/core/features/media/media.ts'
import { createTranscription } from '../../../../src-main/core/features/transcription/transcription.ts'
import { createTransfers } from '../../../../src-main/core/features/transfers/transfers.ts'
import { openStore } from '../../../../src-main/core/store/store.ts'
import { openClient } from '../../../helpers/openClient.ts'

// Stores a file of this size and sends it to the service of its second argument. Prints its maximum memory and the result.
const [, , dataDir = '', baseUrl = '', size = ''] = process.argv
const store = openStore(dataDir)
const transfers = createTransfers({ dataDir })
const upstream = openClient(baseUrl, 'sk-large-files-go-up-from-the-disk')
const path = join(dataDir, 'tmp', 'big')
const feature = createTranscription({
  store,
  files: createMedia({ dataDir, store, uploads: transfers.uploads }),
  // A complete upload. Its parts are tested with `transfers`.
  transfers: {
    ...transfers,
    uploads: { take: () => ({ path, name: 'hour.wav', bytes: Number(size) }), done: async () => undefined },
  },
  upstream: async () => upstream,
  costOf: () => ({ cost: null, costIs: 'unknown' }),
  spoken: () => {
    throw new Error('Nothing was spoken.')
  },
  log: () => undefined,
})
const maxRss = (): number => process.resourceUsage().maxRSS / 1024
async function send(bytes: number) {
  writeFileSync(path, 'RIFF0000WAVEfmt ')
  truncateSync(path, bytes)
  const recording = await feature.addFile({ uploadId: '', fromId: null })
  const wish = { model: null, language: null, prompt: null, format: null, temperature: null }
  const { id } = await feature.transcribe({ recordingId: recording.id, ...wish })
  const progress: number[] = []
  for await (const change of feature.watch()) {
    const [now] = (await feature.get({ id: recording.id })).transcripts
    if (now && now.id === id && now.state !== 'making') return { ...now, progress }
    if (change.type === 'transcript') progress.push(change.transcript.sentBytes)
  }
}
// The memory that any file needs, measured before the large one.
await send(40_000_000)
const before = maxRss()
const sent = await send(Number(size))
process.stdout.write(JSON.stringify({ before, after: maxRss(), ...sent }))
await upstream.close()
process.exit(0)
