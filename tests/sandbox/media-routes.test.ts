import { expect, test } from 'vitest'
import { ask, json, start } from './ask.ts'

const speak = (sandbox: Parameters<typeof ask>[0], body: unknown) => ask(sandbox, '/v1/audio/speech', {}, body)
const form = (fields: Record<string, string>, bytes?: Uint8Array<ArrayBuffer>) => {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.append(name, value)
  if (bytes) data.append('file', new Blob([bytes]), 'speech.mp3')
  return data
}

test.each([
  ['[TTS-01]', {}],
  ['[TTS-01]', { input: '' }],
  ['[TTS-01] bytes, not characters', { input: 'é'.repeat(2049) }],
  ['[TTS-02]', { input: 'x', voice: 'robot' }],
  ['[TTS-03]', { input: 'x', response_format: 'ogg' }],
  ['[TTS-04]', { input: 'x', speed: 0.2 }],
  ['[TTS-04]', { input: 'x', speed: 4.1 }],
])('%s speech is refused with 400 and a message', async (_rule, body) => {
  const sandbox = await start()
  const reply = await speak(sandbox, body)
  expect(reply.status).toBe(400)
  expect((await json(reply)).error.message).toMatch(/^(input|voice|response_format|speed): /)
})

test('[TTS-01] [TTS-02] [TTS-03] [TTS-04] the defaults are tts-1, alloy, mp3 and speed 1; 4096 bytes are allowed', async () => {
  const sandbox = await start()
  const said = await speak(sandbox, { input: 'Good morning.' })
  expect(said.headers.get('content-type')).toBe('audio/mpeg')
  const named = await speak(sandbox, {
    input: 'Good morning.',
    model: 'tts-1',
    voice: 'alloy',
    response_format: 'mp3',
    speed: 1,
  })
  expect(Buffer.from(await said.arrayBuffer())).toEqual(Buffer.from(await named.arrayBuffer()))
  const other = await speak(sandbox, { input: 'Good morning.', speed: 2 })
  expect((await other.arrayBuffer()).byteLength).toBeGreaterThan(500)
  // Commas are silent: the longest input with the least work for the synthesizer.
  expect((await speak(sandbox, { input: `One${','.repeat(4093)}`, response_format: 'wav' })).status).toBe(200)
})

test.each([
  ['mp3', 'audio/mpeg'],
  ['opus', 'audio/opus'],
  ['aac', 'audio/aac'],
  ['flac', 'audio/flac'],
  ['wav', 'audio/wav'],
  ['pcm', 'audio/pcm'],
])('[TTS-03] %s is sent as %s', async (format, type) => {
  const sandbox = await start()
  const reply = await speak(sandbox, { input: 'Hello.', response_format: format })
  expect(reply.headers.get('content-type')).toBe(type)
  expect((await reply.arrayBuffer()).byteLength).toBeGreaterThan(1000)
})

test('[STT-01] [STT-02] a transcription requires a form with a file, and one of three models', async () => {
  const sandbox = await start()
  const post = async (body: unknown) => (await ask(sandbox, '/v1/audio/transcriptions', {}, body)).status
  expect(await post({ file: 'x' })).toBe(400)
  expect(await post(form({ model: 'whisper-1' }))).toBe(400)
  expect(await post(form({ model: 'whisper-9' }, new Uint8Array(10)))).toBe(400)
  expect(await post(form({ temperature: 'warm' }, new Uint8Array(10)))).toBe(400)
  expect(await post(form({}, new Uint8Array(10)))).toBe(400)
})

test('[STT-02] [STT-03] [STT-04] speech is returned as json, text and vtt; whisper-1 is charged as the model it is an alias of', async () => {
  const sandbox = await start()
  const spoken = new Uint8Array(await (await speak(sandbox, { input: 'The ferry leaves at nine.' })).arrayBuffer())
  const heard = (fields: Record<string, string>) => ask(sandbox, '/v1/audio/transcriptions', {}, form(fields, spoken))
  const plain = await heard({})
  expect(plain.headers.get('content-type')).toContain('application/json')
  expect((await json(plain)).text).toContain('The ferry leaves at nine.')
  const text = await heard({
    model: 'whisper-1',
    response_format: 'text',
    language: 'en',
    prompt: 'ferries',
    temperature: '0.2',
  })
  expect(text.headers.get('content-type')).toContain('text/plain')
  expect(await text.text()).toContain('The ferry leaves at nine.')
  const vtt = await heard({ model: 'whisper-large-v3', response_format: 'vtt' })
  expect(vtt.headers.get('content-type')).toContain('text/vtt')
  expect(await vtt.text()).toMatch(/^WEBVTT\n\n[\s\S]*\d\d:\d\d:\d\d\.\d{3} --> /)
  const today = new Date().toISOString().slice(0, 10)
  const rows = (await json(ask(sandbox, '/v1/usage'))).usage.filter((row: { date: string }) =>
    row.date.startsWith(today),
  )
  expect(rows.map((row: { model: string; requests: number }) => [row.model, row.requests])).toEqual([
    ['tts-1', 1],
    ['whisper-large-v3', 1],
    ['whisper-large-v3-turbo', 2],
  ])
})

test('[IMG-01] [IMG-02] [IMG-03] [GEN-01] [AUTH-01] images: 1 to 4, as URLs under the base address that require the key, or as base64; size and model are ignored', async () => {
  const sandbox = await start()
  const draw = (body: unknown, headers = {}) => ask(sandbox, '/v1/images/generations', { headers }, body)
  for (const body of [{}, { prompt: 'x', n: 0 }, { prompt: 'x', n: 5 }, { prompt: 'x', n: 1.5 }])
    expect((await draw(body)).status).toBe(400)
  const one = await json(draw({ prompt: 'a harbour' }))
  expect(one).toEqual({ created: expect.any(Number), data: [{ url: expect.stringContaining(`${sandbox.baseUrl}/`) }] })
  const { url } = one.data[0]
  const file = await ask(sandbox, url)
  expect(file.headers.get('content-type')).toBe('image/png')
  const bytes = Buffer.from(await file.arrayBuffer())
  expect((await ask(sandbox, url, { key: null })).status).toBe(401)
  expect((await ask(sandbox, url, { key: sandbox.keys.stranger })).status).toBe(404)
  const two = await json(
    draw({ prompt: 'a harbour', n: 2, size: '64x64', model: 'whatever', response_format: 'b64_json' }),
  )
  expect(two.data).toHaveLength(2)
  expect(Buffer.from(two.data[0].b64_json, 'base64')).toEqual(bytes)
  expect(two.data[1].b64_json).not.toBe(two.data[0].b64_json)
  const foreign = await json(draw({ prompt: 'x' }, { 'x-sandbox-fault': 'foreign-url' }))
  expect(foreign.data[0].url).toMatch(/^http:\/\/images\.example\//)
})
