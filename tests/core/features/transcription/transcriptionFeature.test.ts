import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Transcription, TranscriptionRequest } from '../../../../src-main/core/upstream/types.ts'
import type { Transcript } from '../../../../src-preload/contract/transcription.ts'
import { made, openFeature, wish } from './helpers.ts'

const facts = {
  status: 200,
  requestId: null,
  contentType: null,
  rateLimit: { limit: null, remaining: null, retryAfterMs: null },
}
/** A service that returns the prompt: as WebVTT if it begins like one. */
const upstream = async () => ({
  createTranscription: async ({ prompt = '' }: TranscriptionRequest): Promise<Transcription> => ({
    format: 'text',
    text: prompt,
    raw: prompt,
    json: null,
    facts,
  }),
})
const vtt = 'WEBVTT\n\n00:00.000 --> 00:01.500\nR&D says\n\n00:01.500 --> 01:03.250\nhello.\n'

function open(dataDir?: string) {
  const opened = openFeature(dataDir, { upstream })
  const { feature, addFile } = opened
  return {
    ...opened,
    /** A file of this name with these transcripts. */
    async say(name: string, ...said: string[]): Promise<{ id: string; transcripts: Transcript[] }> {
      const { id } = await addFile(Buffer.from(`${name} ${randomUUID()}`), name)
      for (const prompt of said) await made(feature, await feature.transcribe({ recordingId: id, ...wish, prompt }))
      return { id, transcripts: (await feature.get({ id })).transcripts }
    },
    async found(search: string): Promise<string[]> {
      const { recordings } = await feature.find({ search, before: null, limit: 100 })
      return recordings.map(({ name }) => name)
    },
  }
}

it('recordings are searched like conversations: all words, in the name or any transcript, ignoring case, accents and script', async () => {
  const { say, found, feature } = open()
  await say('Café.mp3', 'Der Fluß ist ruhig.')
  await say('meeting.mp3', 'The harbour was quiet', 'Nobody on the pier')
  await say('東京.mp3', '今日は東京の天気です。', '한국어 문장')
  await say('empty.mp3')
  const { id, transcripts } = await say('edited.mp3', 'First words')
  expect(await found('')).toEqual(['edited.mp3', 'empty.mp3', '東京.mp3', 'meeting.mp3', 'Café.mp3'])
  expect(await found('cafe')).toEqual(['Café.mp3'])
  expect(await found('FLUSS')).toEqual(['Café.mp3'])
  expect(await found('cafe fluss')).toEqual(['Café.mp3'])
  // One word in each of its transcripts, the last one only a prefix.
  expect(await found('quiet nob')).toEqual(['meeting.mp3'])
  expect(await found('quiet nob ')).toEqual([])
  expect(await found('arbour')).toEqual([])
  expect(await found('天気')).toEqual(['東京.mp3'])
  expect(await found('気天')).toEqual([])
  expect(await found('한국')).toEqual(['東京.mp3'])
  expect(await found('mp3')).toHaveLength(5)
  expect(await found('100% _ "')).toEqual([])
  expect(await found('%')).toHaveLength(5)
  // Edited text is found instead of the original, and so is the new name.
  feature.edit({ transcriptId: transcripts[0]?.id ?? '', text: 'Other sentences' })
  feature.rename({ id, name: 'Übersicht' })
  expect(await Promise.all(['first', 'sentences', 'ubersicht', 'edited'].map(found))).toEqual([
    [],
    ['Übersicht'],
    ['Übersicht'],
    [],
  ])
})

it('recordings are listed page by page, newest first, with their total number, searched or not', async () => {
  const { say, feature } = open()
  for (let index = 0; index < 7; index++) await say(`${index % 2 ? 'odd' : 'even'} ${index}.mp3`)
  for (const [search, total] of [
    ['', 7],
    ['even', 4],
  ] as const) {
    const names: string[] = []
    for (let before: string | null = null; ; ) {
      const page = await feature.find({ search, before, limit: 3 })
      expect(page.total).toBe(total)
      if (page.recordings.length === 0) break
      names.push(...page.recordings.map(({ name }) => name))
      before = page.recordings.at(-1)?.id ?? null
    }
    expect(names).toHaveLength(total)
    expect(names).toEqual(names.toSorted().toSorted((a, b) => Number(b.at(-5)) - Number(a.at(-5))))
  }
  expect((await feature.find({ search: 'even', before: randomUUID(), limit: 3 })).recordings).toEqual([])
})

it('an edit belongs to the person, keeps the times, and can be reverted to the service’s reply', async () => {
  const { say, feature } = open()
  const { id, transcripts } = await say('talk.mp3', vtt)
  const [{ id: transcriptId, text, cues } = { id: '', text: '', cues: [] }] = transcripts
  expect([text, cues]).toEqual([
    'R&D says hello.',
    [
      { from: 0, to: 1.5, text: 'R&D says' },
      { from: 1.5, to: 63.25, text: 'hello.' },
    ],
  ])
  expect(feature.edit({ transcriptId, text: 'My words' })).toMatchObject({ text: 'My words', cues, edited: true })
  const mine = cues.map((one, index) => ({ ...one, text: ` piece\n\n${index}\u0000 ` }))
  // Without a text in the call, the text is derived from the cues.
  const edited = feature.edit({ transcriptId, cues: mine })
  expect(edited).toMatchObject({ text: 'piece 0 piece 1', edited: true })
  expect(edited.cues).toEqual([
    { from: 0, to: 1.5, text: 'piece\n0' },
    { from: 1.5, to: 63.25, text: 'piece\n1' },
  ])
  expect((await feature.get({ id })).recording.transcript).toMatchObject({ excerpt: 'piece 0 piece 1', edited: true })
  expect(feature.revert({ transcriptId })).toMatchObject({ text, cues, edited: false })
  await expect(async () => feature.edit({ transcriptId: randomUUID(), text: '' })).rejects.toMatchObject({
    kind: 'no_such_item',
  })
})

it('a transcript is saved as txt, vtt and srt under a valid file name; without times only as txt', async () => {
  const { say, feature, download } = open()
  const { transcripts } = await say('a/b: "talk".m4a', vtt, 'Only text')
  const [plain, timed] = transcripts.map(({ id }) => id)
  const save = async (transcriptId = '', as: 'txt' | 'vtt' | 'srt' = 'txt') => {
    const offered = await feature.save({ transcriptId, as })
    return [offered.name, offered.mime, (await download(offered)).toString()]
  }
  expect(await save(timed, 'txt')).toEqual(['a b talk.txt', 'text/plain', 'R&D says hello.\n'])
  expect(await save(timed, 'vtt')).toEqual([
    'a b talk.vtt',
    'text/vtt',
    'WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nR&amp;D says\n\n00:00:01.500 --> 00:01:03.250\nhello.\n',
  ])
  expect(await save(timed, 'srt')).toEqual([
    'a b talk.srt',
    'application/x-subrip',
    '1\n00:00:00,000 --> 00:00:01,500\nR&D says\n\n2\n00:00:01,500 --> 00:01:03,250\nhello.\n',
  ])
  expect(await save(plain, 'txt')).toEqual(['a b talk.txt', 'text/plain', 'Only text\n'])
  await expect(save(plain, 'srt')).rejects.toMatchObject({ kind: 'bad_input' })
})

it('audio is saved unchanged under its new name; the stored file stays', async () => {
  const { say, feature, download, dataDir } = open()
  const { id } = await say('talk.mp3')
  feature.rename({ id, name: '  My talk  ' })
  const offered = await feature.saveAudio({ id })
  expect(offered.name).toBe('My talk.mp3')
  expect((await download(offered)).toString()).toContain('talk.mp3 ')
  expect(readdirSync(join(dataDir, 'tmp'))).toEqual([])
  expect(readdirSync(join(dataDir, 'media'))).toHaveLength(1)
})

it('a deleted recording disappears and can be restored completely; running work on it is ended first', async () => {
  let asked = 0
  const opened = openFeature(undefined, {
    upstream: async () => ({
      createTranscription: async (_request: TranscriptionRequest, options?: { signal?: AbortSignal }) => {
        asked += 1
        return new Promise<Transcription>((_resolve, reject) => {
          options?.signal?.addEventListener('abort', () => reject(new Error('aborted')))
        })
      },
    }),
  })
  const { feature, addFile } = opened
  const { id } = await addFile(Buffer.from('x'), 'x.mp3')
  const { id: live } = await feature.begin({ name: 'live', mime: 'audio/webm' })
  await feature.append({ id: live, at: 0, data: Buffer.from('sound') })
  const { id: transcriptId } = await feature.transcribe({ recordingId: id, ...wish })
  await expect.poll(() => asked).toBe(1)
  const events = feature.watch()
  await events.next()
  expect(await feature.remove({ ids: [id, live, randomUUID(), id] })).toEqual({ removed: 2 })
  expect((await feature.find({ search: '', before: null, limit: 9 })).total).toBe(0)
  await expect(feature.get({ id })).rejects.toMatchObject({ kind: 'no_such_item' })
  await expect(async () => feature.cancel({ transcriptId })).rejects.toMatchObject({ kind: 'no_such_item' })
  const gone = new Set<string>()
  for (; gone.size < 2; ) {
    const { value } = await events.next()
    if (value?.type === 'gone') gone.add(value.id)
  }
  expect(gone).toEqual(new Set([id, live]))
  expect(feature.restore({ ids: [id, live] })).toEqual({ restored: 2 })
  expect(feature.restore({ ids: [id] })).toEqual({ restored: 0 })
  expect((await feature.get({ id })).transcripts).toMatchObject([{ state: 'cancelled' }])
  expect((await feature.get({ id: live })).recording).toMatchObject({ state: 'cut', bytes: 5 })
  await events.return?.()
})

it('the same bytes are stored once; permanent deletion is reported, and the bytes are deleted with their last user', async () => {
  const { feature, upload, media, dataDir, store } = open()
  const same = Buffer.from('the same bytes')
  const one = await feature.addFile({ uploadId: await upload(same, 'one.mp3'), fromId: null })
  const two = await feature.addFile({ uploadId: await upload(same, 'two.mp3'), fromId: one.id })
  expect([one.mediaId, two.fromId]).toEqual([two.mediaId, one.id])
  const events = feature.watch()
  await events.next()
  for (const [id, left] of [
    [one.id, [two.mediaId]],
    [two.id, []],
  ] as const) {
    await feature.remove({ ids: [id] })
    expect((await events.next()).value).toEqual({ type: 'gone', id })
    const taken = store.media.takeMade(store.media.made(['recordings']).filter((made) => made.id === id))
    await media.drop(taken.media)
    feature.erased([id])
    expect((await events.next()).value).toEqual({ type: 'gone', id })
    expect(feature.restore({ ids: [id] })).toEqual({ restored: 0 })
    expect(readdirSync(join(dataDir, 'media'))).toEqual(left)
  }
  await events.return?.()
})

it('audio of a speech is used without a copy; a temporary file is moved', async () => {
  const { addFile, bytesOf, dataDir, feature } = openFeature(undefined, {
    spoken: async (id) => {
      const sound = { name: 'Good morning', bytes: 5, seconds: 1.5 }
      if (id === given) return { ...sound, mime: 'audio/wav', mediaId: null, path }
      return { ...sound, mime: 'audio/mpeg', mediaId, path: null }
    },
  })
  const given = randomUUID()
  const path = join(dataDir, 'tmp', 'given.wav')
  const { mediaId } = await addFile(Buffer.from('sound'), 'x.mp3').then((one) => ({ mediaId: one.mediaId ?? '' }))
  const recording = await feature.addSpeech({ speechId: randomUUID() })
  expect(recording).toMatchObject({ source: 'speech', state: 'kept', name: 'Good morning', seconds: 1.5, mediaId })
  expect(readdirSync(join(dataDir, 'media'))).toEqual([mediaId])
  writeFileSync(path, 'taken')
  const taken = await feature.addSpeech({ speechId: given })
  expect(taken).toMatchObject({ source: 'speech', state: 'kept', mime: 'audio/wav', bytes: 5, seconds: 1.5 })
  expect(bytesOf(taken).toString()).toBe('taken')
  expect(existsSync(path)).toBe(false)
})

it('an empty file and an unknown upload are refused with a message; a nameless file gets a name', async () => {
  const { feature, addFile } = openFeature()
  await expect(addFile(Buffer.alloc(0), 'x.mp3')).rejects.toMatchObject({
    kind: 'bad_input',
    message: 'This file is empty.',
  })
  await expect(feature.addFile({ uploadId: randomUUID(), fromId: null })).rejects.toMatchObject({
    kind: 'no_such_item',
  })
  expect(await addFile(Buffer.from('any'), ' ')).toMatchObject({
    name: 'File',
    mime: 'application/octet-stream',
    seconds: null,
  })
  const { id } = await addFile(Buffer.from('other'), 'x.bin')
  feature.measured({ id, seconds: 12.5 })
  expect((await feature.get({ id })).recording.seconds).toBe(12.5)
  await expect(async () => feature.rename({ id, name: ' \n ' })).rejects.toMatchObject({ kind: 'bad_input' })
})

it('a search through 1,000 transcripts of 10,000 words yields to other work', {
  tags: 'long',
}, async () => {
  const { feature, store } = openFeature()
  const words = `${Array.from({ length: 10_000 }, (_, index) => `word${index % 977}`).join(' ')} `
  store.transaction(() => {
    for (let index = 0; index < 1000; index++) {
      const id = randomUUID()
      const createdAt = new Date().toISOString()
      store.recordings.insert({
        id,
        createdAt,
        name: 'x',
        search: ' x ',
        source: 'file',
        state: 'kept',
        mime: '',
        bytes: 1,
        seconds: null,
        mediaId: null,
        fromId: null,
      })
      const transcriptId = randomUUID()
      store.transcripts.insert({ id: transcriptId, recordingId: id, createdAt, wish })
      store.transcripts.settle({
        id: transcriptId,
        state: 'done',
        problem: null,
        sentBytes: 1,
        came: 'text',
        raw: words,
        text: words,
        cues: [],
        search: ` ${words}${index === 7 ? 'needle ' : ''}`,
      })
    }
  })
  let turns = 0
  const others = setInterval(() => {
    turns += 1
  }, 1)
  const { total } = await feature.find({ search: 'needle', before: null, limit: 100 })
  clearInterval(others)
  expect(total).toBe(1)
  expect(turns).toBeGreaterThan(2)
})
