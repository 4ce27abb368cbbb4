import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { type Sandbox, startSandbox } from '../../../../src-main/sandbox/sandbox.ts'
import { openClient } from '../../../helpers/openClient.ts'
import { made, openFeature, wish } from './helpers.ts'

let sandbox: Sandbox
let speech: Buffer
beforeAll(async () => {
  sandbox = await startSandbox()
  const response = await fetch(`${sandbox.baseUrl}/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ input: 'The harbour is quiet. Nobody is on the pier.', response_format: 'wav' }),
  })
  speech = Buffer.from(await response.arrayBuffer())
})
afterAll(() => sandbox.close())

function featureOfSandbox() {
  const upstream = openClient(sandbox.baseUrl, sandbox.apiKey)
  onTestFinished(() => upstream.close())
  return openFeature(undefined, { upstream: async () => upstream })
}

it('a file is stored, sent unchanged, and its transcript has cues if the service reported times [STT-01] [STT-04]', async () => {
  const { feature, addFile, bytesOf } = featureOfSandbox()
  const recording = await addFile(speech, 'harbour.wav')
  expect(recording).toMatchObject({
    name: 'harbour.wav',
    source: 'file',
    state: 'kept',
    mime: 'audio/wav',
    bytes: speech.length,
  })
  expect(bytesOf(recording).equals(speech)).toBe(true)
  for (const format of ['json', 'text', 'vtt'] as const) {
    const asked = await feature.transcribe({ recordingId: recording.id, ...wish, format })
    expect(asked).toMatchObject({ state: 'making', format })
    const done = await made(feature, asked)
    expect(done).toMatchObject({
      state: 'done',
      came: format,
      problem: null,
      sentBytes: speech.length,
      totalBytes: speech.length,
    })
    expect(done.text).toBe('The harbour is quiet. Nobody is on the pier.')
    expect(done.cues.length > 0).toBe(format === 'vtt')
  }
  const { transcripts } = await feature.get({ id: recording.id })
  expect(transcripts.map(({ format }) => format)).toEqual(['vtt', 'text', 'json'])
  const { recordings, total } = await feature.find({ search: 'harbor QUIET', before: null, limit: 10 })
  expect([recordings, total]).toEqual([[], 0])
  expect(await feature.find({ search: 'Harbour quie', before: null, limit: 10 })).toMatchObject({
    total: 1,
    recordings: [
      { id: recording.id, transcripts: 3, transcript: { state: 'done', excerpt: expect.stringContaining('quiet') } },
    ],
  })
}, 60_000)

it('a microphone recording in pieces is transcribed after it ends', async () => {
  const { feature, bytesOf } = featureOfSandbox()
  const { id } = await feature.begin({ name: 'Note', mime: 'audio/wav' })
  for (let at = 0; at < speech.length; at += 20_000) {
    await feature.append({ id, at, data: speech.subarray(at, at + 20_000) })
  }
  await expect(feature.transcribe({ recordingId: id, ...wish })).rejects.toMatchObject({ kind: 'bad_input' })
  const recording = await feature.finish({ id, seconds: 3.5 })
  expect(recording).toMatchObject({ state: 'kept', source: 'microphone', bytes: speech.length, seconds: 3.5 })
  expect(bytesOf(recording).equals(speech)).toBe(true)
  expect((await made(feature, await feature.transcribe({ recordingId: id, ...wish }))).text).toContain('harbour')
}, 60_000)
