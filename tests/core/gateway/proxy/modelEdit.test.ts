import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask, jsonWithKey, postJson, readAnswer, replyTo } from '../../../helpers/appRequest.ts'
import { tries } from '../../../helpers/effort.ts'
import { apiKey, type FarEnd, type Gateway, openFarEnd, openGateway } from '../../../helpers/gateway.ts'

// The model map changes the model in the text of a chat request. Every other byte stays as the app wrote it.

let far: FarEnd
let gateway: Gateway
beforeAll(async () => {
  far = await openFarEnd((_request, response) => response.end('{}'))
  gateway = await openGateway(far.url, apiKey, {
    app: { modelMap: [{ pattern: 'gpt-*', model: 'a "quoted" módel' }] },
  })
})
afterAll(async () => {
  await gateway.close()
  await far.close()
})

const post = (body: string | Buffer) =>
  ask(`${gateway.url}/chat/completions`, { method: 'POST', headers: jsonWithKey, body })

/** Sends a chunked body in pieces, and resolves with the body that reached the service. */
async function sentInPieces(body: Buffer, cuts: readonly number[]): Promise<string> {
  const from = far.requests.length
  const request = postJson(`${gateway.url}/chat/completions`, null)
  const reply = replyTo(request)
  let at = 0
  for (const cut of [...cuts, body.length]) {
    request.write(body.subarray(at, cut))
    at = cut
  }
  request.end()
  await readAnswer(await reply)
  return far.requests[from]?.body.toString() ?? ''
}

const mapped = JSON.stringify('a "quoted" módel')

describe('the model map in a chat completion', () => {
  it('changes only the name, whatever surrounds it and however the body arrives', async () => {
    const space = fc.constantFrom('', ' ', '\n', '\t  ')
    const member = fc.constantFrom(
      '"temperature":0.70',
      '"n" : 1',
      '"messages":[{"role":"user","content":"gpt-5"}]',
      '"x":{"model":"gpt-5"}',
    )
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(member, { maxLength: 4 }),
        fc.uniqueArray(member, { maxLength: 4 }),
        fc.tuple(space, space, space),
        fc.constantFrom('gpt-5', 'gpt-5\\u002d1', 'gpt-é', 'other'),
        fc.boolean(),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 4 }),
        async (before, after, [s1, s2, s3], name, stream, parts) => {
          const text = (value: string): string => {
            const model = `"model"${s1}:${s2}${value}${s3}`
            return `{${[...before, model, ...(stream ? ['"stream":true'] : []), ...after].join(',')}}`
          }
          const body = Buffer.from(text(`"${name}"`))
          const cuts = parts.map((part) => Math.floor(part * body.length)).sort((a, b) => a - b)
          const usage = stream ? '"stream_options":{"include_usage":true},' : ''
          const expected = text(name === 'other' ? '"other"' : mapped).replace('{', `{${usage}`)
          expect(await sentInPieces(body, cuts)).toBe(expected)
        },
      ),
      { numRuns: tries(60, 2000) },
    )
  })

  it.each(['{"model":"gpt-5","model":"gpt-5"}', '{"model":"gpt-5","mod\\u0065l":"gpt-5"}'])(
    'refuses %s, because only one of the names could be changed',
    async (body) => {
      const from = far.requests.length
      const answer = await post(body)
      expect(answer.status).toBe(400)
      expect(JSON.parse(answer.body.toString())).toMatchObject({ error: { code: 'body_unreadable' } })
      expect(far.requests).toHaveLength(from)
    },
  )

  it.each([
    '{"model":"gpt-5","model":"other"}',
    '{"model":"gpt-5","MODEL":"gpt-5"}',
    '{"model":7}',
    '{"MODEL":"gpt-5"}',
    '{"model":"other","model":"other"}',
    '[1]',
    'words',
  ])('leaves %s to the service for an app without limits, as without a map', async (body) => {
    expect((await post(body)).status).toBe(200)
    expect(far.requests.at(-1)?.body.toString()).toBe(body)
  })

  it('refuses a compressed request, whose model can’t be read', async () => {
    const from = far.requests.length
    const answer = await ask(`${gateway.url}/chat/completions`, {
      method: 'POST',
      headers: { ...jsonWithKey, 'content-encoding': 'gzip' },
      body: gzipSync('{"model":"gpt-5"}'),
    })
    expect(answer.status).toBe(400)
    expect(JSON.parse(answer.body.toString()).error).toMatchObject({
      code: 'body_unreadable',
      message: expect.stringContaining('model map'),
    })
    expect(far.requests).toHaveLength(from)
  })

  it('does not apply to other endpoints', async () => {
    const body = '{"model":"gpt-5","input":"x"}'
    await ask(`${gateway.url}/audio/speech`, { method: 'POST', headers: jsonWithKey, body })
    expect(far.requests.at(-1)?.body.toString()).toBe(body)
  })
})
