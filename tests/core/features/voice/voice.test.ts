import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createMedia } from '../../../../src-main/core/features/media/media.ts'
import { createTransfers } from '../../../../src-main/core/features/transfers/transfers.ts'
import { dictate } from '../../../../src-main/core/features/voice/dictate.ts'
import { sample } from '../../../../src-main/core/features/voice/sample.ts'
import { speak } from '../../../../src-main/core/features/voice/speak.ts'
import type { VoiceFeature } from '../../../../src-main/core/features/voice/voice.ts'
import { openStore } from '../../../../src-main/core/store/store.ts'
import { type Sandbox, startSandbox } from '../../../../src-main/sandbox/sandbox.ts'
import type { SpeechEvent } from '../../../../src-preload/contract/media.ts'
import { eventually } from '../../../helpers/eventually.ts'
import { openClient } from '../../../helpers/openClient.ts'
import { freshFolder } from '../../helpers/core.ts'
import { uploadFile } from '../../helpers/transfers.ts'
import { serve } from '../../upstream/helpers/service.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox()
})
afterAll(() => sandbox.close())

function voiceProcedures(voice: string | null = null, upstreamOf?: VoiceFeature['upstream']) {
  const upstream = openClient(sandbox.baseUrl, sandbox.apiKey)
  const dataDir = freshFolder()
  const store = openStore(dataDir)
  const transfers = createTransfers({ dataDir })
  const media = createMedia({ dataDir, store, uploads: transfers.uploads })
  onTestFinished(async () => {
    await upstream.close()
    await transfers.close()
    await media.swept
    store.close()
  })
  const { uploads } = transfers
  const feature: VoiceFeature = {
    upstream: upstreamOf ?? (async () => upstream),
    voice: () => voice,
    uploads,
    dictations: new Map(),
    samples: store.voiceSamples,
    runningSamples: new Map(),
    addSound: media.addSound,
  }
  return { feature, uploads, dataDir, store, media }
}

async function all(events: AsyncIterable<SpeechEvent>): Promise<SpeechEvent[]> {
  const seen: SpeechEvent[] = []
  for await (const event of events) seen.push(event)
  return seen
}

const asked = () => sandbox.observe.requests().filter(({ path }) => path === '/v1/audio/speech')

describe('a sample of a voice', () => {
  const hello = { voice: 'nova', text: 'Hello, I am nova.' }
  const counted = async (reply: (request: number) => string | null = (request) => `ID3 of request ${request}`) => {
    let requests = 0
    const { upstream } = await serve((_request, response) => {
      requests++
      const audio = reply(requests)
      response.writeHead(audio === null ? 500 : 200, { 'content-type': audio === null ? 'text/plain' : 'audio/mpeg' })
      response.end(audio ?? 'broken')
    })
    return { ...voiceProcedures(null, async () => upstream), requests: () => requests }
  }

  it('is requested once, for callers at the same time and after a restart, and is never swept', async () => {
    const { feature, requests, dataDir, store, media, uploads } = await counted()
    const [first, second] = await Promise.all([sample(feature, hello), sample(feature, hello)])
    expect(second).toEqual(first)
    await media.swept
    const later = createMedia({ dataDir, store, uploads })
    await later.swept
    expect(await sample({ ...feature, addSound: later.addSound, runningSamples: new Map() }, hello)).toEqual(first)
    expect(requests()).toBe(1)
    expect(store.media.orphans('9999')).toEqual([])
    const file = await later.open(first.mediaId)
    expect(file).toMatchObject({ mime: 'audio/mpeg', bytes: 'ID3 of request 1'.length })
  })

  it('is another one for another voice or text', async () => {
    const { feature, requests } = await counted()
    const ids = [hello, { ...hello, voice: 'echo' }, { ...hello, text: 'Guten Tag.' }].map((of) => sample(feature, of))
    expect(new Set((await Promise.all(ids)).map(({ mediaId }) => mediaId)).size).toBe(3)
    expect(requests()).toBe(3)
  })

  it('of two voices that sound alike is stored for both', async () => {
    const { feature, requests } = await counted(() => 'ID3 the same')
    await sample(feature, hello)
    const echo = await sample(feature, { ...hello, voice: 'echo' })
    expect(await sample(feature, { ...hello, voice: 'echo' })).toEqual(echo)
    expect(requests()).toBe(2)
  })

  it.each([
    ['fails', () => null],
    ['is empty', () => ''],
    ['is larger than 5 MB', () => 'x'.repeat(5_000_001)],
  ])('that %s is not stored, and is requested again', async (_, reply) => {
    let isBroken = true
    const { feature, store } = await counted((request) => (isBroken ? reply() : `ID3 of request ${request}`))
    await expect(sample(feature, hello)).rejects.toThrow()
    expect(feature.runningSamples.size).toBe(0)
    expect(store.media.ids().size).toBe(0)
    isBroken = false
    expect(await sample(feature, hello)).toEqual({ mediaId: expect.any(String) })
  })
})

describe('reading aloud', () => {
  it('yields the plan, then streams the service’s audio as it arrives [TTS-05]', {
    tags: 'long',
  }, async () => {
    const { feature } = voiceProcedures('nova')
    const before = asked().length
    const events = await all(speak(feature, { text: 'Hello.\n\nGood morning.' }))
    expect(events[0]).toMatchObject({ type: 'plan', parts: 1, bytes: 21, mime: 'audio/mpeg' })
    expect(events.at(-1)).toEqual({ type: 'end' })
    const audio = events.flatMap((event) => (event.type === 'audio' ? [Buffer.from(event.data)] : []))
    expect(audio[0]?.toString('latin1', 0, 3)).toBe('ID3')
    expect(asked()).toHaveLength(before + 1)
  })

  /** Two parts of at most 4,096 bytes. */
  const two = `${'First part. '.repeat(350)}\n\nThe second.`
  const counted = async () => {
    let requests = 0
    const { upstream } = await serve((_request, response) => {
      requests++
      response.writeHead(200, { 'content-type': 'audio/mpeg' })
      response.write(`ID3 of request ${requests}`)
      response.end('more')
    })
    return { feature: voiceProcedures(null, async () => upstream).feature, requests: () => requests }
  }

  it('requests the parts one after another, in order', async () => {
    const { feature, requests } = await counted()
    const events = await all(speak(feature, { text: two }))
    expect(events[0]).toMatchObject({ type: 'plan', parts: 2 })
    const parts = events.flatMap((event) => (event.type === 'audio' ? [event.part] : []))
    expect([...new Set(parts)]).toEqual([1, 2])
    expect(parts).toEqual(parts.toSorted((a, b) => a - b))
    expect(requests()).toBe(2)
  })

  it('with a part number requests only that part', async () => {
    const { feature, requests } = await counted()
    const events = await all(speak(feature, { text: two, part: 2 }))
    expect(events[0]).toMatchObject({ parts: 2 })
    expect(events.filter((event) => event.type === 'audio').every(({ part }) => part === 2)).toBe(true)
    expect(requests()).toBe(1)
    await expect(all(speak(feature, { text: two, part: 3 }))).rejects.toMatchObject({ kind: 'bad_input' })
  })

  it('sends the text within the limit, the voice and the format, and no unset option [TTS-01] [TTS-02] [TTS-03]', async () => {
    const bodies: Record<string, unknown>[] = []
    const { upstream } = await serve((request, response) => {
      let body = ''
      request.on('data', (chunk: Buffer) => {
        body += chunk.toString()
      })
      request.on('end', () => {
        bodies.push(JSON.parse(body))
        response.writeHead(200, { 'content-type': 'audio/mpeg' }).end('ID3')
      })
    })
    const { feature } = voiceProcedures(null, async () => upstream)
    await all(speak(feature, { text: `Hi you\n\n${'ж'.repeat(5000)}`, voice: 'echo' }))
    await all(speak(feature, { text: 'plain' }))
    expect(bodies[0]).toMatchObject({ model: 'tts-1', voice: 'echo', response_format: 'mp3' })
    expect(String(bodies[0]?.input)).toBe('Hi you')
    for (const { input } of bodies) expect(Buffer.byteLength(String(input))).toBeLessThanOrEqual(4096)
    expect(bodies.at(-1)).toEqual({ model: 'tts-1', input: 'plain', response_format: 'mp3' })
  })

  it('requests the next part only when the one before was consumed, and ends the request at once when aborted', async () => {
    const requests: { closed: Promise<void> }[] = []
    const { upstream } = await serve((_request, response) => {
      requests.push({ closed: new Promise((resolve) => response.on('close', () => resolve())) })
      // Never ends by itself.
      response.writeHead(200, { 'content-type': 'audio/mpeg' }).write('ID3')
    })
    const { feature } = voiceProcedures(null, async () => upstream)
    const stop = new AbortController()
    const events = speak(feature, { text: `${'Long. '.repeat(900)}` }, stop.signal)
    expect((await events.next()).value).toMatchObject({ type: 'plan', parts: 2 })
    expect((await events.next()).value).toMatchObject({ type: 'audio', part: 1 })
    expect(requests).toHaveLength(1)
    const ended = expect(events.next()).rejects.toMatchObject({ kind: 'cancelled' })
    stop.abort()
    await requests[0]?.closed
    await ended
    expect(requests).toHaveLength(1)
  })

  it('refuses a text without anything to say', async () => {
    const { feature } = voiceProcedures()
    await expect(all(speak(feature, { text: ' \n\n ' }))).rejects.toMatchObject({ kind: 'bad_input' })
  })
})

describe('dictation', () => {
  type Uploads = ReturnType<typeof voiceProcedures>['uploads']
  const upload = (uploads: Uploads, bytes: Buffer, name: string) => uploadFile({ uploads }, name, bytes)

  it('returns the words of a recording and deletes it [STT-04]', async () => {
    const { feature, uploads } = voiceProcedures()
    const spoken = await all(speak(feature, { text: 'Good morning, dear harbour.' }))
    const audio = Buffer.concat(spoken.flatMap((event) => (event.type === 'audio' ? [Buffer.from(event.data)] : [])))
    const uploadId = await upload(uploads, audio, 'dictation.mp3')
    expect(await dictate(feature, { uploadId })).toEqual({ text: 'Good morning, dear harbour.' })
    expect(() => uploads.take(uploadId)).toThrow(expect.objectContaining({ kind: 'no_such_item' }))
  }, 60_000)

  it('that fails keeps the recording, so that another attempt needs no second upload', async () => {
    const { feature, uploads } = voiceProcedures()
    const uploadId = await upload(uploads, Buffer.from('no audio at all'), 'dictation.webm')
    await expect(dictate(feature, { uploadId })).rejects.toMatchObject({ kind: 'invalid_request' })
    expect(uploads.take(uploadId)).toMatchObject({ name: 'dictation.webm' })
    await expect(dictate(feature, { uploadId: randomUUID() })).rejects.toMatchObject({ kind: 'no_such_item' })
  })

  /** A service that answers when the test allows it. */
  async function slowService() {
    const requests: { answer: () => void; closed: Promise<void> }[] = []
    const { upstream } = await serve((request, response) => {
      request.resume()
      const closed = new Promise<void>((resolve) => response.on('close', () => resolve()))
      const answer = () => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"text":"Hello."}')
      requests.push({ answer, closed })
    })
    return { ...voiceProcedures(null, async () => upstream), requests }
  }

  it('called again during the request, or after its success, is one request with the same result', async () => {
    const { feature, uploads, requests } = await slowService()
    const uploadId = await upload(uploads, Buffer.from('what was said'), 'dictation.webm')
    const first = dictate(feature, { uploadId })
    const second = dictate(feature, { uploadId })
    await eventually(() => expect(requests).toHaveLength(1))
    requests[0]?.answer()
    expect(await first).toEqual({ text: 'Hello.' })
    expect(await second).toEqual({ text: 'Hello.' })
    expect(await dictate(feature, { uploadId })).toEqual({ text: 'Hello.' })
    expect(requests).toHaveLength(1)
  })

  it('is cancelled at the service when its upload is dropped', async () => {
    const { feature, uploads, requests } = await slowService()
    const uploadId = await upload(uploads, Buffer.from('what was said'), 'dictation.webm')
    const asked = expect(dictate(feature, { uploadId })).rejects.toMatchObject({ kind: 'cancelled' })
    await eventually(() => expect(requests).toHaveLength(1))
    await uploads.drop(uploadId)
    await requests[0]?.closed
    await asked
  })
})
