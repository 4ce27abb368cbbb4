import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseBaseAddress } from '../../../../src-main/core/upstream/address.ts'
import { localiseImageUrls } from '../../../../src-main/core/upstream/reply/imageUrls.ts'

const local = 'http://127.0.0.1:8787'
const base = parseBaseAddress('https://host.example/prefix/v1', { allowInsecure: false })
const joined = (parts: Uint8Array[] | null): string | null => parts && Buffer.concat(parts).toString()
const localise = (text: string): string | null => joined(localiseImageUrls(Buffer.from(text), base, local))
const one = (url: string): string => `{"data":[{"url":${url}}]}`

test('[GEN-01] an address under the base address becomes the same path under the local one, and outside /v1 in a folder of its own, without its fragment', () => {
  expect(localise(one('"https://host.example/prefix/files/x.png?sig=1#f"'))).toBe(
    one(`"${local}/service/files/x.png?sig=1"`),
  )
  expect(localise(one('"https://host.example/prefix/v1/files/a%20b.png"'))).toBe(one(`"${local}/v1/files/a%20b.png"`))
  expect(localise(one('"/prefix/files/x.png"'))).toBe(one(`"${local}/service/files/x.png"`))
  expect(localise(one('"HTTPS://HOST.example:443/prefix/x"'))).toBe(one(`"${local}/service/x"`))
  expect(localise(one('"https:\\/\\/host.example\\u002fprefix\\/x"'))).toBe(one(`"${local}/service/x"`))
  expect(localise('{"data":[{"\\u0075rl":"https://host.example/prefix/x"}]}')).toBe(
    `{"data":[{"\\u0075rl":"${local}/service/x"}]}`,
  )
})

test.each([
  '"https://host.example.evil/prefix/x"',
  '"https://host.example/prefixed/x"',
  '"https://host.example/other/x"',
  '"http://host.example/prefix/x"',
  '"https://host.example/prefix/../x"',
  '"https://host.example/prefix/%2e%2e/x"',
  '"https://user@host.example/prefix/x"',
  '"data:image/png;base64,AAAA"',
  '"https:\\\\\\\\host.example/prefix/x"',
  '""',
  'null',
  '7',
  '{"url":"https://host.example/prefix/x"}',
  '["https://host.example/prefix/x"]',
])('[GEN-01] any other url is unchanged: %s', (url) => {
  expect(localise(one(url))).toBeNull()
  const mixed = `{"data":[{"url":${url}},{"url":"https://host.example/prefix/x"}]}`
  expect(localise(mixed)).toBe(`{"data":[{"url":${url}},{"url":"${local}/service/x"}]}`)
})

test('only data[].url is replaced, and every other byte is unchanged', () => {
  const under = '"https://host.example/prefix/x"'
  const text = `\uFEFF{ "created":1.0, "url":${under},\n"data" : [ {"b64_json":"A+\\/=","url" : ${under} , "url":${under}}, 3, {"revised_prompt":"\\"url\\":${'\\u00e9'}","meta":{"url":${under}}} ] ,"other":[{"url":${under}}]}\r\n`
  const expected = text.replace(
    `"url" : ${under} , "url":${under}}`,
    `"url" : "${local}/service/x" , "url":"${local}/service/x"}`,
  )
  expect(localise(text)).toBe(expected)
})

test.each(['', '[]', '{', 'null', '{"data":{}}', '<html>"url"'])('a body without images gives null: %j', (text) => {
  expect(localise(text)).toBeNull()
})

test('a list of images that is no valid JSON gives null', () => {
  expect(localise('{"data":[{"url":"https://host.example/prefix/x"}')).toBeNull()
  expect(localise('{"data":[{"url":"https://host.example/prefix/x"]}x')).toBeNull()
})

/** Decodes letters, digits and "-._~" of the path; the query is unchanged. */
const plain = (path: string): string =>
  path.replace(/^[^?]*/, (bare) =>
    bare.replace(/%([0-9a-f]{2})/gi, (escaped, hex: string) => {
      const character = String.fromCharCode(Number.parseInt(hex, 16))
      return /[\w.~-]/.test(character) ? character : escaped
    }),
  )

test('an address with needless percent-encoding becomes one that the local /v1 accepts', () => {
  const text = (address: string) => `{"data":[{"url":"${address}"}]}`
  const given = text('https://host.example/prefix/%66iles/%7Euser/a%20b%2Dc.png?sig=%61%2F')
  expect(localise(given)).toBe(text(`${local}/service/files/~user/a%20b-c.png?sig=%61%2F`))
})

/** Files outside /v1 have a folder of their own. */
const localPath = (path: string): string => (/^\/v1(?:[/?]|$)/i.test(path) ? path : `/service${path}`)

test('no body throws, and a changed body parses to the same document except for its addresses', () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => void localiseImageUrls(bytes, base, local)))
  const item = fc.record(
    {
      url: fc.oneof(
        fc.webUrl(),
        fc.webPath().map((path) => `https://host.example/prefix/f${path}`),
        fc.string(),
      ),
      b64_json: fc.base64String(),
      more: fc.jsonValue({ maxDepth: 1 }),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(
      fc.array(item, { maxLength: 4 }),
      fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 }),
      (data, rest) => {
        const text = JSON.stringify({ ...rest, data })
        const result = localise(text)
        const covered = (url: string | undefined) => (url === undefined ? null : base.resolve(url))
        const expected = data.map((entry) => {
          const url = covered(entry.url)
          return url === null
            ? entry
            : { ...entry, url: local + localPath(plain(url.href.slice(base.url.length).replace(/#.*/, ''))) }
        })
        if (data.every((entry) => covered(entry.url) === null)) expect(result).toBeNull()
        else expect(JSON.parse(result ?? '')).toEqual(JSON.parse(JSON.stringify({ ...rest, data: expected })))
      },
    ),
  )
})

test('addresses are replaced beside a megabyte of base64, with a base address without a prefix', () => {
  const plain = parseBaseAddress('http://127.0.0.1:9', { allowInsecure: false })
  const picture = 'A'.repeat(1_000_000)
  const text = (address: string) => `{"data":[{"b64_json":"${picture}","url":"${address}/files/x.png"}]}`
  expect(joined(localiseImageUrls(Buffer.from(text('http://127.0.0.1:9')), plain, local))).toBe(
    text(`${local}/service`),
  )
  expect(localiseImageUrls(Buffer.from(`{"data":[{"b64_json":"${picture}"}]}`), plain, local)).toBeNull()
})
