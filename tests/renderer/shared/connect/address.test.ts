import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseBaseAddress } from '../../../../src-main/core/upstream/address.ts'
import { nameOfAddress, normalizeAddress } from '../../../../src-renderer/shared/connect/address.ts'
import { tries } from '../../../helpers/effort.ts'

const normalized = (typed: string): string => {
  const address = normalizeAddress(typed)
  return 'url' in address ? address.url : `fault: ${address.fault}`
}
const changesOf = (typed: string) => {
  const address = normalizeAddress(typed)
  return 'url' in address ? address.changes : []
}

describe('a typed base URL', () => {
  it.each([
    ['api.example.com', 'https://api.example.com'],
    [' API.example.com/v1/ ', 'https://api.example.com/v1'],
    ['//api.example.com/v1', 'https://api.example.com/v1'],
    ['localhost:11434', 'http://localhost:11434'],
    ['127.0.0.1:1234/v1', 'http://127.0.0.1:1234/v1'],
    ['[::1]:8080', 'http://[::1]:8080'],
    ['192.168.1.20:11434', 'https://192.168.1.20:11434'],
    ['http://192.168.1.20:11434', 'http://192.168.1.20:11434'],
    ['https://api.example.com/v1/chat/completions', 'https://api.example.com/v1'],
    ['https://h.example/gate/v1/chat/completions/?stream=true#top', 'https://h.example/gate/v1'],
    ['https://api.example.com/v1/models', 'https://api.example.com/v1'],
    ['https://api.example.com/models', 'https://api.example.com/models'],
    ['https://api.example.com/v1/audio/speech', 'https://api.example.com/v1'],
    ['https://api.example.com:443///', 'https://api.example.com'],
  ])('%j becomes %s', (typed, url) => {
    expect(normalizeAddress(typed)).toMatchObject({ url })
  })

  it.each([
    ['', 'empty'],
    ['https://', 'bad'],
    ['ftp://h.example', 'bad'],
    ['two words', 'bad'],
    ['user:secret@h.example', 'credentials'],
    ['https://user:secret@h.example', 'credentials'],
  ])('%j is no address: %s', (typed, fault) => {
    expect(normalizeAddress(typed)).toEqual({ fault })
  })

  it('comes with what was added and removed, and with nothing when only its end or case changed', () => {
    expect(changesOf('h.example/v1/chat/completions?x=1')).toEqual([
      { kind: 'scheme', text: 'https://' },
      { kind: 'path', text: '/chat/completions' },
      { kind: 'query', text: '?x=1' },
    ])
    expect(changesOf('https://H.example/v1/')).toEqual([])
  })

  it('is insecure only as http to another computer', () => {
    expect(normalizeAddress('http://h.example')).toMatchObject({ isInsecure: true })
    expect(normalizeAddress('h.example')).toMatchObject({ isInsecure: false })
    for (const host of ['localhost', 'localhost.', 'a.localhost', '127.0.0.1', '[::ffff:127.0.0.1]', '0.0.0.0', '[::]'])
      expect(normalizeAddress(`http://${host}`)).toMatchObject({ isInsecure: false })
  })

  const host = fc.oneof(fc.domain(), fc.ipV4(), fc.constantFrom('localhost', '[::1]', 'nas'))
  const base = fc
    .tuple(
      fc.constantFrom('http://', 'https://', ''),
      host,
      fc.option(fc.integer({ min: 1, max: 65_535 })),
      fc.array(fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/), { maxLength: 3 }),
      fc.constantFrom('', '/v1'),
    )
    .map(([scheme, name, port, path, version]) =>
      [scheme, name, port === null ? '' : `:${port}`, ...path.map((part) => `/${part}`), version].join(''),
    )
  const runs = { numRuns: tries(300, 20_000) }

  it('is the same address for the core, which then never refuses it', () => {
    fc.assert(
      fc.property(base, (typed) => {
        const url = normalized(typed)
        const parsed = parseBaseAddress(url, { allowInsecure: true })
        expect(new URL(url).origin).toBe(parsed.origin)
      }),
      runs,
    )
  })

  it('loses any endpoint, query and slash at its end, and nothing else', () => {
    const tail = fc.constantFrom('/chat/completions', '/Audio/Speech', '/images/generations', '/audio/transcriptions')
    const end = fc.constantFrom('', '/', '//', '?a=b', '#c', '/?a=b#c')
    fc.assert(
      fc.property(base, tail, end, (typed, endpoint, rest) => {
        expect(normalized(typed + endpoint + rest)).toBe(normalized(typed))
      }),
      runs,
    )
  })

  it('does not change when it is read again, whatever was typed', () => {
    fc.assert(
      fc.property(
        fc.oneof(base, fc.webUrl({ withFragments: true, withQueryParameters: true }), fc.string()),
        (typed) => {
          const first = normalizeAddress(typed)
          if (!('url' in first)) return
          expect(first.url).not.toMatch(/[/?#\s]$/)
          expect(normalizeAddress(first.url)).toEqual({ ...first, changes: [] })
        },
      ),
      runs,
    )
  })
})

it('a name is the host without its service prefix, and unique', () => {
  expect(nameOfAddress('api.example.com/v1', [])).toBe('example.com')
  expect(nameOfAddress('localhost:11434', [])).toBe('localhost:11434')
  expect(nameOfAddress('https://example.com', ['Example.com', 'example.com 2'])).toBe('example.com 3')
  expect(nameOfAddress('two words', [])).toBe('')
})
