// @isolated It measures the memory of its process.

import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { freshFolder } from '../../helpers/core.ts'
import { closed, json, serve } from '../../upstream/helpers/service.ts'
import { made, openFeature, wish } from './helpers.ts'

const outcome = z.object({
  before: z.number(),
  after: z.number(),
  state: z.string(),
  text: z.string(),
  sentBytes: z.number(),
  progress: z.array(z.number()),
})

it('a file of 200 MB is uploaded from disk with progress, in constant memory', {
  tags: 'long',
}, async () => {
  const size = 200_000_000
  const { url } = await serve((request, response) => {
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    request.on('end', () => json(response, 200, { text: `${bytes} of ${request.headers['content-length']}` }))
  })
  const program = fileURLToPath(new URL('sendBig.ts', import.meta.url))
  const child = spawn(process.execPath, [program, freshFolder(), url, `${size}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const {
    before,
    after,
    state,
    text: reported,
    sentBytes,
    progress,
  } = outcome.parse(JSON.parse(await text(child.stdout)))
  const [came = 0, announced = 0] = reported.split(' of ').map(Number)
  expect([state, sentBytes, came]).toEqual(['done', size, announced])
  expect(came - size).toBeGreaterThan(0)
  expect(after - before).toBeLessThan(64)
  // At most ten times a second, and always increasing.
  expect(progress.length).toBeGreaterThan(1)
  expect(progress).toEqual(progress.toSorted((a, b) => a - b))
})

it('cancelling during an upload closes the connection and reports the uploaded bytes', {
  tags: 'long',
}, async () => {
  const { upstream, requests } = await serve((request) => {
    // A slow service: 64 KB every 20 ms. A service that reads nothing does not notice a close either.
    request.on('data', () => {
      request.pause()
      setTimeout(() => request.resume(), 20)
    })
  })
  const { feature, addFile } = openFeature(undefined, { upstream: async () => upstream })
  const recording = await addFile(Buffer.alloc(40_000_000, 1), 'long.wav')
  const { id: transcriptId } = await feature.transcribe({ recordingId: recording.id, ...wish })
  let sent = 0
  for await (const change of feature.watch()) {
    if (change.type === 'transcript') sent = change.transcript.sentBytes
    if (sent > 0) break
  }
  expect(sent).toBeLessThan(40_000_000)
  const [request] = requests
  if (!request) throw new Error('Nothing was asked.')
  const cancelled = feature.cancel({ transcriptId })
  expect(cancelled).toMatchObject({ state: 'cancelled', totalBytes: 40_000_000 })
  expect(cancelled.sentBytes).toBeGreaterThanOrEqual(sent)
  // The service reads what the system still buffers, then finds the end before the whole file.
  await closed(request)
  expect(request.complete).toBe(false)
})

it('a missing file fails with a message', async () => {
  const { upstream } = await serve((_request, response) => json(response, 200, { text: '' }))
  const { feature, addFile, media } = openFeature(undefined, { upstream: async () => upstream })
  const recording = await addFile(Buffer.from('x'), 'x.wav')
  const { rmSync } = await import('node:fs')
  rmSync(media.pathOf(recording.mediaId ?? '') ?? '')
  const transcript = await made(feature, await feature.transcribe({ recordingId: recording.id, ...wish }))
  expect(transcript).toMatchObject({ state: 'failed', problem: { kind: 'no_such_item' } })
})
