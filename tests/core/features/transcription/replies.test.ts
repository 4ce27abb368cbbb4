import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { Transcript, TranscriptRequest } from '../../../../src-preload/contract/transcription.ts'
import { longestTurn } from '../../../helpers/longestTurn.ts'
import { canary, closed, json, readBody, serve } from '../../upstream/helpers/service.ts'
import { made, openFeature, wish } from './helpers.ts'

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void

/** A service with this answer, and the feature with one file. */
async function asking(answer: Answer, options = {}) {
  const { upstream, requests } = await serve((request, response) => {
    // An aborted request needs no answer.
    readBody(request).then(
      (body) => answer(request, response, body.toString('latin1')),
      () => undefined,
    )
  }, options)
  const opened = openFeature(undefined, {
    upstream: async () => upstream,
    costOf: () => ({ cost: '0.5', costIs: 'measured' }),
  })
  const recording = await opened.addFile(Buffer.from('any bytes'), 'talk.mp3')
  const ask = async (given: Partial<TranscriptRequest> = {}): Promise<Transcript> =>
    made(opened.feature, await opened.feature.transcribe({ recordingId: recording.id, ...wish, ...given }))
  return { ...opened, recording, ask, requests }
}
const says =
  (type: string, body: string): Answer =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': type }).end(body)
  }

describe('an upload', () => {
  it('sends the chosen options and nothing else, under the file’s original name [STT-02] [STT-03]', async () => {
    const bodies: string[] = []
    const { feature, ask, recording } = await asking((_request, response, body) => {
      bodies.push(body)
      json(response, 200, { text: 'x' })
    })
    await ask()
    await ask({ model: 'whisper-1', language: 'de', prompt: 'Müller', format: 'vtt', temperature: 0.2 })
    feature.rename({ id: recording.id, name: 'My talk' })
    await ask({ model: 'my-own' })
    const names = bodies.map((body) => [...body.matchAll(/ name="(\w+)"/g)].map(([, name]) => name))
    expect(names).toEqual([
      ['file'],
      ['model', 'language', 'prompt', 'response_format', 'temperature', 'file'],
      ['model', 'file'],
    ])
    expect(bodies[1]).toContain(`name="prompt"\r\n\r\n${Buffer.from('Müller').toString('latin1')}\r\n`)
    expect(bodies[1]).toContain('name="temperature"\r\n\r\n0.2\r\n')
    expect(bodies[0]).toContain('filename="talk.mp3"\r\ncontent-type: audio/mpeg\r\n\r\nany bytes\r\n')
    expect(bodies[2]).toContain('filename="My talk.mp3"')
  })
})

describe('a reply', () => {
  const segments = [
    { id: 0, start: 0, end: 1.5, text: ' One' },
    { start: 1.5, end: 3, text: ' two.', tokens: [1, 2], avg_logprob: -0.2 },
  ]
  const cues = [
    { from: 0, to: 1.5, text: 'One' },
    { from: 1.5, to: 3, text: 'two.' },
  ]
  const vtt = 'WEBVTT\n\n00:00.000 --> 00:01.500\nOne\n\n00:01.500 --> 00:03.000\ntwo.\n'
  const srt = '1\n00:00:00,000 --> 00:00:01,500\nOne\n\n2\n00:00:01,500 --> 00:00:03,000\ntwo.\n'
  it.each([
    ['JSON with a text alone', 'application/json', JSON.stringify({ text: ' One two. ' }), 'json', []],
    [
      'verbose JSON',
      'application/json',
      JSON.stringify({ task: 'transcribe', text: ' One two.', segments }),
      'json',
      cues,
    ],
    ['segments without a text', 'application/problem+json', JSON.stringify({ segments }), 'json', cues],
    ['WebVTT', 'text/vtt; charset=utf-8', vtt, 'vtt', cues],
    ['WebVTT under another type', 'text/plain', vtt, 'vtt', cues],
    ['WebVTT inside JSON', 'application/json', JSON.stringify({ text: vtt }), 'json', cues],
    ['SubRip as plain text', 'text/plain', srt, 'text', cues],
    ['plain text', 'text/plain; charset=utf-8', ' One two.\r\n', 'text', []],
    ['no type at all', '', 'One two.', 'text', []],
  ])('%s gives text, and cues if it has times [STT-04]', async (_, type, body, came, expected) => {
    const { feature, ask } = await asking(says(type, body))
    const transcript = await ask()
    expect(transcript).toMatchObject({
      state: 'done',
      came,
      text: 'One two.',
      cues: expected,
      cost: '0.5',
      costIs: 'measured',
    })
    // The service's reply is stored, and is there again after any edit.
    feature.edit({ transcriptId: transcript.id, text: 'Changed' })
    const { text, cues: again, edited } = feature.revert({ transcriptId: transcript.id })
    expect({ text, again, edited }).toEqual({ text: 'One two.', again: expected, edited: false })
  })

  it('a transcript with too many values to read is kept as it came', async () => {
    const body = JSON.stringify({ text: 'One.', words: Array(600_000).fill(0) })
    const { store, ask } = await asking(says('application/json', body))
    const longest = longestTurn()
    const transcript = await ask()
    expect(longest()).toBeLessThan(250)
    expect(transcript).toMatchObject({ state: 'failed', cost: '0.5', problem: { kind: 'malformed_reply' } })
    expect(store.transcripts.raw(transcript.id)).toBe(body)
  })

  it('an empty transcript of a silent file is valid', async () => {
    for (const answer of [
      says('application/json', '{"text":""}'),
      says('text/plain', ''),
      says('text/vtt', 'WEBVTT\n'),
    ]) {
      expect(await (await asking(answer)).ask()).toMatchObject({ state: 'done', text: '', cues: [], problem: null })
    }
  })

  it.each([
    ['no transcript in it', 'application/json', '{"usage":{}}'],
    ['a list', 'application/json', '[1,2]'],
    ['cut JSON', 'application/json', '{"text":"One tw'],
    ['a number for a text', 'application/json', '{"text":5}'],
    ['more text than is ever said', 'text/plain', 'word '.repeat(1_000_000)],
    ['more pieces than are ever said', 'application/json', `{"text":"x","segments":[${'0,'.repeat(100_001)}0]}`],
  ])('JSON or text with %s fails with a message, and its cost is reported', async (_, type, body) => {
    const transcript = await (await asking(says(type, body))).ask()
    expect(transcript).toMatchObject({ state: 'failed', text: '', cues: [], cost: '0.5' })
    expect(transcript.problem).toMatchObject({ kind: 'malformed_reply', message: expect.stringMatching(/^.{20,200}$/) })
  })

  it('a reply with status 200 and an error fails with the words of the service', async () => {
    const body = '{"error":{"message":"The audio is empty.","code":"bad_audio"}}'
    const transcript = await (await asking(says('application/json', body))).ask()
    expect(transcript).toMatchObject({ state: 'failed', problem: { said: 'The audio is empty.', code: 'bad_audio' } })
  })

  it('invalid segments are dropped, the others stay, and nothing is executed or polluted', async () => {
    const odd = [
      null,
      7,
      'x',
      [],
      {},
      { start: '0', end: 1, text: 'a' },
      { start: 0, end: 1, text: 5 },
      { start: 0, end: 1, text: '\u0000 \n ' },
      { start: 1e300, end: 1e301, text: 'late' },
      { start: -3, end: 1, text: '<script>alert(1)</script>' },
      { start: 4, end: 2, text: 'backwards\u0007\ud800' },
    ]
    const body = `{"__proto__":{"polluted":1},"text":"Said","segments":${JSON.stringify(odd).replace('"text":5', '"text":5,"__proto__":{"text":"y"}')}}`
    const { cues: kept, text } = await (await asking(says('application/json', body))).ask()
    expect(text).toBe('Said')
    expect(kept).toEqual([
      { from: 0, to: 1, text: '<script>alert(1)</script>' },
      { from: 4, to: 4.001, text: 'backwards\ufffd' },
    ])
    expect('polluted' in {}).toBe(false)
  })

  it('endlessly nested JSON is refused before it is parsed', async () => {
    const body = `{"text":"Said","more":${'['.repeat(400_000)}${']'.repeat(400_000)}}`
    const transcript = await (await asking(says('application/json', body))).ask()
    expect(transcript).toMatchObject({ state: 'failed', text: '', problem: { kind: 'malformed_reply' } })
  })

  it('a refusal and a lost connection are reported unchanged, and the key is never stored', async () => {
    const refused = await asking((_request, response) =>
      json(response, 400, {
        error: { message: `unreadable ${canary}`, type: 'invalid_request', code: 'unreadable_audio' },
      }),
    )
    const transcript = await refused.ask()
    expect(transcript).toMatchObject({
      state: 'failed',
      problem: { kind: 'invalid_request', status: 400, code: 'unreadable_audio' },
    })
    expect(JSON.stringify(transcript)).not.toContain('canary')
    const cut = await asking((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': 100 })
      response.write('One')
      setImmediate(() => response.destroy())
    })
    expect(await cut.ask()).toMatchObject({
      state: 'failed',
      text: '',
      problem: { kind: 'connection_lost', outputStarted: true },
    })
    expect(cut.requests).toHaveLength(1)
  })

  it('is uploaded again from the first byte if the service was overloaded', async () => {
    let times = 0
    const { ask, requests } = await asking((_request, response, body) => {
      times += 1
      if (times < 3) json(response, 503, { error: { message: 'busy' } })
      else json(response, 200, { text: body.includes('any bytes') ? 'whole' : 'cut' })
    })
    expect(await ask()).toMatchObject({ state: 'done', text: 'whole', sentBytes: 9, rows: [expect.any(Number)] })
    expect(requests).toHaveLength(3)
  })
})

describe('leaving', () => {
  it('cancelling while the service works closes the connection and costs what the request log says', async () => {
    let seen: (request: IncomingMessage) => void = () => undefined
    const arrived = new Promise<IncomingMessage>((resolve) => {
      seen = resolve
    })
    const { feature, recording } = await asking((request) => seen(request))
    const { id: transcriptId } = await feature.transcribe({ recordingId: recording.id, ...wish })
    const request = await arrived
    expect(feature.cancel({ transcriptId })).toMatchObject({ state: 'cancelled', problem: null })
    // The service never answers, so nothing else would close the connection.
    await closed(request)
    await expect.poll(async () => (await feature.get({ id: recording.id })).transcripts[0]?.cost).toBe('0.5')
    // An ended transcript does not change.
    expect(feature.cancel({ transcriptId })).toMatchObject({ state: 'cancelled' })
  })

  it('closing the feature marks running transcripts, and the next start shows them so', async () => {
    const { feature, recording, close, dataDir } = await asking(() => undefined)
    await feature.transcribe({ recordingId: recording.id, ...wish })
    await close()
    const again = openFeature(dataDir)
    const { transcripts } = await again.feature.get({ id: recording.id })
    expect(transcripts).toMatchObject([{ state: 'cut', problem: { kind: 'cancelled' } }])
    expect(again.lines).toEqual([])
  })

  it('a request log that does not know a cut request does not prevent a start', async () => {
    const { feature, store, recording, close, dataDir } = await asking(() => undefined)
    const { id } = await feature.transcribe({ recordingId: recording.id, ...wish })
    await expect.poll(() => store.transcripts.get(id).rows.length).toBe(1)
    await close()
    // The state that a killed process leaves.
    const killed = openFeature(dataDir)
    killed.store.transcripts.settle({
      id,
      state: 'making',
      problem: null,
      sentBytes: 0,
      came: null,
      text: '',
      cues: [],
      raw: null,
      search: '',
    })
    await killed.close()
    const again = openFeature(dataDir, {
      costOf: () => {
        throw new Error('This request is not in the log.')
      },
    })
    const { transcripts } = await again.feature.get({ id: recording.id })
    expect(transcripts).toMatchObject([{ id, state: 'cut', cost: null, costIs: 'unknown' }])
    expect(again.lines.join()).toContain('not in the log')
  })

  it('without a connection nothing is requested and no row is written', async () => {
    const { feature, addFile } = openFeature()
    const { id } = await addFile(Buffer.from('x'), 'x.mp3')
    await expect(feature.transcribe({ recordingId: id, ...wish })).rejects.toThrow('asks nobody')
    expect((await feature.get({ id })).transcripts).toEqual([])
  })
})
