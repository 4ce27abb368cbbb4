import { networkInterfaces } from 'node:os'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isThisComputer, mayReachThisComputer, parseBaseAddress } from '../../../src-main/core/upstream/address.ts'
import { tries } from '../../helpers/effort.ts'

const parse = (text: string, allowInsecure = false) => parseBaseAddress(text, { allowInsecure })

test.each([
  ['https://API.Example.com', 'https://api.example.com'],
  ['https://api.example.com/', 'https://api.example.com'],
  ['https://api.example.com/v1', 'https://api.example.com'],
  ['https://api.example.com/v1///', 'https://api.example.com'],
  ['  https://api.example.com:443/v1/ ', 'https://api.example.com'],
  ['https://h.example/gate/Way/v1/', 'https://h.example/gate/Way'],
  ['https://h.example/v12', 'https://h.example/v12'],
  ['http://127.0.0.1:8080/v1', 'http://127.0.0.1:8080'],
  ['http://localhost:1', 'http://localhost:1'],
  ['http://[::1]:8080/v1/', 'http://[::1]:8080'],
  ['https://[2001:DB8::1]/', 'https://[2001:db8::1]'],
])('[GEN-05] %s is %s, with or without /v1', (given, url) => {
  expect(parse(given).url).toBe(url)
  expect(parse(`${url}/v1`).url).toBe(url)
  expect(parse(url).v1('/models').href).toBe(`${url}/v1/models`)
})

test.each([
  '',
  'api.example.com',
  'ftp://h.example',
  'https://',
  'https://user:pw@h.example',
  'https://@h.example',
  'https://h.example?x=1',
  'https://h.example/#a',
  'https://h.example\\evil',
  'https://h .example',
  'https://h.example/%E0%A4%A',
  'http://api.example.com',
  'http://127.0.0.1.evil.example',
  'http://localhost.evil.example',
])('%s is refused with a message', (given) => {
  expect(() => parse(given)).toThrow(expect.objectContaining({ kind: 'bad_input' }))
})

test('an address of many slashes is read at once', () => {
  // A regular expression with two ways to match each of them took longer than the universe will.
  for (const end of ['x', '/v1x', ''])
    expect(() => parse(`https://h.example${'/v1//'.repeat(100)}${end}`)).not.toThrow()
  expect(parse(`https://h.example/a${'/V1//'.repeat(100)}`).url).toBe('https://h.example/a')
})

test('plain http to another computer needs the person’s permission', () => {
  expect(parse('http://h.example', true).url).toBe('http://h.example')
  for (const host of [
    'localhost',
    '127.0.0.1',
    '127.9.9.9',
    '[::1]',
    '[::ffff:127.0.0.1]',
    'a.localhost',
    'localhost.',
    '0.0.0.0',
    '[::]',
  ]) {
    expect(parse(`http://${host}`).isLoopback).toBe(true)
  }
  expect(parse('https://h.example').isLoopback).toBe(false)
})

test('a normalised address is unchanged', () => {
  const segment = fc.constantFrom('v1', 'V1', 'a', 'gate.way', '', 'v1x')
  fc.assert(
    fc.property(fc.array(segment, { maxLength: 6 }), (segments) => {
      const { url } = parse(`https://h.example/${segments.join('/')}`)
      expect(parse(url).url).toBe(url)
      expect(url.endsWith('/')).toBe(false)
    }),
  )
})

describe('[GEN-01] files are fetched only from under the base address', () => {
  const base = parse('https://h.example/gate/v1')

  test.each([
    'https://h.example/gate/f.png',
    'https://H.EXAMPLE:443/gate/v1/files/a%20b.png?x=1',
    '/gate/f.png',
    'f.png',
    '//h.example/gate/f',
    'https://h.example/gate/a/../b',
  ])('%s is covered', (address) => expect(base.covers(address)).toBe(true))

  test.each([
    '',
    'https://evil.example/gate/f.png',
    'https://h.example.evil.example/gate/f',
    'https://h.example@evil.example/gate/f',
    'https://user@h.example/gate/f',
    'https://@h.example/gate/f',
    'https://h.example:444/gate/f',
    'http://h.example/gate/f',
    'https://h.example/gateway/f',
    'https://h.example/gat',
    'https://h.example/f',
    '/f',
    '../f',
    '//evil.example/gate/f',
    '\\\\evil.example\\gate\\f',
    'https:\\\\evil.example/gate',
    'https://h.example/gate/../f',
    'https://h.example/gate/%2e%2e/f',
    'https://h.example/gate/..%2ff',
    'https://h.example/gate/%252e%252e%252ff',
    'https://h.example/gate/..%5cf',
    'https://h.example/gate/%00',
    'https://h.example/gate/\t../../f',
    ' https://h.example/gate/f',
    'data:image/png;base64,AAAA',
    'file:///etc/passwd',
    'javascript:alert(1)',
  ])('%s is not', (address) => expect(base.covers(address)).toBe(false))

  test('no address that a server could read as outside is covered', () => {
    const escapes = ['%2f', '%2e', '%252e', '%5c']
    const piece = fc.constantFrom('..', '//', 'gate', 'h.example', 'https:', ...escapes, ...'./\\@:a?#'.split(''))
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 12 }),
        fc.constantFrom('', 'https://h.example/gate/', 'https://h.example'),
        (pieces, start) => {
          const url = base.resolve(start + pieces.join(''))
          if (url === null) return
          let path = url.pathname
          for (let i = 0; i < 8; i++) path = decodeURIComponent(path)
          const seen = new URL(`https://h.example${path}`)
          expect(url.origin).toBe('https://h.example')
          expect(`${seen.pathname}/`.startsWith('/gate/')).toBe(true)
        },
      ),
      { numRuns: tries(500, 3000) },
    )
  })
})

test('an address of a network card is this computer, in every form', () => {
  const cards = Object.values(networkInterfaces()).flatMap((card) => card ?? [])
  expect(cards).not.toHaveLength(0)
  for (const { address, family } of cards) {
    const forms = [address, URL.parse(`http://${family === 'IPv6' ? `[${address}]` : address}/`)?.hostname ?? '']
    if (family === 'IPv4') forms.push(`::ffff:${address}`, `[::ffff:${address}]`)
    expect(forms.map((form) => [form, isThisComputer(form)])).toEqual(forms.map((form) => [form, true]))
    // A gateway may translate this form to the address, or to another computer's: it only refuses.
    if (family === 'IPv4') expect(mayReachThisComputer(`64:ff9b::${address}`, { orLink: false })).toBe(true)
  }
  for (const host of ['192.0.2.77', '[::ffff:192.0.2.77]', 'api.example.com']) expect(isThisComputer(host)).toBe(false)
})
