// @module-tag ffmpeg
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { StudioError } from '../../../../src-main/core/errors.ts'
import { startSandbox } from '../../../../src-main/sandbox/sandbox.ts'
import { synthesize } from '../../../../src-main/sandbox/speech/speech.ts'
import type { Speech, SpeechFormat } from '../../../../src-preload/contract/speech.ts'
import { onlyLong } from '../../../helpers/effort.ts'
import { randomNumbers } from '../../../helpers/random.ts'
import { freshFolder } from '../../helpers/core.ts'
import { readBody, serve } from '../../upstream/helpers/service.ts'
import { decoded, testRate } from './audio.ts'
import { heard, isOver, seen, speechProcedures, type TestFeature, wish } from './helpers.ts'

/** Four parts. */
const paragraph = 'The tide is in, and it is a good day. '.repeat(70).trim()
const fourParts = [paragraph, paragraph, paragraph, paragraph].join('\n\n')

const spoken = new Map<SpeechFormat, Buffer>()
beforeAll(async () => {
  for (const format of ['mp3', 'wav', 'pcm'] as const) {
    const { bytes } = await synthesize({ input: 'Good morning, dear harbour.', voice: 'nova', format, speed: 1 })
    spoken.set(format, Buffer.from(bytes))
  }
}, 60_000)
const audioOf = (format: SpeechFormat): Buffer => spoken.get(format) ?? Buffer.alloc(0)

interface Asked {
  body: Record<string, unknown>
  response: ServerResponse
  closed: Promise<unknown>
}

/** A service whose replies are written by the test, request by request, from 1. */
async function service(answer: (response: ServerResponse, count: number) => void) {
  const asked: Asked[] = []
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const closed = once(response, 'close')
    const body: Record<string, unknown> = JSON.parse((await readBody(request)).toString())
    asked.push({ body, response, closed })
    answer(response, asked.length)
  }
  const { url } = await serve((request, response) => void take(request, response))
  return { baseUrl: url, apiKey: 'sk-of-a-test-0123456789', asked }
}

const head = (response: ServerResponse, type = 'audio/mpeg'): ServerResponse =>
  response.writeHead(200, { 'content-type': type })
const say = (response: ServerResponse, format: SpeechFormat = 'mp3'): void => void head(response).end(audioOf(format))

function fileOf({ media }: TestFeature, { mediaId }: Pick<Speech, 'mediaId'>): string {
  const path = mediaId === null ? null : media.pathOf(mediaId)
  if (path === null) throw new Error('There is no file.')
  return path
}

const lengthOf = (path: string, format: SpeechFormat): number => decoded(path, format).length
const making = (feature: TestFeature): string[] => readdirSync(join(feature.dataDir, 'making'))
const states = (feature: TestFeature, id: string): string[] =>
  feature.speeches.get({ id }).partList.map(({ state }) => state)

describe('a text of 20,000 bytes in four scripts', () => {
  const scripts = [
    'The harbour wakes before the sun does, and the boats go out one by one. ',
    'Гавань просыпается раньше солнца, и лодки выходят одна за другой. ',
    '港は日の出よりも早く目を覚まし、舟は一艘ずつ沖へ出て行く。',
    'الميناء يستيقظ قبل الشمس، وتخرج القوارب واحدا بعد آخر. ',
  ]
  const text = scripts.map((one) => one.repeat(Math.ceil(5010 / Buffer.byteLength(one)))).join('\n\n')

  it('is spoken in parts, resumed after a failure at the failed part only, and is as long as its parts together [TTS-01]', {
    tags: 'long',
  }, async () => {
    const sandbox = await startSandbox()
    onTestFinished(() => sandbox.close())
    const inputs: string[] = []
    // A quarter of the audio, to save time.
    const fast = { speed: 4 }
    async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
      const body = await readBody(request)
      inputs.push(JSON.parse(body.toString()).input)
      const fault = inputs.length === 3 ? { 'x-sandbox-fault': 'cut; bytes=3000' } : {}
      const headers = { authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json', ...fault }
      const url = `${sandbox.baseUrl}${request.url}`
      const reply = await fetch(url, { method: 'POST', headers, body: new Uint8Array(body) })
      response.writeHead(reply.status, { 'content-type': reply.headers.get('content-type') ?? '' })
      try {
        for await (const chunk of reply.body ?? []) response.write(chunk)
        response.end()
      } catch {
        response.destroy()
      }
    }
    const { url } = await serve((request, response) => void pass(request, response))
    const feature = speechProcedures({ baseUrl: url, apiKey: sandbox.apiKey })
    expect(Buffer.byteLength(text)).toBeGreaterThan(20_000)
    const { parts: planned } = feature.speeches.plan(wish(text, fast))
    const { id } = await feature.speeches.make(wish(text, fast))
    const failed = await seen(feature.speeches, id, isOver)
    expect(failed).toMatchObject({ state: 'failed', parts: planned.length, partsDone: 2 })
    expect(failed.problem).toMatchObject({ kind: 'connection_lost', outputStarted: true })
    expect(states(feature, id).slice(0, 4)).toEqual(['done', 'done', 'failed', 'waiting'])
    // The received audio is there, including the beginning of the third part.
    const [first, second] = feature.speeches.get({ id }).partList
    expect(lengthOf(fileOf(feature, failed), 'mp3') / testRate).toBeGreaterThan(
      (first?.seconds ?? 0) + (second?.seconds ?? 0) + 0.05,
    )

    await feature.speeches.resume({ id })
    // A listener from now on gets none of the third part's earlier audio.
    const { parts, order } = await heard(feature.speeches.listen({ id, fromPart: 1 }))
    expect(order.at(-1)).toBe('end done')
    const done = await seen(feature.speeches, id, isOver)
    expect(done).toMatchObject({ state: 'done', partsDone: planned.length, problem: null })
    // Each part was requested once, the third part twice. Together the parts are the text.
    expect(inputs).toHaveLength(planned.length + 1)
    expect(inputs[3]).toBe(inputs[2])
    for (const input of inputs) expect(Buffer.byteLength(input)).toBeLessThanOrEqual(4096)
    const said = inputs.filter((_, at) => at !== 3).join('')
    expect(said.replace(/\s/g, '')).toBe(text.replace(/\s/g, ''))
    let sum = 0
    for (const { part, bytes } of parts) {
      const file = join(feature.dataDir, 'tmp', `${part}.mp3`)
      writeFileSync(file, bytes)
      sum += lengthOf(file, 'mp3')
    }
    expect(Math.abs(lengthOf(fileOf(feature, done), 'mp3') - sum) / testRate).toBeLessThanOrEqual(0.05)
    expect(done.seconds).toBeCloseTo(sum / testRate, 1)
    // The part files and the earlier joined file are gone.
    await expect.poll(() => making(feature)).toEqual([])
    expect(feature.media.pathOf(failed.mediaId ?? '')).toBe(null)
  })
})

describe('a process that is killed during part 3', () => {
  it.each([...onlyLong('mp3'), 'wav'] as const)(
    'has lost none of the received audio as %s, says so, and resumes at that part',
    { tags: 'long' },
    async (format) => {
      let dripping = true
      const drip = async (response: ServerResponse): Promise<void> => {
        const whole = Buffer.concat([audioOf(format), Buffer.alloc(2_000_000)])
        for (let at = 0; dripping && !response.destroyed && at < whole.length; at += 700) {
          response.write(whole.subarray(at, at + 700))
          await new Promise((resolve) => setImmediate(resolve))
        }
      }
      const asked = await service((response, count) => {
        head(response)
        if (count === 3) void drip(response)
        else response.end(audioOf(format))
      })
      const folder = freshFolder()
      const program = fileURLToPath(new URL('speakForever.ts', import.meta.url))
      const child = spawn(process.execPath, [program, folder, asked.baseUrl, fourParts, format], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const exited = once(child, 'exit')
      let progress = { id: '', part: 0, bytes: 0 }
      const enough = 5000 + Math.floor(randomNumbers()() * 20_000)
      for await (const line of createInterface({ input: child.stdout })) {
        // The kill truncated the last line.
        if (!line.endsWith('}')) break
        progress = JSON.parse(line)
        if (progress.part === 3 && progress.bytes >= enough) child.kill('SIGKILL')
      }
      await exited
      dripping = false

      const feature = speechProcedures(asked, folder)
      const { id } = progress
      expect(feature.speeches.get({ id })).toMatchObject({ state: 'cut', problem: { kind: 'cancelled' } })
      await feature.speeches.recovered
      const cut = feature.speeches.get({ id })
      expect(cut.partList.map(({ state }) => state)).toEqual(['done', 'done', 'failed', 'waiting'])
      expect(cut.partList[2]?.audioBytes).toBeGreaterThanOrEqual(progress.bytes)
      const one = cut.partList[0]?.seconds ?? 0
      const joined = lengthOf(fileOf(feature, cut), format) / testRate
      expect(joined).toBeGreaterThan(2 * one + 0.1)
      expect(joined).toBeCloseTo(cut.seconds ?? 0, 1)
      await feature.speeches.resume({ id })
      const done = await seen(feature.speeches, id, isOver)
      expect(done).toMatchObject({ state: 'done', partsDone: 4 })
      expect(asked.asked.map(({ body }) => String(body.input).length)).toEqual(
        [1, 2, 3, 3, 4].map(() => paragraph.length),
      )
      expect(Math.abs(lengthOf(fileOf(feature, done), format) / testRate - 4 * one)).toBeLessThanOrEqual(0.05)
    },
  )

  it('or between the last part and the joined file has everything', async () => {
    const asked = await service((response) => say(response))
    const folder = freshFolder()
    const feature = speechProcedures(asked, folder, { log: () => undefined })
    const { id } = await feature.speeches.make(wish('One.\n\nTwo.'))
    const done = await seen(feature.speeches, id, isOver)
    // Recreates the state of that moment.
    const file = readFileSync(fileOf(feature, done))
    feature.store.speeches.setState(id, 'making', null)
    await feature.close()
    writeFileSync(join(folder, 'making', `${id}.part-0001`), file)
    const again = speechProcedures(asked, folder)
    await again.speeches.recovered
    expect(again.speeches.get({ id })).toMatchObject({ state: 'done', problem: null, mediaId: done.mediaId })
    expect(making(again)).toEqual([])
  })
})

it('a program that ends keeps the received audio, and the next start marks the speech as cut', async () => {
  const asked = await service((response, count) => {
    if (count === 1) say(response)
    else head(response).write(audioOf('mp3').subarray(0, 2000))
  })
  const folder = freshFolder()
  const feature = speechProcedures(asked, folder)
  const { id } = await feature.speeches.make(wish(fourParts))
  await seen(feature.speeches, id, ({ audioBytes }) => audioBytes >= audioOf('mp3').length + 2000)
  await feature.close()
  await asked.asked[1]?.closed
  const again = speechProcedures(asked, folder)
  await again.speeches.recovered
  expect(again.speeches.get({ id })).toMatchObject({ state: 'cut', partsDone: 1 })
  expect(again.speeches.get({ id }).partList[1]).toMatchObject({ state: 'failed', audioBytes: 2000 })
})

it('cancelling ends the request at once, keeps the received audio, and the speech can be resumed', async () => {
  const asked = await service((response, count) => {
    if (count === 2) head(response).write(audioOf('mp3').subarray(0, 4000))
    else say(response)
  })
  const feature = speechProcedures(asked)
  const { id } = await feature.speeches.make(wish(fourParts))
  await seen(feature.speeches, id, ({ audioBytes }) => audioBytes >= audioOf('mp3').length + 4000)
  const cancelled = await feature.speeches.cancel({ id })
  await asked.asked[1]?.closed
  expect(asked.asked).toHaveLength(2)
  expect(cancelled).toMatchObject({ state: 'cancelled', problem: null, partsDone: 1 })
  expect(states(feature, id)).toEqual(['done', 'waiting', 'waiting', 'waiting'])
  expect(lengthOf(fileOf(feature, cancelled), 'mp3') / testRate).toBeCloseTo(cancelled.seconds ?? 0, 1)
  // A second cancel changes nothing.
  expect(await feature.speeches.cancel({ id })).toEqual(cancelled)
  await feature.speeches.resume({ id })
  expect(await seen(feature.speeches, id, isOver)).toMatchObject({ state: 'done', partsDone: 4 })
  expect(asked.asked).toHaveLength(5)
})

it('unset settings are not sent, and the others are sent as chosen [TTS-02] [TTS-03] [TTS-04]', async () => {
  const asked = await service((response) => say(response))
  const feature = speechProcedures(asked)
  const bare = await feature.speeches.make(wish('plain', { model: null, voice: null }))
  await seen(feature.speeches, bare.id, isOver)
  const full = await feature.speeches.make(wish('plain', { voice: 'their own', speed: 0.25, format: 'flac' }))
  await seen(feature.speeches, full.id, isOver)
  expect(asked.asked.map(({ body }) => body)).toEqual([
    { input: 'plain', response_format: 'mp3' },
    { input: 'plain', model: 'tts-1', voice: 'their own', response_format: 'flac', speed: 0.25 },
  ])
  // The service sent another format than requested. The audio is stored with its real format.
  expect(feature.speeches.get({ id: full.id })).toMatchObject({ state: 'done', format: 'flac', mime: 'audio/mpeg' })
})

it('nothing is stored for an invalid request', async () => {
  const asked = await service((response) => say(response))
  const upstream = async () => {
    throw new StudioError('not_connected', 'Nothing is connected yet.')
  }
  const feature = speechProcedures(asked, freshFolder(), { upstream })
  await expect(feature.speeches.make(wish('Hello.'))).rejects.toMatchObject({ kind: 'not_connected' })
  await expect(feature.speeches.make(wish(' \n '))).rejects.toMatchObject({ kind: 'bad_input' })
  expect(feature.speeches.find({ search: '', favourites: false, before: null, limit: 10 }).total).toBe(0)
})

it.each<[string, (response: ServerResponse) => void]>([
  ['a page of words', (response) => head(response, 'text/html').end('<html>Please log in.</html>')],
  ['JSON', (response) => head(response, 'application/json').end('{"ok":true}')],
  ['nothing', (response) => head(response).end()],
  ['noise', (response) => head(response).end(Buffer.alloc(5000, 7))],
])('%s instead of audio fails with the service’s message and leaves no file', async (_, answer) => {
  const asked = await service(answer)
  const feature = speechProcedures(asked)
  const { id } = await feature.speeches.make(wish('Hello.'))
  const failed = await seen(feature.speeches, id, isOver)
  expect(failed).toMatchObject({ state: 'failed', problem: { kind: 'malformed_reply' }, mediaId: null, partsDone: 0 })
})

it('audio with a wrong content type is accepted', async () => {
  const asked = await service((response) => head(response, 'text/plain').end(audioOf('mp3')))
  const feature = speechProcedures(asked)
  const { id } = await feature.speeches.make(wish('Hello.'))
  expect(await seen(feature.speeches, id, isOver)).toMatchObject({ state: 'done' })
})

it('a part whose audio does not match the parts before fails with that reason, and those before stay', async () => {
  const asked = await service((response, count) => say(response, count === 2 ? 'wav' : 'mp3'))
  const feature = speechProcedures(asked)
  const { id } = await feature.speeches.make(wish(fourParts))
  const failed = await seen(feature.speeches, id, isOver)
  expect(failed).toMatchObject({ state: 'failed', partsDone: 1, problem: { kind: 'malformed_reply' } })
  expect(failed.problem?.message).toMatch(/part 2 as wav .* as mp3/)
  expect(failed.seconds).toBeCloseTo(feature.speeches.get({ id }).partList[0]?.seconds ?? 0, 2)
})
