import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ImageReplyScan } from '../../../../src-main/core/upstream/reply/imageReply.ts'
import { imageReply } from '../../../../src-main/core/upstream/reply/schemas.ts'

/** Reads a reply that arrives in pieces of these sizes. */
function read(text: string, sizes: readonly number[]) {
  const bytes = Buffer.from(text)
  const scan = new ImageReplyScan()
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? bytes.length
    scan.push(bytes.subarray(at, at + size))
    at += size
  }
  const rest = scan.rest.view().toString()
  const images = scan.imagesOf(imageReply.parse(JSON.parse(rest)))
  return {
    rest,
    images: images.map(({ url, content }) => ({
      url,
      content: content && (content.isText ? 'invalid' : Buffer.concat(content.bytes).toString('hex')),
    })),
  }
}

const sizes = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 8 })
/** JSON writers may escape any character. */
const spellings = [
  (text: string) => JSON.stringify(text),
  (text: string) => JSON.stringify(text).replaceAll('/', '\\/').replaceAll('+', '\\u002B').replaceAll('=', '\\u003d'),
  (text: string) => `"${text.replace(/./g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`,
]
const image = fc.record({
  bytes: fc.option(fc.uint8Array({ maxLength: 200 })),
  url: fc.option(fc.webUrl()),
  prompt: fc.string({ unit: 'grapheme' }),
  spelling: fc.constantFrom(...spellings),
  padded: fc.boolean(),
})

it('images are those of a parsed reply, however it is spelled and cut, and the rest is without them', () => {
  fc.assert(
    fc.property(fc.array(image, { maxLength: 5 }), sizes, (given, cuts) => {
      const items = given.map(({ bytes, url, prompt, spelling, padded }) => {
        const base64 = bytes && Buffer.from(bytes).toString('base64')
        const text = base64 === null ? 'null' : spelling(padded ? base64 : base64.replace(/=+$/, ''))
        return `{"revised_prompt":${JSON.stringify(prompt)},"b64_json":${text},"url":${JSON.stringify(url)}}`
      })
      const { images } = read(`{"created":1,"other":{"b64_json":"QQ=="},"data":[${items.join()}]}`, cuts)
      expect(images).toEqual(
        given.map(({ bytes, url }) => ({
          url,
          content: bytes && bytes.length > 0 ? Buffer.from(bytes).toString('hex') : null,
        })),
      )
    }),
  )
})

it('text that is not base64 is invalid for its own image alone', () => {
  const valid = /^[A-Za-z\d+/]+={0,2}$/
  const text = fc.oneof(
    fc.stringMatching(/^[A-Za-z\d+/=!\\" é]{1,12}$/),
    fc.stringMatching(/^[A-Za-z\d+/]{1,12}={0,4}$/),
  )
  fc.assert(
    fc.property(text, sizes, (wrong, cuts) => {
      const { images } = read(`{"data":[{"b64_json":${JSON.stringify(wrong)}},{"b64_json":"QUI="}]}`, cuts)
      const solid = wrong.replace(/ /g, '')
      const bytes = valid.test(solid) ? Buffer.from(solid, 'base64').toString('hex') : 'invalid'
      const own = solid === '' ? null : bytes
      expect(images).toEqual([
        { url: null, content: own },
        { url: null, content: '4142' },
      ])
    }),
  )
})

it('[IMG-03] base64 with a `data:` prefix, with line breaks and of the URL-safe alphabet is the image, however it is cut', () => {
  const spelledAs = fc.constantFrom<(base64: string) => string>(
    (base64) => `data:image/png;base64,${base64}`,
    (base64) => base64.replace(/.{1,7}/g, '$&\r\n'),
    (base64) => ` DATA:image/jpeg;charset=x;base64,\n${base64} `,
    (base64) => base64.replaceAll('+', '-').replaceAll('/', '_'),
  )
  const place = fc.constantFrom('b64_json', 'url')
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 200 }),
      spelledAs,
      place,
      sizes,
      (bytes, spelled, key, cuts) => {
        const base64 = Buffer.from(bytes).toString('base64')
        const text = key === 'url' ? `data:image/webp;base64,${base64}` : spelled(base64)
        const { images } = read(JSON.stringify({ data: [{ [key]: text }] }), cuts)
        expect(images).toEqual([{ url: null, content: Buffer.from(bytes).toString('hex') }])
      },
    ),
  )
})

it('[IMG-03] an entry of any kind leaves the images beside it as they are', () => {
  const odd = fc.oneof(
    fc.constantFrom(null, '', 'QUI=', true, 0, [], {}, { b64_json: 5 }, { url: {} }, [['QUI=']], { b64_json: null }),
    fc
      .jsonValue({ maxDepth: 2 })
      .filter((value) => typeof value !== 'object' || value === null || Array.isArray(value)),
  )
  const good = fc.uint8Array({ minLength: 1, maxLength: 60 })
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          odd.map((value) => ({ odd: value })),
          good,
        ),
        { maxLength: 8 },
      ),
      sizes,
      (given, cuts) => {
        const data = given.map((one) =>
          one instanceof Uint8Array ? { b64_json: Buffer.from(one).toString('base64') } : one.odd,
        )
        const { images } = read(JSON.stringify({ data }), cuts)
        const expected = given.map((one) => (one instanceof Uint8Array ? Buffer.from(one).toString('hex') : null))
        expect(images).toEqual(expected.map((content) => ({ url: null, content })))
      },
    ),
  )
})

it('a reply of far more entries than images is refused while it arrives', () => {
  const scan = new ImageReplyScan()
  scan.push(Buffer.from(`{"data":[${'null,'.repeat(499_000)}null]}`))
  expect(scan.problem).toBe('values')
})

it('text that is not base64 is kept as the service sent it', () => {
  const scan = new ImageReplyScan()
  for (const piece of ['{"data":[{"b64_json":"QUJD', 'QUJDR', '!!rest"}]}']) scan.push(Buffer.from(piece))
  const [image] = scan.imagesOf(imageReply.parse(JSON.parse(scan.rest.view().toString())))
  expect(image?.content?.isText).toBe(true)
  expect(Buffer.concat(image?.content?.bytes ?? []).toString()).toBe('QUJDQUJDR!!rest')
})

it('what is parsed at the end has a number in place of each image', () => {
  const large = Buffer.alloc(3_000_000, 7).toString('base64')
  const { rest, images } = read(`{"created":1,"data":[{"b64_json":"${large}"},{"b64_json":"QUI="}]}`, [65_536])
  expect(rest).toBe('{"created":1,"data":[{"b64_json":"0"},{"b64_json":"1"}]}')
  expect(images[0]?.content).toHaveLength(6_000_000)
})
