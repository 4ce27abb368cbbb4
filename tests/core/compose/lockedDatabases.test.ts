// @isolated It starts processes or replaces what belongs to the process.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { Apps } from '../../../src-main/core/gateway/apps/apps.ts'
import { coreBusyMs } from '../../../src-main/core/store/database.ts'
import { bodiesFile, requestLogFile } from '../../../src-main/core/store/requestLog/open.ts'
import { databaseFile, openStore } from '../../../src-main/core/store/store.ts'
import type { Upstream } from '../../../src-main/core/upstream/client.ts'
import { type Sandbox, startSandbox } from '../../../src-main/sandbox/sandbox.ts'
import { eventually } from '../../helpers/eventually.ts'
import { openClient } from '../../helpers/openClient.ts'
import { openImages, wish as pictureWish } from '../features/images/helpers.ts'
import { isOver, seen, speechProcedures, wish as speechWish } from '../features/speech/helpers.ts'
import { made, openFeature, wish as transcriptWish } from '../features/transcription/helpers.ts'
import { freshFolder } from '../helpers/core.ts'
import { lock } from '../helpers/lock.ts'
import { reading, rowOf, sent, testRequestLog } from '../requestLog/helpers.ts'
import { notice } from '../requestLog/samples.ts'

// Tests jobs that end while another program has locked a database.

let service: Sandbox
let upstream: Upstream
beforeAll(async () => {
  service = await startSandbox()
  upstream = openClient(service.baseUrl, service.apiKey)
})
afterAll(async () => {
  await upstream.close()
  await service.close()
})

/** Locks a database when a request is sent, until `release` is called. */
function lockDuring<A extends unknown[], R>(file: () => string, ask: (...args: A) => Promise<R>) {
  let release: (() => void) | null = null
  onTestFinished(() => release?.())
  const answered = Promise.withResolvers<void>()
  return {
    async ask(...args: A): Promise<R> {
      release = lock(file())
      const reply = await ask(...args)
      answered.resolve()
      return reply
    },
    answered: answered.promise,
    release: (): void => release?.(),
  }
}

/** Waits for this many turns of the event loop. */
const turns = async (count: number): Promise<void> => {
  for (let n = 0; n < count; n += 1) await new Promise((resolve) => setTimeout(resolve, 1))
}

describe('a job that ends while the database is locked', () => {
  it('a speech is complete afterwards', { tags: 'long' }, async () => {
    const locked = lockDuring(
      () => databaseFile(feature.dataDir),
      (...args: Parameters<Upstream['createSpeech']>) => upstream.createSpeech(...args),
    )
    const feature = speechProcedures(service, freshFolder(), {
      upstream: async () => ({ ...upstream, createSpeech: locked.ask }),
    })
    const { id } = await feature.speeches.make(speechWish('A short text.'))
    await locked.answered
    await turns(100)
    expect(feature.store.speeches.row(id).state).toBe('making')
    locked.release()
    expect(await seen(feature.speeches, id, isOver)).toMatchObject({ state: 'done', problem: null })
  })

  it('images are stored, each in its slot', async () => {
    const locked = lockDuring(
      () => databaseFile(feature.dataDir),
      (...args: Parameters<Upstream['createImage']>) => upstream.createImage(...args),
    )
    const feature = openImages(async () => ({ ...upstream, createImage: locked.ask }))
    const { id } = await feature.images.make(pictureWish({ n: 2 }))
    await locked.answered
    await turns(100)
    expect(feature.store.images.drawing(id)?.state).toBe('making')
    locked.release()
    await eventually(() => expect(feature.store.images.drawing(id)).toMatchObject({ state: 'done', problem: null }))
    expect(feature.store.images.drawing(id)?.slots.map(({ state }) => state)).toEqual(['kept', 'kept'])
  })

  it('a transcript is stored with its text', { tags: 'long' }, async () => {
    const spoken = await upstream.createSpeech({ input: 'The harbour is quiet.', response_format: 'wav' })
    const bytes: Uint8Array[] = []
    for await (const piece of spoken.bytes) bytes.push(piece)
    const locked = lockDuring(
      () => databaseFile(on.dataDir),
      (...args: Parameters<Upstream['createTranscription']>) => upstream.createTranscription(...args),
    )
    const on = openFeature(undefined, { upstream: async () => ({ ...upstream, createTranscription: locked.ask }) })
    const recording = await on.addFile(Buffer.concat(bytes), 'harbour.wav')
    const asked = await on.feature.transcribe({ recordingId: recording.id, ...transcriptWish, format: 'json' })
    await locked.answered
    await turns(100)
    expect(on.store.transcripts.get(asked.id).state).toBe('making')
    locked.release()
    const done = await made(on.feature, asked)
    expect(done).toMatchObject({ state: 'done', problem: null })
    expect(done.text).not.toBe('')
  })
})

describe('the request log', () => {
  /** A log with a written request that ended after another program locked the database. */
  const endedDuringALock = async () => {
    const opened = testRequestLog()
    const trace = sent(opened.requestLog)
    await trace.written
    const release = lock(requestLogFile(opened.dataDir))
    trace.ends({ state: 'done' }, reading(10, 20))
    return { ...opened, trace, release }
  }

  it('stores a request that arrived during a short lock, unnoticed', async () => {
    const { requestLog, dataDir, lines } = testRequestLog()
    const release = lock(requestLogFile(dataDir))
    const trace = sent(requestLog)
    const written = trace.written
    await turns(100)
    release()
    await expect(written).resolves.toBeUndefined()
    trace.ends({ state: 'done' }, reading(10, 20))
    await requestLog.counts({})
    expect(await rowOf(requestLog, trace.id)).toMatchObject({ state: 'done', status: 200 })
    expect(lines.filter((line) => line.includes('The request log could not be written'))).toHaveLength(1)
  })

  it('refuses a request during a long lock, and has it as refused afterwards', async () => {
    const { requestLog, dataDir } = testRequestLog()
    const release = lock(requestLogFile(dataDir))
    const from = performance.now()
    const trace = requestLog.open(notice())
    await expect(trace.written).rejects.toMatchObject({ kind: 'database_locked' })
    expect(performance.now() - from).toBeLessThan(10_000)
    trace.ends({ state: 'refused', problem: { kind: 'database_locked', message: 'Locked.' } }, null)
    release()
    await eventually(async () => expect(await rowOf(requestLog, trace.id)).toMatchObject({ state: 'refused' }))
  })

  it('knows the end and the cost of a request before it can write them', async () => {
    const { requestLog, dataDir, close, trace, release } = await endedDuringALock()
    requestLog.flush()
    expect(requestLog.get(trace.id).row).toMatchObject({ state: 'done', tokensOut: 20 })
    expect(await rowOf(requestLog, trace.id)).toMatchObject({ state: 'done', tokensOut: 20 })
    release()
    await close()
    const again = testRequestLog({ dataDir })
    expect(await rowOf(again.requestLog, trace.id)).toMatchObject({ state: 'done', tokensOut: 20 })
  })

  it('stores bodies whose file was locked after the row', async () => {
    const { requestLog, dataDir } = testRequestLog()
    const trace = sent(requestLog, { logBodies: true })
    await trace.written
    const release = lock(bodiesFile(dataDir))
    trace.bodies({ text: 'asked', bytes: 5, capped: false }, { text: 'answered', bytes: 8, capped: false })
    trace.ends({ state: 'done' }, reading(10, 20))
    requestLog.flush()
    expect(requestLog.get(trace.id)).toMatchObject({ row: { state: 'done' }, requestBody: null })
    release()
    await eventually(() =>
      expect(requestLog.get(trace.id)).toMatchObject({
        requestBody: { text: 'asked' },
        replyBody: { text: 'answered' },
      }),
    )
  })

  it('loses no sent request, however many are refused during a lock', async () => {
    const { requestLog, dataDir, close, trace, release } = await endedDuringALock()
    // More than the buffer takes: a thousand wait, and the others are refused at once.
    for (let n = 0; n < 7; n += 1) {
      const refused = Array.from({ length: 1500 }, () => requestLog.open(notice()))
      await Promise.allSettled(refused.map(async ({ written }) => written))
      for (const one of refused) one.ends({ state: 'refused' }, null)
    }
    release()
    requestLog.flush()
    await close()
    const again = testRequestLog({ dataDir })
    expect(await rowOf(again.requestLog, trace.id)).toMatchObject({ state: 'done', tokensOut: 20 })
  })
})

it('the last use of an app key is written after the lock', async () => {
  const dataDir = freshFolder()
  const store = openStore(dataDir, { busyMs: coreBusyMs })
  const apps = new Apps(store)
  onTestFinished(() => {
    apps.close()
    store.close()
  })
  const { app } = apps.add({ name: 'an editor' })
  const release = lock(databaseFile(dataDir))
  apps.touch(app.id)
  await eventually(() => expect(store.pending.flush()).toBe(false))
  expect(store.appKeys.find(app.id)?.app.lastUsedAt).toBeNull()
  release()
  await eventually(() => expect(store.appKeys.find(app.id)?.app.lastUsedAt).not.toBeNull())
})
