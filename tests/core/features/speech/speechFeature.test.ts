import { readdirSync, readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { synthesize } from '../../../../src-main/sandbox/speech/speech.ts'
import type { SpeechChange, SpeechFormat } from '../../../../src-preload/contract/speech.ts'
import { freshFolder } from '../../helpers/core.ts'
import { readDownload } from '../../helpers/transfers.ts'
import { serve } from '../../upstream/helpers/service.ts'
import { heard, isOver, seen, speechProcedures, type TestFeature, wish } from './helpers.ts'

const spoken = new Map<SpeechFormat, Buffer>()
beforeAll(async () => {
  for (const format of ['mp3', 'pcm'] as const) {
    const { bytes } = await synthesize({ input: 'Good morning, dear harbour.', voice: 'nova', format, speed: 1 })
    spoken.set(format, Buffer.from(bytes))
  }
}, 60_000)
const audio = (format: SpeechFormat = 'mp3'): Buffer => spoken.get(format) ?? Buffer.alloc(0)

/** A service that answers each request, or hands it to the test. */
async function feature(answer: ((response: ServerResponse, count: number) => void) | null = null, other = {}) {
  let count = 0
  const responses: ServerResponse[] = []
  const { url } = await serve((request, response) => {
    request.resume()
    responses.push(response)
    response.writeHead(200, { 'content-type': 'audio/mpeg' })
    count += 1
    if (answer) answer(response, count)
    else response.end(audio())
  })
  return { ...speechProcedures({ baseUrl: url, apiKey: 'sk-of-a-test-0123456789' }, freshFolder(), other), responses }
}

const paragraph = 'The tide is in, and it is a good day. '.repeat(70).trim()
const twoParts = `${paragraph}\n\n${paragraph}`
const making = ({ dataDir }: TestFeature): string[] => readdirSync(join(dataDir, 'making'))
const everything = { search: '', favourites: false, before: null, limit: 100 }

async function made(of: TestFeature, text: string, more = {}): Promise<string> {
  const { id } = await of.speeches.make(wish(text, more))
  await seen(of.speeches, id, isOver)
  return id
}

describe('listening', () => {
  it('several listeners receive the same audio at their own pace; a late one starts at the beginning, and a slow one delays no other [TTS-05]', async () => {
    const half = Math.floor(audio().length / 2)
    const { speeches, responses, ...rest } = await feature((response, count) => {
      if (count === 1) response.end(audio())
      else response.write(audio().subarray(0, half))
    })
    const { id } = await speeches.make(wish(twoParts))
    const slow = speeches.listen({ id, fromPart: 1 })
    expect((await slow.next()).value).toMatchObject({ type: 'plan', parts: 2 })
    const quick = heard(speeches.listen({ id, fromPart: 1 }))
    await seen(speeches, id, ({ audioBytes }) => audioBytes >= audio().length + half)
    const late = heard(speeches.listen({ id, fromPart: 2 }))
    await expect.poll(() => responses.length).toBe(2)
    responses[1]?.end(audio().subarray(half))
    await seen(speeches, id, isOver)
    const both = { order: ['plan 2 audio/mpeg', 'audio 1', 'part 1', 'audio 2', 'part 2', 'end done'] }
    const one = { part: 1, bytes: audio() }
    const two = { part: 2, bytes: audio() }
    expect(await quick).toEqual({ ...both, parts: [one, two] })
    expect(await late).toMatchObject({ order: ['plan 2 audio/mpeg', 'audio 2', 'part 2', 'end done'], parts: [two] })
    // The speech is complete here. The slow listener still gets parts, and their files are deleted after it has read them.
    expect(making({ speeches, ...rest } as TestFeature)).toHaveLength(2)
    expect(await heard(slow)).toEqual({ order: both.order.slice(1), parts: [one, two] })
    await expect.poll(() => making({ speeches, ...rest } as TestFeature)).toEqual([])
    // From here on the speech is one file.
    const joined = await heard(speeches.listen({ id, fromPart: 1 }))
    expect(joined.order).toEqual(['plan 1 audio/mpeg', 'audio 1', 'part 1', 'end done'])
    expect(joined.parts[0]?.bytes.length).toBe(speeches.get({ id }).audioBytes)
  })

  it('a listener that leaves stops at once, even while it waits for bytes, and stops nothing else', async () => {
    const { speeches, responses } = await feature((response) => void response.write(audio().subarray(0, 3000)))
    const { id } = await speeches.make(wish('Hello.'))
    await seen(speeches, id, ({ audioBytes }) => audioBytes === 3000)
    const left = speeches.listen({ id, fromPart: 1 })
    expect((await left.next()).value).toMatchObject({ type: 'plan' })
    expect((await left.next()).value).toMatchObject({ type: 'audio', part: 1 })
    const waiting = left.next()
    await left.return?.()
    expect(await waiting).toMatchObject({ done: true })
    const stop = new AbortController()
    const aborted = heard(speeches.listen({ id, fromPart: 1 }, stop.signal))
    await nextTurn()
    stop.abort()
    expect((await aborted).order.at(-1)).not.toMatch(/^end/)
    responses[0]?.end(audio().subarray(3000))
    expect(await seen(speeches, id, isOver)).toMatchObject({ state: 'done' })
  })

  it('a listener of a failed speech gets its audio and then the failure', async () => {
    const { speeches } = await feature((response, count) => {
      if (count === 1) response.end(audio())
      else response.write(audio().subarray(0, 2000), () => response.destroy())
    })
    const id = await made({ speeches } as TestFeature, twoParts)
    const { order, parts } = await heard(speeches.listen({ id, fromPart: 1 }))
    expect(order).toEqual(['plan 2 audio/mpeg', 'audio 1', 'part 1', 'audio 2', 'end failed'])
    expect(parts[1]?.bytes).toEqual(audio().subarray(0, 2000))
  })
})

it('progress is sent at most ten times a second, and the end always', async () => {
  const { speeches, responses } = await feature(() => undefined)
  const { id } = await speeches.make(wish('Hello.'))
  const events: SpeechChange[] = []
  const changes = speeches.watch()
  const reading = (async () => {
    for await (const change of changes) {
      events.push(change)
      if (change.type === 'speech' && isOver(change.speech)) return
    }
  })()
  await expect.poll(() => responses.length).toBe(1)
  const began = performance.now()
  for (let at = 0; at < audio().length; at += 50) {
    responses[0]?.write(audio().subarray(at, at + 50))
    await nextTurn()
  }
  responses[0]?.end()
  await reading
  const took = performance.now() - began
  const [first, ...rest] = events
  expect(first).toMatchObject({ type: 'snapshot', total: 1, speeches: [{ id }] })
  const progress = rest.filter((change) => change.type === 'speech' && change.speech.state === 'making')
  expect(progress.length).toBeLessThanOrEqual(took / 100 + 2)
  expect(events.at(-1)).toMatchObject({ speech: { state: 'done', audioBytes: audio().length } })
})

describe('stored speeches', () => {
  it('are found by text and voice in any spelling, page by page, newest first', async () => {
    const here = await feature()
    const ids: string[] = []
    for (const text of ['Größe zählt', 'harbour one', 'HARBOUR two', 'Гавань', 'harbour_three %']) {
      ids.unshift(await made(here, text, { voice: text.endsWith('two') ? 'echo' : 'nova' }))
    }
    const find = (search: string, more = {}) => here.speeches.find({ ...everything, search, ...more })
    const idsOf = (search: string, more = {}): string[] => find(search, more).speeches.map(({ id }) => id)
    expect(idsOf('')).toEqual(ids)
    expect(idsOf('grosse ZAHLT')).toEqual([ids[4]])
    expect(idsOf('harbour')).toEqual([ids[0], ids[2], ids[3]])
    expect(idsOf('echo harbour')).toEqual([ids[2]])
    expect(idsOf('гавань')).toEqual([ids[1]])
    expect(idsOf('%')).toEqual([ids[0]])
    expect(idsOf('r_t')).toEqual([ids[0]])
    const page = find('', { limit: 2, before: ids[1] })
    expect(page.speeches.map(({ id }) => id)).toEqual([ids[2], ids[3]])
    expect(page.total).toBe(5)
    here.speeches.favourite({ id: ids[3] ?? '', favourite: true })
    expect(idsOf('', { favourites: true })).toEqual([ids[3]])
    expect(here.speeches.get({ id: ids[3] ?? '' }).favourite).toBe(true)
  })

  it('can be deleted and restored unchanged; running ones are cancelled', async () => {
    const here = await feature((response, count) => {
      if (count === 1) response.end(audio())
      else response.write(audio().subarray(0, 2000))
    })
    const kept = await made(here, 'Stays a while.')
    const { id: spoken_ } = await here.speeches.make(wish('Is under way.'))
    await seen(here.speeches, spoken_, ({ audioBytes }) => audioBytes === 2000)
    const changes = here.speeches.watch()
    await changes.next()
    expect(await here.speeches.remove({ ids: [kept, spoken_] })).toEqual({ removed: 2 })
    expect((await changes.next()).value).toMatchObject({ type: 'gone' })
    expect((await changes.next()).value).toMatchObject({ type: 'gone' })
    expect(here.speeches.find(everything).total).toBe(0)
    expect(() => here.speeches.get({ id: kept })).toThrow(expect.objectContaining({ kind: 'no_such_item' }))
    expect(await here.speeches.remove({ ids: [kept] })).toEqual({ removed: 0 })
    expect(here.speeches.restore({ ids: [kept, spoken_] })).toEqual({ restored: 2 })
    await changes.return?.()
    expect(here.speeches.get({ id: kept })).toMatchObject({ state: 'done' })
    expect(here.speeches.get({ id: spoken_ })).toMatchObject({ state: 'cancelled', audioBytes: expect.any(Number) })
  })

  it('that are deleted permanently leave nothing behind', async () => {
    const here = await feature((response) => void response.write(audio().subarray(0, 2000), () => response.destroy()))
    const id = await made(here, 'Goes for good.')
    await expect.poll(() => making(here)).toHaveLength(1)
    const { mediaId } = here.speeches.get({ id })
    const all = here.store.media.made(['speech'])
    const { media } = here.store.media.takeMade(all)
    await here.media.drop(media)
    await here.speeches.erased([id])
    expect(making(here)).toEqual([])
    expect(await here.media.open(mediaId ?? '')).toBe(null)
  })

  it('are saved under the beginning of their text, unchanged, and samples also as wav', async () => {
    const here = await feature((response, count) => response.end(audio(count === 1 ? 'mp3' : 'pcm')))
    const mp3 = await made(here, 'What? A "name": with/signs.\nAnd more.')
    const pcm = await made(here, 'Samples.', { format: 'pcm', pcmRate: 16_000 })
    const bytesOf = async (downloadId: string, bytes: number): Promise<Buffer> => {
      const data = await readDownload(here.transfers, downloadId)
      expect(data).toHaveLength(bytes)
      return data
    }
    const file = await here.speeches.save({ id: mp3, as: 'made' })
    expect(file).toMatchObject({ name: 'What A name with signs. And more.mp3', mime: 'audio/mpeg' })
    expect(await bytesOf(file.downloadId, file.bytes)).toEqual(audio())
    const samples = await here.speeches.save({ id: pcm, as: 'made' })
    expect(samples).toMatchObject({ name: 'Samples.pcm', bytes: audio('pcm').length })
    const wav = await here.speeches.save({ id: pcm, as: 'wav' })
    expect(wav).toMatchObject({ name: 'Samples.wav', mime: 'audio/wav' })
    const bytes = await bytesOf(wav.downloadId, wav.bytes)
    expect(bytes.readUInt32LE(24)).toBe(16_000)
    expect(bytes.subarray(44)).toEqual(audio('pcm'))
    await expect(here.speeches.save({ id: mp3, as: 'wav' })).rejects.toMatchObject({ kind: 'bad_input' })
    // The download was a copy, which was deleted after it was read.
    expect((await here.media.open(here.speeches.get({ id: mp3 }).mediaId ?? ''))?.bytes).toBe(audio().length)
  })
})

it('of plain samples follow a later change of rate: length, positions, saved file and recording', async () => {
  const here = await feature((response, count) => response.end(audio(count === 3 ? 'mp3' : 'pcm')))
  const id = await made(here, twoParts, { format: 'pcm' })
  const before = here.speeches.get({ id })
  const seconds = (2 * audio('pcm').length) / 48_000
  expect(before).toMatchObject({ pcmRate: 24_000, seconds: expect.closeTo(seconds, 3) })
  expect(here.speeches.setRate({ id, pcmRate: 16_000 })).toMatchObject({
    pcmRate: 16_000,
    seconds: expect.closeTo(seconds * 1.5, 3),
  })
  const { partList, mediaId } = here.speeches.get({ id })
  expect(partList.map((part) => part.seconds)).toEqual([1, 1].map(() => expect.closeTo(seconds * 0.75, 3)))
  expect(mediaId).toBe(before.mediaId)
  // Samples without a header would be noise for other features.
  const sound = await here.speeches.sound(id)
  expect(sound).toMatchObject({ mediaId: null, mime: 'audio/wav', seconds: expect.closeTo(seconds * 1.5, 3) })
  const wav = readFileSync(sound.path ?? '')
  expect(wav.length).toBe(sound.bytes)
  expect(wav.readUInt32LE(24)).toBe(16_000)
  expect(wav.subarray(44)).toEqual(Buffer.concat([audio('pcm'), audio('pcm')]))
  const mp3 = await made(here, 'No samples.')
  expect(() => here.speeches.setRate({ id: mp3, pcmRate: 16_000 })).toThrow(
    expect.objectContaining({ kind: 'bad_input' }),
  )
  expect(await here.speeches.sound(mp3)).toMatchObject({ mime: 'audio/mpeg', path: null, bytes: audio().length })
})

it('the plan has parts, the cost by their sizes, and a length extrapolated from earlier speeches', async () => {
  const priceOf = (model: string | null, sizes: readonly number[]) =>
    model === 'tts-1' ? String(sizes.reduce((sum, bytes) => sum + bytes, 0) / 1e6) : null
  const here = await feature(null, { priceOf })
  const text = `${'x'.repeat(4000)}\n\n${'ж'.repeat(1500)}`
  const blank = here.speeches.plan(wish(text))
  expect(blank).toMatchObject({ bytes: 7002, cost: '0.007', seconds: null })
  expect(blank.parts).toEqual([
    { from: 0, to: 4000, bytes: 4000 },
    { from: 4002, to: 5502, bytes: 3000 },
  ])
  const id = await made(here, text)
  const again = here.speeches.plan(wish('y'.repeat(3500)))
  expect(again.seconds).toBeCloseTo((here.speeches.get({ id }).seconds ?? 0) / 2, 3)
  // There is no data about another model or voice.
  expect(here.speeches.plan(wish('y', { model: 'other' })).cost).toBe(null)
  expect(here.speeches.plan(wish('y', { voice: 'echo' })).seconds).toBe(null)
})

it('the cost of an ended speech is the sum of its requests', async () => {
  const here = await feature(null, { costOf: () => ({ cost: '0.000300000', costIs: 'estimated' }) })
  const speech = here.speeches.get({ id: await made(here, twoParts) })
  expect(speech).toMatchObject({ cost: '0.0006', costIs: 'estimated', parts: 2 })
  expect(speech.rows).toHaveLength(2)
  expect(here.requestLog.get(speech.rows[0] ?? 0).row).toMatchObject({ endpoint: 'speech', who: { feature: 'speech' } })
})

it.each([
  ['their price', '0.0004', '0.0007'],
  ['the ended parts where their price is unknown', null, '0.0006'],
])('while a speech runs, its cost includes the remaining parts by %s', async (_by, price, expected) => {
  const costOf = () => ({ cost: '0.000300000', costIs: 'estimated' }) as const
  const held = Promise.withResolvers<ServerResponse>()
  const here = await feature((response, count) => (count === 1 ? response.end(audio()) : held.resolve(response)), {
    costOf,
    priceOf: () => price,
  })
  const { id } = await here.speeches.make(wish(twoParts))
  const second = await held.promise
  expect(here.speeches.get({ id })).toMatchObject({
    state: 'making',
    partsDone: 1,
    cost: expected,
    costIs: 'estimated',
  })
  second.end(audio())
  expect(await seen(here.speeches, id, isOver)).toMatchObject({ cost: '0.0006', parts: 2 })
})

it('an ended speech of unknown price asks for what the service charged', async () => {
  let wanted = 0
  const here = await feature(null, { priceWanted: () => (wanted += 1) })
  await made(here, 'What does this cost?')
  await expect.poll(() => wanted).toBe(1)
})

it('a speech that is repeated from another refers to it', async () => {
  const here = await feature()
  const id = await made(here, 'Once more.')
  const { id: again } = await here.speeches.make({ ...wish('Once more.', { voice: 'echo' }), fromId: id })
  expect(await seen(here.speeches, again, isOver)).toMatchObject({ fromId: id, voice: 'echo' })
})
