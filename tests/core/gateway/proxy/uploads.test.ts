import { createHash, randomBytes } from 'node:crypto'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { gzipSync } from 'node:zlib'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { appKey, readAnswer, replyTo, withKey } from '../../../helpers/appRequest.ts'
import { eventually, noLongerGrows } from '../../../helpers/eventually.ts'
import { open } from '../../../helpers/gate.ts'
import type { Gateway } from '../../../helpers/gateway.ts'
import { testGateways } from '../../../helpers/testGateways.ts'

// A key may be limited to certain models. An upload names its model in a form field, before or after the file. The service must never
// receive a
// complete request for a model that is not allowed, whatever the syntax of the form and the size of its pieces.

const { beforeSandbox, beforeService } = testGateways()

const boundary = 'b0undary-7f3d2a91c05e4b68'
const formType = `multipart/form-data; boundary=${boundary}`
const field = (name: string, value: string): string =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
const audio = 'RIFF and some sound. '.repeat(200)
const file = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\nContent-Type: audio/wav\r\n\r\n${audio}\r\n`
const close = `--${boundary}--\r\n`

/** A service for uploads, which records the complete ones. */
async function openService(models: string[] | null) {
  const complete: Buffer[] = []
  let begun = 0
  const { gateway } = await beforeService(
    (request, response) => {
      begun += 1
      const pieces: Buffer[] = []
      request.on('error', () => undefined)
      request.on('data', (piece: Buffer) => pieces.push(piece))
      request.on('end', () => {
        complete.push(Buffer.concat(pieces))
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"text":"heard"}')
      })
    },
    { early: true, app: { models } },
  )
  return { gateway, complete, begun: () => begun }
}

/** Sends an upload in the given pieces, one after another. Resolves with the reply, which may arrive before the last piece is sent. */
async function upload(gateway: Gateway, pieces: string[], headers: Record<string, string> = {}) {
  const request = httpRequest(`${gateway.url}/audio/transcriptions`, {
    method: 'POST',
    agent: false,
    headers: { ...withKey, 'content-type': formType, ...headers },
  })
  const answer = replyTo(request)
    .then((response) => readAnswer(response))
    .then(({ status, body }) => ({ status, code: JSON.parse(body.toString()).error?.code }))
  let answered = false
  const early = answer.then(() => {
    answered = true
  })
  for (const piece of pieces) {
    // node:http drops unwritten bytes when the reply is complete.
    if (answered) break
    const written = new Promise<void>((resolve) => {
      request.write(Buffer.from(piece, 'latin1'), () => resolve())
    })
    await Promise.race([written, early])
    await new Promise(setImmediate)
  }
  request.end()
  return answer
}

const inPieces = (text: string, size: number): string[] =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size))

const large = 'whisper-large-v3'
const orders: [order: string, form: (model: string) => string][] = [
  ['before the file', (model) => field('model', model) + file + close],
  ['after the file', (model) => file + field('model', model) + close],
  [
    'after the file and other fields',
    (model) => file + field('language', 'de') + field('model', model) + field('prompt', 'x') + close,
  ],
  [
    'between other fields',
    (model) => field('language', 'de') + field('model', model) + field('prompt', 'x') + file + close,
  ],
]

describe.each(orders)('a key limited to one model of transcription, with the model %s', (order, form) => {
  it('gets that model, byte for byte, in any pieces [STT-01] [STT-02]', async () => {
    const { gateway, complete } = await openService([large])
    const text = form(large)
    for (const pieces of [[text], inPieces(text, 64), inPieces(text, 1000), [text.slice(0, -1), text.slice(-1)]]) {
      expect(await upload(gateway, pieces)).toEqual({ status: 200, code: undefined })
    }
    expect(complete.map((body) => body.toString('latin1'))).toEqual([text, text, text, text])
    const rows = await gateway.rows()
    expect(rows.map(({ model, state }) => [model, state])).toEqual(rows.map(() => [large, 'done']))
  })

  it('gets no other model: the service never has a complete request', async () => {
    const { gateway, complete, begun } = await openService([large])
    const text = form('whisper-1')
    for (const pieces of [[text], inPieces(text, 64), inPieces(text, 1000), [text.slice(0, -1), text.slice(-1)]]) {
      expect(await upload(gateway, pieces)).toEqual({ status: 403, code: 'model_not_allowed' })
    }
    expect(complete).toEqual([])
    // A model before the file is refused before anything is sent.
    if (order === 'before the file' || order === 'between other fields') expect(begun()).toBe(0)
    const [row] = await gateway.rows()
    expect(row).toMatchObject({ state: 'refused', status: 403 })
  })
})

describe('a key limited by model', () => {
  it('gets whisper-1 for a form without a model, if that is allowed (specification)', async () => {
    const { gateway, complete } = await openService(['whisper-1'])
    expect((await upload(gateway, inPieces(file + close, 500))).status).toBe(200)
    expect(complete).toHaveLength(1)
    gateway.change({ models: [large] })
    expect(await upload(gateway, inPieces(file + close, 500))).toEqual({ status: 403, code: 'model_not_allowed' })
    expect(complete).toHaveLength(1)
  })

  it.each<[what: string, form: string]>([
    ['the allowed one first', field('model', large) + file + field('model', 'whisper-1') + close],
    ['the allowed one last', field('model', 'whisper-1') + file + field('model', large) + close],
    ['both before the file', field('model', large) + field('model', 'whisper-1') + file + close],
    ['both after the file', file + field('model', large) + field('model', 'whisper-1') + close],
  ])('never gets a form that names two: %s', async (_what, form) => {
    const { gateway, complete } = await openService([large])
    for (const size of [50, 5000])
      expect(Math.floor((await upload(gateway, inPieces(form, size))).status / 100)).toBe(4)
    // Refused even if both models are allowed, because it is unknown which model, and thus which price, the service uses.
    gateway.change({ models: [large, 'whisper-1'] })
    expect(await upload(gateway, inPieces(form, 50))).toEqual({ status: 400, code: 'body_unreadable' })
    expect(complete).toEqual([])
  })

  it('accepts a form that names the same model twice', async () => {
    const { gateway, complete } = await openService([large])
    expect((await upload(gateway, [field('model', large) + file + field('model', large) + close])).status).toBe(200)
    expect(complete).toHaveLength(1)
  })

  const other = field('model', 'whisper-1')
  it.each<[what: string, form: string, headers?: Record<string, string>]>([
    ['a model that is a file', file + other.replace('"model"', '"model"; filename=""') + close],
    ['a model in another case', file + other.replace('"model"', '"Model"') + close],
    ['a list of models', file + other.replace('"model"', '"model[]"') + close],
    ['a folded header', file + other.replace('; name', ';\r\n name') + close],
    [
      'an encoded value',
      file + other.replace('Content', 'Content-Transfer-Encoding: quoted-printable\r\nContent') + close,
    ],
    ['delimiters that end with LF', (file + other + close).replaceAll('\r\n', '\n')],
    [
      'a delimiter of LF inside the file',
      file.replace('sound', `\n--${boundary}\n${other}`) + field('model', large) + close,
    ],
    ['a field behind the end', file + field('model', large) + close + other + close],
    ['a preamble', `x\r\n${other}${close}`],
    ['no closing boundary', file + field('model', large)],
    ['no form at all', '{"model":"whisper-large-v3"}'],
    ['JSON', '{"model":"whisper-large-v3"}', { 'content-type': 'application/json' }],
    ['two boundaries', file + field('model', large) + close, { 'content-type': `${formType}; boundary=other` }],
    ['no boundary', file + field('model', large) + close, { 'content-type': 'multipart/form-data' }],
    ['a compressed form', gzipSync(file + other + close).toString('latin1'), { 'content-encoding': 'gzip' }],
  ])('never gets a form that servers read in different ways: %s', async (_what, form, headers) => {
    const { gateway, complete } = await openService([large, 'whisper-large-v3-turbo'])
    for (const size of [50, 10_000]) {
      expect(await upload(gateway, inPieces(form, size), headers)).toEqual({ status: 400, code: 'body_unreadable' })
    }
    expect(complete).toEqual([])
  })

  it('stays connected after a refused upload, which is discarded', async () => {
    const { gateway } = await openService([large])
    const line = open(gateway.proxy.port)
    const head = (length: number, method = 'POST', path = 'audio/transcriptions') =>
      `${method} /v1/${path} HTTP/1.1\r\nHost: 127.0.0.1:${gateway.proxy.port}\r\nAuthorization: Bearer ${appKey}\r\n${length > 0 ? `Content-Type: ${formType}\r\nContent-Length: ${length}\r\n` : ''}\r\n`
    const form = file + other + field('prompt', 'x'.repeat(2_000_000)) + close
    line.socket.write(head(form.length) + form)
    const heard = await line.until((text) => text.includes('model_not_allowed'))
    expect(heard).toMatch(/^HTTP\/1\.1 403 /)
    line.socket.write(head(0, 'GET', 'models'))
    await line.until((text) => text.includes('HTTP/1.1 200 '))
    line.socket.destroy()
  })

  it('sends nothing of a refused field after its last byte', async () => {
    let seen = ''
    const { gateway } = await beforeService(
      (request) =>
        request.on('error', () => undefined).on('data', (piece: Buffer) => (seen += piece.toString('latin1'))),
      { early: true, app: { models: [large] } },
    )
    const text = file + other + close
    expect((await upload(gateway, inPieces(text, 7))).status).toBe(403)
    expect(text.startsWith(seen)).toBe(true)
    // The boundary after the value, which every parser needs, was not sent completely.
    expect(seen.length).toBeLessThan(text.length - '--\r\n'.length)
  })

  it('uses no more memory for a large file, and a slow service slows the app down', { tags: 'long' }, async () => {
    let request: IncomingMessage | null = null
    const hash = createHash('sha256')
    const { gateway } = await beforeService(
      (incoming, response) => {
        request = incoming
        incoming.on('end', () => response.end('{"text":"heard"}'))
      },
      { early: true, app: { models: [large] } },
    )
    const sound = randomBytes(1024 * 1024)
    const total = 96
    const app = httpRequest(`${gateway.url}/audio/transcriptions`, {
      method: 'POST',
      agent: false,
      headers: { ...withKey, 'content-type': formType },
    })
    const answered = new Promise<number>((resolve, reject) => {
      app.once('error', reject)
      app.once('response', (response: IncomingMessage) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      })
    })
    let sent = 0
    const sending = (async () => {
      app.write(file.slice(0, -2))
      for (; sent < total; sent += 1) {
        if (!app.write(sound)) await new Promise((resolve) => app.once('drain', resolve))
      }
      app.end(`\r\n${field('model', large)}${close}`)
    })()
    await noLongerGrows(() => (request === null ? 0 : sent), 5)
    expect(sent).toBeLessThan(48)
    const incoming = await eventually(() => request ?? Promise.reject(new Error('Nothing has come.')))
    incoming.on('data', (piece: Buffer) => hash.update(piece))
    await sending
    expect(await answered).toBe(200)
    const expected = createHash('sha256').update(file.slice(0, -2))
    for (let at = 0; at < total; at += 1) expected.update(sound)
    expect(hash.digest('hex')).toBe(expected.update(`\r\n${field('model', large)}${close}`).digest('hex'))
  })

  it('does not limit apps without a list of models, and the log has the model', async () => {
    const { gateway, complete } = await openService(null)
    for (const form of ['no form at all', file + other, field('model', 'a') + field('model', 'b') + close]) {
      expect((await upload(gateway, [form])).status).toBe(200)
    }
    expect((await upload(gateway, [file + field('model', large) + close])).status).toBe(200)
    expect(complete).toHaveLength(4)
    await eventually(async () => expect((await gateway.rows())[0]?.model).toBe(large))
  })

  it('works with the official SDK and the sandbox, in both orders', async () => {
    const { gateway } = await beforeSandbox({ app: { models: [large] } })
    const client = new OpenAI({ baseURL: gateway.url, apiKey: appKey, maxRetries: 0 })
    const speech = await gateway.upstream.createSpeech({ input: 'The light turns.', response_format: 'wav' })
    const pieces: Uint8Array[] = []
    for await (const piece of speech.bytes) pieces.push(piece)
    const sound = () => new File([Buffer.concat(pieces)], 'speech.wav')
    const before = await client.audio.transcriptions.create({ model: large, file: sound() })
    const after = await client.audio.transcriptions.create({ file: sound(), model: large })
    expect([before.text, after.text]).toEqual([expect.stringContaining('light'), expect.stringContaining('light')])
    for (const body of [
      { model: 'whisper-1', file: sound() },
      { file: sound(), model: 'whisper-1' },
    ]) {
      await expect(client.audio.transcriptions.create(body)).rejects.toMatchObject({
        status: 403,
        code: 'model_not_allowed',
      })
    }
  })
})
